package io.malob.balancer.recovery;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import io.malob.balancer.admission.ReadSwitches;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.recovery.Reconciler.Occasion;
import io.malob.openflow.LabelGroups;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles each switch when it connects, and all switches periodically, one at a time. For one
 * thread at a time: that of the given executor.
 */
public final class ReconcileRounds {
  private static final Logger LOG = LoggerFactory.getLogger(ReconcileRounds.class);

  /**
   * How many rounds skip a switch that did not report its rules. Each attempt costs a full timeout,
   * but a later one may succeed.
   */
  private static final int SILENT_ROUNDS = 10;

  private final IOFSwitchService switches;
  private final ReadSwitches readSwitches;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private final Reconciler.Parts parts;
  private final StateRecovery.Parts common;
  private final int answerSeconds;
  private final int roundSeconds;

  /** Switches that have been reconciled in this run. */
  private final Set<DatapathId> seen = new HashSet<>();

  private final Map<DatapathId, TableReader> readings = new HashMap<>();

  /** Switches that have not reported their rules, and how many more rounds skip them. */
  private final Map<DatapathId, Integer> silent = new HashMap<>();

  /** Switches that have been asked for their groups. */
  private final Map<DatapathId, TableReader> groupReadings = new HashMap<>();

  private final ArrayDeque<DatapathId> routine = new ArrayDeque<>();

  /** The connections of a round, by the switches that have rules of them. */
  private ListMultimap<DatapathId, Connection> ofRound = ImmutableListMultimap.of();

  /** The same for switches that connect: they may be many at a time. */
  private ListMultimap<DatapathId, Connection> ofConnecting = ImmutableListMultimap.of();

  private long ofConnectingNanos;

  private long routineSinceNanos;

  /** Whether a round begins as soon as no switch is being read. */
  private boolean isRoundDue;

  private long tickedAtNanos;

  /**
   * No switch is reconciled yet.
   *
   * @param answerSeconds how long to wait for a switch's next answer before its reading fails
   * @param roundSeconds the interval at which all switches are reconciled
   */
  public ReconcileRounds(
      IOFSwitchService switches,
      ReadSwitches readSwitches,
      Executor serialExecutor,
      LongSupplier nanoTime,
      Reconciler.Parts parts,
      int answerSeconds,
      int roundSeconds) {
    this.switches = switches;
    this.readSwitches = readSwitches;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
    this.parts = parts;
    this.common = parts.stateRecovery().parts();
    this.answerSeconds = answerSeconds;
    this.roundSeconds = roundSeconds;
    this.routineSinceNanos = nanoTime.getAsLong();
    this.tickedAtNanos = routineSinceNanos;
    this.ofConnectingNanos = routineSinceNanos;
  }

  /**
   * Reconciles a switch that has connected.
   *
   * @param done called with the result; if it is false, the switch's rules are unknown
   */
  public void connected(DatapathId switchId, Consumer<Boolean> done) {
    gone(switchId);
    silent.remove(switchId);
    boolean isFirst = !seen.contains(switchId) || readSwitches.isKnown(switchId);
    start(
        switchId,
        isFirst ? Occasion.FIRST : Occasion.RETURN,
        // when all rules have been found: its former master may tell of some until then
        () -> connectionsAt(switchId).iterator(),
        ok -> {
          seen.add(switchId);
          if (!ok) {
            parts.stateRecovery().counts().tablesReset.increment();
          }
          // its former master may have sent rules to other switches for connections that it did not
          // complete
          isRoundDue |= isFirst && common.unowned().mayExist();
          done.accept(ok);
          beginRoundIfDue();
        });
  }

  private void beginRoundIfDue() {
    if (isRoundDue && readings.isEmpty()) {
      beginRound(nanoTime.getAsLong());
      continueRound();
    }
  }

