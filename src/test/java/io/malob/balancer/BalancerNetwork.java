package io.malob.balancer;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.lenient;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogException;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.Fields;
import io.malob.testing.FakeFlowTable;
import io.malob.testing.FakeNetwork;
import io.malob.testing.FakeRule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IListener.Command;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.IOFSwitchListener;
import net.floodlightcontroller.core.IShutdownService;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceListener;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.devicemanager.SwitchPort;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import net.floodlightcontroller.topology.ITopologyListener;
import net.floodlightcontroller.topology.ITopologyService;
import org.mockito.ArgumentCaptor;
import org.mockito.Mockito;
import org.projectfloodlight.openflow.protocol.OFBadMatchCode;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFFlowRemovedReason;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFRequest;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/**
 * The balancer module between mocked services and a network of fake flow tables: what it writes to
 * a switch changes the tables, and what misses there comes back to it as a packet-in. Everything
 * runs on the calling thread, except that barriers can be held back.
 */
final class BalancerNetwork {
  static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  final FakeNetwork network = new FakeNetwork();
  final AtomicLong nanoTime = new AtomicLong();
  final BalancerModule module = new BalancerModule(nanoTime::get);

  /** Packets that the balancer left to other modules. */
  final List<Packet> passedOn = new ArrayList<>();

  private final Map<DatapathId, IOFSwitch> switches = new TreeMap<>();
  private final Set<Link> links = new HashSet<>();
  private final Set<NodePortTuple> linkPorts = new HashSet<>();
  private final Map<IPv4Address, IDevice> devices = new HashMap<>();
  private final List<SettableFuture<OFMessage>> heldBarriers = new ArrayList<>();
  private boolean holdBarriers;
  private boolean refusesTcpFlags;

  private final IFloodlightProviderService provider = mock(IFloodlightProviderService.class);
  private final IOFSwitchService switchService = mock(IOFSwitchService.class);
  private final ITopologyService topology = mock(ITopologyService.class);
  private final IDeviceService deviceService = mock(IDeviceService.class);
  private final ScheduledExecutorService timer = mock(ScheduledExecutorService.class);
  private final List<Runnable> repeated = new ArrayList<>();

  private IOFSwitchListener switchListener;
  private ITopologyListener topologyListener;
  private IDeviceListener deviceListener;
  private IOFMessageListener messageListener;

  BalancerNetwork() {
    this(Map.of());
  }

  BalancerNetwork(Map<String, String> settings) {
    stubServices();
    FloodlightModuleContext context = new FloodlightModuleContext();
    context.addService(IFloodlightProviderService.class, provider);
    context.addService(IOFSwitchService.class, switchService);
    context.addService(ITopologyService.class, topology);
    context.addService(IDeviceService.class, deviceService);
    context.addService(IShutdownService.class, mock(IShutdownService.class));
    IThreadPoolService pool = () -> timer;
    context.addService(IThreadPoolService.class, pool);
    settings.forEach((key, value) -> context.addConfigParam(module, key, value));
    try {
      module.init(context);
    } catch (FloodlightModuleException e) {
      throw new IllegalArgumentException(e);
    }
    module.startUp(context);
    captureListeners();
    network.setController(this::packetIn);
  }

  private void stubServices() {
    Mockito.doAnswer(
            call -> {
              call.getArgument(0, Runnable.class).run();
              return null;
            })
        .when(timer)
        .execute(any());
    when(timer.scheduleWithFixedDelay(any(), Mockito.anyLong(), Mockito.anyLong(), any()))
        .thenAnswer(
            call -> {
              repeated.add(call.getArgument(0));
              return null;
            });
    when(switchService.getAllSwitchDpids()).thenAnswer(call -> Set.copyOf(switches.keySet()));
    when(switchService.getSwitch(any())).thenAnswer(call -> switches.get(call.getArgument(0)));
    when(switchService.getActiveSwitch(any()))
        .thenAnswer(call -> switches.get(call.getArgument(0)));
    when(topology.getAllLinks())
        .thenAnswer(
            call -> {
              Map<DatapathId, Set<Link>> bySwitch = new HashMap<>();
              links.forEach(
                  link ->
                      bySwitch.computeIfAbsent(link.getSrc(), any -> new HashSet<>()).add(link));
              return bySwitch;
            });
    when(topology.isAttachmentPointPort(any(), any()))
        .thenAnswer(
            call ->
                !linkPorts.contains(new NodePortTuple(call.getArgument(0), call.getArgument(1))));
    when(deviceService.queryDevices(any(), any(), any(), any(), any(), any()))
        .thenAnswer(
            call -> {
              IDevice device = devices.get(call.getArgument(2, IPv4Address.class));
              return (device == null ? List.<IDevice>of() : List.of(device)).iterator();
            });
    Mockito.doAnswer(call -> List.copyOf(devices.values())).when(deviceService).getAllDevices();
  }

