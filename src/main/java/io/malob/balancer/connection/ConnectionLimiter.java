package io.malob.balancer.connection;

import io.malob.algorithm.Server;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.view.BalancerView;
import io.malob.state.catalog.Vip;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Counts the open connections of each VIP and member, and enforces their limits. A slot is taken
 * before a connection is admitted, so that no limit is exceeded however many threads place at once.
 * A reactivated connection is counted even above the limit.
 *
 * <p>In a cluster, all known connections count against a limit, and this controller's own ones
 * against its part of the limit too. A connection that another controller has published is that
 * one's until this controller {@linkplain #countAsOwn goes on} with it. An update of two counts
 * never makes this controller's own ones appear fewer than they are. Thread-safe; never blocks.
 */
public final class ConnectionLimiter {
  private final AtomicIntegerArray ofVip = new AtomicIntegerArray(Vip.MAX_NUMBER + 1);

  /** How many of these belong to other controllers. */
  private final AtomicIntegerArray ofOthers = new AtomicIntegerArray(Vip.MAX_NUMBER + 1);

  /** How many connections of each VIP switches have placed, as estimated. */
  private final AtomicIntegerArray estimatedAtVip = new AtomicIntegerArray(Vip.MAX_NUMBER + 1);

  private final AtomicIntegerArray refusedAtVip = new AtomicIntegerArray(Vip.MAX_NUMBER + 1);

  private final IntUnaryOperator partOf;

  /**
   * Without connections.
   *
   * @param partOf this controller's part of a limit
   */
  public ConnectionLimiter(IntUnaryOperator partOf) {
    this.partOf = partOf;
  }

  /** Counts a connection that a limit has rejected. */
  public void refused(int vipNumber) {
    refusedAtVip.incrementAndGet(vipNumber);
  }

  /** How many connections the limits of a VIP or of its members have rejected. */
  public int refusedAtVip(int vipNumber) {
    return refusedAtVip.get(vipNumber);
  }

  /** How many connections are open at a VIP. */
  public int atVip(int vipNumber) {
    return ofVip.get(vipNumber);
  }

  /** Whether a VIP's limit, or this controller's part of it, is reached. */
  public boolean isFull(int vipNumber, int vipLimit) {
    int placed = estimatedAtVip.get(vipNumber);
    return atVip(vipNumber) + placed >= vipLimit
        || own(vipNumber) + placed >= partOf.applyAsInt(vipLimit);
  }

  /** Takes over how many connections of a VIP switches have placed, as estimated. */
  public void setEstimated(int vipNumber, int connections) {
    estimatedAtVip.set(vipNumber, connections);
  }

  /** Counts a connection that a switch was told to place. */
  public void commit(int vipNumber, Server server, BalancerView view) {
    estimatedAtVip.incrementAndGet(vipNumber);
    server.load().commit();
    view.loadChanged(server);
  }

  private int own(int vipNumber) {
    return ofVip.get(vipNumber) - ofOthers.get(vipNumber);
  }

  /**
   * Takes a slot for a new connection.
   *
   * @param vipLimit how many connections the VIP may have
   * @return the limit that is reached, in which case no slot is taken; null if a slot is taken
   */
  public @Nullable RejectReason take(int vipNumber, int vipLimit, Server server) {
    if (ofVip.incrementAndGet(vipNumber) > vipLimit
        || own(vipNumber) > partOf.applyAsInt(vipLimit)) {
      ofVip.decrementAndGet(vipNumber);
      return RejectReason.VIP_FULL;
    }
    if (!server.load().take(server.limit())) {
      ofVip.decrementAndGet(vipNumber);
      return RejectReason.MEMBERS_FULL;
    }
    return null;
  }

  /** Gives back the slot of a connection that was not admitted. */
  public void giveBack(int vipNumber, Server server, BalancerView view) {
    ofVip.decrementAndGet(vipNumber);
    server.load().closed();
    view.loadChanged(server);
  }

  /** A connection was reactivated or recovered. */
  public void resumed(Connection connection, BalancerView view) {
    ofVip.incrementAndGet(connection.vipNumber());
    connection.server().load().resumed();
    view.loadChanged(connection.server());
  }

  /** Another controller has published an open connection. */
  public void replicated(Connection connection, BalancerView view) {
    resumed(connection, view);
    addOfOthers(connection, 1);
  }

  /**
   * This controller goes on with a connection.
   *
   * @return whether it was another controller's
   */
  public boolean countAsOwn(Connection connection) {
    boolean wasOfOther = connection.takeFromOther();
    if (wasOfOther) {
      addOfOthers(connection, -1);
    }
    return wasOfOther;
  }

  private void addOfOthers(Connection connection, int change) {
    ofOthers.addAndGet(connection.vipNumber(), change);
    connection.server().load().addOfOthers(change);
  }

  /** A new connection has taken over the state of an ended one with the same five-tuple. */
  public void reopened(Connection connection, BalancerView view) {
    connection.server().load().placed();
    resumed(connection, view);
  }

  /** A connection is no longer open. */
  public void left(Connection connection, BalancerView view) {
    countAsOwn(connection);
    ofVip.decrementAndGet(connection.vipNumber());
    connection.server().load().closed();
    view.loadChanged(connection.server());
  }
}
