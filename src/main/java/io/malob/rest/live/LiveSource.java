package io.malob.rest.live;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.api.IBalancerService;
import io.malob.json.Json;
import io.malob.module.ClusterView;
import io.malob.module.DuplicateSwitch;
import io.malob.monitor.IMonitorService;
import io.malob.state.network.LinkMeasurements;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import org.jspecify.annotations.Nullable;

/**
 * Produces the frames of one moment after the other; unchanged parts are not serialized again. For
 * one thread at a time.
 */
final class LiveSource implements UnaryOperator<@Nullable LiveFrames> {

  private final IBalancerService balancer;
  private final IMonitorService monitor;
  private final IDeviceService devices;
  private final Supplier<Optional<ClusterView>> cluster;
  private final Supplier<ImmutableList<DuplicateSwitch>> duplicates;
  private final TrafficHistory traffic;
  private @Nullable LiveState written;

  LiveSource(
      IBalancerService balancer,
      IMonitorService monitor,
      IDeviceService devices,
      Supplier<Optional<ClusterView>> cluster,
      Supplier<ImmutableList<DuplicateSwitch>> duplicates,
      TrafficHistory traffic) {
    this.balancer = balancer;
    this.monitor = monitor;
    this.devices = devices;
    this.cluster = cluster;
    this.duplicates = duplicates;
    this.traffic = traffic;
  }

  @Override
  public LiveFrames apply(@Nullable LiveFrames before) {
    Topology topology = monitor.topology();
    Collection<? extends IDevice> hosts = devices.getAllDevices();
    ImmutableMap<DirectedLink, LinkMeasurements> known =
        ImmutableMap.copyOf(
            Maps.filterKeys(monitor.links().snapshot(monitor.nanoTime()), topology::contains));
    LiveState state =
        new LiveState(
            topology,
            ImmutableSet.copyOf(known.keySet()),
            balancer.catalog().snapshot(),
            SeenHost.of(hosts));
    LiveState old = written;
    LiveFrames.Part part =
        before != null && old != null && state.showsSameAs(old)
            ? before.state()
            : LiveFrames.Part.of(Json.bytes(state.shown()));
    written = state;
    Map<String, @Nullable Object> rates =
        new LiveRates(balancer, monitor, cluster.get(), hosts, duplicates.get())
            .shown(state, part.tag(), known);
    rates.put("traffic", traffic.latest());
    return new LiveFrames(part, LiveFrames.Part.of(Json.bytes(rates)));
  }
}
