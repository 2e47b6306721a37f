package io.malob.balancer;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Counting;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.health.Ejection;
import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.admission.AclDropRules;
import io.malob.balancer.admission.AdmissionControl;
import io.malob.balancer.admission.Classifier;
import io.malob.balancer.admission.ConnectionActivator;
import io.malob.balancer.admission.ConnectionResetter;
import io.malob.balancer.admission.ConnectionTeardown;
import io.malob.balancer.admission.ErrorRelay;
import io.malob.balancer.admission.Explainer;
import io.malob.balancer.admission.FalseEnds;
import io.malob.balancer.admission.FloodGuard;
import io.malob.balancer.admission.FtpData;
import io.malob.balancer.admission.HostFinder;
import io.malob.balancer.admission.LimitWarnings;
import io.malob.balancer.admission.MemberTiers;
import io.malob.balancer.admission.MissingHosts;
import io.malob.balancer.admission.PacketInClasses;
import io.malob.balancer.admission.PacketInDrops;
import io.malob.balancer.admission.PendingPackets;
import io.malob.balancer.admission.RejectSender;
import io.malob.balancer.admission.Relocations;
import io.malob.balancer.admission.RequestHandler;
import io.malob.balancer.admission.SwitchOutages;
import io.malob.balancer.admission.VipAnnouncer;
import io.malob.balancer.admission.VipNeighbours;
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
import io.malob.balancer.api.PacketInCounters;
import io.malob.balancer.api.PathStats;
import io.malob.balancer.api.PlacedConnection;
import io.malob.balancer.api.PlacementCounts;
import io.malob.balancer.api.PlacementTimes;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.ProfileStats;
import io.malob.balancer.api.ReconcileStats;
import io.malob.balancer.api.RecoveringConnection;
import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.api.VipStats;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.bucket.ProactiveClients;
import io.malob.balancer.connection.AffinityTable;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.connection.ConnectionListing;
import io.malob.balancer.connection.ConnectionProgrammer;
import io.malob.balancer.connection.ConnectionProgrammer.IdleTimeouts;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.connection.FlowSamples;
import io.malob.balancer.connection.ForeignSwitches;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.connection.HalfOpenLimit;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.balancer.connection.LatestConnections;
import io.malob.balancer.connection.RecordFile;
import io.malob.balancer.connection.Routes;
import io.malob.balancer.connection.ServiceProfiles;
import io.malob.balancer.health.FrameProbes;
import io.malob.balancer.health.HealthChecks;
import io.malob.balancer.health.HttpProbes;
import io.malob.balancer.health.OutlierDetector;
import io.malob.balancer.health.PeerHealth;
import io.malob.balancer.health.Probe;
import io.malob.balancer.health.Probes;
import io.malob.balancer.health.SpoofGuard;
import io.malob.balancer.health.Standby;
import io.malob.balancer.health.UnansweredSynDetector;
import io.malob.balancer.proactive.ProactiveSettings;
import io.malob.balancer.recovery.LostClients;
import io.malob.balancer.recovery.ReadSwitches;
import io.malob.balancer.recovery.ReconcileCounts;
import io.malob.balancer.recovery.ReconcileRounds;
import io.malob.balancer.recovery.Reconciler;
import io.malob.balancer.recovery.RecoveredLabels;
import io.malob.balancer.recovery.RecoveredRoutes;
import io.malob.balancer.recovery.RecoveringConnections;
import io.malob.balancer.recovery.StateRecovery;
import io.malob.balancer.recovery.SwitchPreparation;
import io.malob.balancer.recovery.SwitchRecovery;
import io.malob.balancer.replica.Replica;
import io.malob.balancer.replica.ReplicaPublisher;
import io.malob.balancer.reroute.LongFlowFinder;
import io.malob.balancer.reroute.LongFlowSettings;
import io.malob.balancer.reroute.LongFlows;
import io.malob.balancer.reroute.PathMover;
import io.malob.balancer.reroute.PortChanges;
import io.malob.balancer.reroute.PreparedLabels;
import io.malob.balancer.reroute.RulePacer;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.LinkStates;
import io.malob.balancer.view.MemberTraffic;
import io.malob.balancer.view.NetworkValues;
import io.malob.balancer.view.ServerMoves;
import io.malob.balancer.view.ServicePlan;
import io.malob.balancer.view.SlowStarts;
import io.malob.balancer.view.ViewWriter;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.module.AttachedHosts;
import io.malob.module.BaseModule;
import io.malob.module.ClusterView;
import io.malob.module.FloodlightSwitch;
import io.malob.module.IClusterService;
import io.malob.module.IPacketInQueueService;
import io.malob.module.IPeerService;
import io.malob.module.IRelayService;
import io.malob.module.IStoreService;
import io.malob.module.NetworkEvents;
import io.malob.module.PeerTopic;
import io.malob.module.Repetition;
import io.malob.module.SettingReader;
import io.malob.module.Settings;
import io.malob.module.Tasks;
import io.malob.monitor.IMonitorService;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.LabelGroups;
import io.malob.openflow.RuleCompiler;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelRange;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Service;
import io.malob.state.catalog.Vip;
import io.malob.state.network.ServerMeasurements;
import io.malob.store.Store;
import java.io.IOException;
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
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IShutdownService;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The load balancer as a Floodlight module: wires its parts to the controller's events.
 *
 * <p>Settings: {@code data}, the directory of the catalog (without it, the catalog is not stored);
 * {@code idleTimeoutTcp}, {@code idleTimeoutUdp}, {@code idleTimeoutIcmp}, the idle timeouts of a
 * connection's rules in seconds; {@code maxConnections}, the max number of open connections; {@code
 * maxHalfOpen}, the max number of half-open connections of one VIP ({@link HalfOpenLimit}); {@code
 * floodPerSecond}, the number of packet-ins per second that the controller drops from one queue of
 * a switch before the switch must drop them itself; {@code maxDormant}, the max number of dormant
 * connections; {@code answerSeconds}, the time a switch has to report its rules; {@code
 * auditSeconds}, the interval between reconciliations of a switch; {@code adoptSeconds}, the time
 * that recovery keeps the paths of missing connections, and connections whose rules expire before
 * they are recovered; {@code countPlaced}, whether algorithms add the connections placed since a
 * measurement ({@code true}) or use measurements alone like the thesis, for comparison; {@code
 * elephantSeconds}, the interval between polls for long flows, 0 for no polls; {@code
 * elephantMegabytes}, the traffic that a long flow must have carried; {@code moveGainPercent}, the
 * share that another path must offer, in percent of the current one; {@code movesPerSecond}, the
 * max number of flows moved per second; {@code elephantMaxRules}, the max number of connections of
 * a switch that is polled for long flows; {@code connectionRecords}, a file that gets a line for
 * each connection that has lost its rules (without it, no records are written); {@code
 * connectionRecordsMegabytes}, the max size of the file; {@code connectionRecordsFiles}, the number
 * of files that are kept; {@code refuseSpoofing}, whether packets of hosts that claim the address
 * of a VIP, or of a server at another location, are dropped; {@code tellEnds}, whether switches
 * copy clients' FIN and RST to the controller, so that a connection is off the counts at once.
 *
 * <p>Ejection: {@code ejectAfter}, the number of unanswered connections in a row that ejects a
 * member, 0 for no ejection; {@code ejectSeconds}, the length of a first ejection; {@code
 * ejectMaxSeconds}, the max length.
 *
 * <p>Proactive placement: see {@link ProactiveSettings}.
 */
