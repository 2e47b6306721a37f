package io.malob.algorithm;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.path.FewestHops;
import io.malob.algorithm.path.PathPicker;
import io.malob.algorithm.server.LeastConnections;
import io.malob.algorithm.server.RoundRobin;
import io.malob.algorithm.server.ServerPicker;
import io.malob.algorithm.server.WeightedRoundRobin;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes the placer of each algorithm. A new rule gets a class in {@code server} or {@code path}, a
 * line here, and its name in {@link Algorithm}; a joint rule gets a {@link Placer} of its own.
 */
public final class Placers {
  private Placers() {}

  /**
   * The placer of an algorithm over these servers.
   *
   * @param turn the pool's turn, which goes on where it was when the servers change
   * @throws IllegalArgumentException if this version does not have the algorithm
   */
  public static Placer of(Algorithm algorithm, ImmutableList<Server> servers, AtomicInteger turn) {
    return new ServerThenPath(
        servers, serverPicker(algorithm, servers, turn), pathPicker(algorithm));
  }

  private static ServerPicker serverPicker(
      Algorithm algorithm, ImmutableList<Server> servers, AtomicInteger turn) {
    return switch (algorithm.serverRule()) {
      case "RR" -> new RoundRobin(servers.size(), turn);
      case "WRR" -> new WeightedRoundRobin(servers, turn);
      case "LC" -> new LeastConnections(servers);
      default -> throw new IllegalArgumentException("no server rule for " + algorithm.name());
    };
  }

  private static PathPicker pathPicker(Algorithm algorithm) {
    return switch (algorithm.pathRule()) {
      case "SPH" -> new FewestHops();
      default -> throw new IllegalArgumentException("no path rule for " + algorithm.name());
    };
  }
}
