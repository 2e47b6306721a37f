package io.malob.monitor;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.module.AttachedHosts;
import io.malob.module.BaseModule;
import io.malob.module.FloodlightSwitch;
import io.malob.module.FoundLinks;
import io.malob.module.IClusterService;
import io.malob.module.IPeerService;
import io.malob.module.IStoreService;
import io.malob.module.PeerTopic;
import io.malob.module.Repetition;
import io.malob.module.SettingReader;
import io.malob.module.Settings;
import io.malob.openflow.FlowProgrammer;
import io.malob.state.network.ConfiguredCapacities;
import io.malob.state.network.LinkCapacity;
import io.malob.state.network.LinkTracker;
import io.malob.state.network.PortId;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.TimesToLive;
import io.malob.store.Store;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LDUpdate;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import net.floodlightcontroller.topology.ITopologyListener;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Keeps the state of network and servers, for the modules that measure and those that use it.
 *
 * <p>Settings: {@code data}, the directory of the configured capacities (without it they are not
 * stored); {@code portStatisticsMillis}, the interval between polls of a switch's port statistics,
 * 0 for no polls; {@code probePort}, the TCP port of link agents' probes; in seconds, after which a
 * measurement counts as unknown: {@code latencyLifeSeconds}, {@code throughputLifeSeconds} (of
 * agents), {@code portStatisticsLifeSeconds}, {@code serverLifeSeconds}.
 */
@Settings({
  "data",
  "portStatisticsMillis",
  "probePort",
  "latencyLifeSeconds",
  "throughputLifeSeconds",
  "portStatisticsLifeSeconds",
  "serverLifeSeconds"
})
@SuppressWarnings("NullAway.Init") // filled by init, before anything else is called
public final class MonitorModule extends BaseModule implements IMonitorService, ITopologyListener {
  private static final long READ_MILLIS = 5_000;
  private static final int MAX_SECONDS = 86_400;
  private static final int MAX_MILLIS = 3_600_000;
  private static final long TELLING_MILLIS = 1_000;
  private static final long PINS_MILLIS = 30_000;

  private final LongSupplier nanoTime;
  private IOFSwitchService switches;
  private ITopologyService topologyService;
  private AttachedHosts hosts;
  private IThreadPoolService threads;
  private TimesToLive times;
  private LinkTracker links;
  private ServerTracker servers;
  private LinkCapacities capacities;
  private PortPolling ports;
  private LinkPins pins;
  private @Nullable PeerMeasurements peerMeasurements;
  private Executor serialExecutor;
  private int portStatisticsMillis;
  private long portTickMillis;
  private volatile Topology topology = Topology.EMPTY;
  private volatile Topology measuredLinks = Topology.EMPTY;
  private @Nullable IClusterService cluster;
  private volatile Supplier<? extends Collection<? extends IPAddress<?>>> linkAgents = List::of;

  /** For the module loader. */
  public MonitorModule() {
    this(System::nanoTime);
  }

  /** A module on a clock of its own. */
  MonitorModule(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IOFSwitchService.class,
        ITopologyService.class,
        IDeviceService.class,
        IThreadPoolService.class,
        IStoreService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    switches = context.getServiceImpl(IOFSwitchService.class);
    topologyService = context.getServiceImpl(ITopologyService.class);
    hosts = new AttachedHosts(context.getServiceImpl(IDeviceService.class));
    threads = context.getServiceImpl(IThreadPoolService.class);
    times =
        new TimesToLive(
            life(settings, "latencyLifeSeconds", 30),
            life(settings, "throughputLifeSeconds", 300),
            life(settings, "portStatisticsLifeSeconds", 10),
            life(settings, "serverLifeSeconds", 30));
    links = new LinkTracker(times);
    servers = new ServerTracker(times);
    capacities =
        new LinkCapacities(
            openCapacities(
                context.getServiceImpl(IStoreService.class).inDirectory(settings.text("data", ""))),
            switches);
    portStatisticsMillis = settings.number("portStatisticsMillis", 1_000, 0, MAX_MILLIS);
    serialExecutor = MoreExecutors.newSequentialExecutor(threads.getScheduledExecutor());
    portTickMillis = Math.max(1, portStatisticsMillis / PortPolling.MIN_SLICES);
    ports = new PortPolling(switches, serialExecutor, portTickMillis, nanoTime, this::transmitting);
    // real Floodlight has no such services
    cluster = context.getServiceImpl(IClusterService.class);
    @Nullable IPeerService peers = context.getServiceImpl(IPeerService.class);
    if (peers != null) {
      PeerMeasurements measurements = new PeerMeasurements(peers, links, nanoTime, serialExecutor);
      peers.listen(PeerTopic.MEASUREMENTS, measurements);
      peerMeasurements = measurements;
    }
    pins =
        new LinkPins(
            new FlowProgrammer(switchId -> FloodlightSwitch.active(switches, switchId)),
            this::locate,
            settings.number("probePort", 5_201, 1, 65_535));
  }

