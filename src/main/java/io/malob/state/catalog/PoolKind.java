package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPVersion;

/** The rules for pools. */
final class PoolKind extends CatalogKind<Pool> {
  private static final int LIMIT = 65_535;
  private static final String PERSISTENCE = "session_persistence";
  private static final String LOAD_BALANCER_ID = "load_balancer_id";

  PoolKind() {
    super(
        "pool",
        "pools",
        LIMIT,
        "id",
        "name",
        "protocol",
        LOAD_BALANCER_ID,
        "vip_id",
        "lb_method",
        "slow_start",
        PERSISTENCE,
        "admin_state",
        Notes.DESCRIPTION,
        Notes.TAGS,
        Notes.EXTERNAL_IDS);
  }

  @Override
  public Map<String, Pool> in(CatalogSnapshot snapshot) {
    return snapshot.pools();
  }

  @Override
  Pool read(FieldReader fields, String id, int number, @Nullable Pool current)
      throws RejectedException {
    return new Pool(
        id,
        fields.name(current == null ? null : current.name(), id),
        fields.optional(
            "protocol", current == null ? null : current.protocol(), FieldFormat::protocol),
        fields.optional(
            LOAD_BALANCER_ID, current == null ? null : current.loadBalancerId(), FieldFormat::id),
        fields.optional("vip_id", current == null ? null : current.vipId(), FieldFormat::id),
        fields.optional(
            "lb_method", current == null ? null : current.algorithm(), FieldFormat::algorithm),
        fields.optional(
            "slow_start",
            current == null ? null : current.slowStartSeconds(),
            FieldFormat::slowStart,
            0),
        fields.optional(
            PERSISTENCE, current == null ? null : current.persistence(), Persistence::parse),
        fields.optional(
            "admin_state",
            current == null ? null : current.adminState(),
            FieldFormat::upOrDown,
            AdminState.UP),
        Notes.read(fields, current == null ? null : current.notes()));
  }

  @Override
  public boolean takesParts(String fieldName) {
    return fieldName.equals(PERSISTENCE) || super.takesParts(fieldName);
  }

  @Override
  CatalogTables with(CatalogTables tables, Collection<Pool> items, int lastNumber) {
    return tables.withPools(CatalogTables.plus(tables.pools(), items));
  }

  @Override
  CatalogTables without(CatalogTables tables, Collection<Pool> items) {
    Set<@Nullable String> gone = new HashSet<>(CatalogTables.ids(items));
    return tables
        .withPools(CatalogTables.minus(tables.pools(), items))
        .withMembers(
            CatalogTables.changed(
                tables.members(),
                member -> gone.contains(member.poolId()) ? member.withoutPool() : member))
        .withMonitors(
            CatalogTables.changed(
                tables.monitors(),
                monitor -> gone.contains(monitor.poolId()) ? monitor.withoutPool() : monitor));
  }

  @Override
  void check(CatalogSnapshot candidate, Pool pool) throws RejectedException {
    String vipId = pool.vipId();
    if (vipId != null) {
      if (!candidate.vips().containsKey(vipId)) {
        throw RejectedException.unprocessable("vip_id", "there is no VIP " + vipId);
      }
      for (Pool other : candidate.poolsOfVip(vipId)) {
        if (!other.id().equals(pool.id())) {
          throw RejectedException.conflict(
              "vip_id", "VIP " + vipId + " has a pool already: " + other.id());
        }
      }
    }
    String balancerId = pool.loadBalancerId();
    if (balancerId != null && !candidate.loadBalancers().containsKey(balancerId)) {
      throw RejectedException.unprocessable(
          LOAD_BALANCER_ID, "there is no load balancer " + balancerId);
    }
    checkAddress(candidate, pool, LOAD_BALANCER_ID);
    checkProtocol(candidate, pool);
    checkFamily(candidate, pool, "vip_id");
    PlacementRules.checkPool(candidate, pool, PERSISTENCE);
  }

  @Override
  void checkGiven(CatalogSnapshot candidate, Pool pool, Fields given) throws RejectedException {
    PlacementRules.checkMembers(candidate, pool, "vip_id");
  }

  /** Checks that a pool, its VIP and its members are compatible with the same protocol. */
  static void checkProtocol(CatalogSnapshot candidate, Pool pool) throws RejectedException {
    Vip vip = vipOf(candidate, pool);
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
    Vip vip = vipOf(candidate, pool);
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
    Vip vip = vipOf(candidate, pool);
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
    Vip vip = vipOf(snapshot, pool);
    Protocol own = pool.protocol();
    return own != null || vip == null ? own : vip.protocol();
  }

  /** The VIP that a pool serves; null for none. */
  static @Nullable Vip vipOf(CatalogSnapshot snapshot, Pool pool) {
    String vipId = pool.vipId();
    return vipId == null ? null : snapshot.vips().get(vipId);
  }
}
