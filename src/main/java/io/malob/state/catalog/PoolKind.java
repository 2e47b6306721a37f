package io.malob.state.catalog;

import io.malob.algorithm.Algorithm;
import io.malob.json.RejectedException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPVersion;

/** The rules for pools. */
final class PoolKind extends CatalogKind<Pool> {
  private static final int LIMIT = 65_535;

  private final Field<Pool, String> name = field("name", Pool::name, FieldFormat.NAME);
  private final Field<Pool, Protocol> protocol =
      field("protocol", Pool::protocol, FieldFormat.PROTOCOL);
  private final Field<Pool, String> loadBalancer =
      reference("load_balancer_id", Pool::loadBalancerId, "load_balancers");
  private final Field<Pool, String> vip = reference("vip_id", Pool::vipId, "vips");
  private final Field<Pool, Algorithm> algorithm =
      field("lb_method", Pool::algorithm, FieldFormat.ALGORITHM);
  private final Field<Pool, Integer> slowStart =
      field(
          "slow_start",
          Pool::slowStartSeconds,
          FieldFormat.whole(0, Monitor.MAX_SECONDS)
              .describedAs("seconds in which a new or recovered member reaches its full share"),
          0);
  private final Field<Pool, Persistence> persistence =
      field("session_persistence", Pool::persistence, Persistence.FORMAT);
  private final Field<Pool, Boolean> sourceNat =
      field(
          "source_nat",
          Pool::sourceNat,
          FieldFormat.FLAG.describedAs(
              "whether members see an address of the client's switch instead of the client's, so"
                  + " that replies come back there; only of a VIP with placement tracked or auto"),
          false);
  private final Field<Pool, AdminState> adminState =
      field("admin_state", Pool::adminState, FieldFormat.UP_OR_DOWN, AdminState.UP);
  private final Notes.Group<Pool> notes = notes(Pool::notes);

  PoolKind() {
    super("pool", "pools", LIMIT, false);
  }

  @Override
  Pool read(FieldReader<Pool> fields) throws RejectedException {
    return new Pool(
        fields.id(),
        fields.name(name),
        fields.find(protocol),
        fields.find(loadBalancer),
        fields.find(vip),
        fields.find(algorithm),
        fields.get(slowStart),
        fields.find(persistence),
        fields.get(sourceNat),
        fields.get(adminState),
        notes.read(fields));
  }

  @Override
  void check(CatalogSnapshot candidate, Pool pool) throws RejectedException {
    checkReference(candidate, pool, vip);
    String vipId = pool.vipId();
    if (vipId != null) {
      for (Pool other : candidate.poolsOfVip(vipId)) {
        if (!other.id().equals(pool.id())) {
          throw RejectedException.conflict(
              "vip_id", "VIP " + vipId + " has a pool already: " + other.id());
        }
      }
    }
    checkReference(candidate, pool, loadBalancer);
    checkAddress(candidate, pool, loadBalancer.name());
    checkProtocol(candidate, pool);
    checkFamily(candidate, pool, "vip_id");
    PlacementRules.checkPool(candidate, pool, persistence.name());
    PlacementRules.checkSourceNat(candidate, pool, sourceNat.name());
  }

  @Override
  void checkGiven(CatalogSnapshot candidate, Pool pool, Fields given) throws RejectedException {
    PlacementRules.checkMembers(candidate, pool, "vip_id");
  }

  /** Checks that a pool, its VIP and its members are compatible with the same protocol. */
  static void checkProtocol(CatalogSnapshot candidate, Pool pool) throws RejectedException {
    Vip vip = candidate.vipOf(pool).orElse(null);
    Protocol own = pool.protocol();
    Protocol ofVip = vip == null ? null : vip.protocol();
    if (own != null && ofVip != null && own != ofVip) {
      throw RejectedException.unprocessable(
          "protocol",
          "pool " + pool.id() + " is for " + own.text() + ", but its VIP is for " + ofVip.text());
    }
    Protocol protocol = protocolOf(candidate, pool);
    if (protocol == null) {
      return;
    }
    for (Member member : candidate.membersOfPool(pool.id())) {
      if (FieldFormat.portProblem(protocol, member.port()) != null) {
        throw RejectedException.unprocessable(
            "protocol",
            String.format(
                "member %s of pool %s has port %d, which is not valid for %s",
                member.id(), pool.id(), member.port(), protocol.text()));
      }
    }
  }

  /**
   * Checks that a pool's VIP has the address family of its members, which {@link MemberKind}
   * compares with each other; an error names {@code field}.
   */
  static void checkFamily(CatalogSnapshot candidate, Pool pool, String field)
      throws RejectedException {
    Vip vip = candidate.vipOf(pool).orElse(null);
    List<Member> members = candidate.membersOfPool(pool.id());
    if (vip == null || members.isEmpty()) {
      return;
    }
    IPVersion family = members.get(0).address().getIpVersion();
    if (vip.address().getIpVersion() != family) {
      throw RejectedException.unprocessable(
          field,
          String.format(
              "VIP %s has the address %s, but the members of pool %s have %s addresses",
              vip.id(), vip.address(), pool.id(), family));
    }
  }

  /**
   * Checks that a pool's VIP has the address of the pool's load balancer; an error names {@code
   * field}.
   */
  static void checkAddress(CatalogSnapshot candidate, Pool pool, String field)
      throws RejectedException {
    Vip vip = candidate.vipOf(pool).orElse(null);
    LoadBalancer balancer =
        pool.loadBalancerId() == null ? null : candidate.loadBalancers().get(pool.loadBalancerId());
    if (vip != null && balancer != null && !vip.address().equals(balancer.address())) {
      throw RejectedException.unprocessable(
          field,
          String.format(
              "pool %s has VIP %s at %s and load balancer %s at %s; both need the same address",
              pool.id(), vip.id(), vip.address(), balancer.id(), balancer.address()));
    }
  }

  /** The protocol of a pool's traffic: its own or its VIP's; null if neither has one. */
  static @Nullable Protocol protocolOf(CatalogSnapshot snapshot, Pool pool) {
    Protocol own = pool.protocol();
    return own != null ? own : snapshot.vipOf(pool).map(Vip::protocol).orElse(null);
  }
}
