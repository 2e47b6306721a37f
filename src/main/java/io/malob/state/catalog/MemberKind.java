package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;

/** The rules for members. */
final class MemberKind extends CatalogKind<Member> {
  MemberKind() {
    super(
        "member",
        "members",
        Member.MAX_NUMBER,
        "id",
        "name",
        "address",
        "port",
        "pool_id",
        "weight",
        "backup",
        "connection_limit",
        "admin_state",
        "monitor_address",
        "monitor_port",
        Notes.DESCRIPTION,
        Notes.TAGS,
        Notes.EXTERNAL_IDS);
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
        fields.name(current == null ? null : current.name(), id),
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
            FieldFormat::address),
        fields.optional(
            "monitor_port", current == null ? null : current.monitorPort(), FieldFormat::tcpPort),
        Notes.read(fields, current == null ? null : current.notes()));
  }

  @Override
  int numberOf(Member member) {
    return member.number();
  }

  @Override
  FreeNumbers freeNumbers(CatalogTables tables) {
    return new FreeNumbers(tables.lastMemberNumber(), Member.MAX_NUMBER)
        .without(tables.members().values(), this);
  }

  @Override
  CatalogTables with(CatalogTables tables, Collection<Member> items, int lastNumber) {
    return tables
        .withMembers(CatalogTables.plus(tables.members(), items))
        .withLastMemberNumber(lastNumber);
  }

  @Override
  CatalogTables without(CatalogTables tables, Collection<Member> items) {
    return tables.withMembers(CatalogTables.minus(tables.members(), items));
  }

  @Override
  void check(CatalogSnapshot candidate, Member member) throws RejectedException {
    if (candidate.isVipAddress(member.address())) {
      throw RejectedException.conflict(
          "address",
          member.address() + " is the address of a VIP and cannot be a member's address");
    }
    Optional<LoadBalancer> balancer = candidate.loadBalancerAt(member.address());
    if (balancer.isPresent()) {
      throw RejectedException.conflict(
          "address",
          String.format(
              "%s is the address of load balancer %s and cannot be a member's address",
              member.address(), balancer.get().id()));
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
    Pool pool = member.poolId() == null ? null : candidate.pools().get(member.poolId());
    if (pool != null && (given.has("address") || given.has("pool_id"))) {
      checkFamily(candidate, member, pool, given.has("address") ? "address" : "pool_id");
    }
    if (given.has("port")) {
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

  /** Any other member has the family of all others. */
  private static void checkFamily(CatalogSnapshot candidate, Member member, Pool pool, String field)
      throws RejectedException {
    IPVersion family = member.address().getIpVersion();
    for (Member other : candidate.membersOfPool(pool.id())) {
      if (other.address().getIpVersion() != family) {
        throw otherFamily(field, member, pool, "member " + other.id(), other.address());
      } else if (!other.id().equals(member.id())) {
        break;
      }
    }
    Vip vip = PoolKind.vipOf(candidate, pool);
    if (vip != null && vip.address().getIpVersion() != family) {
      throw otherFamily(field, member, pool, "VIP " + vip.id(), vip.address());
    }
  }

  private static RejectedException otherFamily(
      String field, Member member, Pool pool, String other, IPAddress<?> address) {
    return RejectedException.unprocessable(
        field,
        String.format(
            "a pool has one address family, and %s is not of the family of %s (%s) of pool %s",
            member.address(), other, address, pool.id()));
  }

  private static void checkIsOnlyOne(CatalogSnapshot candidate, Member member, String poolId)
      throws RejectedException {
    for (Member other : candidate.membersAt(member.address(), member.port())) {
      if (!other.id().equals(member.id()) && poolId.equals(other.poolId())) {
        throw RejectedException.conflict(
            "address",
            "member " + other.id() + " of pool " + poolId + " has the same address and port");
      }
    }
  }
}
