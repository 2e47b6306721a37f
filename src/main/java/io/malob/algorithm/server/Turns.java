package io.malob.algorithm.server;

import io.malob.algorithm.Server;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

/**
 * Gives servers their turns. One that has not come to its full share yet is left out of as many of
 * its turns as it lacks of that.
 */
final class Turns {
  /** So many turns are left out in a row at most. */
  private static final int MAX_LEFT_OUT = 64;

  private final List<Server> servers;
  private final AtomicInteger turn;
  private final IntUnaryOperator order;

  /**
   * Turns of these servers.
   *
   * @param order gives the index of the server for each turn
   */
  Turns(List<Server> servers, AtomicInteger turn, IntUnaryOperator order) {
    this.servers = List.copyOf(servers);
    this.turn = turn;
    this.order = order;
  }

  /** The index of the server whose turn it is, and is over with that. */
  int pick() {
    for (int leftOut = 0; ; leftOut++) {
      int now = turn.getAndIncrement();
      int server = order.applyAsInt(now);
      if (leftOut == MAX_LEFT_OUT || isTaken(server, now)) {
        return server;
      }
    }
  }

  /** What {@link #pick} would give now. */
  int next() {
    int now = turn.get();
    for (int leftOut = 0; ; leftOut++) {
      int server = order.applyAsInt(now + leftOut);
      if (leftOut == MAX_LEFT_OUT || isTaken(server, now + leftOut)) {
        return server;
      }
    }
  }

  private boolean isTaken(int server, int now) {
    return TurnHash.isAmong(now, servers.get(server).load().share());
  }
}
