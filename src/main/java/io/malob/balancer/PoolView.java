package io.malob.balancer;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Placers;
import io.malob.algorithm.Server;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A pool as connections see it: the members that can be chosen, and a placer for each algorithm
 * that is in use. The members never change; a pool with other members is another view, which takes
 * over the turns. Thread-safe.
 */
final class PoolView {
  private final ImmutableList<Server> servers;
  private final Counting counting;
  private final Map<Algorithm, Placer> placers = new ConcurrentHashMap<>();
  private final Map<Algorithm, AtomicInteger> turns;

  /** The placers again: to be gone through for each connection without an iterator. */
  private volatile ImmutableList<Placer> all = ImmutableList.of();

  /** A pool that nobody has been placed in yet. */
  PoolView(ImmutableList<Server> servers, Counting counting) {
    this(servers, counting, new ConcurrentHashMap<>());
  }

  private PoolView(
      ImmutableList<Server> servers, Counting counting, Map<Algorithm, AtomicInteger> turns) {
    this.servers = servers;
    this.counting = counting;
    this.turns = turns;
    // not at the first request: laying out the turns of a large pool takes a while
    turns.keySet().forEach(this::placer);
  }

  /** This pool with other members; itself if they are the same. */
  PoolView with(ImmutableList<Server> newServers) {
    return newServers.equals(servers) ? this : new PoolView(newServers, counting, turns);
  }

  /** The members that can be chosen. */
  ImmutableList<Server> servers() {
    return servers;
  }

  /** Of the members at each switch that has some, one. */
  Collection<Server> oneOfEachSwitch() {
    Map<DatapathId, Server> first = new LinkedHashMap<>();
    servers.forEach(server -> first.putIfAbsent(server.at().switchId(), server));
    return first.values();
  }

  /** The placer of an algorithm. */
  Placer placer(Algorithm algorithm) {
    Placer placer = placers.get(algorithm);
    return placer != null ? placer : placers.computeIfAbsent(algorithm, this::newPlacer);
  }

  private Placer newPlacer(Algorithm algorithm) {
    Placer placer =
        Placers.of(
            algorithm,
            servers,
            turns.computeIfAbsent(algorithm, any -> new AtomicInteger()),
            counting);
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
