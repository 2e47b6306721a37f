package io.malob.balancer;

import com.google.common.collect.FluentIterable;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import com.google.common.util.concurrent.SettableFuture;
import io.malob.algorithm.VlanAddress;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.health.SpoofGuard;
import io.malob.capability.FeatureProbes;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.capability.KnownFeatures;
import io.malob.capability.SwitchFeature;
import io.malob.json.RejectedException;
import io.malob.monitor.IMonitorService;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.TableLayout;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.Fields;
import io.malob.state.network.LinkCapacity;
import io.malob.state.network.MeasuredLinks;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.TimesToLive;
import io.malob.testing.FakeFlowTable;
import io.malob.testing.FakeNetwork;
import io.malob.testing.FakeRule;
import io.malob.testing.RefusedMessageException;
import io.malob.testing.Stores;
import io.malob.testing.Stub;
import io.malob.testing.SwitchErrors;
import io.malob.testing.SwitchProfile;
import io.malob.testing.Wire;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IListener.Command;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.IOFSwitchListener;
import net.floodlightcontroller.core.IShutdownService;
import net.floodlightcontroller.core.SwitchDisconnectedException;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceListener;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.devicemanager.SwitchPort;
import net.floodlightcontroller.linkdiscovery.ILinkDiscoveryService;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.linkdiscovery.internal.LinkInfo;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import net.floodlightcontroller.topology.ITopologyListener;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFBadMatchCode;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFFlowRemovedReason;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsRequest;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;
import org.projectfloodlight.openflow.types.VlanVid;

/**
 * The balancer module between stubbed services and a network of fake flow tables: what it writes to
 * a switch changes the tables, and what misses there comes back to it as a packet-in. Everything
 * runs on the calling thread, except that barriers can be held back.
 */
final class BalancerNetwork {
  static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  private static final List<OFPort> HOST_PORTS =
      List.of(OFPort.of(1), OFPort.of(2), OFPort.of(3), OFPort.of(4));

  final AtomicLong nanoTime;
  final FakeNetwork network;
  final BalancerModule module;

  /** What agents have reported; silent ones count for 30 s. */
  final ServerTracker servers =
      new ServerTracker(new TimesToLive(0, 0, 0, TimeUnit.SECONDS.toNanos(30)));

  /** What is known of links; empty until a test sets a topology and measurements. */
  final MeasuredLinks linkTracker =
      new MeasuredLinks(
          new TimesToLive(
              TimeUnit.SECONDS.toNanos(30),
              TimeUnit.SECONDS.toNanos(30),
              TimeUnit.SECONDS.toNanos(30),
              0));

  /** What links can carry; unknown until a test says so. */
  final Map<DirectedLink, LinkCapacity> capacities = new HashMap<>();

  /** Packets that the balancer left to other modules. */
  final List<Packet> passedOn = new ArrayList<>();

  private final Map<DatapathId, IOFSwitch> switches = new TreeMap<>();
  private final Set<DatapathId> allSwitches = new TreeSet<>();

  /** Connected switches that take no orders of this controller. */
  private final Set<DatapathId> inactive = new TreeSet<>();

  /** Switches whose links the controller knows though it is not their master. */
  private final Set<DatapathId> observed = new TreeSet<>();

  /** Switches whose links the controller has not found yet. */
  private final Set<DatapathId> unexplored = new TreeSet<>();

  private final Set<Link> links = new HashSet<>();

  /** Those through legacy switches. */
  private final Set<Link> external = new HashSet<>();

  private final Set<NodePortTuple> linkPorts = new HashSet<>();
  private final Map<VlanAddress, IDevice> devices = new HashMap<>();
  private final Map<MacAddress, IDevice> devicesWithoutAddress = new HashMap<>();
  private final List<SettableFuture<OFMessage>> heldBarriers = new ArrayList<>();

  /** Barriers on the wire, by switch. */
  private final ListMultimap<DatapathId, SettableFuture<OFMessage>> unanswered =
      MultimapBuilder.treeKeys().arrayListValues().build();

  private boolean holdBarriers;
  private final FeatureProbes features = new FeatureProbes();
  private boolean refusesTcpFlags;
  private final Set<MatchField<?>> unmaskable = new HashSet<>();
  private final Set<CookieKind> noRoomFor = EnumSet.noneOf(CookieKind.class);

  private final List<Repeated> repeated = new ArrayList<>();

  private IOFSwitchListener switchListener;
  private ITopologyListener topologyListener;
  private IDeviceListener deviceListener;
  private IOFMessageListener messageListener;

  /** Gets errors before all others, if it is there. */
  private @Nullable IOFMessageListener relay;

