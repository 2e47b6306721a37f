package io.malob.balancer;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.balancer.api.BalancerActivity;
import io.malob.balancer.api.BalancerActivity.PlacementCount;
import io.malob.balancer.api.BalancerCounters;
import io.malob.balancer.api.ConnectionPage;
import io.malob.balancer.api.EjectedMember;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.LinkStats;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.MoveStats;
import io.malob.balancer.api.PathStats;
import io.malob.balancer.api.PlacedConnection;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.ProfileStats;
import io.malob.balancer.api.ReconcileStats;
import io.malob.balancer.api.SplitHost;
import io.malob.balancer.api.VipStats;
import io.malob.balancer.connection.ConnectionListing;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.module.BaseModule;
import io.malob.module.IPacketInQueueService;
import io.malob.module.IStoreService;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.monitor.IMonitorService;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Protocol;
import io.malob.state.network.Routing;
import io.malob.state.network.StaticRoutes;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IShutdownService;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.linkdiscovery.ILinkDiscoveryService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The load balancer as a Floodlight module: starts its assemblies, and reports what they do. */
@SuppressWarnings("NullAway.Init") // set by init before any other method is called
public final class BalancerModule extends BaseModule implements IBalancerService {
  private static final Logger LOG = LoggerFactory.getLogger(BalancerModule.class);

  private static final long APPLY_MILLIS = 1_000;

  private final LongSupplier nanoTime;
  private final IntUnaryOperator random;

  private Assemblies parts;

  /** Changes are applied one after the other, so the latest one is applied after all others. */
  private volatile CompletableFuture<Void> latestChange = CompletableFuture.completedFuture(null);

  /** For the module loader. */
  public BalancerModule() {
    this(System::nanoTime, new SecureRandom()::nextInt);
  }

  /**
   * Creates a module with the given clock and source of random numbers.
   *
   * @param random returns a number from 0 (inclusive) to its argument (exclusive)
   */
  BalancerModule(LongSupplier nanoTime, IntUnaryOperator random) {
    this.nanoTime = nanoTime;
    this.random = random;
  }

  @Override
  public List<Setting<?>> settings() {
    return BalancerSettings.ALL;
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IFloodlightProviderService.class,
        IOFSwitchService.class,
        IDeviceService.class,
        ITopologyService.class,
        ILinkDiscoveryService.class,
        IThreadPoolService.class,
        IShutdownService.class,
        IStoreService.class,
        IMonitorService.class,
        ISwitchCapabilityService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    parts =
        new Assemblies(
            new BalancerContext(context, settings, nanoTime, random),
            context.getServiceImpl(IPacketInQueueService.class));
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    parts.context.catalog.addListener(this::catalogChanged);
    catalogChanged(CatalogSnapshot.empty(), parts.context.catalog.snapshot());
    parts.start();
  }

