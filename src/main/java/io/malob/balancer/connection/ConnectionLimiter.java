package io.malob.balancer.connection;

import io.malob.algorithm.Server;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.view.BalancerView;
import io.malob.state.catalog.Vip;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * How many connections are open at each VIP and member, and whether there is room for one more. A
 * place is taken before a connection is known to be admitted, so that no limit is passed however
 * many threads place at once; what goes on after a pause is let in whatever the limit. Thread-safe;
 * never blocks.
 */
public final class ConnectionLimiter {
  private final AtomicIntegerArray ofVip = new AtomicIntegerArray(Vip.MAX_NUMBER + 1);

  private final AtomicIntegerArray refusedAtVip = new AtomicIntegerArray(Vip.MAX_NUMBER + 1);

  /** Counts a connection that found no room. */
  public void refused(int vipNumber) {
    refusedAtVip.incrementAndGet(vipNumber);
  }

  /** How many connections found no room at a VIP, or at its members. */
  public int refusedAtVip(int vipNumber) {
    return refusedAtVip.get(vipNumber);
  }

  /** How many connections are open at a VIP. */
  public int atVip(int vipNumber) {
    return ofVip.get(vipNumber);
  }

  /**
   * Takes a place for a new connection.
   *
   * @param vipLimit how many connections the VIP may have
   * @return what is full, and then no place is taken; null if nothing is
   */
  public @Nullable RejectReason take(int vipNumber, int vipLimit, Server server) {
    if (ofVip.incrementAndGet(vipNumber) > vipLimit) {
      ofVip.decrementAndGet(vipNumber);
      return RejectReason.VIP_FULL;
    }
    if (!server.load().take(server.limit())) {
      ofVip.decrementAndGet(vipNumber);
      return RejectReason.MEMBERS_FULL;
    }
    return null;
  }

  /** Gives back the place of a connection that was not admitted. */
  public void giveBack(int vipNumber, Server server, BalancerView view) {
    ofVip.decrementAndGet(vipNumber);
    server.load().closed();
    view.loadChanged(server);
  }

  /** A connection is open again, or was found to be open. */
  public void resumed(Connection connection, BalancerView view) {
    ofVip.incrementAndGet(connection.vipNumber());
    connection.server().load().resumed();
    view.loadChanged(connection.server());
  }

  /** A new connection has begun with what an earlier one of the same five-tuple has left. */
  public void again(Connection connection, BalancerView view) {
    connection.server().load().placed();
    resumed(connection, view);
  }

  /** A connection is open no more. */
  public void left(Connection connection, BalancerView view) {
    ofVip.decrementAndGet(connection.vipNumber());
    connection.server().load().closed();
    view.loadChanged(connection.server());
  }
}