  /** Is asked before all others, if it is there. */
  private @Nullable SpoofGuard claims;

  private final Transport wire;

  /** How messages, and the upkeep's tasks, come to where they are dealt with. */
  interface Transport {
    /** Everything arrives at once. */
    Transport DIRECT = new Transport() {};

    default void toSwitch(DatapathId switchId, Runnable arrival) {
      arrival.run();
    }

    default void toController(DatapathId switchId, Runnable arrival) {
      arrival.run();
    }

    default void toUpkeep(Runnable task) {
      task.run();
    }
  }

  BalancerNetwork() {
    this(Map.of());
  }

  BalancerNetwork(Map<String, String> settings) {
    this(settings, Transport.DIRECT, new AtomicLong());
  }

  /** All switches have this profile, unless {@link #addSwitch(long, SwitchProfile)} says more. */
  BalancerNetwork(SwitchProfile profile) {
    this(profile, Map.of());
  }

  BalancerNetwork(SwitchProfile profile, Map<String, String> settings) {
    this(settings);
    network.setProfile(profile);
  }

  BalancerNetwork(Map<String, String> settings, Transport wire, AtomicLong nanoTime) {
    this(settings, wire, nanoTime, new FakeNetwork(nanoTime::get), 0, context -> {});
  }

  /**
   * A controller on a network that others may use, too.
   *
   * @param chance what every random number is
   * @param services adds services that only some controllers have
   */
  BalancerNetwork(
      Map<String, String> settings,
      Transport wire,
      AtomicLong nanoTime,
      FakeNetwork network,
      int chance,
      Consumer<FloodlightModuleContext> services) {
    this.wire = wire;
    this.nanoTime = nanoTime;
    this.network = network;
    this.module = new BalancerModule(nanoTime::get, bound -> chance);
    FloodlightModuleContext context = new FloodlightModuleContext();
    context.addService(IFloodlightProviderService.class, provider());
    context.addService(IOFSwitchService.class, switchService());
    context.addService(ITopologyService.class, topology());
    context.addService(ILinkDiscoveryService.class, linkDiscovery());
    context.addService(IDeviceService.class, deviceService());
    IShutdownService shutdown =
        Stub.of(IShutdownService.class).on("registerShutdownListener", with -> null).make();
    context.addService(IShutdownService.class, shutdown);
    IMonitorService monitor =
        Stub.of(IMonitorService.class)
            .on("servers", with -> servers)
            .on("links", with -> linkTracker)
            .on("capacity", with -> Optional.ofNullable(capacities.get((DirectedLink) with[0])))
            .on("nanoTime", with -> nanoTime.get())
            .make();
    context.addService(IMonitorService.class, monitor);
    ScheduledExecutorService timer = timer();
    IThreadPoolService pool = () -> timer;
    context.addService(IThreadPoolService.class, pool);
    context.addService(ISwitchCapabilityService.class, capabilities());
    Stores.addTo(context);
    services.accept(context);
    settings.forEach((key, value) -> context.addConfigParam(module, key, value));
    try {
      module.init(context);
    } catch (FloodlightModuleException e) {
      throw new IllegalArgumentException(e);
    }
    module.startUp(context);
    takeTurns();
    network.setController(this::packetIn);
  }

