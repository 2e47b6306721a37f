package io.malob.balancer.admission;

import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Effects;
import io.malob.balancer.connection.ConnectionProgrammer;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.view.BalancerView;
import io.malob.state.catalog.Protocol;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
 * <p>An end whose switch is away, or is still being read, is told when the switch is back: it may
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

  /** For how long an end is told later if its switch is away, and the max number of such ends. */
  private static final long MAX_AWAY_NANOS = TimeUnit.MINUTES.toNanos(5);

  private static final int MAX_AWAY = 10_000;

  private final Supplier<BalancerView> views;
  private final ConnectionTable connections;
  private final ConnectionTeardown teardown;
  private final ConnectionProgrammer programmer;
  private final Predicate<DatapathId> foreign;
  private final Predicate<DatapathId> isRead;
  private final LongSupplier nanoTime;
  private final Queue<Closing> closed = new ArrayDeque<>();
  private final Queue<Waiting> settling = new ArrayDeque<>();
  private final Map<DatapathId, Deque<Waiting>> away = new HashMap<>();
  private int awayCount;

  /**
   * Closes nothing yet.
   *
   * @param foreign whether another controller is the master of a switch
   * @param isRead whether a switch is connected, and its rules have been read
   */
  public ConnectionResetter(
      Supplier<BalancerView> views,
      ConnectionTable connections,
      ConnectionTeardown teardown,
      ConnectionProgrammer programmer,
      Predicate<DatapathId> foreign,
      Predicate<DatapathId> isRead,
      LongSupplier nanoTime) {
    this.views = views;
    this.connections = connections;
    this.teardown = teardown;
    this.programmer = programmer;
    this.foreign = foreign;
    this.isRead = isRead;
    this.nanoTime = nanoTime;
  }

  /** A closed connection, and which of its ends are still to be told. */
  private record Closing(Connection connection, boolean client, boolean member) {}

  private record Waiting(Closing closing, long sinceNanos) {}

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
        closed.add(new Closing(connection, true, true));
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
    long now = nanoTime.getAsLong();
    resumeReturned(now);
    for (int count = 0; count < BATCH && !closed.isEmpty(); count++) {
      redirectToController(closed.remove());
    }
    while (!settling.isEmpty() && now - settling.element().sinceNanos >= SETTLE_NANOS) {
      Closing closing = settling.remove().closing;
      if (connections.byRequest(closing.connection.request()) == null) {
        tell(closing, now);
      }
    }
  }

  /** Goes on with the ends whose switches are back, and gives up those that waited too long. */
  private void resumeReturned(long now) {
    away.forEach(
        (switchId, waiting) -> {
          boolean isBack = isThere(switchId);
          while (!waiting.isEmpty()
              && (isBack || now - waiting.element().sinceNanos >= MAX_AWAY_NANOS)) {
            Closing next = waiting.remove().closing;
            awayCount--;
            if (isBack) {
              closed.add(next);
            }
          }
        });
    away.values().removeIf(Collection::isEmpty);
  }

  private boolean isThere(DatapathId switchId) {
    return foreign.test(switchId) || isRead.test(switchId);
  }

  private void tell(Closing closing, long now) {
    Connection connection = closing.connection;
    if (closing.client) {
      Closing client = new Closing(connection, true, false);
      tell(connection.client().switchId(), client, programmer::challengeClient, now);
    }
    if (closing.member) {
      Closing member = new Closing(connection, false, true);
      tell(connection.server().at().switchId(), member, programmer::challengeMember, now);
    }
  }

  private void tell(DatapathId at, Closing end, Consumer<Connection> challenge, long now) {
    if (isThere(at)) {
      challenge.accept(end.connection);
    } else {
      await(at, end, now);
    }
  }

  private void await(DatapathId switchId, Closing closing, long now) {
    if (awayCount < MAX_AWAY) {
      away.computeIfAbsent(switchId, any -> new ArrayDeque<>()).add(new Waiting(closing, now));
      awayCount++;
    }
  }

  private void redirectToController(Closing closing) {
    Connection connection = closing.connection;
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
    settling.add(new Waiting(closing, nanoTime.getAsLong()));
  }
}
