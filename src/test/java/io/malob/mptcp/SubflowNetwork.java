package io.malob.mptcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.SettableFuture;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.json.RejectedException;
import io.malob.monitor.IMonitorService;
import io.malob.openflow.IpFamily;
import io.malob.openflow.TableLayout;
import io.malob.state.network.MeasuredLinks;
import io.malob.state.network.TimesToLive;
import io.malob.testing.FakeFlowTable;
import io.malob.testing.FakeNetwork;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import io.malob.testing.Stores;
import io.malob.testing.Stub;
import io.malob.testing.SwitchProfile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IListener.Command;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.IOFSwitchListener;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceListener;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.devicemanager.SwitchPort;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import net.floodlightcontroller.topology.ITopologyListener;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFAggregateStatsRequest;
import org.projectfloodlight.openflow.protocol.OFBadActionCode;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;
import org.projectfloodlight.openflow.types.VlanVid;

/**
 * The module between stubbed services and fake switches, on a clock of its own and on the calling
 * thread. Barriers are answered at once, unless they are held.
 */
final class SubflowNetwork {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final U64 APPLICATION = U64.of(0xfffL << 52);
  private static final U64 OURS = U64.of(0x678L << 52);

  final FakeNetwork network = new FakeNetwork();
  final Map<String, LabHost> hosts = new LinkedHashMap<>();

  /** Switches whose layout the controller does not know yet. */
  private final Map<DatapathId, CompletableFuture<TableLayout>> unknown = new TreeMap<>();

  /** Packets that the module has left to others. */
  final List<byte[]> leftToOthers = new ArrayList<>();

