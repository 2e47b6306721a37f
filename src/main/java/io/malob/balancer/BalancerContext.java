package io.malob.balancer;

import com.google.common.collect.Sets;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.SharedSegments;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.api.PacketInCounters;
import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.connection.RecordFile;
import io.malob.balancer.connection.UnownedSwitches;
import io.malob.capability.FeatureProbes;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.module.BaseModule;
import io.malob.module.ClusterView;
import io.malob.module.FloodlightSwitch;
import io.malob.module.FoundLinks;
import io.malob.module.IClusterService;
import io.malob.module.IPeerService;
import io.malob.module.IRelayService;
import io.malob.module.IStoreService;
import io.malob.module.Repetition;
import io.malob.module.SettingReader;
import io.malob.module.Tasks;
import io.malob.monitor.IMonitorService;
import io.malob.openflow.LabelGroups;
import io.malob.openflow.RuleCompiler;
import io.malob.openflow.RuleSender;
import io.malob.openflow.label.LabelRange;
import io.malob.state.catalog.Catalog;
import io.malob.state.network.Routers;
import io.malob.state.network.Routing;
import io.malob.state.network.SelfAddresses;
import io.malob.state.network.ServerMeasurements;
import io.malob.state.network.StaticRoutes;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IShutdownService;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LinkType;
import net.floodlightcontroller.linkdiscovery.ILinkDiscoveryService;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.linkdiscovery.internal.LinkInfo;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * What every part of the balancer is constructed from: the controller's services, the settings, the
 * clock, the schedule, and the senders of rules. Only classes of this package take it; those of
 * other packages take what they use.
 */
final class BalancerContext {
  final IFloodlightProviderService provider;
  final IOFSwitchService switches;
  final IDeviceService devices;
  final ITopologyService topology;
  private final @Nullable ILinkDiscoveryService discovery;
  final IMonitorService monitor;
  final ISwitchCapabilityService capabilities;
  final FeatureProbes features;

  /** Null without a cluster, like the next two; real Floodlight has no such services. */
  final @Nullable IClusterService cluster;

  final @Nullable IPeerService peers;
  final @Nullable IRelayService relay;
  final UnownedSwitches unowned;

  final SettingReader settings;
  final LongSupplier nanoTime;

  /** Returns a number from 0 (inclusive) to its argument (exclusive). */
  final IntUnaryOperator random;

  /** Runs the tasks of housekeeping, one at a time. */
  final Executor serialExecutor;

  final Housekeeping housekeeping;

  /** Runs other tasks on the timer's threads. */
  final Repetition repetition;

  /** Sends to this controller's switches. */
  final RuleSender ruleSender;

  /** Sends rules of connections and paths, also to switches of other controllers. */
  final RuleSender everywhere;

  final StaticRoutes routes;
  final Routing routing;
  final Routers routers;

  /** What members of pools with {@code source_nat} see instead of clients. */
  final SelfAddresses sourceAddresses;

  /** All addresses that no host may have: the balancer answers for them. */
  final SelfAddresses ownAddresses;

  final Catalog catalog;
  final RecordFile records;
  final RejectCounters rejects = new RejectCounters();
  final PacketInCounters packetIns = new PacketInCounters();

