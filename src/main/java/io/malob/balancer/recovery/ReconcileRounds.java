package io.malob.balancer.recovery;

import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.recovery.Reconciler.Occasion;
import java.util.ArrayDeque;
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
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ReconcileRounds switches: each when it connects, and all of them, one at a time, every now and
 * then. For one thread at a time: the executor that it is given.
 */
public final class ReconcileRounds {
  private static final Logger LOG = LoggerFactory.getLogger(ReconcileRounds.class);

  /**
   * A switch that cannot tell its rules costs an answer's time; one that once did not may again.
   */
  private static final int SILENT_ROUNDS = 10;

  private final IOFSwitchService switches;
  private final ReadSwitches readSwitches;
  private final Executor inOrder;
  private final LongSupplier nanoTime;
  private final Reconciler.Parts parts;
  private final Times times;

  /** Switches that have been audited in this run. */
  private final Set<DatapathId> seen = new HashSet<>();

  private final Map<DatapathId, TableReader> readings = new HashMap<>();

  /** Switches that have not told their rules, and in how many rounds they are left out yet. */
  private final Map<DatapathId, Integer> silent = new HashMap<>();

  private final ArrayDeque<DatapathId> routine = new ArrayDeque<>();

  /** The connections that a round looks at, by the switches that have rules of them. */
  private final ListMultimap<DatapathId, Connection> ofRound =
      MultimapBuilder.hashKeys().arrayListValues().build();

  private long routineSinceNanos;
  private long tickedAtNanos;

  /**
   * How long things take.
   *
   * @param answerSeconds a switch that tells nothing for so long does not tell its rules at all
   * @param roundSeconds every so often all switches are audited
   */
  public record Times(int answerSeconds, int roundSeconds) {}

  public ReconcileRounds(
      IOFSwitchService switches,
      ReadSwitches readSwitches,
      Executor inOrder,
      LongSupplier nanoTime,
      Reconciler.Parts parts,
      Times times) {
    this.switches = switches;
    this.readSwitches = readSwitches;
    this.inOrder = inOrder;
    this.nanoTime = nanoTime;
    this.parts = parts;
    this.times = times;
    this.routineSinceNanos = nanoTime.getAsLong();
    this.tickedAtNanos = routineSinceNanos;
  }

  /**
   * ReconcileRounds a switch that has connected.
   *
   * @param done told whether that went well; if not, nothing is known of its rules
   */
  public void connected(DatapathId switchId, Consumer<Boolean> done) {
    gone(switchId);
    silent.remove(switchId);
    Occasion occasion = seen.contains(switchId) ? Occasion.RETURN : Occasion.FIRST;
    start(
        switchId,
        occasion,
        parts.connections().all(),
        ok -> {
          seen.add(switchId);
          if (!ok) {
            parts.counts().tablesReset.increment();
          }
          done.accept(ok);
        });
  }

  /** A switch has gone. */
  public void gone(DatapathId switchId) {
    @Nullable TableReader reading = readings.remove(switchId);
    if (reading != null) {
      reading.cancel();
    }
  }

  /** To be called every few seconds: gives up what takes too long, and goes on with the round. */
  public void tick() {
    long now = nanoTime.getAsLong();
    long patience = TimeUnit.SECONDS.toNanos(times.answerSeconds);
    // when the controller itself has stood still, answers lie about unread
    boolean hasStoodStill = now - tickedAtNanos >= patience;
    tickedAtNanos = now;
    for (TableReader reading : List.copyOf(readings.values())) {
      if (!hasStoodStill && now - reading.progressNanos() >= patience) {
        reading.giveUp("no answer for " + times.answerSeconds + " s");
      }
    }
    if (now - routineSinceNanos >= TimeUnit.SECONDS.toNanos(times.roundSeconds)) {
      routineSinceNanos = now;
      routine.clear();
      routine.addAll(readSwitches.all());
      routine.removeAll(silent.keySet());
      sortConnections();
      silent.replaceAll((switchId, rounds) -> rounds - 1);
      silent.values().removeIf(rounds -> rounds <= 0);
    }
    @Nullable DatapathId next = readings.isEmpty() ? routine.poll() : null;
    if (next != null && readSwitches.contains(next)) {
      reconcileNext(next);
    }
  }

  /** Once a round, so that no switch costs a look at all connections. */
  private void sortConnections() {
    ofRound.clear();
    for (Connection connection : parts.connections().all()) {
      if (connection.state().hasRules()) {
        DatapathId clientSwitch = connection.client().switchId();
        DatapathId memberSwitch = connection.server().at().switchId();
        ofRound.put(clientSwitch, connection);
        if (!memberSwitch.equals(clientSwitch)) {
          ofRound.put(memberSwitch, connection);
        }
      }
    }
  }

  /** One after the other until the round is over. */
  private void reconcileNext(DatapathId switchId) {
    start(
        switchId,
        Occasion.ROUTINE,
        ofRound.removeAll(switchId),
        ok -> {
          @Nullable DatapathId next = routine.poll();
          if (next != null && readSwitches.contains(next) && !readings.containsKey(next)) {
            inOrder.execute(() -> reconcileNext(next));
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
      return; // gone again; when it comes back it is audited
    }
    Reconciler audit = new Reconciler(parts, switchId, occasion, candidates, nanoTime.getAsLong());
    TableReader reading =
        new TableReader(
            sw,
            inOrder,
            nanoTime,
            new TableReader.Sink() {
              @Override
              public void found(List<OFFlowStatsEntry> rules) {
                audit.found(rules);
              }

              @Override
              public void complete() {
                readings.remove(switchId);
                audit.complete();
                done.accept(true);
              }

              @Override
              public void failed(String why) {
                readings.remove(switchId);
                if (switches.getActiveSwitch(switchId) != sw || !sw.isConnected()) {
                  return; // gone, rules and all; when it comes back it is audited
                }
                silent.put(switchId, SILENT_ROUNDS);
                LOG.warn("rules_not_told switch={} why=\"{}\"", switchId, why);
                done.accept(false);
              }
            });
    readings.put(switchId, reading);
    reading.start();
  }
}
