package io.malob.rest;

import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.monitor.IMonitorService;
import io.malob.monitor.PollingStats;
import io.malob.state.network.ConfiguredCapacities;
import io.malob.state.network.LinkCapacity;
import io.malob.state.network.MeasuredLinks;
import io.malob.state.network.PortId;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.TimesToLive;
import io.malob.store.MemoryStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/** Real trackers for one link, at a moment that a test sets. */
final class FakeMonitor implements IMonitorService {
  private static final long SECOND = 1_000_000_000L;

  /** When it is now. */
  volatile long nanoTime;

  /** What portStatistics() tells. */
  volatile Map<DatapathId, PollingStats> stats = Map.of();

  private final TimesToLive times =
      new TimesToLive(30 * SECOND, 300 * SECOND, 10 * SECOND, 30 * SECOND);
  private final MeasuredLinks links = new MeasuredLinks(times);
  private final ServerTracker servers = new ServerTracker(times);
  private final ConfiguredCapacities capacities = noCapacities();

  /** What topology() tells. */
  volatile Topology topology;

  FakeMonitor(DirectedLink link) {
    topology = Topology.of(List.of(link.src(), link.dst()), List.of(link));
    links.setTopology(topology);
  }

  private static ConfiguredCapacities noCapacities() {
    try {
      return ConfiguredCapacities.open(new MemoryStore(Runnable::run));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Topology topology() {
    return topology;
  }

  @Override
  public MeasuredLinks links() {
    return links;
  }

  @Override
  public ServerTracker servers() {
    return servers;
  }

  @Override
  public Optional<LinkCapacity> capacity(DirectedLink link) {
    return Optional.ofNullable(capacities.all().get(new PortId(link.src(), link.srcPort())))
        .map(bps -> new LinkCapacity(bps, LinkCapacity.Source.CONFIGURED));
  }

  @Override
  public ConfiguredCapacities capacities() {
    return capacities;
  }

  @Override
  public ImmutableSortedMap<DatapathId, PollingStats> portStatistics() {
    return ImmutableSortedMap.copyOf(stats);
  }

  @Override
  public TimesToLive timesToLive() {
    return times;
  }

  @Override
  public void setLinkAgents(Supplier<? extends Collection<? extends IPAddress<?>>> addresses) {
    throw new AssertionError("not expected here");
  }

  @Override
  public long nanoTime() {
    return nanoTime;
  }
}
