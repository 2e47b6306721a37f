package io.malob.balancer.recovery;

import io.malob.balancer.admission.ConnectionTeardown;
import io.malob.balancer.admission.SwitchOutages;
import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionProgrammer;
import io.malob.balancer.connection.ConnectionTable;
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
 * Ends connections whose client's switch does not come back: nothing else would tell that their
 * rules have ended. Such a connection becomes dormant, and counts no more, when its switch has been
 * away for longer than an outage takes ({@link SwitchOutages#AWAY_NANOS}) and then for its idle
 * time-out.
 *
 * <p>The switch may go on forwarding. So as long as the switch of the member, if that is another
 * one that is connected, still tells the rule of the replies at audits, the connection is in use:
 * then it ends two rounds of audits after the last such sign.
 *
 * <p>Connections are found by walks over the table, a batch at a time, on the executor that it is
 * given; only while a switch is away that may have some.
 */
public final class LostClients {
  /** How often {@link #tick} is to be called. */
  public static final long TICK_MILLIS = 500;

  private static final Logger LOG = LoggerFactory.getLogger(LostClients.class);

  /** How many connections are looked at in one tick: some milliseconds. */
  private static final int MAX_LOOKS = 50_000;

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int ROUNDS = 2;

  private final ConnectionTable connections;
  private final SwitchOutages outages;
  private final ReadSwitches readSwitches;
  private final ConnectionTeardown teardown;
  private final ConnectionProgrammer programmer;
  private final RejectCounters rejects;
  private final long roundNanos;
  private final Executor inOrder;
  private final LongSupplier nanoTime;

  /** Switches that have no open connections any more, and since when they are away. */
  private final Map<DatapathId, Long> done = new HashMap<>();

  private Map<DatapathId, Long> lost = Map.of();
  private final Set<DatapathId> undecided = new HashSet<>();
  private final Map<DatapathId, Integer> ended = new TreeMap<>();
  private @Nullable Iterator<Connection> walk;
  private long walkedAtNanos;

  /**
   * No switch is lost yet.
   *
   * @param roundNanos how often each switch is audited
   */
  public LostClients(
      ConnectionTable connections,
      SwitchOutages outages,
      ReadSwitches readSwitches,
      ConnectionTeardown teardown,
      ConnectionProgrammer programmer,
      RejectCounters rejects,
      long roundNanos,
      Executor inOrder,
      LongSupplier nanoTime) {
    this.connections = connections;
    this.outages = outages;
    this.readSwitches = readSwitches;
    this.teardown = teardown;
    this.programmer = programmer;
    this.rejects = rejects;
    this.roundNanos = roundNanos;
    this.inOrder = inOrder;
    this.nanoTime = nanoTime;
    this.walkedAtNanos = nanoTime.getAsLong() - PAUSE_NANOS;
  }

  /** To be called every {@link #TICK_MILLIS}. */
  public void tick() {
    if (outages.isAnyAway()) {
      inOrder.execute(this::goOn);
    }
  }

  private void goOn() {
    long now = nanoTime.getAsLong();
    if (walk == null && now - walkedAtNanos >= PAUSE_NANOS) {
      begin();
    }
    @Nullable Iterator<Connection> rest = walk;
    if (rest == null) {
      return;
    }
    for (int looks = 0; looks < MAX_LOOKS && rest.hasNext(); looks++) {
      look(rest.next(), now);
    }
    if (!rest.hasNext()) {
      walk = null;
      walkedAtNanos = now;
      complete();
    }
  }

  private void begin() {
    lost = outages.lost();
    done.entrySet().retainAll(lost.entrySet()); // what was back in between begins anew
    lost.keySet().removeAll(done.keySet());
    if (!lost.isEmpty()) {
      walk = connections.all().iterator();
    }
  }

  private void look(Connection connection, long nowNanos) {
    DatapathId at = connection.client().switchId();
    @Nullable Long since = lost.get(at);
    if (since == null || !connection.state().hasRules()) {
      return;
    }
    if (!isOver(connection, since, nowNanos)) {
      undecided.add(at);
    } else if (teardown.switchLost(connection)) {
      rejects.count(RejectReason.SWITCH_AWAY);
      ended.merge(at, 1, Integer::sum);
    }
  }

  private boolean isOver(Connection connection, long goneSinceNanos, long nowNanos) {
    int idle = programmer.idleSeconds(connection.request(), connection.isBrief());
    if (nowNanos - goneSinceNanos < SwitchOutages.AWAY_NANOS + TimeUnit.SECONDS.toNanos(idle)) {
      return false;
    }
    DatapathId memberSwitch = connection.server().at().switchId();
    boolean mayGiveSigns =
        !memberSwitch.equals(connection.client().switchId()) && readSwitches.contains(memberSwitch);
    return !mayGiveSigns || nowNanos - connection.lastSignNanos() >= ROUNDS * roundNanos;
  }

  private void complete() {
    lost.forEach(
        (switchId, since) -> {
          if (!undecided.contains(switchId)) {
            done.put(switchId, since);
          }
        });
    undecided.clear();
    ended.forEach(
        (switchId, count) ->
            LOG.warn(
                "connections_of_lost_switch switch={} count={} - they count no more until their"
                    + " next packets",
                switchId,
                count));
    ended.clear();
  }
}