  BalancerContext(
      FloodlightModuleContext context,
      SettingReader settings,
      LongSupplier nanoTime,
      IntUnaryOperator random)
      throws FloodlightModuleException {
    provider = context.getServiceImpl(IFloodlightProviderService.class);
    switches = context.getServiceImpl(IOFSwitchService.class);
    devices = context.getServiceImpl(IDeviceService.class);
    topology = context.getServiceImpl(ITopologyService.class);
    discovery = context.getServiceImpl(ILinkDiscoveryService.class);
    monitor = context.getServiceImpl(IMonitorService.class);
    capabilities = context.getServiceImpl(ISwitchCapabilityService.class);
    features = capabilities.features();
    cluster = context.getServiceImpl(IClusterService.class);
    peers = context.getServiceImpl(IPeerService.class);
    relay = context.getServiceImpl(IRelayService.class);
    unowned = new UnownedSwitches(switches, cluster);
    this.settings = settings;
    this.nanoTime = nanoTime;
    this.random = random;
    ScheduledExecutorService timer =
        context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor();
    Tasks tasks = new Tasks(nanoTime);
    serialExecutor = MoreExecutors.newSequentialExecutor(timer);
    housekeeping = new Housekeeping(serialExecutor, tasks);
    repetition = new Repetition(timer, tasks);
    RuleCompiler compiler = new RuleCompiler(capabilities::layout, new LabelGroups());
    ruleSender = new RuleSender(switchId -> FloodlightSwitch.active(switches, switchId), compiler);
    everywhere =
        new RuleSender(switchId -> FloodlightSwitch.anywhere(switches, relay, switchId), compiler);
    IStoreService stores = context.getServiceImpl(IStoreService.class);
    catalog = openCatalog(stores);
    routes = openRoutes(stores);
    routing = new Routing(settings.get(BalancerSettings.SELF_ADDRESSES), routes::find);
    routers = settings.get(BalancerSettings.ROUTERS);
    sourceAddresses = settings.get(BalancerSettings.SOURCE_ADDRESSES);
    ownAddresses = ownAddresses(routing.self(), sourceAddresses);
    records = RecordFile.open(settings, nanoTime);
    context.getServiceImpl(IShutdownService.class).registerShutdownListener(records::close);
  }

  private static SelfAddresses ownAddresses(SelfAddresses self, SelfAddresses source)
      throws FloodlightModuleException {
    if (!Sets.intersection(self.all(), source.all()).isEmpty()) {
      throw new FloodlightModuleException(
          "The settings selfAddresses and sourceAddresses must have no address in common.");
    }
    return self.and(source);
  }

  private Catalog openCatalog(IStoreService stores) throws FloodlightModuleException {
    try {
      return Catalog.open(stores.inDirectory(settings.get(BaseModule.DATA)));
    } catch (IOException e) {
      throw new FloodlightModuleException("The catalog cannot be read: " + e.getMessage(), e);
    }
  }

  private StaticRoutes openRoutes(IStoreService stores) throws FloodlightModuleException {
    try {
      return StaticRoutes.open(stores.inDirectory(settings.get(BaseModule.DATA)));
    } catch (IOException e) {
      throw new FloodlightModuleException("The routes cannot be read: " + e.getMessage(), e);
    }
  }

  /** The measurements of the server at an address that are not too old. */
  ServerMeasurements measured(IPAddress<?> address) {
    return monitor.servers().get(address, monitor.nanoTime());
  }

  /** This controller's part of a limit; all of it without a cluster. */
  int partOf(int limit) {
    return cluster == null || limit == Server.NO_LIMIT ? limit : cluster.partOf(limit);
  }

  /** The label ids of this controller: in a cluster, those of its slot. */
  LabelRange labelRange() {
    return cluster == null
        ? LabelRange.ALL
        : cluster.electionView().map(now -> LabelRange.ofSlot(now.slot())).orElse(LabelRange.ALL);
  }

  /** The segments of legacy switches that these links cross. */
  SharedSegments segments(Topology among) {
    Map<Link, LinkInfo> found = discovery == null ? Map.of() : discovery.getLinks();
    Set<DirectedLink> external = new HashSet<>();
    found.forEach(
        (link, info) -> {
          if (info.getLinkType() == LinkType.MULTIHOP_LINK) {
            external.add(FoundLinks.of(link));
          }
        });
    return SharedSegments.of(among.links(), external::contains);
  }

  /** Whether the switches have several masters. */
  boolean hasSeveralMasters() {
    return cluster != null && cluster.electionView().filter(ClusterView::isSpread).isPresent();
  }
}
