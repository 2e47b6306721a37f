package io.malob.balancer.admission;

import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Effects;
import io.malob.balancer.connection.ConnectionProgrammer;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.view.BalancerView;
import io.malob.state.catalog.Protocol;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Closes connections that are still in use, and resets both ends. A host accepts a reset only at
 * the sequence number that it expects, which the controller does not know. So the controller sends
 * each end a SYN. A host answers a SYN within an established connection, regardless of its sequence
 * number, with a challenge ACK (RFC 5961, section 4) that contains the expected number. That ACK
 * comes to the controller like any packet of an unknown connection, and the controller answers it
 * with the reset.
 *
 * <p>Connections are closed in batches, so that neither switches nor the controller are overloaded,
 * and no host is sent more SYNs than older kernels answer in a second (their limit for challenge
 * ACKs). For one thread at a time.
 */
public final class ConnectionResetter {
  /** The interval at which {@link #resume} must be called. */
  public static final long TICK_MILLIS = 100;

  /** Connections per tick: 1,000 a second. */
  private static final int BATCH = 100;

  /**
   * Switches apply removed rules for a moment longer. A challenge ACK in that time would be
   * forwarded to the other end instead of the controller.
   */
  private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final Supplier<BalancerView> views;
  private final ConnectionTable connections;
  private final ConnectionTeardown teardown;
  private final ConnectionProgrammer programmer;
  private final Predicate<DatapathId> foreign;
  private final LongSupplier nanoTime;
  private final Queue<Connection> closed = new ArrayDeque<>();
  private final Queue<Settling> settling = new ArrayDeque<>();

  public ConnectionResetter(
      Supplier<BalancerView> views,
      ConnectionTable connections,
      ConnectionTeardown teardown,
      ConnectionProgrammer programmer,
      Predicate<DatapathId> foreign,
      LongSupplier nanoTime) {
    this.views = views;
    this.connections = connections;
    this.teardown = teardown;
    this.programmer = programmer;
    this.foreign = foreign;
    this.nanoTime = nanoTime;
  }

  private record Settling(Connection connection, long sinceNanos) {}

  /**
   * Closes connections: removes them from the table at once, and resets their ends batch by batch.
   * Those of another controller are closed and reset by that one.
   */
  public void close(Collection<Connection> all) {
    for (Connection connection : all) {
      if (foreign.test(connection.client().switchId())) {
        teardown.forgetReplicated(connection);
        continue;
      }
      Effects effects = teardown.close(connection);
      if (effects.happened() && (effects.before().hasRules() || isInUse(connection))) {
        closed.add(connection);
      }
    }
    resume();
  }

  /** Whether a connection's ends may still wait for each other. */
  private static boolean isInUse(Connection connection) {
    return connection.request().protocol() == Protocol.TCP.ipNumber() && !connection.isOver();
  }

  /** Closes the next batch and sends the SYNs that are due. */
  public void resume() {
    for (int count = 0; count < BATCH && !closed.isEmpty(); count++) {
      redirectToController(closed.remove());
    }
    long now = nanoTime.getAsLong();
    while (!settling.isEmpty() && now - settling.element().sinceNanos >= SETTLE_NANOS) {
      Connection connection = settling.remove().connection;
      if (connections.byRequest(connection.request()) == null) {
        programmer.challengeAck(connection);
      }
    }
  }

  private void redirectToController(Connection connection) {
    if (connections.byRequest(connection.request()) != null
        || connections.byReply(connection.reply()) != null) {
      return; // a new connection has taken over the rules
    }
    if (!isInUse(connection)) {
      programmer.remove(connection);
      return;
    }
    boolean vipIsGone = !views.get().catalog().isVipAddress(connection.request().dstAddress());
    programmer.redirectToController(connection, vipIsGone);
    settling.add(new Settling(connection, nanoTime.getAsLong()));
  }
}
