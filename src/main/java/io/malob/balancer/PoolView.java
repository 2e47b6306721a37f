package io.malob.balancer;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Placers;
import io.malob.algorithm.Server;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A pool as connections see it: the members that can be chosen, and a placer for each algorithm
 * that is in use. The members never change; a pool with other members is another view, which takes
 * over the turns. Thread-safe.
 */
final class PoolView {
  private final ImmutableList<Server> servers;
  private final Map<Algorithm, Placer> placers = new ConcurrentHashMap<>();
  private final Map<Algorithm, AtomicInteger> turns;

  /** The placers again: to be gone through for each connection without an iterator. */
  private volatile ImmutableList<Placer> all = ImmutableList.of();

  /** A pool that nobody has been placed in yet. */
  PoolView(ImmutableList<Server> servers) {
    this(servers, new ConcurrentHashMap<>());
  }

  private PoolView(ImmutableList<Server> servers, Map<Algorithm, AtomicInteger> turns) {
    this.servers = servers;
    this.turns = turns;
    // not at the first request: laying out the turns of a large pool takes a while
    turns.keySet().forEach(this::placer);
  }

  /** This pool with other members; itself if they are the same. */
  PoolView with(ImmutableList<Server> newServers) {
    return newServers.equals(servers) ? this : new PoolView(newServers, turns);
  }

  /** The members that can be chosen. */
  ImmutableList<Server> servers() {
    return servers;
  }

  /** The placer of an algorithm. */
  Placer placer(Algorithm algorithm) {
    Placer placer = placers.get(algorithm);
    return placer != null ? placer : placers.computeIfAbsent(algorithm, this::newPlacer);
  }

  private Placer newPlacer(Algorithm algorithm) {
    Placer placer =
        Placers.of(
            algorithm, servers, turns.computeIfAbsent(algorithm, any -> new AtomicInteger()));
    synchronized (turns) {
      all = ImmutableList.<Placer>builder().addAll(all).add(placer).build();
    }
    return placer;
  }

  /** Tells all placers that the connections of a member were counted up or down. */
  void loadChanged(Server server) {
    ImmutableList<Placer> current = all;
    for (int i = 0; i < current.size(); i++) {
      current.get(i).loadChanged(server);
    }
  }
}