  private final AtomicLong nanoTime = new AtomicLong(1);
  private final Map<DatapathId, IOFSwitch> switches = new TreeMap<>();
  private final Set<DirectedLink> links = new HashSet<>();
  private final Map<DatapathId, Set<OFPort>> downPorts = new TreeMap<>();
  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::number));
  private final ArrayDeque<SettableFuture<Object>> heldBarriers = new ArrayDeque<>();
  private final IpFamily family;
  private final Topology topology;

  private final Map<String, String> settings;
  private boolean started;
  private boolean holdsBarriers;
  private @Nullable DatapathId refusing;
  private long tasksSoFar;
  private int messages;
  private MptcpModule module;
  private IOFSwitchListener switchListener;
  private ITopologyListener topologyListener;
  private IDeviceListener deviceListener;

  private record Task(long atNanos, long number, long everyNanos, Runnable work) {}

  /**
   * A host of the network, which has addresses of both families.
   *
   * @param address the one that sends
   */
  record LabHost(
      String id,
      DatapathId at,
      int port,
      MacAddress mac,
      IPv4Address ipv4,
      IPAddress<?> address,
      int tag) {}

  @SuppressWarnings("NullAway.Init") // set by start
  SubflowNetwork(
      IpFamily family,
      Topology topology,
      Map<String, String> settings,
      Function<DatapathId, SwitchProfile> profiles) {
    topology.switches().forEach(id -> network.table(id, profiles.apply(id)));
    this.family = family;
    this.topology = topology;
    this.settings = settings;
    links.addAll(topology.links());
    for (DirectedLink link : topology.links()) {
      network.connectOneWay(
          link.src(), link.srcPort().getPortNumber(), link.dst(), link.dstPort().getPortNumber());
    }
    network.setController(this::packetIn);
    start();
    topology.switches().forEach(this::connect);
    pass(11_000);
  }

  /** The controller starts, with no memory of before but its data directory. */
  void start() {
    tasks.clear();
    module = new MptcpModule(nanoTime::get);
    FloodlightModuleContext context = new FloodlightModuleContext();
    context.addService(
        IFloodlightProviderService.class,
        Stub.of(IFloodlightProviderService.class).on("addOFMessageListener", with -> null).make());
    context.addService(IOFSwitchService.class, switchService());
    context.addService(IDeviceService.class, deviceService());
    context.addService(
        ISwitchCapabilityService.class,
        Stub.of(ISwitchCapabilityService.class)
            .on("layout", with -> layout((DatapathId) with[0]).getNow(null))
            .on("whenKnown", this::whenKnown)
            .make());
    context.addService(ITopologyService.class, topologyService());
    MeasuredLinks tracker = new MeasuredLinks(new TimesToLive(0, 0, 0, 0));
    context.addService(
        IMonitorService.class,
        Stub.of(IMonitorService.class)
            .on("links", with -> tracker)
            .on("capacity", with -> Optional.empty())
            .on("nanoTime", with -> nanoTime.get())
            .make());
    ScheduledExecutorService timer = timer();
    IThreadPoolService pool = () -> timer;
    context.addService(IThreadPoolService.class, pool);
    Stores.addTo(context);
    settings.forEach((key, value) -> context.addConfigParam(module, key, value));
    try {
      started = false;
      module.init(context);
      started = true;
      module.startUp(context);
    } catch (FloodlightModuleException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The controller ends and starts again; the switches come back one after the other. */
  void restart() {
    List<DatapathId> all = List.copyOf(switches.keySet());
    switches.clear();
    start();
    all.forEach(this::connect);
    pass(1_000);
  }

  MptcpModule module() {
    return module;
  }

  private ScheduledExecutorService timer() {
    return Stub.of(ScheduledExecutorService.class)
        .on(
            "execute",
            with -> {
              ((Runnable) with[0]).run();
              return null;
            })
        .on(
            "schedule",
            with -> {
              add((Runnable) with[0], TimeUnit.MILLISECONDS.toNanos((Long) with[1]), 0);
              return null;
            })
        .on(
            "scheduleWithFixedDelay",
            with -> {
              long every = TimeUnit.MILLISECONDS.toNanos((Long) with[1]);
              add((Runnable) with[0], every, every);
              return null;
            })
        .make();
  }

  private void add(Runnable work, long afterNanos, long everyNanos) {
    tasks.add(new Task(nanoTime.get() + afterNanos, tasksSoFar++, everyNanos, work));
  }

  /** Time passes, and what is due is done. */
  void pass(long millis) {
    long end = nanoTime.get() + TimeUnit.MILLISECONDS.toNanos(millis);
    for (Task next = tasks.peek(); next != null && next.atNanos <= end; next = tasks.peek()) {
      tasks.remove();
      nanoTime.set(Math.max(nanoTime.get(), next.atNanos));
      next.work.run();
      if (next.everyNanos > 0) {
        add(next.work, next.everyNanos, next.everyNanos);
      }
    }
    nanoTime.set(end);
  }

  private IOFSwitchService switchService() {
    return Stub.of(IOFSwitchService.class)
        .on(
            "addOFSwitchListener",
            with -> {
              switchListener = (IOFSwitchListener) with[0];
              return null;
            })
        .on("getAllSwitchDpids", with -> ImmutableSet.copyOf(switches.keySet()))
        .on("getActiveSwitch", with -> switches.get(with[0]))
        .make();
  }

  private ITopologyService topologyService() {
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
                    .map(
                        link ->
                            new Link(
                                link.src(), link.srcPort(), link.dst(), link.dstPort(), U64.ZERO))
                    .collect(Collectors.groupingBy(Link::getSrc, Collectors.toSet())))
        .make();
  }

  private IDeviceService deviceService() {
    return Stub.of(IDeviceService.class)
        .on(
            "addListener",
            with -> {
              deviceListener = (IDeviceListener) with[0];
              return null;
            })
        .on("getAllDevices", with -> devices())
        .make();
  }

  /** Real Floodlight knows none before its modules have started, and fails if it is asked. */
  private List<IDevice> devices() {
    if (!started) {
      throw new NullPointerException("no devices before modules have started");
    }
    return hosts.values().stream().map(this::device).toList();
  }

  private IDevice device(LabHost host) {
    SwitchPort[] ports = {new SwitchPort(host.at, OFPort.of(host.port))};
    return Stub.of(IDevice.class)
        .on("getAttachmentPoints", with -> ports)
        .on("getMACAddress", with -> host.mac)
        .on("getIPv4Addresses", with -> new IPv4Address[] {host.ipv4})
        .on(
            "getIPv6Addresses",
            with -> new IPv6Address[] {IPv6Address.of("fe80::1"), ipv6(host.ipv4)})
        .on("getVlanId", with -> new VlanVid[] {VlanVid.ofVlan(host.tag)})
        .make();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the module takes it for what it is
  private Object whenKnown(Object[] switchId) {
    return layout((DatapathId) switchId[0]);
  }

  private CompletableFuture<TableLayout> layout(DatapathId id) {
    @Nullable CompletableFuture<TableLayout> later = unknown.get(id);
    return later == null
        ? CompletableFuture.completedFuture(network.table(id).profile().layout())
        : later;
  }

  /** A switch that connects does not tell its layout at once. */
  void hideLayout(DatapathId id) {
    unknown.put(id, new CompletableFuture<>());
  }

  /** A switch tells its layout. */
  void showLayout(DatapathId id) {
    @Nullable CompletableFuture<TableLayout> waiting = unknown.remove(id);
    if (waiting != null) {
      waiting.complete(network.table(id).profile().layout());
    }
  }

  /** A switch takes orders from now on. */
  void connect(DatapathId id) {
    IOFSwitch sw =
        Stub.of(IOFSwitch.class)
            .on("getId", with -> id)
            .on("getOFFactory", with -> FACTORY)
            .on("write", with -> written(id, (Iterable<?>) with[0]))
            .on("writeRequest", this::barrier)
            .on("writeStatsRequest", with -> counted(id, (OFAggregateStatsRequest) with[0]))
            .on("getEnabledPortNumbers", with -> upPorts(id))
            .make();
    switches.put(id, sw);
    switchListener.switchActivated(id);
  }

  /** A switch loses its controller, and goes on forwarding. */
  void disconnect(DatapathId id) {
    switches.remove(id);
    switchListener.switchRemoved(id);
  }

  private List<OFPort> upPorts(DatapathId id) {
    return topology.linksFrom(id).stream()
        .map(DirectedLink::srcPort)
        .filter(port -> !downPorts.getOrDefault(id, Set.of()).contains(port))
        .toList();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the module takes it for what it is
  private Object barrier(Object[] request) {
    SettableFuture<Object> future = SettableFuture.create();
    if (holdsBarriers) {
      heldBarriers.add(future);
    } else {
      future.set(FACTORY.barrierReply());
    }
    return future;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the module takes it for what it is
  private Object counted(DatapathId id, OFAggregateStatsRequest request) {
    SettableFuture<Object> future = SettableFuture.create();
    int count =
        network.table(id).tell(FACTORY, request.getCookie(), request.getCookieMask()).size();
    future.set(
        List.of(
            FACTORY
                .buildAggregateStatsReply()
                .setFlowCount(count)
                .setPacketCount(U64.ZERO)
                .setByteCount(U64.ZERO)
                .build()));
    return future;
  }

  private List<OFMessage> written(DatapathId id, Iterable<?> sent) {
    for (Object message : sent) {
      if (message instanceof OFFlowMod flowMod && id.equals(refusing)) {
        OFMessage error =
            FACTORY
                .errorMsgs()
                .buildBadActionErrorMsg()
                .setXid(flowMod.getXid())
                .setCode(OFBadActionCode.BAD_TYPE)
                .setData(OFErrorCauseData.NONE)
                .build();
        module.receive(switchOf(id), error, new FloodlightContext());
      } else {
        messages += message instanceof OFFlowMod ? 1 : 0;
        network.send(id, (OFMessage) message);
      }
    }
    return List.of();
  }

  private IOFSwitch switchOf(DatapathId id) {
    IOFSwitch sw = switches.get(id);
    if (sw == null) {
      throw new IllegalArgumentException("no switch " + id);
    }
    return sw;
  }

  private void packetIn(DatapathId id, OFPort inPort, FakeFlowTable.Output output) {
    OFMessage message =
        FACTORY
            .buildPacketIn()
            .setBufferId(OFBufferId.NO_BUFFER)
            .setReason(OFPacketInReason.ACTION)
            .setTableId(TableId.of(output.table().getValue()))
            .setCookie(output.cookie())
            .setMatch(FACTORY.buildMatch().setExact(MatchField.IN_PORT, inPort).build())
            .setData(output.frame())
            .build();
    if (!switches.containsKey(id)
        || module.receive(switchOf(id), message, new FloodlightContext()) == Command.CONTINUE) {
      leftToOthers.add(output.frame());
    }
  }

  /** How many rules switches were sent, or told to delete, until now. */
  int messages() {
    return messages;
  }

  void refuseAt(DatapathId id) {
    refusing = id;
  }

  void holdBarriers() {
    holdsBarriers = true;
  }

  /** All barriers that are held are answered; those that follow are held as well. */
  boolean confirm() {
    List<SettableFuture<Object>> now = List.copyOf(heldBarriers);
    heldBarriers.clear();
    now.forEach(future -> future.set(FACTORY.barrierReply()));
    return !now.isEmpty();
  }

  void releaseBarriers() {
    holdsBarriers = false;
    confirm();
  }

  /** The address of a host in the family of the plan: of IPv6, each IPv4 network has a /64. */
  IPAddress<?> address(String ipv4) {
    return family == IpFamily.IPV4 ? IPv4Address.of(ipv4) : ipv6(IPv4Address.of(ipv4));
  }

  private static IPv6Address ipv6(IPv4Address address) {
    int bits = address.getInt();
    return IPv6Address.of((0xfd00L << 48) | (bits >>> 8 & 0xff), bits & 0xff);
  }

  /** The length of the prefix of its network. */
  int prefixLength() {
    return family == IpFamily.IPV4 ? 24 : 64;
  }

  /** A host is seen. */
  LabHost attach(String id, long at, String address, int tag) {
    LabHost host =
        new LabHost(
            id,
            DatapathId.of(at),
            1_000 + hosts.size(),
            MacAddress.of(0x020000000000L + hosts.size() + 1),
            IPv4Address.of(address),
            address(address),
            tag);
    hosts.put(id, host);
    deviceListener.deviceAdded(device(host));
    return host;
  }

  /** A host is now seen elsewhere. */
  void move(String id, long to) {
    LabHost before = host(id);
    LabHost now =
        new LabHost(
            id, DatapathId.of(to), 2_000, before.mac, before.ipv4, before.address, before.tag);
    hosts.put(id, now);
    deviceListener.deviceMoved(device(now));
  }

  LabHost host(String id) {
    LabHost host = hosts.get(id);
    if (host == null) {
      throw new IllegalArgumentException("no host " + id);
    }
    return host;
  }

  /** A link is cut, and the controller finds out. */
  void cut(DirectedLink link) {
    network.cut(link.src(), link.srcPort().getPortNumber());
    downPorts.computeIfAbsent(link.src(), any -> new HashSet<>()).add(link.srcPort());
    downPorts.computeIfAbsent(link.dst(), any -> new HashSet<>()).add(link.dstPort());
    unseen(link);
  }

  /** The controller sees a link no more. */
  void unseen(DirectedLink link) {
    links.remove(link);
    links.remove(link.reversed());
    topologyListener.topologyChanged(List.of());
  }

  /** A link is there again. */
  void mend(DirectedLink link) {
    network.connect(
        link.src(), link.srcPort().getPortNumber(), link.dst(), link.dstPort().getPortNumber());
    downPorts.getOrDefault(link.src(), Set.of()).remove(link.srcPort());
    downPorts.getOrDefault(link.dst(), Set.of()).remove(link.dstPort());
    links.add(link);
    links.add(link.reversed());
    topologyListener.topologyChanged(List.of());
  }

  JsonNode apply(String request) {
    try {
      return JSON.valueToTree(module.apply(ofFamily(request)));
    } catch (RejectedException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The plan for a request, which is not installed. */
  JsonNode plan(String request) throws RejectedException {
    return JSON.valueToTree(module.plan(ofFamily(request)));
  }

  private byte[] ofFamily(String request) {
    try {
      ObjectNode document = (ObjectNode) JSON.readTree(request);
      return JSON.writeValueAsBytes(document.put("family", family.name().toLowerCase(Locale.ROOT)));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  JsonNode status() {
    return JSON.valueToTree(module.status());
  }

  /** A segment between addresses of one family. */
  static byte[] tcp(MacAddress from, MacAddress to, IPAddress<?> source, IPAddress<?> target) {
    return source instanceof IPv4Address ipv4
        ? Frames.tcp(from, to, ipv4, 4_000, (IPv4Address) target, 80, 0x10)
        : new Ipv6Frames(from, to, (IPv6Address) source, (IPv6Address) target).tcp(4_000, 80, 0x10);
  }

  /** Sends a packet from one address of a host to an address of another one. */
  List<Delivery> send(LabHost from, IPAddress<?> source, LabHost to, IPAddress<?> target) {
    byte[] frame = tcp(from.mac, to.mac, source, target);

    return network.inject(
        from.at, from.port, from.tag == 0 ? frame : Frames.tagged(frame, from.tag));
  }

  /** The rules for sub-flows of all switches. */
  ImmutableMap<DatapathId, List<FakeRule>> rules() {
    ImmutableMap.Builder<DatapathId, List<FakeRule>> rules = ImmutableMap.builder();
    for (DatapathId id : switches.keySet()) {
      rules.put(
          id,
          network.table(id).rules().stream()
              .filter(rule -> rule.cookie().applyMask(APPLICATION).equals(OURS))
              .toList());
    }
    return rules.build();
  }

  int ruleCount() {
    return rules().values().stream().mapToInt(List::size).sum();
  }
}