  private void captureListeners() {
    ArgumentCaptor<IOFSwitchListener> ofSwitches = ArgumentCaptor.forClass(IOFSwitchListener.class);
    Mockito.verify(switchService).addOFSwitchListener(ofSwitches.capture());
    switchListener = ofSwitches.getValue();
    ArgumentCaptor<ITopologyListener> ofLinks = ArgumentCaptor.forClass(ITopologyListener.class);
    Mockito.verify(topology).addListener(ofLinks.capture());
    topologyListener = ofLinks.getValue();
    ArgumentCaptor<IDeviceListener> ofHosts = ArgumentCaptor.forClass(IDeviceListener.class);
    Mockito.verify(deviceService).addListener(ofHosts.capture());
    deviceListener = ofHosts.getValue();
    ArgumentCaptor<IOFMessageListener> ofMessages =
        ArgumentCaptor.forClass(IOFMessageListener.class);
    Mockito.verify(provider)
        .addOFMessageListener(Mockito.eq(OFType.PACKET_IN), ofMessages.capture());
    messageListener = ofMessages.getValue();
  }

  /** A switch with a table-miss entry, as the controller leaves it after the handshake. */
  DatapathId addSwitch(long id) {
    DatapathId switchId = DatapathId.of(id);
    IOFSwitch sw = mock(IOFSwitch.class);
    lenient().when(sw.getId()).thenReturn(switchId);
    lenient().when(sw.getOFFactory()).thenReturn(FACTORY);
    lenient()
        .when(sw.getEnabledPortNumbers())
        .thenReturn(List.of(OFPort.of(1), OFPort.of(2), OFPort.of(3), OFPort.of(4)));
    lenient()
        .when(sw.write(Mockito.<Iterable<OFMessage>>any()))
        .thenAnswer(
            call -> {
              Iterable<OFMessage> messages = call.getArgument(0);
              messages.forEach(message -> sent(switchId, message));
              return List.of();
            });
    lenient()
        .when(sw.writeRequest(Mockito.<OFRequest<OFMessage>>any()))
        .thenAnswer(call -> barrier());
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
    switchListener.switchAdded(switchId);
    switchListener.switchActivated(switchId);
    return switchId;
  }

  private void sent(DatapathId switchId, OFMessage message) {
    if (refusesTcpFlags
        && message instanceof OFFlowAdd rule
        && rule.getMatch().get(MatchField.OVS_TCP_FLAGS) != null) {
      OFMessage error =
          FACTORY
              .errorMsgs()
              .buildBadMatchErrorMsg()
              .setXid(message.getXid())
              .setCode(OFBadMatchCode.BAD_FIELD)
              .build();
      messageListener.receive(switches.get(switchId), error, new FloodlightContext());
    } else if (message.getType() != OFType.BARRIER_REQUEST) {
      delivered.addAll(network.send(switchId, message));
    }
  }

  /** What came out because of messages that were not sent within a packet-in. */
  final List<FakeNetwork.Delivery> delivered = new ArrayList<>();

