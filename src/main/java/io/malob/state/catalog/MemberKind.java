package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.Optional;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;

/** The rules for members. */
final class MemberKind extends CatalogKind<Member> {
  private final Field<Member, String> name = field("name", Member::name, FieldFormat.NAME);
  private final Field<Member, IPAddress<?>> address =
      required("address", Member::address, FieldFormat.ADDRESS);
  private final Field<Member, Integer> vlan =
      field("vlan", item -> FieldFormat.vlanOrNull(item.vlan()), FieldFormat.VLAN);
  private final Field<Member, Integer> port = field("port", Member::port, FieldFormat.PORT);
  private final Field<Member, String> pool = reference("pool_id", Member::poolId, "pools");
  private final Field<Member, Integer> weight =
      field("weight", Member::weight, FieldFormat.whole(0, Member.MAX_WEIGHT), 1);
  private final Field<Member, Boolean> backup =
      field(
          "backup",
          Member::backup,
          FieldFormat.FLAG.describedAs(
              "takes connections only while no other member of its pool can take any"),
          false);
  private final Field<Member, Integer> connectionLimit =
      field("connection_limit", Member::connectionLimit, FieldFormat.CONNECTIONS);
  private final Field<Member, AdminState> adminState =
      field("admin_state", Member::adminState, FieldFormat.ADMIN_STATE, AdminState.UP);
  private final Field<Member, IPAddress<?>> monitorAddress =
      field("monitor_address", Member::monitorAddress, FieldFormat.ADDRESS);
  private final Field<Member, Integer> monitorPort =
      field("monitor_port", Member::monitorPort, FieldFormat.TCP_PORT);
  private final Notes.Group<Member> notes = notes(Member::notes);

  MemberKind() {
    super("member", "members", Member.MAX_NUMBER, true);
  }

  @Override
  Member read(FieldReader<Member> fields) throws RejectedException {
    return new Member(
        fields.number(),
        fields.id(),
        fields.name(name),
        fields.find(pool),
        fields.get(address),
        FieldFormat.vlan(fields.find(vlan)),
        fields.find(port),
        fields.get(weight),
        fields.get(backup),
        fields.find(connectionLimit),
        fields.get(adminState),
        fields.find(monitorAddress),
        fields.find(monitorPort),
        notes.read(fields));
  }

  @Override
  int numberOf(Member member) {
    return member.number();
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
    for (Member other : candidate.membersAt(member.address())) {
      if (other.vlan() != member.vlan()) {
        throw RejectedException.conflict(
            vlan.name(),
            "member "
                + other.id()
                + " has the same address, and all members of an address have one VLAN");
      }
    }
    checkReference(candidate, member, pool);
    Pool pool = candidate.poolOf(member).orElse(null);
    if (pool == null) {
      return;
    }
    checkIsOnlyOne(candidate, member, pool.id());
    Protocol protocol = PoolKind.protocolOf(candidate, pool);
    if (protocol != null) {
      FieldFormat.checkPort(protocol, member.port());
    }
    PlacementRules.checkMember(candidate, pool, member);
  }

  /** Port 0 exists only as an ICMP type, so it requires a pool for ICMP. */
  @Override
  void checkGiven(CatalogSnapshot candidate, Member member, Fields given) throws RejectedException {
    Pool pool = candidate.poolOf(member).orElse(null);
    if (pool != null && (given.has("address") || given.has("pool_id"))) {
      checkFamily(candidate, member, pool, given.has("address") ? "address" : "pool_id");
    }
    if (given.has("port")) {
      FieldFormat.checkPort(
          pool == null ? null : PoolKind.protocolOf(candidate, pool), member.port());
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
    Vip vip = candidate.vipOf(pool).orElse(null);
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
