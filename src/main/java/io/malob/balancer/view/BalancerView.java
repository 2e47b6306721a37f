package io.malob.balancer.view;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Server;
import io.malob.algorithm.health.Health;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Persistence;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of everything that a placement depends on. Immutable; read once per packet.
 *
 * @param catalog the operators' configuration
 * @param network switches, links and paths
 * @param pools the pools by id
 * @param poolOfMember the pools by the numbers of their members
 * @param servers the located members by number, including those that get no new connections
 * @param health the health of members by number; members without a monitor may be missing
 * @param serverLocations the locations of servers, by their addresses
 * @param plans the plans of connections by VIP and port
 */
public record BalancerView(
    CatalogSnapshot catalog,
    NetworkSnapshot network,
    ImmutableMap<String, PoolView> pools,
    ImmutableMap<Integer, PoolView> poolOfMember,
    ImmutableMap<Integer, Server> servers,
    ImmutableMap<Integer, Health> health,
    ServerLocations serverLocations,
    ServicePlans plans) {

  /** A view with an empty catalog and an empty network. */
  public static final BalancerView EMPTY =
      new BalancerView(
          CatalogSnapshot.empty(),
          NetworkSnapshot.EMPTY,
          ImmutableMap.of(),
          ImmutableMap.of(),
          ImmutableMap.of(),
          ImmutableMap.of(),
          ServerLocations.NONE,
          new ServicePlans(ServicePlan.Counters.NONE));

  /**
   * The plan of connections to a port of a VIP; null if the VIP has no pool.
   *
   * @param port the destination port, or the type for ICMP
   */
  public @Nullable ServicePlan plan(Vip vip, Protocol protocol, int port) {
    return plans.find(this, vip, protocol, port);
  }

  /** The eligible members of a pool. */
  public PoolView pool(Pool pool) {
    @Nullable PoolView view = pools.get(pool.id());
    if (view == null) {
      throw new IllegalStateException("pool " + pool.id() + " is in the catalog but not in view");
    }
    return view;
  }

  /**
   * Whether new connections may be placed on a member; not if it is drained, down or full, or its
   * VIP is down.
   */
  public boolean takesNew(Server server) {
    return membersOf(server)
        .anyMatch(
            member ->
                member.takesNew()
                    && !isVipDown(member)
                    && health(member).takesConnections()
                    && !server.load().isFull(member.limit()));
  }

  private Stream<Member> membersOf(Server server) {
    return catalog.membersAt(server.address()).stream()
        .filter(member -> member.number() == server.number());
  }

  private boolean isVipDown(Member member) {
    return catalog.vipOf(member).flatMap(catalog::downFor).isPresent();
  }

  /** The session persistence of a member's pool; empty if it has none. */
  public Optional<Persistence> persistenceOf(Server server) {
    return membersOf(server)
        .findFirst()
        .map(Member::poolId)
        .map(catalog.pools()::get)
        .map(Pool::persistence);
  }

  /** The health of a member. */
  public Health health(Member member) {
    return health.getOrDefault(member.number(), Health.UNCHECKED);
  }

  /** A copy with another network. */
  BalancerView with(NetworkSnapshot newNetwork) {
    return new BalancerView(
        catalog, newNetwork, pools, poolOfMember, servers, health, serverLocations, plans);
  }

  /** Notifies the pool of a member that the member's load has changed. */
  public void loadChanged(Server server) {
    @Nullable PoolView pool = poolOfMember.get(server.number());
    if (pool != null) {
      pool.loadChanged(server);
    }
  }
}
