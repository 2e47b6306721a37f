package io.malob.algorithm;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.joint.ServerWithPath;
import io.malob.algorithm.path.FewestHops;
import io.malob.algorithm.path.HighestThroughput;
import io.malob.algorithm.path.LowestLatency;
import io.malob.algorithm.path.PathPicker;
import io.malob.algorithm.server.LeastConnections;
import io.malob.algorithm.server.LeastCpu;
import io.malob.algorithm.server.RoundRobin;
import io.malob.algorithm.server.ServerPicker;
import io.malob.algorithm.server.TwoChoices;
import io.malob.algorithm.server.WeightedRoundRobin;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes the placer of each algorithm. A new rule gets a class in {@code server} or {@code path}, a
 * line here, and its name in {@link Algorithm}; a joint rule one in {@code joint}.
 */
public final class Placers {
  private Placers() {}

  /**
   * The placer of an algorithm over these servers, and over backups for when none of them can take
   * a connection.
   *
   * @param turn the pool's turn, which goes on where it was when the servers change
   * @param counting what it takes for the load of servers
   */
  public static Placer of(
      Algorithm algorithm,
      ImmutableList<Server> servers,
      ImmutableList<Server> backups,
      AtomicInteger turn,
      Counting counting) {
    if (servers.isEmpty() || backups.isEmpty()) {
      return of(algorithm, servers.isEmpty() ? backups : servers, turn, counting);
    }
    return new WithBackups(
        of(algorithm, servers, turn, counting), of(algorithm, backups, turn, counting));
  }

  /**
   * The placer of an algorithm over these servers.
   *
   * @param turn the pool's turn, which goes on where it was when the servers change
   * @param counting what it takes for the load of servers
   */
  public static Placer of(
      Algorithm algorithm, ImmutableList<Server> servers, AtomicInteger turn, Counting counting) {
    return algorithm.isJoint()
        ? ServerWithPath.of(algorithm, servers, counting)
        : new ServerThenPath(
            servers, serverPicker(algorithm, servers, turn, counting), pathPicker(algorithm));
  }

  private static ServerPicker serverPicker(
      Algorithm algorithm, ImmutableList<Server> servers, AtomicInteger turn, Counting counting) {
    if (servers.isEmpty()) {
      return new RoundRobin(servers, turn); // never asked
    }
    return switch (algorithm.serverRule()) {
      case "RR" -> new RoundRobin(servers, turn);
      case "WRR" -> new WeightedRoundRobin(servers, turn);
      case "LC" -> new LeastConnections(servers, counting);
      case "CPU" -> new LeastCpu(servers, counting);
      case "P2C" -> new TwoChoices(servers, turn, counting);
      default -> throw new IllegalArgumentException("no server rule for " + algorithm.name());
    };
  }

  private static PathPicker pathPicker(Algorithm algorithm) {
    return switch (algorithm.pathRule()) {
      case "SPH" -> new FewestHops();
      case "SPL" -> new LowestLatency();
      case "HTP" -> new HighestThroughput();
      default -> throw new IllegalArgumentException("no path rule for " + algorithm.name());
    };
  }
}
