package io.malob.algorithm.server;

import io.malob.algorithm.Server;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

/**
 * Gives servers their turns. A server in slow start is skipped in proportion to its missing share.
 */
final class Turns {
  /** The max number of turns in a row that are skipped. */
  private static final int MAX_LEFT_OUT = 64;

  private final List<Server> servers;
  private final AtomicInteger turn;
  private final IntUnaryOperator order;

  /**
   * Turns of these servers.
   *
   * @param order returns the index of the server for each turn
   */
  Turns(List<Server> servers, AtomicInteger turn, IntUnaryOperator order) {
    this.servers = List.copyOf(servers);
    this.turn = turn;
    this.order = order;
  }

  /** Takes a turn; returns the index of its server. */
  int pick() {
    for (int leftOut = 0; ; leftOut++) {
      int now = turn.getAndIncrement();
      int server = order.applyAsInt(now);
      if (leftOut == MAX_LEFT_OUT || isTaken(server, now)) {
        return server;
      }
    }
  }

  /** The next result of {@link #pick}. */
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