  /**
   * Waits until the change is applied, so that it is in force when the operator's request is
   * answered.
   */
  private void catalogChanged(CatalogSnapshot before, CatalogSnapshot after) {
    parts.viewing.profiles.retain(after);
    parts.messages.traffic.retain(after);
    parts.context.records.learn(after);
    CompletableFuture<Void> applied = parts.catalogUpdates.catalogChanged(before, after);
    latestChange = applied;
    try {
      applied.get(APPLY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      LOG.error("catalog_change_failed - it is not fully applied", e.getCause());
    } catch (TimeoutException e) {
      LOG.warn("catalog_change_slow ms={} - it is still being applied", APPLY_MILLIS);
    }
  }

  @Override
  public CatalogEffect catalogEffect() {
    CompletableFuture<Void> latest = latestChange;
    if (!latest.isDone()) {
      return CatalogEffect.PENDING;
    }
    return latest.isCompletedExceptionally() ? CatalogEffect.FAILED : CatalogEffect.IN_FORCE;
  }

  @Override
  public Catalog catalog() {
    return parts.context.catalog;
  }

  @Override
  public Routing routing() {
    return parts.context.routing;
  }

  @Override
  public StaticRoutes routes() {
    return parts.context.routes;
  }

  @Override
  public List<ProactiveStats> proactive() {
    return parts.proactive.vips.stats();
  }

  @Override
  public Map<String, EjectedMember> ejected() {
    return parts.connecting.outliers.ejected();
  }

  @Override
  public Map<String, Long> ejections() {
    return parts.connecting.outliers.counts();
  }

  @Override
  public MoveStats moves() {
    return parts.rerouting.longFlows.stats();
  }

  @Override
  public List<ProfileStats> profiles() {
    return parts.viewing.profiles.stats(parts.context.catalog.snapshot());
  }

  /** The number of connections whose samples are incomplete. */
  int pendingSamples() {
    return parts.placing.samples.pending();
  }

  @Override
  public Map<String, MemberStats> memberStats() {
    return parts.viewing.loads.stats(parts.viewing.view.get());
  }

  @Override
  public Map<String, Long> totalConnections() {
    return parts.viewing.loads.totalConnections(catalog().snapshot());
  }

  @Override
  public Map<String, VipStats> vipStats() {
    return Maps.transformValues(
        parts.context.catalog.snapshot().vips(),
        vip -> {
          int estimated = parts.viewing.loads.estimatedConnections(vip, catalog().snapshot());
          return new VipStats(
              parts.connecting.limiter.atVip(vip.number()) + estimated,
              estimated,
              parts.connecting.halfOpen.now(vip.number()),
              parts.connecting.halfOpen.limit());
        });
  }

  @Override
  public boolean endsAreTold() {
    return parts.viewing.preparation.tellEnds(parts.context.switches.getAllSwitchDpids());
  }

  @Override
  public Set<DatapathId> unservedSwitches() {
    return parts.viewing.coreAccess.unserved();
  }

  @Override
  public List<SplitHost> splitHosts() {
    return parts.checking.serverMoves.splitHosts().all();
  }

  @Override
  public Map<String, Long> rejects() {
    return parts.context.rejects.byReason();
  }

  @Override
  public BalancerCounters counters() {
    return new BalancerCounters(
        parts.connecting.connections.open(),
        parts.connecting.connections.dormant(),
        parts.context.ruleSender.unsent() + parts.context.everywhere.unsent(),
        parts.messages.rejectedRules());
  }

  @Override
  public BalancerActivity activity() {
    return new BalancerActivity(
        ImmutableList.copyOf(parts.viewing.placements.all()),
        parts.connecting.placementTimes.now(),
        parts.context.packetIns.with(parts.viewing.placements.placed(), parts.context.rejects),
        parts.placing.droppedPacketIns(),
        parts.placing.pendingPackets.size(),
        parts.viewing.labels.repairs(),
        parts.viewing.labels.failedRepairs(),
        parts.messages.traffic.now(parts.context.catalog.snapshot()),
        parts.context.records.counts());
  }

  @Override
  public List<PlacementCount> placements() {
    return parts.viewing.placements.all();
  }

  @Override
  public ReconcileStats reconcileStats() {
    return parts.recovering.stateRecovery.stats();
  }

  @Override
  public List<PathStats> paths() {
    return parts.viewing.labels.all().stream()
        .filter(labelled -> labelled.path().hops() > 0)
        .map(
            labelled ->
                new PathStats(
                    labelled.label().mac(), labelled.path(), labelled.uses(), labelled.active()))
        .sorted(Comparator.comparingInt(PathStats::connections).reversed())
        .collect(Collectors.toList());
  }

  @Override
  public ConnectionPage connections(
      Predicate<PlacedConnection> wanted, @Nullable FiveTuple after, int limit) {
    return new ConnectionListing(parts.connecting.connections, nanoTime).page(wanted, after, limit);
  }

  @Override
  public Optional<ExplainedConnection> explain(
      IPAddress<?> client, IPAddress<?> vip, Protocol protocol, int port, OptionalInt clientPort) {
    return parts.placing.explainer.explain(client, vip, protocol, port, clientPort);
  }

  @Override
  public Optional<ExplainedConnection> explain(
      MacAddress client, IPAddress<?> vip, Protocol protocol, int port, OptionalInt clientPort) {
    return parts.placing.explainer.explain(client, vip, protocol, port, clientPort);
  }

  @Override
  public List<LinkStats> links() {
    Map<DirectedLink, Integer> active = new TreeMap<>();
    parts.viewing.view.get().network().topology().links().forEach(link -> active.put(link, 0));
    parts
        .viewing
        .labels
        .all()
        .forEach(
            labelled ->
                labelled
                    .path()
                    .links()
                    .forEach(link -> active.merge(link, labelled.active(), Integer::sum)));
    return active.entrySet().stream()
        .map(entry -> new LinkStats(entry.getKey(), entry.getValue()))
        .collect(Collectors.toList());
  }
}
