package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The rules for members. */
final class MemberKind extends CatalogKind<Member> {
  MemberKind() {
    super(
        "member",
        "members",
        Member.MAX_NUMBER,
        "id",
        "address",
        "port",
        "pool_id",
        "weight",
        "backup",
        "connection_limit",
        "admin_state",
        "monitor_address");
  }

  @Override
  public Map<String, Member> in(CatalogSnapshot snapshot) {
    return snapshot.members();
  }

  @Override
  Member read(FieldReader fields, String id, int number, @Nullable Member current)
      throws RejectedException {
    return new Member(
        current == null ? number : current.number(),
        id,
        fields.optional("pool_id", current == null ? null : current.poolId(), FieldFormat::id),
        fields.required(
            "address", current == null ? null : current.address(), FieldFormat::address),
        fields.optional("port", current == null ? null : current.port(), FieldFormat::port),
        fields.optional(
            "weight", current == null ? null : current.weight(), FieldFormat::weight, 1),
        fields.optional(
            "backup", current == null ? null : current.backup(), FieldFormat::truth, false),
        fields.optional(
            "connection_limit",
            current == null ? null : current.connectionLimit(),
            FieldFormat::connectionLimit),
        fields.optional(
            "admin_state",
            current == null ? null : current.adminState(),
            FieldFormat::adminState,
            AdminState.UP),
        fields.optional(
            "monitor_address",
            current == null ? null : current.monitorAddress(),
            FieldFormat::address));
  }

  @Override
  int numberOf(Member member) {
    return member.number();
  }

  @Override
  int nextNumber(CatalogTables tables) {
    return FreeNumber.after(
        tables.lastMemberNumber(), Member.MAX_NUMBER, tables.members().values(), Member::number);
  }

  @Override
  CatalogTables with(CatalogTables tables, Member member) {
    CatalogTables changed = tables.withMembers(CatalogTables.plus(tables.members(), member));
    return tables.members().containsKey(member.id())
        ? changed
        : changed.withLastMemberNumber(member.number());
  }

  @Override
  CatalogTables without(CatalogTables tables, Member member) {
    return tables.withMembers(CatalogTables.minus(tables.members(), member.id()));
  }

  @Override
  void check(CatalogSnapshot candidate, Member member) throws RejectedException {
    if (candidate.isVipAddress(member.address())) {
      throw RejectedException.conflict(
          "address",
          member.address() + " is the address of a VIP and cannot be a member's address");
    }
    String poolId = member.poolId();
    if (poolId == null) {
      return;
    }
    Pool pool = candidate.pools().get(poolId);
    if (pool == null) {
      throw RejectedException.unprocessable("pool_id", "there is no pool " + poolId);
    }
    checkIsOnlyOne(candidate, member, poolId);
    Protocol protocol = PoolKind.protocolOf(candidate, pool);
    if (protocol != null) {
      checkPort(protocol, member);
    }
    PlacementRules.checkMember(candidate, pool, member);
  }

  /** Port 0 exists only as an ICMP type, so it requires a pool for ICMP. */
  @Override
  void checkGiven(CatalogSnapshot candidate, Member member, Fields given) throws RejectedException {
    if (given.has("port")) {
      Pool pool = member.poolId() == null ? null : candidate.pools().get(member.poolId());
      checkPort(pool == null ? null : PoolKind.protocolOf(candidate, pool), member);
    }
  }

  private static void checkPort(@Nullable Protocol protocol, Member member)
      throws RejectedException {
    String problem = FieldFormat.portProblem(protocol, member.port());
    if (problem != null) {
      throw RejectedException.invalid("port", problem);
    }
  }

  private static void checkIsOnlyOne(CatalogSnapshot candidate, Member member, String poolId)
      throws RejectedException {
    for (Member other : candidate.membersAt(member.address())) {
      if (!other.id().equals(member.id())
          && poolId.equals(other.poolId())
          && Objects.equals(other.port(), member.port())) {
        throw RejectedException.conflict(
            "address",
            "member " + other.id() + " of pool " + poolId + " has the same address and port");
      }
    }
  }
}
