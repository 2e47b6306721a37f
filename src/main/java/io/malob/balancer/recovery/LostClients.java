package io.malob.balancer.recovery;

import io.malob.balancer.admission.ConnectionTeardown;
import io.malob.balancer.admission.SwitchOutages;
import io.malob.balancer.admission.Tables;
import io.malob.balancer.api.ConnectionRecord;
import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionRuleSender;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Expires connections whose client's switch does not come back. Only that switch would report the
 * end of their request rules. Such a connection becomes {@code DORMANT}, and counts no longer, when
 * its switch has been away for the length of an outage ({@link SwitchOutages#AWAY_NANOS}) plus the
 * connection's idle timeout.
 *
 * <p>The lost switch may still forward packets. If the member is at another switch that is
 * connected, the connection counts as in use as long as reconciliation finds its reply rule there.
 * It then expires two reconciliation rounds after that rule was last found.
 *
 * <p>A connection of UDP is in use until its reply rule has ended, too, which its member's switch
 * reports. If that does not come back, the end of the request rule is enough.
 *
 * <p>Scans the table in batches, on the given executor, and only while a switch is away that may
 * have open connections.
 */
public final class LostClients {
  /** The interval at which {@link #tick} must be called. */
  public static final long TICK_MILLIS = 500;

  private static final Logger LOG = LoggerFactory.getLogger(LostClients.class);

  /** How many connections one tick checks, in a few milliseconds. */
  private static final int BATCH = 50_000;

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int ROUNDS = 2;

  private final Tables tables;
  private final SwitchOutages outages;
  private final ConnectionTeardown teardown;
  private final ConnectionRuleSender ruleSender;
  private final RejectCounters rejects;
  private final long roundNanos;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;

  /** Switches whose connections have all expired, and since when they have been away. */
  private final Map<DatapathId, Long> done = new HashMap<>();

  private Map<DatapathId, Long> lost = Map.of();
  private final Set<DatapathId> withOpenConnections = new HashSet<>();
  private final Map<DatapathId, Integer> ended = new TreeMap<>();
  private @Nullable Iterator<Connection> scan;
  private long scannedAtNanos;

  /**
   * No switch is lost yet.
   *
   * @param roundNanos the interval of reconciliation rounds
   * @param serialExecutor runs the scans, one at a time
   */
  public LostClients(
      Tables tables,
      SwitchOutages outages,
      ConnectionTeardown teardown,
      ConnectionRuleSender ruleSender,
      RejectCounters rejects,
      long roundNanos,
      Executor serialExecutor,
      LongSupplier nanoTime) {
    this.tables = tables;
    this.outages = outages;
    this.teardown = teardown;
    this.ruleSender = ruleSender;
    this.rejects = rejects;
    this.roundNanos = roundNanos;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
    this.scannedAtNanos = nanoTime.getAsLong() - PAUSE_NANOS;
  }

  /** Checks the next batch. Call it every {@link #TICK_MILLIS}. */
  public void tick() {
    if (outages.isAnyAway()) {
      serialExecutor.execute(this::checkBatch);
    }
  }

  private void checkBatch() {
    long now = nanoTime.getAsLong();
    if (scan == null && now - scannedAtNanos >= PAUSE_NANOS) {
      begin();
    }
    @Nullable Iterator<Connection> rest = scan;
    if (rest == null) {
      return;
    }
    for (int checked = 0; checked < BATCH && rest.hasNext(); checked++) {
      check(rest.next(), now);
    }
    if (!rest.hasNext()) {
      scan = null;
      scannedAtNanos = now;
      complete();
    }
  }

  private void begin() {
    lost = outages.lost();
    // a switch that reconnected in between is checked again
    done.entrySet().retainAll(lost.entrySet());
    lost.keySet().removeAll(done.keySet());
    if (!lost.isEmpty()) {
      scan = tables.connections().withRules().iterator();
    }
  }

  private void check(Connection connection, long nowNanos) {
    DatapathId clientSwitch = connection.client().switchId();
    boolean isOfClient = lost.containsKey(clientSwitch) || !connection.endsWithBothRules();
    DatapathId at = isOfClient ? clientSwitch : connection.server().at().switchId();
    @Nullable Long since = lost.get(at);
    if (since == null || !connection.state().hasRules()) {
      return;
    }
    boolean isOver =
        isOfClient
            ? isOver(connection, since, nowNanos)
            : connection.isKeptByReplies() && isAwayForLong(connection, since, nowNanos);
    if (!isOver) {
      withOpenConnections.add(at);
    } else if (teardown.expire(connection, ConnectionRecord.End.SWITCH_AWAY)) {
      rejects.count(RejectReason.SWITCH_AWAY);
      ended.merge(at, 1, Integer::sum);
    }
  }

  private boolean isOver(Connection connection, long goneSinceNanos, long nowNanos) {
    if (!isAwayForLong(connection, goneSinceNanos, nowNanos)) {
      return false;
    }
    DatapathId memberSwitch = connection.server().at().switchId();
    boolean mayShowUse =
        !memberSwitch.equals(connection.client().switchId())
            && tables.recovering().hasRead(memberSwitch);
    return !mayShowUse || nowNanos - connection.lastSignNanos() >= ROUNDS * roundNanos;
  }

  private boolean isAwayForLong(Connection connection, long goneSinceNanos, long nowNanos) {
    int idle = ruleSender.messages().idleSeconds(connection.request(), connection.isBrief());
    return nowNanos - goneSinceNanos >= SwitchOutages.AWAY_NANOS + TimeUnit.SECONDS.toNanos(idle);
  }

  private void complete() {
    lost.forEach(
        (switchId, since) -> {
          if (!withOpenConnections.contains(switchId)) {
            done.put(switchId, since);
          }
        });
    withOpenConnections.clear();
    ended.forEach(
        (switchId, count) ->
            LOG.warn(
                "connections_of_lost_switch switch={} count={} - they do not count as open until"
                    + " their next packets",
                switchId,
                count));
    ended.clear();
  }
}