  /**
   * Learns which groups of labels a switch has, if its layout has groups.
   *
   * @param then run on the serial executor, or at once if there are none to be read; also if the
   *     switch does not answer, and not if it disconnects
   */
  public void readGroups(DatapathId switchId, Runnable then) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    if (sw == null || !hasGroups(switchId)) {
      then.run();
      return;
    }
    LabelGroups groups = common.ruleSender().compiler().groups();
    groups.ask(switchId);
    TableReader reading =
        new TableReader(
            sw,
            serialExecutor,
            nanoTime,
            ports -> groups.read(switchId, ports),
            rules -> {},
            why -> {
              groupReadings.remove(switchId);
              if (why == null || isConnected(sw)) {
                if (why != null) {
                  LOG.warn("groups_not_told switch={} why=\"{}\"", switchId, why);
                }
                then.run();
              }
            });
    groupReadings.put(switchId, reading);
    reading.readGroups();
  }

  private boolean isConnected(IOFSwitch sw) {
    return switches.getActiveSwitch(sw.getId()) == sw && sw.isConnected();
  }

  private boolean hasGroups(DatapathId switchId) {
    return common.ruleSender().compiler().hasGroups(switchId);
  }

  /** A switch has disconnected. */
  public void gone(DatapathId switchId) {
    for (Map<DatapathId, TableReader> all : List.of(groupReadings, readings)) {
      @Nullable TableReader reading = all.remove(switchId);
      if (reading != null) {
        reading.cancel();
      }
    }
  }

  /** Gives up readings that take too long, and continues the round. Call it every few seconds. */
  public void tick() {
    long now = nanoTime.getAsLong();
    long patience = TimeUnit.SECONDS.toNanos(answerSeconds);
    // after a pause of the controller itself, answers may have arrived that are not read yet
    boolean hasStoodStill = now - tickedAtNanos >= patience;
    tickedAtNanos = now;
    String why = "no answer for " + answerSeconds + " s";
    List<TableReader> all = new ArrayList<>(readings.values());
    all.addAll(groupReadings.values());
    for (TableReader reading : all) {
      if (!hasStoodStill && now - reading.progressNanos() >= patience) {
        reading.finish(why);
      }
    }
    if (now - routineSinceNanos >= TimeUnit.SECONDS.toNanos(roundSeconds)) {
      beginRound(now);
    }
    if (now - ofConnectingNanos >= Reconciler.MARGIN_NANOS) {
      ofConnecting = ImmutableListMultimap.of();
    }
    continueRound();
  }

  private void beginRound(long nowNanos) {
    isRoundDue = false;
    routineSinceNanos = nowNanos;
    routine.clear();
    routine.addAll(readSwitches.all());
    routine.removeAll(silent.keySet());
    ofRound = connectionsBySwitch();
    silent.replaceAll((switchId, rounds) -> rounds - 1);
    silent.values().removeIf(rounds -> rounds <= 0);
  }

  private void continueRound() {
    @Nullable DatapathId next = readings.isEmpty() ? routine.poll() : null;
    if (next != null && readSwitches.contains(next)) {
      reconcileNext(next);
    }
  }

  /** Sorts all connections by switch, so that not each switch needs a scan of all connections. */
  private ListMultimap<DatapathId, Connection> connectionsBySwitch() {
    ListMultimap<DatapathId, Connection> sorted =
        MultimapBuilder.hashKeys().arrayListValues().build();
    for (Connection connection : common.tables().connections().withRules()) {
      if (connection.state().hasRules()) {
        DatapathId clientSwitch = connection.client().switchId();
        DatapathId memberSwitch = connection.server().at().switchId();
        sorted.put(clientSwitch, connection);
        if (!memberSwitch.equals(clientSwitch)) {
          sorted.put(memberSwitch, connection);
        }
      }
    }
    return sorted;
  }

  /** The connections of a switch that is connecting, without those of the last moments. */
  private List<Connection> connectionsAt(DatapathId switchId) {
    long now = nanoTime.getAsLong();
    if (ofConnecting.isEmpty() || now - ofConnectingNanos >= Reconciler.MARGIN_NANOS) {
      ofConnecting = connectionsBySwitch();
      ofConnectingNanos = now;
    }
    return ofConnecting.get(switchId);
  }

  /** Reconciles one switch after the other until the round is over. */
  private void reconcileNext(DatapathId switchId) {
    start(
        switchId,
        Occasion.ROUTINE,
        ofRound.removeAll(switchId),
        ok -> {
          @Nullable DatapathId next = routine.poll();
          if (next != null && readSwitches.contains(next) && !readings.containsKey(next)) {
            serialExecutor.execute(() -> reconcileNext(next));
          }
        });
  }

  private void start(
      DatapathId switchId,
      Occasion occasion,
      Iterable<Connection> candidates,
      Consumer<Boolean> done) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    if (sw == null) {
      return; // disconnected; it is reconciled when it reconnects
    }
    Reconciler reconciler =
        new Reconciler(parts, switchId, occasion, candidates, nanoTime.getAsLong());
    TableReader reading =
        new TableReader(
            sw,
            serialExecutor,
            nanoTime,
            reconciler::foundGroups,
            reconciler::found,
            why -> {
              readings.remove(switchId);
              if (why == null) {
                reconciler.complete();
                done.accept(true);
              } else if (isConnected(sw)) { // else it is reconciled when it reconnects
                silent.put(switchId, SILENT_ROUNDS);
                LOG.warn("rules_not_told switch={} why=\"{}\"", switchId, why);
                done.accept(false);
              }
            });
    readings.put(switchId, reading);
    reading.read(hasGroups(switchId));
  }
}
