package io.malob.balancer;

import io.malob.algorithm.Server;
import io.malob.state.catalog.Vip;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * How many connections are open at each VIP and member, and whether there is room for one more. A
 * place is taken before a connection is known to be admitted, so that no limit is passed however
 * many threads place at once; what goes on after a pause is let in whatever the limit. Thread-safe;
 * never blocks.
 */
final class Occupancy {
  private final AtomicIntegerArray ofVip = new AtomicIntegerArray(Vip.MAX_NUMBER + 1);

  private final AtomicIntegerArray refusedAtVip = new AtomicIntegerArray(Vip.MAX_NUMBER + 1);

  /** Counts a connection that found no room. */
  void refused(int vipNumber) {
    refusedAtVip.incrementAndGet(vipNumber);
  }

  /** How many connections found no room at a VIP, or at its members. */
  int refusedAtVip(int vipNumber) {
    return refusedAtVip.get(vipNumber);
  }

  /** How many connections are open at a VIP. */
  int atVip(int vipNumber) {
    return ofVip.get(vipNumber);
  }

  /**
   * Takes a place for a new connection.
   *
   * @param vipLimit how many connections the VIP may have
   * @return what is full, and then no place is taken; null if nothing is
   */
  @Nullable RefusalReason take(int vipNumber, int vipLimit, Server server) {
    if (ofVip.incrementAndGet(vipNumber) > vipLimit) {
      ofVip.decrementAndGet(vipNumber);
      return RefusalReason.VIP_FULL;
    }
    if (!server.load().take(server.limit())) {
      ofVip.decrementAndGet(vipNumber);
      return RefusalReason.MEMBERS_FULL;
    }
    return null;
  }

  /** Gives back the place of a connection that was not admitted. */
  void giveBack(int vipNumber, Server server, BalancerView view) {
    ofVip.decrementAndGet(vipNumber);
    server.load().closed();
    view.loadChanged(server);
  }

  /** A connection is open again, or was found to be open. */
  void resumed(Connection connection, BalancerView view) {
    ofVip.incrementAndGet(connection.vipNumber());
    connection.server().load().resumed();
    view.loadChanged(connection.server());
  }

  /** A new connection has begun with what an earlier one of the same five-tuple has left. */
  void again(Connection connection, BalancerView view) {
    connection.server().load().placed();
    resumed(connection, view);
  }

  /** A connection is open no more. */
  void left(Connection connection, BalancerView view) {
    ofVip.decrementAndGet(connection.vipNumber());
    connection.server().load().closed();
    view.loadChanged(connection.server());
  }
}