  /** Tests count on turns, so where nothing else is said connections are placed by RR. */
  private void takeTurns() {
    for (String service : List.copyOf(module.catalog().snapshot().services().keySet())) {
      try {
        module.catalog().update(Catalog.SERVICES, service, Fields.of("algorithm", "RR"));
      } catch (RejectedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /**
   * A controller that has been restarted: it knows nothing, and the switches hold what they held.
   */
  BalancerNetwork restarted() {
    return restarted(Map.of());
  }

  /** The same with other settings. */
  BalancerNetwork restarted(Map<String, String> settings) {
    return new BalancerNetwork(settings, wire, nanoTime, network, 1_000, context -> {});
  }

  private IFloodlightProviderService provider() {
    return Stub.of(IFloodlightProviderService.class)
        .on("addOFMessageListener", with -> listens((IOFMessageListener) with[1]))
        .on("getListeners", with -> Map.of(OFType.ERROR, List.of(probeListener(), messageListener)))
        .make();
  }

  private @Nullable Object listens(IOFMessageListener listener) {
    if (listener instanceof SpoofGuard guard) {
      claims = guard;
    } else if (listener.getName().equals("relay")) {
      relay = listener;
    } else {
      messageListener = listener;
    }
    return null;
  }

  private ScheduledExecutorService timer() {
    return Stub.of(ScheduledExecutorService.class)
        .on(
            "execute",
            with -> {
              wire.toUpkeep((Runnable) with[0]);
              return null;
            })
        .on(
            "scheduleWithFixedDelay",
            with -> {
              repeated.add(new Repeated((Runnable) with[0], (Long) with[1]));
              return null;
            })
        .make();
  }

  private IOFSwitchService switchService() {
    return Stub.of(IOFSwitchService.class)
        .on("addOFSwitchListener", with -> switchListener = (IOFSwitchListener) with[0])
        .on("getAllSwitchDpids", with -> ImmutableSortedSet.copyOf(switches.keySet()))
        .on("getSwitch", with -> switches.get(with[0]))
        .on("getActiveSwitch", with -> inactive.contains(with[0]) ? null : switches.get(with[0]))
        .make();
  }

  private ITopologyService topology() {
    return Stub.of(ITopologyService.class)
        .on(
            "addListener",
            with -> {
              topologyListener = (ITopologyListener) with[0];
              return null;
            })
        .on(
            "getAllLinks",
            with ->
                links.stream()
                    .filter(link -> isFound(link.getSrc()) && isFound(link.getDst()))
                    .collect(Collectors.groupingBy(Link::getSrc, Collectors.toSet())))
        .on(
            "isAttachmentPointPort",
            with -> !linkPorts.contains(new NodePortTuple((DatapathId) with[0], (OFPort) with[1])))
        .make();
  }

  @SuppressWarnings("JavaUtilDate") // of Floodlight's interface
  private ILinkDiscoveryService linkDiscovery() {
    return Stub.of(ILinkDiscoveryService.class)
        .on(
            "getLinks",
            with -> {
              Date seen = new Date(0);
              Map<Link, LinkInfo> found = new HashMap<>();
              links.forEach(
                  link ->
                      found.put(
                          link,
                          external.contains(link)
                              ? new LinkInfo(seen, null, seen)
                              : new LinkInfo(seen, seen, null)));
              return found;
            })
        .make();
  }

  /** Takes the errors about probes, like the module that probes. */
  private IOFMessageListener probeListener() {
    return Stub.of(IOFMessageListener.class)
        .on(
            "receive",
            with ->
                with[1] instanceof OFErrorMsg error && features.refused(error)
                    ? Command.STOP
                    : Command.CONTINUE)
        .make();
  }

  /** Layouts are known at once. */
  @SuppressWarnings("FutureReturnValueIgnored") // the module takes it for what it is
  private ISwitchCapabilityService capabilities() {
    return Stub.of(ISwitchCapabilityService.class)
        .on("features", with -> features)
        .on("trackedZone", with -> 7_777)
        .on("layout", with -> layout((DatapathId) with[0]))
        .on("whenKnown", with -> CompletableFuture.completedFuture(layout((DatapathId) with[0])))
        .make();
  }

  private TableLayout layout(DatapathId switchId) {
    return table(switchId).profile().layout();
  }

  private IDeviceService deviceService() {
    return Stub.of(IDeviceService.class)
        .on("addListener", with -> deviceListener = (IDeviceListener) with[0])
        .on(
            "queryDevices",
            with -> {
              if (!with[0].equals(MacAddress.NONE)) {
                return allDevices().stream()
                    .filter(each -> each.getMACAddress().equals(with[0]))
                    .iterator();
              }
              Object address = with[with[2].equals(IPv4Address.NONE) ? 3 : 2];
              return devices.entrySet().stream()
                  .filter(each -> each.getKey().address().equals(address))
                  .map(Map.Entry::getValue)
                  .iterator();
            })
        .on("getAllDevices", with -> allDevices())
        .make();
  }

  /** Whether listing all hosts fails, as a defect of the controller would have it. */
  boolean devicesAreBroken;

  private List<IDevice> allDevices() {
    if (devicesAreBroken) {
      throw new IllegalStateException("no devices");
    }
    return Stream.of(devices, devicesWithoutAddress).flatMap(all -> all.values().stream()).toList();
  }

  /** A switch with a table-miss entry, as the controller leaves it after the handshake. */
  DatapathId addSwitch(long id) {
    DatapathId switchId = connect(id);
    if (table(switchId).profile().tracks()) {
      KnownFeatures.tracks(features, switchId);
    } else {
      features.refused(switchId, SwitchFeature.CONNECTION_TRACKING);
    }
    switchListener.switchAdded(switchId);
    switchListener.switchActivated(switchId);
    return switchId;
  }

  /** The same for a switch that is unlike the others. */
  DatapathId addSwitch(long id, SwitchProfile profile) {
    network.table(DatapathId.of(id), profile);
    return addSwitch(id);
  }

  /** A switch that another controller is master of; its links are found nevertheless. */
  DatapathId addForeignSwitch(long id) {
    DatapathId switchId = connect(id);
    inactive.add(switchId);
    observed.add(switchId);
    switchListener.switchAdded(switchId);
    return switchId;
  }

  /** This controller is master of a switch now, whose links it knew before. */
  void takeOver(DatapathId switchId) {
    inactive.remove(switchId);
    switchListener.switchActivated(switchId);
    topologyListener.topologyChanged(List.of());
  }

  private DatapathId connect(long id) {
    DatapathId switchId = DatapathId.of(id);
    AtomicReference<IOFSwitch> self = new AtomicReference<>();
    IOFSwitch sw =
        Stub.of(IOFSwitch.class)
            .on("getId", with -> switchId)
            .on("getOFFactory", with -> FACTORY)
            .on("getEnabledPortNumbers", with -> HOST_PORTS)
            .on(
                "write",
                with -> {
                  ((Iterable<?>) with[0]).forEach(message -> send(switchId, (OFMessage) message));
                  return List.of();
                })
            .on("writeRequest", with -> barrier(switchId))
            .on("isConnected", with -> switches.get(switchId) == self.get())
            .on("writeStatsRequest", with -> statistics(switchId, (OFStatsRequest<?>) with[0]))
            .make();
    self.set(sw);
    network
        .table(switchId)
        .apply(
            FACTORY
                .buildFlowAdd()
                .setTableId(TableId.ZERO)
                .setPriority(0)
                .setInstructions(
                    List.of(
                        FACTORY
                            .instructions()
                            .applyActions(
                                List.of(FACTORY.actions().output(OFPort.CONTROLLER, 0xffff)))))
                .build());
    switches.put(switchId, sw);
    allSwitches.add(switchId);
    return switchId;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the module takes it for what it is
  private Object statistics(DatapathId switchId, OFStatsRequest<?> request) {
    requested.add(request);
    SettableFuture<List<OFStatsReply>> answer = SettableFuture.create();
    probes.put(switchId, answer);
    if (!silent) {
      wire.toSwitch(
          switchId,
          () -> {
            Optional<OFStatsReply> reply = statisticsOf(switchId, request);
            wire.toController(switchId, () -> arrived(switchId, answer, reply));
          });
    }
    return answer;
  }

  /** Nothing if the switch answers with an error. */
  private Optional<OFStatsReply> statisticsOf(DatapathId switchId, OFStatsRequest<?> request) {
    return switch (request.getStatsType()) {
      case FLOW -> Optional.of(flows(switchId, (OFFlowStatsRequest) request));
      case TABLE -> Optional.of(tables());
      case GROUP_DESC ->
          Optional.of(table(switchId))
              .filter(table -> table.profile().hasGroups())
              .map(table -> groups(table));
      default -> throw new IllegalArgumentException("statistics " + request);
    };
  }

  private OFStatsReply flows(DatapathId switchId, OFFlowStatsRequest request) {
    return FACTORY
        .buildFlowStatsReply()
        .setEntries(table(switchId).tell(FACTORY, request.getCookie(), request.getCookieMask()))
        .build();
  }

  private OFStatsReply tables() {
    return FACTORY
        .buildTableStatsReply()
        .setEntries(
            List.of(
                FACTORY
                    .buildTableStatsEntry()
                    .setTableId(TableId.of(1))
                    .setActiveCount(toldRules)
                    .build()))
        .build();
  }

  private static OFStatsReply groups(FakeFlowTable table) {
    return FACTORY.buildGroupDescStatsReply().setEntries(table.tellGroups(FACTORY)).build();
  }

  private void arrived(
      DatapathId switchId,
      SettableFuture<List<OFStatsReply>> answer,
      Optional<OFStatsReply> reply) {
    Runnable arrival =
        () -> {
          probes.remove(switchId, answer);
          reply.ifPresentOrElse(
              told -> answer.set(List.of(told)),
              () -> answer.setException(new IllegalStateException("refused")));
        };
    if (holdStatistics) {
      heldStatistics.put(switchId, arrival);
    } else {
      arrival.run();
    }
  }

  /** All statistics that were asked for. */
  final List<OFStatsRequest<?>> requested = new ArrayList<>();

  /** How many rules switches say that they have. */
  long toldRules = 10;

  /** Questions about rules that are not answered yet, by switch. */
  private final ListMultimap<DatapathId, SettableFuture<List<OFStatsReply>>> probes =
      MultimapBuilder.treeKeys().arrayListValues().build();

  private final ListMultimap<DatapathId, Runnable> heldStatistics =
      MultimapBuilder.treeKeys().arrayListValues().build();

  private boolean holdStatistics;
  private boolean silent;

  /** From now on switches answer no question about their rules. */
  void tellNothing() {
    silent = true;
  }

  /** From now on answers about rules, as they are when asked for, are on their way. */
  void holdStatistics() {
    holdStatistics = true;
  }

  /** The answers arrive, and all that follow. */
  void releaseStatistics() {
    holdStatistics = false;
    passStatistics();
  }

  /** The answers arrive; those that follow are on their way then. */
  void passStatistics() {
    List<Runnable> held = List.copyOf(heldStatistics.values());
    heldStatistics.clear();
    held.forEach(Runnable::run);
  }

  /** The same for those of one switch. */
  void passStatistics(DatapathId switchId) {
    List.copyOf(heldStatistics.removeAll(switchId)).forEach(Runnable::run);
  }

  private void send(DatapathId switchId, OFMessage message) {
    wire.toSwitch(switchId, () -> arrived(switchId, message));
  }

  private void arrived(DatapathId switchId, OFMessage message) {
    if (message instanceof OFFlowMod flowMod) {
      flowMods.add(flowMod);
    }
    if (!noRoomFor.isEmpty()
        && Wire.readBack(message) instanceof OFFlowAdd rule
        && Cookie.kind(rule.getCookie()).filter(noRoomFor::contains).isPresent()) {
      tell(switchId, SwitchErrors.flowModFailed(rule, OFFlowModFailedCode.TABLE_FULL));
      return;
    }
    if (message instanceof OFFlowAdd rule
        && unmaskable.stream().anyMatch(rule.getMatch()::isPartiallyMasked)) {
      tell(switchId, SwitchErrors.badMatch(message, OFBadMatchCode.BAD_MASK));
      return;
    }
    if (refusesTcpFlags
        && message instanceof OFFlowAdd rule
        && rule.getMatch().get(MatchField.OVS_TCP_FLAGS) != null) {
      tell(switchId, SwitchErrors.badMatch(message, OFBadMatchCode.BAD_FIELD));
    } else if (message.getType() != OFType.BARRIER_REQUEST) {
      try {
        delivered.addAll(network.send(switchId, message));
      } catch (RefusedMessageException e) {
        tell(switchId, e.error());
      }
    }
  }

  /** What switches were sent, except barriers and frames, since a test cleared it. */
  final List<OFFlowMod> flowMods = new ArrayList<>();

  /** What came out because of messages that were not sent within a packet-in. */
  final List<FakeNetwork.Delivery> delivered = new ArrayList<>();

  @SuppressWarnings("FutureReturnValueIgnored") // the module takes it for what it is
  private Object barrier(DatapathId switchId) {
    SettableFuture<OFMessage> barrier = SettableFuture.create();
    if (holdBarriers) {
      heldBarriers.add(barrier);
      return barrier;
    }
    unanswered.put(switchId, barrier);
    wire.toSwitch(
        switchId,
        () ->
            wire.toController(
                switchId,
                () -> {
                  unanswered.remove(switchId, barrier);
                  barrier.set(FACTORY.barrierReply());
                }));
    return barrier;
  }

  /** A switch says something; the module may pass it on. */
  private void tell(DatapathId switchId, OFMessage message) {
    wire.toController(switchId, () -> told(switchId, message));
  }

  private void told(DatapathId switchId, OFMessage message) {
    if (relay != null
        && message.getType() == OFType.ERROR
        && relay.receive(switches.get(switchId), message, new FloodlightContext())
            == Command.STOP) {
      return;
    }
    if (claims != null
        && claims.receive(switches.get(switchId), message, new FloodlightContext())
            == Command.STOP) {
      return;
    }
    if (message instanceof OFErrorMsg error && features.refused(error)) {
      return;
    }
    Command command =
        messageListener.receive(switches.get(switchId), message, new FloodlightContext());
    if (command == Command.CONTINUE && message instanceof OFPacketIn packetIn) {
      passedOn.add(Packet.parse(packetIn.getData()));
    }
  }

  /** Whether the tables for rules of a kind are full. */
  void refuse(CookieKind kind, boolean full) {
    if (full) {
      noRoomFor.add(kind);
    } else {
      noRoomFor.remove(kind);
    }
  }

  /** Switches accept no masks on these fields. */
  void refuseMasks(MatchField<?>... fields) {
    unmaskable.addAll(List.of(fields));
  }

  /** From now on, switches accept all masks. */
  void acceptMasks() {
    unmaskable.clear();
  }

  /** Switches cannot match TCP flags. */
  void refuseTcpFlags() {
    refusesTcpFlags = true;
  }

  /** From now on switches do not confirm anything. */
  void holdBarriers() {
    holdBarriers = true;
  }

  /** Switches confirm what they held back, and all that follows. */
  void releaseBarriers() {
    holdBarriers = false;
    List.copyOf(heldBarriers).forEach(held -> held.set(FACTORY.barrierReply()));
  }

  /** Switches say no to what they held back. */
  void failBarriers() {
    holdBarriers = false;
    List.copyOf(heldBarriers)
        .forEach(held -> held.setException(new IllegalStateException("refused")));
  }

  /** A switch loses its connection, and what it was asked is never answered; its tables stay. */
  void disconnect(DatapathId switchId) {
    switches.remove(switchId);
    List.copyOf(unanswered.removeAll(switchId))
        .forEach(barrier -> barrier.setException(new SwitchDisconnectedException(switchId)));
    List.copyOf(probes.removeAll(switchId))
        .forEach(probe -> probe.setException(new SwitchDisconnectedException(switchId)));
    features.forget(switchId);
    switchListener.switchRemoved(switchId);
  }

  /** A switch stays connected but takes its orders from another controller. */
  void deactivate(DatapathId switchId) {
    inactive.add(switchId);
    features.forget(switchId);
    switchListener.switchDeactivated(switchId);
    topologyListener.topologyChanged(List.of());
  }

  /** A switch takes orders again; its links are not known yet. */
  void activate(DatapathId switchId) {
    inactive.remove(switchId);
    unexplored.add(switchId);
    switchListener.switchActivated(switchId);
    topologyListener.topologyChanged(List.of());
  }

  /** A switch that was not connected is so again; its links are not known yet. */
  void reconnect(DatapathId switchId) {
    unexplored.add(switchId);
    addSwitch(switchId.getLong());
    topologyListener.topologyChanged(List.of());
  }

  /** The controller finds the links of a switch. */
  void explore(DatapathId switchId) {
    unexplored.remove(switchId);
    topologyListener.topologyChanged(List.of());
  }

  private boolean isFound(DatapathId switchId) {
    return switches.containsKey(switchId)
        && (!inactive.contains(switchId) || observed.contains(switchId))
        && !unexplored.contains(switchId);
  }

  void link(DatapathId a, int portA, DatapathId b, int portB) {
    network.connect(a, portA, b, portB);
    learnLink(a, portA, b, portB);
  }

  /** The controller does not know yet whether the port of a host leads to a switch. */
  void setUndecided(Host host, boolean isUndecided) {
    NodePortTuple port = new NodePortTuple(host.switchId(), OFPort.of(host.port()));
    if (isUndecided) {
      forget(host);
      linkPorts.add(port);
    } else {
      linkPorts.remove(port);
      learn(host);
    }
  }

  /** A legacy switch joins these ports, by its own ports from 1 on; more of its ports are free. */
  void segment(DatapathId legacySwitch, NodePortTuple... ports) {
    network.legacy(legacySwitch, ports.length + 3);
    for (int i = 0; i < ports.length; i++) {
      network.connect(
          legacySwitch, i + 1, ports[i].getNodeId(), ports[i].getPortId().getPortNumber());
    }
    for (NodePortTuple from : ports) {
      for (NodePortTuple to : ports) {
        if (!from.getNodeId().equals(to.getNodeId())) {
          Link link =
              new Link(
                  from.getNodeId(), from.getPortId(), to.getNodeId(), to.getPortId(), U64.ZERO);
          external.add(link);
          links.add(link);
          linkPorts.add(from);
        }
      }
    }
    topologyListener.topologyChanged(List.of());
  }

  /** The controller learns that there is a link. */
  void learnLink(DatapathId a, int portA, DatapathId b, int portB) {
    links.add(new Link(a, OFPort.of(portA), b, OFPort.of(portB), U64.ZERO));
    links.add(new Link(b, OFPort.of(portB), a, OFPort.of(portA), U64.ZERO));
    linkPorts.add(new NodePortTuple(a, OFPort.of(portA)));
    linkPorts.add(new NodePortTuple(b, OFPort.of(portB)));
    topologyListener.topologyChanged(List.of());
  }

  /** The controller knows the links of a switch no more, though they are whole. */
  void forgetLinks(DatapathId switchId) {
    links.removeIf(link -> link.getSrc().equals(switchId) || link.getDst().equals(switchId));
    topologyListener.topologyChanged(List.of());
  }

  /** A link breaks, and the controller learns it. */
  void unlink(DatapathId a, int portA) {
    network.cut(a, portA);
    learnBreak(a, portA);
  }

  /** The controller learns that a link is broken. */
  void learnBreak(DatapathId a, int portA) {
    OFPort port = OFPort.of(portA);
    links.removeIf(
        link ->
            (link.getSrc().equals(a) && link.getSrcPort().equals(port))
                || (link.getDst().equals(a) && link.getDstPort().equals(port)));
    topologyListener.topologyChanged(List.of());
  }

  /** The controller learns a host as soon as its switch's message is there. */
  void learnLater(Host host) {
    wire.toController(host.switchId(), () -> learn(host));
  }

  /** The controller learns a host. */
  void learn(Host host) {
    learn(host, 0);
  }

  /** The controller learns a host in a VLAN. */
  void learn(Host host, int vlan) {
    SwitchPort port = new SwitchPort(host.switchId(), OFPort.of(host.port()));
    IDevice device = device(host, vlan, port, host.address());
    IDevice before = devices.put(new VlanAddress(host.address(), vlan), device);
    if (before == null
        || !before.getMACAddress().equals(host.mac())
        || List.of(before.getAttachmentPoints()).contains(port)) {
      deviceListener.deviceAdded(device);
    } else {
      deviceListener.deviceMoved(device);
    }
  }

  /** The controller has seen frames of a host, and has not learnt its address. */
  void learnWithoutAddress(Host host) {
    IDevice device = device(host, 0, new SwitchPort(host.switchId(), OFPort.of(host.port())));
    devicesWithoutAddress.put(host.mac(), device);
    deviceListener.deviceAdded(device);
  }

  private static IDevice device(Host host, int vlan, SwitchPort port, IPAddress<?>... addresses) {
    return Stub.of(IDevice.class)
        .on("getIPv4Addresses", with -> only(IPv4Address.class, addresses))
        .on("getIPv6Addresses", with -> only(IPv6Address.class, addresses))
        .on("getMACAddress", with -> host.mac())
        .on("getVlanId", with -> new VlanVid[] {VlanVid.ofVlan(vlan)})
        .on("getAttachmentPoints", with -> new SwitchPort[] {port})
        .make();
  }

  private static <T> T[] only(Class<T> family, IPAddress<?>... addresses) {
    return FluentIterable.from(addresses).filter(family).toArray(family);
  }

  /** The controller forgets a host. */
  void forget(Host host) {
    deviceListener.deviceRemoved(devices.remove(new VlanAddress(host.address(), 0)));
  }

  /** A host of a test. */
  record Host(DatapathId switchId, int port, MacAddress mac, IPAddress<?> address) {
    static Host of(DatapathId switchId, int port, String ip) {
      IPAddress<?> address = IPAddress.of(ip);
      byte[] bytes = address.getBytes();
      int end = (bytes[bytes.length - 2] & 0xff) << 8 | (bytes[bytes.length - 1] & 0xff);
      return new Host(switchId, port, MacAddress.of(0x020000000000L | end), address);
    }

    IPv4Address ip() {
      return (IPv4Address) address;
    }
  }

  <T extends io.malob.state.catalog.CatalogItem> T create(
      CatalogKind<T> kind, String... namesAndValues) {
    try {
      return module.catalog().create(kind, Fields.of(namesAndValues)).item();
    } catch (RejectedException e) {
      throw new IllegalArgumentException(e);
    }
  }

  void delete(CatalogKind<?> kind, String id) {
    try {
      module.catalog().delete(kind, id);
    } catch (RejectedException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Changes fields of an object: names and values in turn; null for none. */
  void change(CatalogKind<?> kind, String id, @Nullable String... fields) {
    try {
      module.catalog().update(kind, id, Fields.of(fields));
    } catch (RejectedException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /**
   * The members of pool {@code p} are checked every other second, and are down or up after two
   * checks. Further fields, or others: names and values in turn.
   */
  void monitor(String type, String... more) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.putAll(Map.of("id", "h", "pool_id", "p", "type", type, "delay", "2", "timeout", "1"));
    fields.putAll(Map.of("attempts_before_deactivation", "2", "rise", "2"));
    for (int i = 0; i < more.length; i += 2) {
      fields.put(more[i], more[i + 1]);
    }
    create(
        Catalog.MONITORS,
        fields.entrySet().stream()
            .flatMap(field -> Stream.of(field.getKey(), field.getValue()))
            .toArray(String[]::new));
  }

  /** A VIP 10.0.0.100 for TCP port 80 with a pool of these members. */
  void webService(Host... members) {
    webService("10.0.0.100", members);
  }

  /** The same with another address. */
  void webService(String vip, Host... members) {
    create(Catalog.VIPS, "id", "v", "protocol", "tcp", "address", vip, "port", "80");
    create(Catalog.POOLS, "id", "p", "vip_id", "v");
    for (int i = 0; i < members.length; i++) {
      create(
          Catalog.MEMBERS,
          "id",
          "m" + (i + 1),
          "address",
          members[i].address().toString(),
          "port",
          "8080",
          "pool_id",
          "p");
    }
  }

  /** A host sends a frame; what comes out anywhere. */
  List<FakeNetwork.Delivery> send(Host host, byte[] frame) {
    return network.inject(host.switchId(), host.port(), frame);
  }

  /** A switch sends a frame to the controller although it has a rule for it, as switches do. */
  List<FakeNetwork.Delivery> repeatPacketIn(Host host, byte[] frame) {
    delivered.clear();
    packetIn(
        host.switchId(),
        OFPort.of(host.port()),
        new FakeFlowTable.Output(OFPort.CONTROLLER, frame, TableId.of(1), U64.ZERO));
    return List.copyOf(delivered);
  }

  /** A switch sends a packet to this controller. */
  void packetIn(DatapathId switchId, OFPort inPort, FakeFlowTable.Output output) {
    if (!switches.containsKey(switchId)) {
      return;
    }
    OFMessage message =
        FACTORY
            .buildPacketIn()
            .setBufferId(OFBufferId.NO_BUFFER)
            .setReason(OFPacketInReason.NO_MATCH)
            .setTableId(output.table())
            .setCookie(output.cookie())
            .setMatch(
                output.addFields(FACTORY.buildMatch().setExact(MatchField.IN_PORT, inPort)).build())
            .setData(output.frame())
            .build();
    tell(switchId, message);
  }

  /** A rule times out on its switch, which says so if it was asked to. */
  void timeOut(DatapathId switchId, FakeRule rule) {
    FakeFlowTable.Counts counts = network.table(switchId).countsOf(rule);
    network
        .table(switchId)
        .apply(
            FACTORY
                .buildFlowDeleteStrict()
                .setTableId(rule.table())
                .setPriority(rule.priority())
                .setMatch(rule.match())
                .build());
    tellTimedOut(switchId, new FakeFlowTable.Expired(rule, counts));
  }

  /** The rules that nobody has used for long enough time out on their switches. */
  void expire() {
    for (DatapathId switchId : allSwitches) {
      for (FakeFlowTable.Expired over : network.table(switchId).expireCounted()) {
        if (switches.containsKey(switchId)
            && over.rule().flags().contains(OFFlowModFlags.SEND_FLOW_REM)) {
          tellTimedOut(switchId, over);
        }
      }
    }
  }

  private void tellTimedOut(DatapathId switchId, FakeFlowTable.Expired over) {
    FakeRule rule = over.rule();
    OFFlowRemoved removed =
        FACTORY
            .buildFlowRemoved()
            .setReason(OFFlowRemovedReason.IDLE_TIMEOUT)
            .setCookie(rule.cookie())
            .setTableId(rule.table())
            .setPriority(rule.priority())
            .setMatch(rule.match())
            .setIdleTimeout(rule.idleTimeout())
            .setPacketCount(U64.of(over.counts().packets()))
            .setByteCount(U64.of(over.counts().bytes()))
            .setDurationSec(TimeUnit.NANOSECONDS.toSeconds(over.counts().nanos()))
            .setDurationNsec(over.counts().nanos() % TimeUnit.SECONDS.toNanos(1))
            .build();
    tell(switchId, removed);
  }

  /** Time passes, and everything that is repeated now and then is done once. */
  void pass(int seconds) {
    passMillis(1_000L * seconds);
  }

  /** The same for less than a second. */
  void passMillis(long millis) {
    nanoTime.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    List.copyOf(repeated).forEach(each -> each.work.run());
  }

  /** What the balancer does now and then. */
  List<Repeated> repeated() {
    return List.copyOf(repeated);
  }

  /** Something that the balancer does now and then. */
  record Repeated(Runnable work, long millis) {}

  /** The balancer's rules of a kind. */
  List<FakeRule> rules(DatapathId switchId, CookieKind kind) {
    return network.table(switchId).rules().stream()
        .filter(rule -> Cookie.is(rule.cookie(), kind))
        .toList();
  }

  List<FakeRule> rules(DatapathId switchId, int table) {
    return network.table(switchId).rules(table).stream()
        .filter(rule -> rule.priority() > 0)
        .toList();
  }

  FakeFlowTable table(DatapathId switchId) {
    return network.table(switchId);
  }

  MemberStats stats(String memberId) {
    return module.memberStats().get(memberId);
  }

  long refused(RejectReason reason) {
    return module.rejects().get(reason.text());
  }

  Collection<DatapathId> switchIds() {
    return switches.keySet();
  }
}
