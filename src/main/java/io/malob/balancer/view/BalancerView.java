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
import org.jspecify.annotations.Nullable;

/**
 * All that a placement depends on, at one moment. Immutable; read once per packet.
 *
 * @param catalog what operators have set up
 * @param network switches, links and paths
 * @param pools the pools by id
 * @param poolOfMember the pools by the numbers of their members
 * @param servers the members that the network has shown, by number, also those that take no new
 *     connections
 * @param health what checks of members have shown, by number; members without a monitor may be
 *     missing
 * @param places where servers are that send packets
 * @param plans what connections to a VIP's port have in common
 */
public record BalancerView(
    CatalogSnapshot catalog,
    NetworkSnapshot network,
    ImmutableMap<String, PoolView> pools,
    ImmutableMap<Integer, PoolView> poolOfMember,
    ImmutableMap<Integer, Server> servers,
    ImmutableMap<Integer, Health> health,
    ServerLocations places,
    ServicePlans plans) {

  /** Nothing set up and no network. */
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
   * What connections to a port of a VIP have in common; null if the VIP has no pool.
   *
   * @param port the destination port, or the type for ICMP
   */
  public @Nullable ServicePlan plan(Vip vip, Protocol protocol, int port) {
    return plans.find(this, vip, protocol, port);
  }

  /** The members of a pool that can be chosen. */
  public PoolView pool(Pool pool) {
    @Nullable PoolView view = pools.get(pool.id());
    if (view == null) {
      throw new IllegalStateException("pool " + pool.id() + " is in the catalog but not in view");
    }
    return view;
  }

  /** Whether new connections may be placed on a member: it may be drained, down, or full. */
  public boolean takesNew(Server server) {
    return catalog.membersAt(server.address()).stream()
        .anyMatch(
            member ->
                member.number() == server.number()
                    && member.takesNew()
                    && health(member).takesConnections()
                    && server.load().active() < member.limit());
  }

  /** How clients of a member's pool stay with their members; empty if they do not. */
  public Optional<Persistence> persistenceOf(Server server) {
    return catalog.membersAt(server.address()).stream()
        .filter(member -> member.number() == server.number())
        .findFirst()
        .map(Member::poolId)
        .map(catalog.pools()::get)
        .map(Pool::persistence);
  }

  /** What checks of a member have shown. */
  public Health health(Member member) {
    return health.getOrDefault(member.number(), Health.UNCHECKED);
  }

  /** The same with another network. */
  BalancerView with(NetworkSnapshot newNetwork) {
    return new BalancerView(
        catalog, newNetwork, pools, poolOfMember, servers, health, places, plans);
  }

  /** Tells that the load of a member has changed. */
  public void loadChanged(Server server) {
    @Nullable PoolView pool = poolOfMember.get(server.number());
    if (pool != null) {
      pool.loadChanged(server);
    }
  }
}