  private ListenableFuture<? extends OFMessage> barrier() {
    if (!holdBarriers) {
      return Futures.immediateFuture(FACTORY.barrierReply());
    }
    SettableFuture<OFMessage> held = SettableFuture.create();
    heldBarriers.add(held);
    return held;
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

  /** A switch loses its connection; its tables stay. */
  void disconnect(DatapathId switchId) {
    switches.remove(switchId);
    switchListener.switchRemoved(switchId);
  }

  void link(DatapathId a, int portA, DatapathId b, int portB) {
    network.connect(a, portA, b, portB);
    links.add(new Link(a, OFPort.of(portA), b, OFPort.of(portB), U64.ZERO));
    links.add(new Link(b, OFPort.of(portB), a, OFPort.of(portA), U64.ZERO));
    linkPorts.add(new NodePortTuple(a, OFPort.of(portA)));
    linkPorts.add(new NodePortTuple(b, OFPort.of(portB)));
    topologyListener.topologyChanged(List.of());
  }

  /** A link breaks, and the controller learns it. */
  void unlink(DatapathId a, int portA) {
    network.cut(a, portA);
    OFPort port = OFPort.of(portA);
    links.removeIf(
        link ->
            (link.getSrc().equals(a) && link.getSrcPort().equals(port))
                || (link.getDst().equals(a) && link.getDstPort().equals(port)));
    topologyListener.topologyChanged(List.of());
  }

  /** The controller learns a host. */
  void learn(Host host) {
    IDevice device = mock(IDevice.class);
    lenient().when(device.getIPv4Addresses()).thenReturn(new IPv4Address[] {host.ip()});
    lenient().when(device.getMACAddress()).thenReturn(host.mac());
    lenient()
        .when(device.getAttachmentPoints())
        .thenReturn(new SwitchPort[] {new SwitchPort(host.switchId(), OFPort.of(host.port()))});
    devices.put(host.ip(), device);
    deviceListener.deviceAdded(device);
  }

  /** The controller forgets a host. */
  void forget(Host host) {
    deviceListener.deviceRemoved(devices.remove(host.ip()));
  }

  /** A host of a test. */
  record Host(DatapathId switchId, int port, MacAddress mac, IPv4Address ip) {
    static Host of(DatapathId switchId, int port, String ip) {
      IPv4Address address = IPv4Address.of(ip);
      return new Host(
          switchId, port, MacAddress.of(0x020000000000L | (address.getInt() & 0xffff)), address);
    }
  }

  <T extends io.malob.state.catalog.CatalogItem> T create(
      CatalogKind<T> kind, String... namesAndValues) {
    try {
      return module.catalog().create(kind, Fields.of(namesAndValues)).item();
    } catch (CatalogException e) {
      throw new IllegalArgumentException(e);
    }
  }

  void delete(CatalogKind<?> kind, String id) {
    try {
      module.catalog().delete(kind, id);
    } catch (CatalogException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** A VIP 10.0.0.100 for TCP port 80 with a pool of these members. */
  void webService(Host... members) {
    create(Catalog.VIPS, "id", "v", "protocol", "tcp", "address", "10.0.0.100", "port", "80");
    create(Catalog.POOLS, "id", "p", "vip_id", "v");
    for (int i = 0; i < members.length; i++) {
      create(
          Catalog.MEMBERS,
          "id",
          "m" + (i + 1),
          "address",
          members[i].ip().toString(),
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

  private void packetIn(DatapathId switchId, OFPort inPort, FakeFlowTable.Output output) {
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
            .setMatch(FACTORY.buildMatch().setExact(MatchField.IN_PORT, inPort).build())
            .setData(output.frame())
            .build();
    Command command =
        messageListener.receive(switches.get(switchId), message, new FloodlightContext());
    if (command == Command.CONTINUE) {
      passedOn.add(Packet.parse(output.frame()));
    }
  }

  /** A rule times out on its switch, which says so if it was asked to. */
  void timeOut(DatapathId switchId, FakeRule rule) {
    network
        .table(switchId)
        .apply(
            FACTORY
                .buildFlowDeleteStrict()
                .setTableId(rule.table())
                .setPriority(rule.priority())
                .setMatch(rule.match())
                .build());
    OFFlowRemoved removed =
        FACTORY
            .buildFlowRemoved()
            .setReason(OFFlowRemovedReason.IDLE_TIMEOUT)
            .setCookie(rule.cookie())
            .setTableId(rule.table())
            .setPriority(rule.priority())
            .setMatch(rule.match())
            .build();
    messageListener.receive(switches.get(switchId), removed, new FloodlightContext());
  }

  /** Time passes, and everything that is repeated now and then is done once. */
  void pass(int seconds) {
    nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(seconds));

    List.copyOf(repeated).forEach(Runnable::run);
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

  long refused(RefusalReason reason) {
    return module.refusals().get(reason.text());
  }

  Collection<DatapathId> switchIds() {
    return switches.keySet();
  }
}
