package io.malob.rest.live;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.json.Json;
import io.malob.monitor.IMonitorService;
import io.malob.rest.problem.ProblemSources;
import io.malob.state.network.LinkMeasurements;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Produces the frames of one moment after the other; unchanged parts are not serialized again. For
 * one thread at a time.
 */
final class LiveSource implements UnaryOperator<@Nullable LiveFrames> {

  private final ProblemSources sources;
  private final TrafficHistory traffic;
  private @Nullable LiveState written;

  LiveSource(ProblemSources sources, TrafficHistory traffic) {
    this.sources = sources;
    this.traffic = traffic;
  }

  @Override
  public LiveFrames apply(@Nullable LiveFrames before) {
    IMonitorService monitor = sources.monitor();
    Topology topology = monitor.topology();
    ImmutableMap<DirectedLink, LinkMeasurements> known =
        ImmutableMap.copyOf(
            Maps.filterKeys(monitor.links().snapshot(monitor.nanoTime()), topology::contains));
    LiveState state =
        new LiveState(
            topology,
            known.keySet().asList(),
            sources.balancer().catalog().snapshot(),
            SeenHost.of(sources.devices().getAllDevices()));
    LiveFrames.Part part =
        before != null && state.equals(written)
            ? before.state()
            : LiveFrames.Part.of(Json.bytes(state.shown()));
    written = state;
    Map<String, @Nullable Object> rates = new LiveRates(sources).shown(state, part.tag(), known);
    rates.put("traffic", traffic.latest());
    return new LiveFrames(part, LiveFrames.Part.of(Json.bytes(rates)));
  }
}