@Settings(
    value = {
      "data",
      "floodPerSecond",
      "maxConnections",
      "maxDormant",
      "countPlaced",
      "refuseSpoofing",
      "tellEnds",
      "maxHalfOpen",
      "ejectSeconds",
      "ejectAfter",
      "ejectMaxSeconds",
      "idleTimeoutTcp",
      "idleTimeoutUdp",
      "idleTimeoutIcmp",
      "adoptSeconds",
      "elephantSeconds",
      "elephantMegabytes",
      "moveGainPercent",
      "movesPerSecond",
      "elephantMaxRules",
      "answerSeconds",
      "auditSeconds",
      "connectionRecords",
      "connectionRecordsMegabytes",
      "connectionRecordsFiles",
      "bucketMoveSeconds",
      "bucketHoldSeconds",
      "bucketPinSeconds",
      "bucketSource",
      "autoPerSecond",
      "autoHalfOpen",
      "autoCalmSeconds"
    },
    deprecated = "ejectMostSeconds=ejectMaxSeconds")
@SuppressWarnings("NullAway.Init") // set by init before any other method is called
public final class BalancerModule extends BaseModule implements IBalancerService {

  private static final Logger LOG = LoggerFactory.getLogger(BalancerModule.class);

  private static final int HOST_RULE_IDLE_SECONDS = 300;
  private static final long DORMANT_NANOS = TimeUnit.HOURS.toNanos(1);

  private static final long ADDRESSES_MILLIS = TimeUnit.MINUTES.toMillis(1);

  /** In sweeps. Only what {@link #tellAddressKeys} tells holds keys of addresses for longer. */
  private static final int ADDRESSES_PATIENCE = 5;

  private static final long RETRY_MILLIS = 500;
  private static final long SLOW_START_MILLIS = 100;

  private static final long MEASURED_MILLIS = 1_000;
  private static final long TIDY_MILLIS = 5_000;
  private static final long POLL_MILLIS = 1_000;
  private static final long APPLY_MILLIS = 1_000;
  private static final int MAX_IDLE_SECONDS = 0xffff - 60;

  private final LongSupplier nanoTime;
  private final IntUnaryOperator random;
  private final Tasks tasks;
  private final RejectCounters rejects = new RejectCounters();
  private final RejectedRules rejectedRules = new RejectedRules();
  private final LatestConnections latest = new LatestConnections();

  private final RuleCompiler compiler =
      new RuleCompiler(switchId -> this.capabilities.layout(switchId), new LabelGroups());

  /** Sends to this controller's switches. */
  private final FlowProgrammer programmer =
      new FlowProgrammer(switchId -> FloodlightSwitch.active(this.switches, switchId), compiler);

  /** Sends rules of connections and paths, also to switches of other controllers. */
  private final FlowProgrammer everywhere =
      new FlowProgrammer(
          switchId -> FloodlightSwitch.anywhere(this.switches, this.relay, switchId), compiler);

  private final ServiceProfiles profiles = new ServiceProfiles();
  private final PlacementCounts placements = new PlacementCounts();
  private final PlacementTimes placementTimes = new PlacementTimes();
  private final PacketInCounters packetIns = new PacketInCounters();
  private final MemberTraffic traffic = new MemberTraffic();
  private final ConnectionLimiter connectionLimiter = new ConnectionLimiter(this::partOf);
  private FlowSamples samples;
  private ConnectionTable connections;
  private HalfOpenLimit halfOpen;
  private final ReconcileCounts reconcileCounts = new ReconcileCounts();
  private IFloodlightProviderService provider;
  private IOFSwitchService switches;
  private IDeviceService devices;
  private ITopologyService topology;
  private IMonitorService monitor;
  private ScheduledExecutorService timer;
  private Catalog catalog;
  private ViewWriter view;
  private RequestHandler requests;
  private SwitchMessages messages;
  private Explainer explainer;
  private ConnectionTeardown teardown;
  private FalseEnds falseEnds;
  private AclDropRules aclDropRules;
  private LabelTable labels;
  private RecoveringConnections pending;
  private ProactiveClients proactiveClients;

