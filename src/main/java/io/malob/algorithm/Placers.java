package io.malob.algorithm;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.joint.JointRules;
import io.malob.algorithm.server.ServerPicker;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes the placer of each algorithm. */
public final class Placers {
  private Placers() {}

  /**
   * The placer of an algorithm over these servers, and over backups for when none of them can take
   * a connection.
   *
   * @param turn the pool's turn, which continues when the servers change
   * @param counting the values that it uses as the load of servers
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
   * @param turn the pool's turn, which continues when the servers change
   * @param counting the values that it uses as the load of servers
   */
  public static Placer of(
      Algorithm algorithm, ImmutableList<Server> servers, AtomicInteger turn, Counting counting) {
    return algorithm.isJoint()
        ? JointRules.placer(algorithm, servers, turn, counting)
        : new ServerThenPath(
            servers,
            serverPicker(algorithm, servers, turn, counting),
            PathRule.valueOf(algorithm.pathRule()).picker());
  }

  private static ServerPicker serverPicker(
      Algorithm algorithm, ImmutableList<Server> servers, AtomicInteger turn, Counting counting) {
    ServerRule rule =
        servers.isEmpty() ? ServerRule.RR : ServerRule.valueOf(algorithm.serverRule());
    return rule.picker(servers, turn, counting); // without servers, it is never asked
  }
}
