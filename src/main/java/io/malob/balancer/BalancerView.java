package io.malob.balancer;

import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Server;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Pool;
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
 */
record BalancerView(
    CatalogSnapshot catalog,
    NetworkSnapshot network,
    ImmutableMap<String, PoolView> pools,
    ImmutableMap<Integer, PoolView> poolOfMember,
    ImmutableMap<Integer, Server> servers) {

  /** Nothing set up and no network. */
  static final BalancerView EMPTY =
      new BalancerView(
          CatalogSnapshot.empty(),
          NetworkSnapshot.EMPTY,
          ImmutableMap.of(),
          ImmutableMap.of(),
          ImmutableMap.of());

  /** The members of a pool that can be chosen. */
  PoolView pool(Pool pool) {
    @Nullable PoolView view = pools.get(pool.id());
    if (view == null) {
      throw new IllegalStateException("pool " + pool.id() + " is in the catalog but not in view");
    }
    return view;
  }

  /** Whether new connections may be placed on a member: an operator may have drained it. */
  boolean takesNew(Server server) {
    return catalog.membersAt(server.address()).stream()
        .anyMatch(member -> member.number() == server.number() && member.isUp());
  }

  /** The same with another network. */
  BalancerView with(NetworkSnapshot newNetwork) {
    return new BalancerView(catalog, newNetwork, pools, poolOfMember, servers);
  }

  /** Tells that the load of a member has changed. */
  void loadChanged(Server server) {
    @Nullable PoolView pool = poolOfMember.get(server.number());
    if (pool != null) {
      pool.loadChanged(server);
    }
  }
}
