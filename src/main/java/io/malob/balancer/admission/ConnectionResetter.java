package io.malob.balancer.admission;

import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.Effects;
import io.malob.balancer.view.BalancerView;
import io.malob.state.catalog.Protocol;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
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
 * <p>An end whose switch is away, or is still being read, is reset when the switch is back: it may
 * wait for a packet of the other end, and would then never learn it by itself.
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

  /** For how long an end is reset later if its switch is away, and the max number of such ends. */
  private static final long MAX_AWAY_NANOS = TimeUnit.MINUTES.toNanos(5);

  private static final int MAX_AWAY = 10_000;

  private final Supplier<BalancerView> views;
  private final ConnectionTable connections;
  private final ConnectionTeardown teardown;
  private final ConnectionRuleSender ruleSender;
  private final Predicate<DatapathId> unowned;
  private final Predicate<DatapathId> isRead;
  private final LongSupplier nanoTime;
  private final Queue<Closing> closed = new ArrayDeque<>();
  private final Queue<Waiting> settling = new ArrayDeque<>();

  /** The ends whose switches are away. */
  private final ListMultimap<DatapathId, Waiting> away =
      MultimapBuilder.hashKeys().arrayListValues().build();

  /**
   * Closes nothing yet.
   *
   * @param unowned whether another controller is the master of a switch
   * @param isRead whether a switch is connected, and its rules have been read
   */
  public ConnectionResetter(
      Supplier<BalancerView> views,
      ConnectionTable connections,
      ConnectionTeardown teardown,
      ConnectionRuleSender ruleSender,
      Predicate<DatapathId> unowned,
      Predicate<DatapathId> isRead,
      LongSupplier nanoTime) {
    this.views = views;
    this.connections = connections;
    this.teardown = teardown;
    this.ruleSender = ruleSender;
    this.unowned = unowned;
    this.isRead = isRead;
    this.nanoTime = nanoTime;
  }

  /** A closed connection, and which of its ends are still to be reset. */
  private record Closing(Connection connection, boolean client, boolean member) {}

  private record Waiting(Closing closing, long sinceNanos) {}

  /**
   * Closes connections: removes them from the table at once, and resets their ends batch by batch.
   * Those of another controller are closed and reset by that one.
   */
  public void close(Collection<Connection> all) {
    for (Connection connection : all) {
      if (unowned.test(connection.client().switchId())) {
        teardown.forgetReplicated(connection);
        continue;
      }
      Effects effects = teardown.close(connection);
      if (effects.happened() && (effects.before().hasRules() || isInUse(connection))) {
        closed.add(new Closing(connection, true, true));
      }
    }
    resume();
  }

  /** Whether a connection's ends may still wait for each other. */
  private static boolean isInUse(Connection connection) {
    return connection.request().protocol() == Protocol.TCP.ipNumber() && !connection.isEnded();
  }

  /** Closes the next batch and sends the SYNs that are due. */
  public void resume() {
    long now = nanoTime.getAsLong();
    resumeReturned(now);
    for (int count = 0; count < BATCH && !closed.isEmpty(); count++) {
      redirectToController(closed.remove());
    }
    while (!settling.isEmpty() && now - settling.element().sinceNanos >= SETTLE_NANOS) {
      Closing closing = settling.remove().closing;
      if (connections.byRequest(closing.connection.request()) == null) {
        if (closing.client) {
          challenge(closing.connection, true, now);
        }
        if (closing.member) {
          challenge(closing.connection, false, now);
        }
      }
    }
  }

  /** Goes on with the ends whose switches are back, and gives up those that waited too long. */
  private void resumeReturned(long now) {
    for (DatapathId switchId : List.copyOf(away.keySet())) {
      if (isThere(switchId)) {
        away.removeAll(switchId).forEach(end -> closed.add(end.closing));
      }
    }
    away.values().removeIf(end -> now - end.sinceNanos >= MAX_AWAY_NANOS);
  }

  private boolean isThere(DatapathId switchId) {
    return unowned.test(switchId) || isRead.test(switchId);
  }

  /** Sends an end a SYN, or lets it wait for its switch. */
  private void challenge(Connection connection, boolean isClient, long now) {
    DatapathId at = connection.edge(isClient);
    if (isThere(at)) {
      ruleSender.challenge(connection, isClient);
    } else if (away.size() < MAX_AWAY) {
      away.put(at, new Waiting(new Closing(connection, isClient, !isClient), now));
    }
  }

  private void redirectToController(Closing closing) {
    Connection connection = closing.connection;
    if (connections.byRequest(connection.request()) != null
        || connections.byReply(connection.reply()) != null) {
      return; // a new connection has taken over the rules
    }
    if (!isInUse(connection)) {
      ruleSender.remove(connection);
      return;
    }
    boolean vipIsGone = !views.get().catalog().isVipAddress(connection.request().dstAddress());
    ruleSender.redirectToController(connection, vipIsGone);
    settling.add(new Waiting(closing, nanoTime.getAsLong()));
  }
}
