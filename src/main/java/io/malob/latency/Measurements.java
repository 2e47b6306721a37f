package io.malob.latency;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Lists;
import com.google.common.collect.Maps;
import io.malob.algorithm.estimate.LatencyEstimator;
import io.malob.algorithm.estimate.LatencyEstimator.Outcome;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.state.network.MeasuredLinks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The switches and links of the topology, and the estimates from their probes. Written only by the
 * thread of the schedule; others may read {@link #controlRoundTrips}.
 */
final class Measurements {
  private final LatencyEstimator.Limits limits;
  private final ControlMethod preferred;
  private final MeasuredLinks tracker;
  private final Counters counters;
  private Map<DirectedLink, MeasuredLink> links = Map.of();
  private volatile ImmutableSortedMap<DatapathId, MeasuredSwitch> switches =
      ImmutableSortedMap.of();

  Measurements(
      LatencyEstimator.Limits limits,
      ControlMethod preferred,
      MeasuredLinks tracker,
      Counters counters) {
    this.limits = limits;
    this.preferred = preferred;
    this.tracker = tracker;
    this.counters = counters;
  }

  /**
   * Sets the topology. Estimates stay while their switch or link exists; a returned one is new.
   * Returns all targets of probes, a list for each switch: the switch itself, then its links.
   */
  List<List<ProbeGroup>> take(Topology topology) {
    switches = ImmutableSortedMap.copyOf(Maps.toMap(topology.switches(), this::measured));
    Map<DirectedLink, MeasuredLink> linksNow = new HashMap<>();
    List<List<ProbeGroup>> groups = new ArrayList<>();
    switches.forEach(
        (id, measured) -> {
          List<Target> targets = new ArrayList<>();
          targets.add(measured);
          for (DirectedLink link : topology.linksFrom(id)) {
            MeasuredLink measuredLink = measured(link);
            linksNow.put(link, measuredLink);
            targets.add(measuredLink);
          }
          groups.add(
              Lists.partition(targets, ProbeGroup.MAX_TARGETS).stream()
                  .map(together -> new ProbeGroup(id, List.copyOf(together)))
                  .toList());
        });
    links = linksNow;
    return groups;
  }

  private MeasuredSwitch measured(DatapathId id) {
    @Nullable MeasuredSwitch known = switches.get(id);
    return known != null ? known : new MeasuredSwitch(id, preferred, limits.windowNanos());
  }

  private MeasuredLink measured(DirectedLink link) {
    @Nullable MeasuredLink known = links.get(link);
    return known != null
        ? known
        : new MeasuredLink(
            link, measured(link.src()), measured(link.dst()), new LatencyEstimator(limits));
  }

  /** A probe has come back. */
  void answered(Probe probe) {
    long now = probe.answeredNanos;
    if (probe.target instanceof MeasuredSwitch measured) {
      counters.control.answered.increment();
      measured.answered(probe.method, probe.tookNanos(), now);
    } else if (probe.target instanceof MeasuredLink measured) {
      counters.links.answered.increment();
      answered(measured, probe.tookNanos(), now);
    }
  }

  private void answered(MeasuredLink measured, long tookNanos, long now) {
    LatencyEstimator estimator = measured.estimator();
    Outcome outcome =
        estimator.add(
            tookNanos, measured.first().roundTrips(), measured.second().roundTrips(), now);
    switch (outcome) {
      case CLAMPED -> counters.clamped.increment();
      case NEGATIVE -> counters.discarded.count(Discard.NEGATIVE);
      case ABSURD -> counters.discarded.count(Discard.ABSURD);
      case NO_CONTROL -> counters.discarded.count(Discard.NO_CONTROL);
      case USED -> {}
    }
    if (outcome == Outcome.USED || outcome == Outcome.CLAMPED) {
      estimator.latencyNanos().ifPresent(nanos -> tracker.latency(measured.link(), nanos, now));
    }
  }

  /** A probe counts as lost. */
  void lost(Probe probe, long nowNanos) {
    if (probe.target instanceof MeasuredSwitch measured) {
      counters.control.lost.increment();
      measured.lost(probe.method, nowNanos);
    } else {
      counters.links.lost.increment();
    }
  }

  /** May be called by any thread. */
  Map<DatapathId, ControlRoundTrip> controlRoundTrips() {
    return ImmutableSortedMap.copyOf(
        Maps.transformValues(switches, MeasuredSwitch::controlRoundTrip));
  }
}
