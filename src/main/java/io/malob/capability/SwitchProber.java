package io.malob.capability;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import com.google.common.collect.Sets;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.capability.ProbeMessages.Probe;
import io.malob.openflow.Answers;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.IOFSwitch;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadRequestErrorMsg;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Finds out by rules which features switches refuse: one flush of messages and one answer, and for
 * a switch with a full table one more of each. Thread-safe; nothing blocks.
 */
final class SwitchProber {
  /** The max time that a switch takes to answer. */
  static final long PATIENCE_MILLIS = 3_000;

  /** The last table that rules need. */
  static final int LAST_TABLE = 3;

  private final ScheduledExecutorService timer;
  private final Map<DatapathId, Trial> trials = new ConcurrentHashMap<>();

  SwitchProber(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  /** One probe of one connection. */
  private static final class Trial {
    final IOFSwitch sw;
    final ImmutableMap<Long, Probe> probes;
    final Set<SwitchFeature> refused = ConcurrentHashMap.newKeySet();

    /** Tables that had no room for a rule. */
    final Set<Integer> full = ConcurrentHashMap.newKeySet();

    final CompletableFuture<Optional<ImmutableSet<SwitchFeature>>> result =
        new CompletableFuture<>();

    /** Whether it has rejected rules because this controller is its slave. */
    volatile boolean isVoid;

    Trial(IOFSwitch sw, ImmutableMap<Long, Probe> probes) {
      this.sw = sw;
      this.probes = probes;
    }

    void giveUp() {
      result.complete(Optional.empty());
    }

    void complete() {
      full.stream()
          .filter(table -> table > 0)
          .forEach(table -> refused.add(SwitchFeature.table(table)));
      result.complete(Optional.of(Sets.immutableEnumSet(refused)));
    }
  }

  /**
   * Probes a switch. The result is empty if the switch has not answered in time; it comes on the
   * thread that has read the answer.
   */
  CompletableFuture<Optional<ImmutableSet<SwitchFeature>>> probe(IOFSwitch sw) {
    int tables = sw.getNumTables();
    ProbeMessages messages = ProbeMessages.of(sw.getOFFactory(), tables, portOf(sw));
    Trial trial = new Trial(sw, messages.probes());
    for (int table = Math.max(1, tables); table <= LAST_TABLE; table++) {
      trial.refused.add(SwitchFeature.table(table));
    }
    if (!ProbeMessages.hasGroups(sw.getOFFactory())) {
      trial.refused.add(SwitchFeature.GROUPS);
    }
    DatapathId switchId = sw.getId();
    trials.put(switchId, trial);
    ScheduledFuture<?> timeout =
        timer.schedule(trial::giveUp, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    if (Iterables.isEmpty(sw.write(messages.messages()))) {
      // if the barrier is not answered, the time runs out
      Answers.take(
          sw.writeRequest(sw.getOFFactory().barrierRequest()),
          MoreExecutors.directExecutor(),
          reply -> barrierPassed(trial),
          cause -> {});
    }
    return trial.result.whenComplete(
        (any, failure) -> {
          trials.remove(switchId, trial);
          timeout.cancel(false);
        });
  }

  /** A switch without ports gets rules that send packets back. */
  private static OFPort portOf(IOFSwitch sw) {
    return sw.getPorts().stream()
        .map(port -> port.getPortNo())
        .filter(port -> port.getPortNumber() > 0)
        .min((one, other) -> Integer.compare(one.getPortNumber(), other.getPortNumber()))
        .orElse(OFPort.IN_PORT);
  }

  private static void barrierPassed(Trial trial) {
    if (trial.isVoid) {
      return;
    }
    if (trial.full.isEmpty()) {
      trial.complete();
      return;
    }
    // a switch's own limit for a table that it lacks is 0: such a table is full without a rule
    Answers.take(
        trial.sw.writeStatsRequest(trial.sw.getOFFactory().buildTableStatsRequest().build()),
        MoreExecutors.directExecutor(),
        replies -> {
          trial.full.removeAll(RulePolling.rules(replies).keySet());
          trial.complete();
        },
        any -> trial.complete());
  }

  /** A switch has rejected a message; false if the message was not of a probe. */
  boolean refused(DatapathId switchId, OFErrorMsg error) {
    @Nullable Trial trial = trials.get(switchId);
    @Nullable Probe probe = trial == null ? null : trial.probes.get(error.getXid());
    if (trial == null || probe == null) {
      return false;
    }
    if (error instanceof OFBadRequestErrorMsg bad && bad.getCode() == OFBadRequestCode.IS_SLAVE) {
      trial.isVoid = true;
    } else if (FeatureProbes.isTableFull(error) && probe.table().isPresent()) {
      // it has understood the rule
      trial.full.add(probe.table().getAsInt());
    } else {
      trial.refused.add(probe.feature());
    }
    return true;
  }

  /** A switch has disconnected: a result would be that of an earlier connection. */
  void forget(DatapathId switchId) {
    trials.remove(switchId);
  }
}
