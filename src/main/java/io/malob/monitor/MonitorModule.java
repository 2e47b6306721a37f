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
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.openflow.RuleSender;
import io.malob.state.network.ConfiguredCapacities;
import io.malob.state.network.LinkCapacity;
import io.malob.state.network.MeasuredLinks;
import io.malob.state.network.PortId;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.TimesToLive;
import io.malob.store.Store;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import net.floodlightcontroller.core.IOFSwitch;
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
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Keeps the state of network and servers, for the modules that measure and those that use it. */
@SuppressWarnings("NullAway.Init") // filled by init, before anything else is called
public final class MonitorModule extends BaseModule implements IMonitorService, ITopologyListener {
  private static final Setting<Integer> PORT_STATISTICS_MILLIS =
      Setting.number("portStatisticsMillis", 1_000, 0, 3_600_000)
          .describedAs(
              "The interval between two polls of a switch's port statistics, longer with more"
                  + " than 250 switches; 0: no polls.");
  private static final Setting<Integer> PROBE_PORT =
      Setting.number("probePort", 5_201, 1, 65_535)
          .describedAs("The TCP port of link agents' probes.");
  private static final Setting<Integer> LATENCY_LIFE =
      life("latencyLifeSeconds", 30, "link latency");
  private static final Setting<Integer> THROUGHPUT_LIFE =
      life("throughputLifeSeconds", 300, "throughput from agents");
  private static final Setting<Integer> PORT_STATISTICS_LIFE =
      life("portStatisticsLifeSeconds", 10, "port statistics");
  private static final Setting<Integer> SERVER_LIFE = life("serverLifeSeconds", 30, "server state");

  private static final long READ_MILLIS = 5_000;
  private static final long TELLING_MILLIS = 1_000;
  private static final long PINS_MILLIS = 30_000;

  private final LongSupplier nanoTime;
  private IOFSwitchService switches;
  private ITopologyService topologyService;
  private AttachedHosts hosts;
  private IThreadPoolService threads;
  private TimesToLive times;
  private MeasuredLinks links;
  private ServerTracker servers;
  private ConfiguredCapacities capacities;
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
  public List<Setting<?>> settings() {
    return List.of(
        DATA,
        PORT_STATISTICS_MILLIS,
        PROBE_PORT,
        LATENCY_LIFE,
        THROUGHPUT_LIFE,
        PORT_STATISTICS_LIFE,
        SERVER_LIFE);
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
            nanos(settings, LATENCY_LIFE),
            nanos(settings, THROUGHPUT_LIFE),
            nanos(settings, PORT_STATISTICS_LIFE),
            nanos(settings, SERVER_LIFE));
    links = new MeasuredLinks(times);
    servers = new ServerTracker(times);
    capacities =
        openCapacities(context.getServiceImpl(IStoreService.class).inDirectory(settings.get(DATA)));
    portStatisticsMillis = settings.get(PORT_STATISTICS_MILLIS);
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
            new RuleSender(switchId -> FloodlightSwitch.active(switches, switchId)),
            this::locate,
            settings.get(PROBE_PORT));
  }

  private static ConfiguredCapacities openCapacities(Store store) throws FloodlightModuleException {
    try {
      return ConfiguredCapacities.open(store);
    } catch (IOException e) {
      throw new FloodlightModuleException("The capacities cannot be read: " + e.getMessage(), e);
    }
  }

  private static Setting<Integer> life(String name, int seconds, String measurements) {
    return Setting.number(name, seconds, 1, 86_400)
        .describedAs(
            "The lifetime of "
                + measurements
                + " in seconds; older measurements count as unknown.");
  }

  private static long nanos(SettingReader settings, Setting<Integer> seconds)
      throws FloodlightModuleException {
    return TimeUnit.SECONDS.toNanos(settings.get(seconds));
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
    if (peerMeasurements != null) {
      repetition.every(
          TELLING_MILLIS, "telling of measurements", serialExecutor, peerMeasurements::publish);
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
    @Nullable Double set = capacities.all().get(new PortId(link.src(), link.srcPort()));
    if (set != null) {
      return Optional.of(new LinkCapacity(set, LinkCapacity.Source.CONFIGURED));
    }
    @Nullable IOFSwitch sw = switches.getActiveSwitch(link.src());
    @Nullable OFPortDesc port = sw == null ? null : sw.getPort(link.srcPort());
    OptionalDouble speed = port == null ? OptionalDouble.empty() : PortSpeeds.bitsPerSecond(port);
    return speed.isPresent()
        ? Optional.of(new LinkCapacity(speed.getAsDouble(), LinkCapacity.Source.PORT))
        : Optional.empty();
  }

  @Override
  public ConfiguredCapacities capacities() {
    return capacities;
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
  public MeasuredLinks links() {
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
