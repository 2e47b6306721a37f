package io.malob.balancer.admission;

import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionProgrammer;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.view.BalancerView;
import io.malob.state.catalog.Protocol;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Closes connections that are still in use, and tells both of their ends at once. An end is reset
 * at the sequence number that it expects, which nobody here knows. So it is made to say: a SYN
 * within an established connection is answered by an ACK that carries the number (RFC 5961, section
 * 4), whatever the SYN's own; that ACK comes to the controller like any packet of a connection that
 * is not known, and is answered by the reset.
 *
 * <p>Many connections are closed a batch at a time, so that neither switches nor the controller are
 * flooded and no host is asked for more answers than older kernels give in a second. Used by one
 * thread at a time.
 */
public final class ConnectionResetter {
  /** How often {@link #goOn} is to be called. */
  public static final long TICK_MILLIS = 100;

  /** 1,000 connections a second. */
  private static final int BATCH = 100;

  /**
   * Switches go on by the rules that they had a moment longer, and the ACK must not be carried to
   * the other end.
   */
  private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final Supplier<BalancerView> views;
  private final ConnectionTable connections;
  private final ConnectionTeardown teardown;
  private final ConnectionProgrammer programmer;
  private final LongSupplier nanoTime;
  private final Queue<Connection> closed = new ArrayDeque<>();
  private final Queue<Settling> settling = new ArrayDeque<>();

  public ConnectionResetter(
      Supplier<BalancerView> views,
      ConnectionTable connections,
      ConnectionTeardown teardown,
      ConnectionProgrammer programmer,
      LongSupplier nanoTime) {
    this.views = views;
    this.connections = connections;
    this.teardown = teardown;
    this.programmer = programmer;
    this.nanoTime = nanoTime;
  }

  private record Settling(Connection connection, long sinceNanos) {}

  /** Closes connections: they are forgotten now, their ends are told batch by batch. */
  public void close(Collection<Connection> all) {
    for (Connection connection : all) {
      boolean hadRules = connection.state().hasRules();
      if (teardown.close(connection) && (hadRules || isInUse(connection))) {
        closed.add(connection);
      }
    }
    goOn();
  }

  /** Whether its ends may be waiting for each other. */
  private static boolean isInUse(Connection connection) {
    return connection.request().protocol() == Protocol.TCP.ipNumber() && !connection.isOver();
  }

  /** Goes on with what was begun. */
  public void goOn() {
    for (int count = 0; count < BATCH && !closed.isEmpty(); count++) {
      bar(closed.remove());
    }
    long now = nanoTime.getAsLong();
    while (!settling.isEmpty() && now - settling.element().sinceNanos >= SETTLE_NANOS) {
      Connection connection = settling.remove().connection;
      if (connections.byRequest(connection.request()) == null) {
        programmer.provoke(connection);
      }
    }
  }

  private void bar(Connection connection) {
    if (connections.byRequest(connection.request()) != null
        || connections.byReply(connection.reply()) != null) {
      return; // a new connection has the rules already
    }
    if (!isInUse(connection)) {
      programmer.remove(connection);
      return;
    }
    boolean vipIsGone = !views.get().catalog().isVipAddress(connection.request().dstAddress());
    programmer.bar(connection, vipIsGone);
    settling.add(new Settling(connection, nanoTime.getAsLong()));
  }
}
