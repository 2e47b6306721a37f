package io.malob.balancer.reroute;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Multiset;
import com.google.common.collect.Sets;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.move.Flow;
import io.malob.algorithm.move.LinkState;
import io.malob.algorithm.move.Move;
import io.malob.algorithm.move.MovePlanner;
import io.malob.balancer.api.MoveStats;
import io.malob.openflow.Answers;
import io.malob.openflow.FoundRules;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Polls edge switches for long flows every few seconds, one switch after the other, and moves flows
 * that would get a larger share on another path. Everything but {@link #stats} runs on the given
 * executor.
 */
public final class LongFlows {
  /** The time a switch has to answer in a round. */
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The max number of flows that a plan considers: those with the highest throughput. */
  private static final int MAX_FLOWS = 64;

  private final LongFlowSettings settings;
  private final LongFlowFinder finder;
  private final PathMover mover;
  private final LabelTable labels;
  private final IOFSwitchService switches;
  private final Supplier<Topology> topology;
  private final Supplier<Map<DirectedLink, LinkState>> linkStates;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;

  private final ArrayDeque<DatapathId> toPoll = new ArrayDeque<>();

  /** The switches where connections began in the latest round, one poll interval ago. */
  private Set<DatapathId> busyBefore = Set.of();

  /** Switches that did not answer. They are skipped until they reconnect. */
  private final Map<DatapathId, IOFSwitch> silent = new HashMap<>();

  private @Nullable IOFSwitch polled;
  private long roundNanos;
  private long polledNanos;
  private int pollNumber;
  private volatile MoveStats stats = new MoveStats(0, 0, 0, 0, 0);

  public LongFlows(
      LongFlowFinder finder,
      PathMover mover,
      LabelTable labels,
      IOFSwitchService switches,
      Supplier<Topology> topology,
      Supplier<Map<DirectedLink, LinkState>> linkStates,
      Executor serialExecutor,
      LongSupplier nanoTime) {
    this.settings = finder.settings();
    this.finder = finder;
    this.mover = mover;
    this.labels = labels;
    this.switches = switches;
    this.topology = topology;
    this.linkStates = linkStates;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
    this.roundNanos = nanoTime.getAsLong();
  }

  /** To be called every second. */
  public void tick() {
    if (settings.pollNanos() > 0) {
      serialExecutor.execute(this::advance);
    }
  }

  private void advance() {
    long now = nanoTime.getAsLong();
    mover.tick();
    @Nullable IOFSwitch late = polled;
    if (late != null && now - polledNanos >= ANSWER_NANOS) {
      silent.put(late.getId(), late);
      pollNext();
    } else if (late == null && now - roundNanos >= settings.pollNanos()) {
      roundNanos = now;
      beginRound();
      pollNext();
    }
  }

  /**
   * Begins a round. Only switches where connections begin now and began one poll interval ago can
   * have long flows.
   */
  private void beginRound() {
    Multiset<DatapathId> rules = HashMultiset.create();
    Set<DatapathId> busy = new HashSet<>();
    for (LabelledPath labelled : labels.all()) {
      if (labelled.path().hops() > 0 && labelled.active() > 0) {
        busy.add(labelled.path().src());
      }
      rules.add(labelled.path().src(), labelled.uses());
    }
    int leftOut = 0;
    for (DatapathId switchId : ImmutableSortedSet.copyOf(Sets.intersection(busy, busyBefore))) {
      if (rules.count(switchId) > settings.maxRules()) {
        leftOut++;
      } else {
        toPoll.add(switchId);
      }
    }
    busyBefore = busy;
    finder.retain(new HashSet<>(toPoll));
    silent.keySet().retainAll(switches.getAllSwitchDpids());
    updateStats(leftOut);
  }

  private void pollNext() {
    int number = ++pollNumber;
    @Nullable IOFSwitch sw = nextActive();
    polled = sw;
    if (sw == null) {
      plan();
      return;
    }
    polledNanos = nanoTime.getAsLong();
    Answers.take(
        sw.writeStatsRequest(FoundRules.requestConnections(sw.getOFFactory())),
        serialExecutor,
        answer -> answered(number, sw.getId(), answer),
        cause -> answered(number, sw.getId(), List.of()));
  }

  private @Nullable IOFSwitch nextActive() {
    @Nullable IOFSwitch sw = null;
    while (sw == null && !toPoll.isEmpty()) {
      DatapathId next = toPoll.remove();
      @Nullable IOFSwitch active = switches.getActiveSwitch(next);
      sw = active == silent.get(next) ? null : active;
    }
    return sw;
  }

  private void answered(int number, DatapathId switchId, List<OFFlowStatsReply> answer) {
    if (number != pollNumber) {
      return; // the poll has timed out
    }
    List<OFFlowStatsEntry> rules = new ArrayList<>();
    answer.forEach(part -> rules.addAll(part.getEntries()));
    finder.evaluate(switchId, rules, linkStates.get());
    pollNext();
  }

  private void plan() {
    List<LongFlow> longFlows =
        finder.longFlows().stream()
            .sorted(Comparator.comparingDouble(LongFlow::bps).reversed())
            .limit(MAX_FLOWS)
            .toList();
    if (!longFlows.isEmpty()) {
      Map<DirectedLink, LinkState> links = new HashMap<>(linkStates.get());
      // the utilization of these links is still changing; their measurements are out of date
      links.keySet().removeAll(mover.touchedWithin(2 * settings.pollNanos()));
      List<Flow> flows =
          longFlows.stream()
              .map(
                  longFlow ->
                      new Flow(
                          longFlow.path(),
                          longFlow.bps(),
                          longFlow.route().isReady() && mover.isRested(longFlow.connection())))
              .toList();
      for (Move move :
          MovePlanner.plan(
              topology.get(), links, flows, settings.gain(), settings.movesPerSecond())) {
        // only one direction of a connection is moved at a time
        if (mover.isRested(longFlows.get(move.flow()).connection())) {
          mover.move(longFlows.get(move.flow()), move);
        }
      }
    }
    updateStats(stats.leftOut());
  }

  private void updateStats(int leftOut) {
    stats =
        new MoveStats(
            finder.longFlows().size(), finder.seen(), mover.moved(), mover.failed(), leftOut);
  }

  /** The counts of long flows. Thread-safe. */
  public MoveStats stats() {
    return new MoveStats(
        stats.longFlows(), stats.seen(), mover.moved(), mover.failed(), stats.leftOut());
  }
}