  private static ConfiguredCapacities openCapacities(Store store) throws FloodlightModuleException {
    try {
      return ConfiguredCapacities.open(store);
    } catch (IOException e) {
      throw new FloodlightModuleException("The capacities cannot be read: " + e.getMessage(), e);
    }
  }

  private static long life(SettingReader settings, String key, int defaultSeconds)
      throws FloodlightModuleException {
    return TimeUnit.SECONDS.toNanos(settings.number(key, defaultSeconds, 1, MAX_SECONDS));
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    topologyService.addListener(this);
    // a switch can become active or inactive without a change of links
    Repetition repetition = new Repetition(threads.getScheduledExecutor());
    repetition.every(READ_MILLIS, "reading the topology", this::readTopology);
    repetition.every(READ_MILLIS, "pinning probes to links", () -> updatePins(false));
    repetition.every(PINS_MILLIS, "keeping probes on links", () -> updatePins(true));
    if (portStatisticsMillis > 0) {
      repetition.every(portTickMillis, "asking for port statistics", serialExecutor, ports::tick);
    }
    @Nullable PeerMeasurements measurements = peerMeasurements;
    if (measurements != null) {
      repetition.every(
          TELLING_MILLIS, "telling of measurements", serialExecutor, measurements::tell);
    }
    readTopology();
  }

  @Override
  public void topologyChanged(List<LDUpdate> updates) {
    threads.getScheduledExecutor().execute(this::readTopology);
  }

  /** One at a time, so that the latest reading stays. */
  private synchronized void readTopology() {
    Topology now = FoundLinks.between(switches, topologyService);
    Topology measured =
        IClusterService.isInCluster(cluster)
            ? FoundLinks.fromActive(switches, topologyService)
            : now;
    if (!measured.equals(measuredLinks)) {
      links.setTopology(measured);
      measuredLinks = measured;
    }
    if (!now.equals(topology)) {
      topology = now;
      updatePins(false);
    }
  }

  private void updatePins(boolean again) {
    serialExecutor.execute(() -> pins.update(linkAgents.get(), topology, again));
  }

  /** The location of the host with that address. */
  private Optional<PortId> locate(IPAddress<?> address) {
    return hosts.find(address).map(at -> new PortId(at.switchId(), at.port()));
  }

  /** A link carries what the port at its beginning transmits. */
  private void transmitting(DatapathId switchId, ImmutableMap<OFPort, Double> bps, long atNanos) {
    for (DirectedLink link : measuredLinks.linksFrom(switchId)) {
      @Nullable Double use = bps.get(link.srcPort());
      if (use != null) {
        capacity(link)
            .ifPresentOrElse(
                capacity -> links.use(link, use, capacity.bitsPerSecond(), atNanos),
                () -> links.use(link, use, atNanos));
      }
    }
  }

  @Override
  public Optional<LinkCapacity> capacity(DirectedLink link) {
    return capacities.of(link);
  }

  @Override
  public ConfiguredCapacities capacities() {
    return capacities.configured();
  }

  @Override
  public ImmutableSortedMap<DatapathId, PollingStats> portStatistics() {
    return ports.stats();
  }

  @Override
  public void setLinkAgents(Supplier<? extends Collection<? extends IPAddress<?>>> addresses) {
    linkAgents = addresses;
  }

  @Override
  public TimesToLive timesToLive() {
    return times;
  }

  @Override
  public Topology topology() {
    return topology;
  }

  @Override
  public Topology measuredLinks() {
    return measuredLinks;
  }

  @Override
  public LinkTracker links() {
    return links;
  }

  @Override
  public ServerTracker servers() {
    return servers;
  }

  @Override
  public long nanoTime() {
    return nanoTime.getAsLong();
  }
}