  /** Refers to this from a field, because {@link AddressKey} does not. */
  private final Consumer<IntConsumer> addressKeys = this::tellAddressKeys;

  private PendingPackets pendingPackets;
  private RecordFile records;
  private LongFlows longFlows;
  private SwitchPreparation preparation;
  private CoreAccess coreAccess;
  private HostRuleCache hostRules;
  private FrameProbes healthProbes;
  private OutlierDetector outliers;
  private Housekeeping housekeeping;
  private CatalogUpdates catalogUpdates;
  private NetworkChanges networkChanges;
  private Task retryPending;
  private Relocations relocations;
  private LostClients lostClients;
  private @Nullable IClusterService cluster;
  private ISwitchCapabilityService capabilities;
  private @Nullable IPeerService peers;
  private @Nullable IRelayService relay;
  private @Nullable ReplicaPublisher publisher;
  private @Nullable Replica replica;
  private @Nullable PacketInDrops packetInDrops;
  private @Nullable SpoofGuard spoofGuard;
  private ServerMoves serverMoves;
  private ProactivePlacement proactive;

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
    this.tasks = new Tasks(nanoTime);
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IFloodlightProviderService.class,
        IOFSwitchService.class,
        IDeviceService.class,
        ITopologyService.class,
        IThreadPoolService.class,
        IShutdownService.class,
        IStoreService.class,
        IMonitorService.class,
        ISwitchCapabilityService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    provider = context.getServiceImpl(IFloodlightProviderService.class);
    switches = context.getServiceImpl(IOFSwitchService.class);
    devices = context.getServiceImpl(IDeviceService.class);
    topology = context.getServiceImpl(ITopologyService.class);
    monitor = context.getServiceImpl(IMonitorService.class);
    timer = context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor();
    catalog =
        openCatalog(
            context.getServiceImpl(IStoreService.class).inDirectory(settings.text("data", "")));
    IShutdownService shutdown = context.getServiceImpl(IShutdownService.class);
    records = RecordFile.open(settings, nanoTime);
    shutdown.registerShutdownListener(records::close);
    capabilities = context.getServiceImpl(ISwitchCapabilityService.class);
    // real Floodlight has no such services
    cluster = context.getServiceImpl(IClusterService.class);
    peers = context.getServiceImpl(IPeerService.class);
    relay = context.getServiceImpl(IRelayService.class);
    @Nullable IPacketInQueueService queues = context.getServiceImpl(IPacketInQueueService.class);
    if (queues != null) {
      int max = settings.number("floodPerSecond", 5_000, 1, Integer.MAX_VALUE);
      packetInDrops =
          new PacketInDrops(
              queues,
              new PacketInClasses(catalog::snapshot),
              new FloodGuard(max, catalog::snapshot, programmer, nanoTime));
    }
    build(settings);
  }

  private void updateAccess() {
    coreAccess.update(view.get().network().topology(), view.get().catalog());
  }

  /** A host behind core switches is attached to another edge for the balancer. */
  private void edgeChanged(IDevice device, Attachment place) {
    relocations.hostMoved(place);
    AttachedHosts.addressesOf(device)
        .forEach(address -> proactiveClients.moved(AddressKey.find(address), place));
  }

  private RulePacer rulePacer(ConnectionProgrammer connectionProgrammer) {
    RulePacer pacer = new RulePacer(everywhere, housekeeping::execute, nanoTime);
    PortChanges portChanges = new PortChanges(connections, connectionProgrammer, pacer);
    labels.whenRerouted(portChanges::rerouted);
    housekeeping.every(
        RulePacer.TICK_MILLIS,
        "changing rules",
        () -> portChanges.isPending() || pacer.isWaiting(),
        new Task("finding rules of rerouted connections", portChanges::find),
        new Task("changing rules", pacer::tick));
    return pacer;
  }

  private static Catalog openCatalog(Store store) throws FloodlightModuleException {
    try {
      return Catalog.open(store);
    } catch (IOException e) {
      throw new FloodlightModuleException("The catalog cannot be read: " + e.getMessage(), e);
    }
  }

  private void build(SettingReader settings) throws FloodlightModuleException {
    coreAccess = new CoreAccess(devices, programmer, this::edgeChanged, nanoTime);
    HostFinder hosts = new HostFinder(switches, topology, devices, coreAccess, programmer);
    samples = new FlowSamples(nanoTime);
    ForeignSwitches foreign = new ForeignSwitches(switches, cluster);
    serverMoves = new ServerMoves(hosts, nanoTime);
    LinkLoads linkLoads = new LinkLoads();
    labels =
        new LabelTable(
            everywhere,
            nanoTime,
            linkLoads,
            this::labelRange,
            random.applyAsInt(Label.MAX_CONNECTION_ID));
    int maxConnections = settings.number("maxConnections", 500_000, 1, Integer.MAX_VALUE);
    connections =
        new ConnectionTable(
            maxConnections,
            settings.number("maxDormant", 100_000, 0, Integer.MAX_VALUE / 2),
            DORMANT_NANOS,
            nanoTime,
            connection -> teardown.leaveSession(connection));
    hostRules = new HostRuleCache(HOST_RULE_IDLE_SECONDS);
    ProactiveSettings proactiveSettings = ProactiveSettings.read(settings);
    IdleTimeouts idleTimeouts = idleTimeouts(settings);
    Buckets buckets =
        new Buckets(
            proactiveSettings.timeouts(idleTimeouts.udp()),
            switchId -> preparation.matchesTcpFlags(switchId),
            nanoTime);
    proactiveClients = new ProactiveClients(() -> proactive.clientsChanged());
    Counting counting =
        settings.flag("countPlaced", true) ? Counting.PLACED_SINCE : Counting.MEASURED_ONLY;
    view =
        new ViewWriter(
            address -> hosts.find(address).or(() -> placeInReplica(address)),
            this::measured,
            new NetworkValues(monitor, linkLoads, counting)::of,
            counting,
            this::partOf,
            planCounters(),
            new SlowStarts(nanoTime),
            search ->
                housekeeping.submit(
                    List.of(new Task("searching for paths", search), retryPending)));
    Supplier<BalancerView> views = view.views();
    Executor serialExecutor = MoreExecutors.newSequentialExecutor(timer);
    housekeeping = new Housekeeping(serialExecutor, tasks);
    MissingHosts missingHosts = new MissingHosts(hosts, nanoTime);
    Task askForMembers =
        new Task(
            "locating missing members", () -> missingHosts.askForMembers(view.missingMembers()));
    outliers = outlierDetector(settings, serialExecutor);
    spoofGuard =
        settings.flag("refuseSpoofing", true)
            ? new SpoofGuard(
                views,
                topology,
                serverMoves,
                coreAccess,
                rejects,
                reply -> requests.replyToClient(reply),
                nanoTime)
            : null;
    SwitchOutages outages = new SwitchOutages(nanoTime);
    halfOpen =
        new HalfOpenLimit(
            settings.number("maxHalfOpen", 500_000, 1, Integer.MAX_VALUE), this::partOf, nanoTime);
    ReadSwitches readSwitches = new ReadSwitches();
    pending = new RecoveringConnections(maxConnections, readSwitches, nanoTime);
    Routes routes = new Routes(labels);
    RejectSender rejectSender = new RejectSender(everywhere, rejects);
    aclDropRules = new AclDropRules(programmer, rejectSender, rejects, nanoTime);
    pendingPackets =
        new PendingPackets(
            nanoTime,
            arrival ->
                housekeeping.submit(
                    List.of(
                        askForMembers,
                        new Task("locating a client", () -> missingHosts.askForClient(arrival)))));
    FtpSessions ftpSessions = new FtpSessions();
    AffinityTable affinity = new AffinityTable(nanoTime);
    ConnectionProgrammer connectionProgrammer =
        new ConnectionProgrammer(
            everywhere,
            hostRules,
            idleTimeouts,
            ftpSessions,
            latest,
            records.records(),
            buckets,
            nanoTime);
    RulePacer pacer = rulePacer(connectionProgrammer);
    falseEnds =
        new FalseEnds(
            views,
            connections,
            connectionLimiter,
            connectionProgrammer,
            switchId -> switches.getActiveSwitch(switchId) != null && !outages.mayHeal(),
            nanoTime);
    teardown =
        new ConnectionTeardown(
            views,
            connections,
            connectionLimiter,
            routes,
            connectionProgrammer,
            ftpSessions,
            pending,
            outliers.unansweredSyns(),
            records.records(),
            halfOpen,
            falseEnds,
            nanoTime);
    ConnectionActivator activator =
        new ConnectionActivator(
            views,
            connections,
            connectionLimiter,
            routes,
            connectionProgrammer,
            rejectSender,
            teardown,
            pending,
            packetIns,
            placementTimes,
            nanoTime);
    relocations =
        new Relocations(
            views,
            connections,
            activator,
            connectionProgrammer,
            hosts,
            hosts::isUp,
            foreign,
            teardown::adopted,
            serialExecutor,
            nanoTime);
    Classifier classifier = new Classifier(ftpSessions);
    MemberTiers tiers = new MemberTiers(connections, coreAccess);
    AdmissionControl admissionControl =
        new AdmissionControl(
            connections,
            tiers,
            connectionLimiter,
            affinity,
            ftpSessions,
            connectionProgrammer,
            activator,
            teardown,
            rejectSender,
            pendingPackets,
            pending,
            samples,
            halfOpen,
            outages,
            random.applyAsInt(Integer.MAX_VALUE));
    FtpData ftpData =
        new FtpData(
            views,
            connections,
            ftpSessions,
            admissionControl,
            teardown,
            rejectSender,
            profiles,
            placements);
    explainer =
        new Explainer(
            views,
            classifier,
            admissionControl,
            tiers,
            connections,
            affinity,
            new AttachedHosts(devices),
            coreAccess,
            profiles,
            buckets,
            () -> proactive.vips().stats(),
            nanoTime);
    requests =
        new RequestHandler(
            views,
            connections,
            connectionLimiter,
            affinity,
            connectionProgrammer,
            activator,
            relocations,
            classifier,
            admissionControl,
            ftpData,
            new ErrorRelay(connections, everywhere),
            rejectSender,
            aclDropRules,
            pendingPackets,
            hosts,
            pending,
            placements,
            outliers.unansweredSyns(),
            buckets,
            proactiveClients,
            reply -> proactive.vips().clientIsUnknown(reply),
            packetIns,
            nanoTime);
    preparation =
        new SwitchPreparation(programmer, labels, coreAccess, settings.flag("tellEnds", true));
    proactive =
        new ProactivePlacement(
            proactiveSettings,
            buckets,
            proactiveClients,
            view,
            switches,
            devices,
            coreAccess,
            readSwitches,
            labels,
            hostRules,
            programmer,
            pacer,
            hosts,
            halfOpen,
            preparation,
            connections,
            activator,
            this::hasSeveralMasters,
            housekeeping,
            serialExecutor,
            nanoTime);
    StateRecovery stateRecovery =
        stateRecovery(
            settings, hosts, admissionControl, connectionProgrammer, readSwitches, foreign);
    Reconciler.Parts reconciling =
        new Reconciler.Parts(
            views,
            connections,
            teardown,
            ftpSessions,
            labels,
            connectionProgrammer,
            programmer,
            stateRecovery,
            proactive.vips(),
            foreign,
            coreAccess,
            reconcileCounts);
    replicate(peers, foreign, readSwitches, admissionControl);
    longFlows = longFlows(settings, connectionProgrammer, serialExecutor);
    lostClients =
        new LostClients(
            connections,
            outages,
            readSwitches,
            teardown,
            connectionProgrammer,
            rejects,
            TimeUnit.SECONDS.toNanos(auditSeconds(settings)),
            serialExecutor,
            nanoTime);
    ConcurrentLinkedQueue<Probe> answers = new ConcurrentLinkedQueue<>();
    healthProbes = new FrameProbes(programmer, random, answers::add);
    messages =
        new SwitchMessages(
            requests,
            new VipNeighbours(views, programmer, hosts, proactiveClients),
            healthProbes,
            teardown,
            aclDropRules,
            labels,
            hostRules,
            preparation,
            latest,
            samples,
            traffic,
            records.records(),
            rejects,
            rejectedRules,
            packetIns,
            proactive);
    forwardMessages(peers, relay, foreign, ftpSessions);
    scheduleHousekeeping(
        affinity,
        new ConnectionResetter(
            views,
            connections,
            teardown,
            connectionProgrammer,
            foreign,
            readSwitches::contains,
            nanoTime),
        foreign,
        readSwitches,
        reconcileRounds(settings, readSwitches, serialExecutor, reconciling),
        stateRecovery,
        outages,
        healthChecks(answers, foreign),
        requests,
        proactiveClients,
        missingHosts,
        new VipAnnouncer(views, hosts),
        askForMembers);
  }

  /** Makes the tasks of housekeeping from what the parts of the balancer have to do. */
  private void scheduleHousekeeping(
      AffinityTable affinity,
      ConnectionResetter resetter,
      ForeignSwitches foreign,
      ReadSwitches readSwitches,
      ReconcileRounds reconcileRounds,
      StateRecovery stateRecovery,
      SwitchOutages outages,
      HealthChecks checks,
      RequestHandler requests,
      ProactiveClients proactiveClients,
      MissingHosts missingHosts,
      VipAnnouncer announcer,
      Task askForMembers) {
    LimitWarnings limits = new LimitWarnings(connectionLimiter, halfOpen, nanoTime);
    PreparedLabels preparedLabels = new PreparedLabels(labels, devices, coreAccess, foreign);
    retryPending = new Task("retrying pending packets", requests::retryPending);
    Task recover = new Task("recovering connections", stateRecovery::complete);
    Task preparePaths = new Task("preparing paths", () -> preparedLabels.refresh(view.get()));
    Task locateMembers = new Task("locating members", view::refreshHosts);
    Task followHosts = new Task("following hosts behind core switches", this::updateAccess);
    PathRepair paths =
        new PathRepair(
            housekeeping,
            view,
            labels,
            connections,
            resetter,
            outages,
            readSwitches,
            switches,
            foreign,
            topology,
            relay,
            this::isReplicated,
            relocations::isBusy);
    Task repairPaths = new Task("repairing paths", paths::repair);
    catalogUpdates =
        new CatalogUpdates(
            housekeeping,
            view,
            checks,
            affinity,
            preparation,
            aclDropRules,
            connections,
            resetter,
            switches,
            announcer,
            () -> {
              updateAccess();
              askForMembers.work().run();
              stateRecovery.complete();
              requests.retryPending();
            });
    MemberChecks memberChecks = new MemberChecks(checks, view, catalogUpdates, requests);
    networkChanges =
        new NetworkChanges(
            housekeeping,
            view.views(),
            new SwitchRecovery(
                view.views(),
                readSwitches,
                hostRules,
                preparation,
                reconcileRounds,
                stateRecovery,
                teardown,
                outages,
                this::isReplicated,
                proactive.vips()::reset),
            relocations,
            coreAccess,
            proactiveClients,
            new NetworkChanges.Reactions(
                List.of(
                    new Task("applying the topology", paths::takeTopology),
                    followHosts,
                    repairPaths,
                    locateMembers,
                    recover,
                    preparePaths,
                    askForMembers, // the ports that may have hosts are known only now
                    retryPending),
                // a member that was only silent is located again before a connection needs it
                List.of(locateMembers, recover, preparePaths, askForMembers),
                List.of(followHosts, retryPending),
                proactive.vips()::disconnected),
            capabilities::whenKnown);
    if (relay != null) {
      housekeeping.every(
          RETRY_MILLIS,
          "following masters",
          new Task(
              "following masters",
              () -> {
                if (paths.isOutdated()) {
                  networkChanges.topologyChanged();
                }
              }));
    }
    proactive.schedule();
    housekeeping.every(
        VipAnnouncer.TICK_MILLIS,
        "announcing VIPs",
        announcer::isDue,
        new Task("announcing VIPs", announcer::tick));
    housekeeping.every(
        ADDRESSES_MILLIS,
        "sweeping addresses",
        new Task("sweeping addresses", () -> AddressKey.sweep(ADDRESSES_PATIENCE)));
    housekeeping.every(RETRY_MILLIS, "retrying", retryPending);
    housekeeping.every(
        HealthChecks.TICK_MILLIS,
        "checking members",
        () -> !checks.health().isEmpty(),
        new Task("checking members", memberChecks::tick));
    housekeeping.every(
        SLOW_START_MILLIS,
        "updating slow starts",
        new Task("updating slow starts", view::refreshShares));
    housekeeping.every(
        ConnectionResetter.TICK_MILLIS,
        "closing",
        new Task("closing connections", resetter::resume));
    housekeeping.every(
        MEASURED_MILLIS,
        "applying measurements",
        new Task("applying link measurements", view::refreshLinks),
        new Task("applying reports", view::refreshServers));
    housekeeping.every(
        TIDY_MILLIS,
        "tidying",
        repairPaths,
        preparePaths,
        recover,
        new Task("sweeping labels", () -> labels.sweep(this::isReplicated)),
        new Task("sweeping connections", connections::sweep),
        new Task("counting connections that go on", falseEnds::sweep),
        new Task("sweeping clients' members", affinity::sweep),
        new Task("reconciling switches", reconcileRounds::tick),
        new Task("reporting limits", () -> limits.tell(view.get().catalog().vips().values())),
        new Task("sweeping requests for hosts", missingHosts::sweep),
        new Task("sweeping outages", outages::sweep),
        askForMembers);
  }

  /**
   * In a cluster, lets the other controllers know this one's connections, and this one theirs.
   *
   * @param peers null without a cluster
   */
  private void replicate(
      @Nullable IPeerService peers,
      ForeignSwitches foreign,
      ReadSwitches readSwitches,
      AdmissionControl admissionControl) {
    if (peers == null || !foreign.mayExist()) {
      return;
    }
    publisher =
        new ReplicaPublisher(
            peers, switches, readSwitches, foreign, connections, labels, halfOpen, nanoTime);
    replica =
        new Replica(
            peers,
            publisher,
            foreign,
            readSwitches,
            connections,
            labels,
            halfOpen,
            admissionControl,
            teardown,
            view,
            work -> housekeeping.submit("replicating connections", work),
            nanoTime);
    connections.tell(publisher::changed);
    peers.listen(PeerTopic.CONNECTIONS, replica);
    housekeeping.every(
        Replica.TICK_MILLIS,
        "completing the replica",
        new Task("completing the replica", replica::tick));
  }

  /** In a cluster, lets other controllers handle what concerns their connections. */
  private void forwardMessages(
      @Nullable IPeerService streams,
      @Nullable IRelayService masters,
      ForeignSwitches foreign,
      FtpSessions ftpSessions) {
    if (streams == null || masters == null) {
      return;
    }
    ForeignMessages others =
        new ForeignMessages(
            connections,
            ftpSessions,
            relocations,
            foreign,
            masters,
            streams,
            switches,
            rejects,
            messages::forwarded);
    messages.forwardBy(others);
    streams.listen(PeerTopic.MESSAGES, others);
  }

  /** This controller's part of a limit; all of it without a cluster. */
  private int partOf(int limit) {
    @Nullable IClusterService known = cluster;
    return known == null || limit == Server.NO_LIMIT ? limit : known.partOf(limit);
  }

  private boolean isReplicated(LabelledPath labelled) {
    @Nullable Replica known = replica;
    return known != null && known.holds(labelled);
  }

  private boolean isReplicated(DatapathId switchId) {
    @Nullable Replica known = replica;
    return known != null && known.covers(switchId);
  }

  private Optional<Attachment> placeInReplica(IPAddress<?> address) {
    @Nullable Replica known = replica;
    return known == null ? Optional.empty() : known.placeOf(AddressKey.find(address));
  }

  /** The label ids of this controller: in a cluster, those of its slot. */
  private LabelRange labelRange() {
    @Nullable IClusterService known = cluster;
    return known == null
        ? LabelRange.ALL
        : known.electionView().map(now -> LabelRange.ofSlot(now.slot())).orElse(LabelRange.ALL);
  }

  private ServicePlan.Counters planCounters() {
    return new ServicePlan.Counters() {
      @Override
      public ServiceProfile profile(Vip vip, Service service, boolean isFtpControl) {
        return profiles.forPlacing(vip, service, isFtpControl);
      }

      @Override
      public PlacementCounts.Tally tally(Service service, Algorithm algorithm) {
        return placements.of(service, algorithm);
      }
    };
  }

  private ServerMeasurements measured(IPAddress<?> address) {
    return monitor.servers().get(address, monitor.nanoTime());
  }

  private HealthChecks healthChecks(ConcurrentLinkedQueue<Probe> answers, ForeignSwitches foreign) {
    return new HealthChecks(
        nanoTime,
        random,
        new Probes(
            healthProbes,
            new HttpProbes(answers::add),
            this::measured,
            switchId -> switches.getActiveSwitch(switchId) != null,
            new Standby(switches, () -> IClusterService.isInCluster(cluster), nanoTime),
            answers::add),
        answers,
        outliers::accepted,
        shareHealth(peers, cluster, foreign));
  }

  /** In a cluster, shares verdicts and ejections with the other controllers; else returns null. */
  private @Nullable PeerHealth shareHealth(
      @Nullable IPeerService streams,
      @Nullable IClusterService controllers,
      ForeignSwitches foreign) {
    if (streams == null || controllers == null) {
      return null;
    }
    PeerHealth others = new PeerHealth(streams, controllers, foreign, outliers);
    streams.listen(PeerTopic.HEALTH, others);
    return others;
  }

  private boolean hasSeveralMasters() {
    @Nullable IClusterService known = cluster;
    return known != null && known.electionView().filter(ClusterView::isSpread).isPresent();
  }

  private OutlierDetector outlierDetector(SettingReader settings, Executor serialExecutor)
      throws FloodlightModuleException {
    int seconds = settings.number("ejectSeconds", 30, 1, 86_400);
    return new OutlierDetector(
        new Ejection.Policy(
            settings.number("ejectAfter", 3, 0, 1_000),
            TimeUnit.SECONDS.toNanos(seconds),
            TimeUnit.SECONDS.toNanos(
                settings.number("ejectMaxSeconds", Math.max(300, seconds), seconds, 86_400))),
        switches,
        view,
        connections::byRequest,
        this::measured,
        serialExecutor,
        nanoTime);
  }

  private static IdleTimeouts idleTimeouts(SettingReader settings)
      throws FloodlightModuleException {
    return new IdleTimeouts(
        settings.number("idleTimeoutTcp", 15, 1, MAX_IDLE_SECONDS),
        settings.number("idleTimeoutUdp", 10, 1, MAX_IDLE_SECONDS),
        settings.number("idleTimeoutIcmp", 5, 1, MAX_IDLE_SECONDS));
  }

  private StateRecovery stateRecovery(
      SettingReader settings,
      HostFinder hosts,
      AdmissionControl admissionControl,
      ConnectionProgrammer connectionProgrammer,
      ReadSwitches readSwitches,
      ForeignSwitches foreign)
      throws FloodlightModuleException {
    long patienceNanos = TimeUnit.SECONDS.toNanos(settings.number("adoptSeconds", 60, 5, 86_400));
    RecoveredLabels recoveredLabels =
        new RecoveredLabels(labels, patienceNanos, proactive.vips()::usesFoundLabel, nanoTime);
    return new StateRecovery(
        new StateRecovery.Parts(
            view.views(),
            pending,
            recoveredLabels,
            new RecoveredRoutes(recoveredLabels, labels, connectionProgrammer, nanoTime),
            admissionControl,
            teardown,
            programmer,
            hosts::find,
            readSwitches,
            foreign,
            reconcileCounts),
        patienceNanos,
        nanoTime,
        work -> housekeeping.submit("recovering connections", work));
  }

  private LongFlows longFlows(
      SettingReader settings, ConnectionProgrammer connectionProgrammer, Executor serialExecutor)
      throws FloodlightModuleException {
    LongFlowSettings chosen =
        new LongFlowSettings(
            TimeUnit.SECONDS.toNanos(settings.number("elephantSeconds", 3, 0, 3_600)),
            settings.number("elephantMegabytes", 10, 1, 1_000_000) * 1_000_000L,
            settings.number("moveGainPercent", 150, 101, 10_000) / 100.0,
            settings.number("movesPerSecond", 5, 1, 1_000),
            settings.number("elephantMaxRules", 5_000, 1, 1_000_000));
    return new LongFlows(
        chosen,
        new LongFlowFinder(connections, chosen),
        new PathMover(connections, labels, connectionProgrammer, serialExecutor, nanoTime),
        labels,
        switches,
        () -> view.get().network().topology(),
        () -> LinkStates.of(monitor),
        serialExecutor,
        nanoTime);
  }

  private ReconcileRounds reconcileRounds(
      SettingReader settings,
      ReadSwitches readSwitches,
      Executor serialExecutor,
      Reconciler.Parts parts)
      throws FloodlightModuleException {
    return new ReconcileRounds(
        switches,
        readSwitches,
        serialExecutor,
        nanoTime,
        parts,
        new ReconcileRounds.Times(
            settings.number("answerSeconds", 10, 1, 3_600), auditSeconds(settings)));
  }

  private static int auditSeconds(SettingReader settings) throws FloodlightModuleException {
    return settings.number("auditSeconds", 60, 5, 86_400);
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    catalog.addListener(this::catalogChanged);
    catalogChanged(CatalogSnapshot.empty(), catalog.snapshot());
    NetworkEvents events = new NetworkEvents(SwitchMessages.NAME, networkChanges);
    switches.addOFSwitchListener(events);
    devices.addListener(events);
    topology.addListener(events);
    for (OFType type : SwitchMessages.TYPES) {
      provider.addOFMessageListener(type, messages);
    }
    Repetition repetition = new Repetition(timer, tasks);
    scheduleSpoofGuard(repetition);
    housekeeping.start(repetition);
    AddressKey.addUser(addressKeys);
    repetition.every(LostClients.TICK_MILLIS, "ending lost clients", lostClients::tick);
    repetition.every(Relocations.TICK_MILLIS, "following hosts", relocations::tick);
    monitor
        .servers()
        .addListener(
            address -> housekeeping.submit("applying a report", () -> view.refreshServer(address)));
    monitor.servers().addListener(outliers::reported);
    repetition.every(
        UnansweredSynDetector.TICK_MILLIS,
        "detecting unanswered SYNs",
        outliers.unansweredSyns()::tick);
    repetition.every(OutlierDetector.TICK_MILLIS, "readmitting members", outliers::tick);
    repetition.every(TIDY_MILLIS, "forgetting samples", samples::sweep);
    repetition.every(TIDY_MILLIS, "completing records", records.records()::sweep);
    @Nullable PacketInDrops drops = packetInDrops;
    if (drops != null) {
      repetition.every(TIDY_MILLIS, "reporting dropped packet-ins", drops::tell);
    }
    repetition.every(POLL_MILLIS, "polling for long flows", longFlows::tick);
    @Nullable ReplicaPublisher sender = publisher;
    if (sender != null) {
      repetition.every(ReplicaPublisher.TICK_MILLIS, "telling of connections", sender::tick);
    }
  }

  private void tellAddressKeys(IntConsumer keys) {
    catalog.snapshot().addressKeys(keys);
    proactiveClients.addressKeys(keys);
    for (Connection connection : connections.all()) {
      keys.accept(connection.request().srcAddress());
      keys.accept(connection.request().dstAddress());
      keys.accept(connection.reply().srcAddress());
    }
    for (RecoveringConnection connection : pending.all()) {
      keys.accept(connection.request().srcAddress());
      keys.accept(connection.request().dstAddress());
      keys.accept(connection.reply().srcAddress());
    }
  }

  private void scheduleSpoofGuard(Repetition repetition) {
    @Nullable SpoofGuard guard = spoofGuard;
    if (guard != null) {
      provider.addOFMessageListener(OFType.PACKET_IN, guard);
      repetition.every(ServerMoves.TICK_MILLIS, "probing moved servers", serverMoves::tick);
      repetition.every(SpoofGuard.TICK_MILLIS, "logging refused addresses", guard::tick);
    }
  }

  /**
   * Waits until the change is applied, so that it is in force when the operator's request is
   * answered.
   */
  private void catalogChanged(CatalogSnapshot before, CatalogSnapshot after) {
    profiles.retain(after);
    traffic.retain(after);
    records.learn(after);
    CompletableFuture<Void> applied = catalogUpdates.catalogChanged(before, after);
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
    return catalog;
  }

  @Override
  public List<ProactiveStats> proactive() {
    return proactive.vips().stats();
  }

  @Override
  public Map<String, EjectedMember> ejected() {
    return outliers.ejected();
  }

  @Override
  public Map<String, Long> ejections() {
    return outliers.counts();
  }

  @Override
  public MoveStats moves() {
    return longFlows.stats();
  }

  @Override
  public List<ProfileStats> profiles() {
    return profiles.stats(catalog.snapshot());
  }

  /** The number of connections whose samples are incomplete. */
  int pendingSamples() {
    return samples.pending();
  }

  @Override
  public Map<String, MemberStats> memberStats() {
    return view.stats();
  }

  @Override
  public Map<String, Long> totalConnections() {
    return view.totalConnections();
  }

  @Override
  public Map<String, Integer> vipConnections() {
    return Maps.transformValues(
        catalog.snapshot().vips(),
        vip -> connectionLimiter.atVip(vip.number()) + view.estimatedConnections(vip));
  }

  @Override
  public Map<String, VipStats> vipStats() {
    return Maps.transformValues(
        catalog.snapshot().vips(),
        vip -> {
          int estimated = view.estimatedConnections(vip);
          return new VipStats(
              connectionLimiter.atVip(vip.number()) + estimated,
              estimated,
              halfOpen.now(vip.number()),
              halfOpen.limit());
        });
  }

  @Override
  public boolean endsAreTold() {
    return preparation.tellEnds(switches.getAllSwitchDpids());
  }

  @Override
  public Set<DatapathId> unservedSwitches() {
    return coreAccess.unserved();
  }

  @Override
  public Map<String, Long> rejects() {
    return rejects.byReason();
  }

  @Override
  public BalancerCounters counters() {
    return new BalancerCounters(
        connections.open(),
        connections.dormant(),
        programmer.unsent() + everywhere.unsent(),
        rejectedRules.bySwitch());
  }

  @Override
  public BalancerActivity activity() {
    return new BalancerActivity(
        ImmutableList.copyOf(placements.all()),
        placementTimes.now(),
        packetIns.with(placements.placed(), rejects),
        droppedPacketIns(),
        pendingPackets.size(),
        labels.repairs(),
        labels.failedRepairs(),
        traffic.now(catalog.snapshot()),
        records.counts());
  }

  @Override
  public List<PlacementCount> placements() {
    return placements.all();
  }

  private ImmutableMap<String, Long> droppedPacketIns() {
    @Nullable PacketInDrops drops = packetInDrops;
    return drops == null ? ImmutableMap.of() : drops.byClass();
  }

  @Override
  public ReconcileStats reconcileStats() {
    return reconcileCounts.with(pending.size());
  }

  @Override
  public List<PathStats> paths() {
    return labels.all().stream()
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
    return new ConnectionListing(connections, nanoTime).page(wanted, after, limit);
  }

  @Override
  public Optional<ExplainedConnection> explain(
      IPAddress<?> client, IPAddress<?> vip, Protocol protocol, int port, OptionalInt clientPort) {
    return explainer.explain(client, vip, protocol, port, clientPort);
  }

  @Override
  public Optional<ExplainedConnection> explain(
      MacAddress client, IPAddress<?> vip, Protocol protocol, int port, OptionalInt clientPort) {
    return explainer.explain(client, vip, protocol, port, clientPort);
  }

  @Override
  public List<LinkStats> links() {
    Map<DirectedLink, Integer> active = new TreeMap<>();
    view.get().network().topology().links().forEach(link -> active.put(link, 0));
    labels
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
