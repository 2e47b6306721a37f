package io.malob.controller.network;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.lenient;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

import io.malob.controller.guard.RefusalCounts;
import io.malob.controller.network.devices.DeviceModule;
import io.malob.controller.network.forwarding.ForwardingModule;
import io.malob.controller.network.links.LinkDiscoveryModule;
import io.malob.controller.network.links.ProbeFrames;
import io.malob.controller.network.topology.TopologyModule;
import io.malob.module.FloodlightSwitch;
import io.malob.module.IRelayService;
import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeFlowTable;
import io.malob.testing.FakeNetwork;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IListener.Command;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.IOFSwitchListener;
import net.floodlightcontroller.core.PortChangeType;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.mockito.ArgumentMatchers;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/**
 * The network modules on fake switches, in one thread and with a clock that stands until it is
 * moved.
 */
final class EmulatedNetwork {
  private static final OFFactory OF = OFFactories.getFactory(OFVersion.OF_13);

  final FakeNetwork switches = new FakeNetwork();
  final LinkDiscoveryModule links = new LinkDiscoveryModule(this::now);
  final TopologyModule topology = new TopologyModule();
  final DeviceModule devices = new DeviceModule(this::now);
  final ForwardingModule forwarding = new ForwardingModule();
  final List<OFMessage> sent = new ArrayList<>();
  final RefusalCounts refusals = new RefusalCounts();
  int packetIns;

  /** How long probes take to the controller, in milliseconds. */
  long probeDelay;

  private final Map<NodePortTuple, byte[]> probes = new TreeMap<>();
  private final Map<DatapathId, IOFSwitch> connected = new TreeMap<>();
  private final Set<DatapathId> ofOthers = new TreeSet<>();
  private final Map<DatapathId, Set<OFPort>> ports = new LinkedHashMap<>();
  private final List<IOFMessageListener> listeners = new ArrayList<>();
  private final List<IOFSwitchListener> switchListeners = new ArrayList<>();
  private final List<Runnable> timed = new ArrayList<>();
  private final TreeMap<Long, List<Runnable>> delayed = new TreeMap<>();
  private long now = 5_000_000;

  EmulatedNetwork() throws FloodlightModuleException {
    FloodlightModuleContext context = new FloodlightModuleContext();
    context.addService(IFloodlightProviderService.class, provider());
    context.addService(IOFSwitchService.class, switchService());
    context.addService(IThreadPoolService.class, threadPool());
    context.addService(RefusalCounts.class, refusals);
    context.addService(IRelayService.class, relay());
    List<IFloodlightModule> modules = List.of(links, topology, devices, forwarding);
    modules.forEach(module -> module.getServiceImpls().forEach(context::addService));
    context.addConfigParam(forwarding, "floodsPerSecond", "1000000");
    for (IFloodlightModule module : modules) {
      module.init(context);
    }
    for (IFloodlightModule module : modules) {
      module.startUp(context);
    }
    switches.setController(this::packetIn);
  }

  private long now() {
    return now;
  }

  /** The latest LLDP probe that has come out of a host's port. */
  byte[] probe(NodePortTuple port) {
    return probes.get(port);
  }

  /** Connects a switch with these ports to the controller. */
  void add(DatapathId switchId, OFPort... enabled) {
    ports.put(switchId, new LinkedHashSet<>(Arrays.asList(enabled)));
    connected.put(switchId, fakeSwitch(switchId));
    switchListeners.forEach(listener -> listener.switchActivated(switchId));
  }

  /** Another controller becomes a switch's master. */
  void giveAway(DatapathId switchId) {
    ofOthers.add(switchId);
  }

  void remove(DatapathId switchId) {
    connected.remove(switchId);
    switchListeners.forEach(listener -> listener.switchRemoved(switchId));
  }

  void portDown(DatapathId switchId, int port) {
    var description = OF.buildPortDesc().setPortNo(OFPort.of(port)).build();
    switchListeners.forEach(
        listener -> listener.switchPortChanged(switchId, description, PortChangeType.DOWN));
  }

  /** Lets time pass in steps of 100 milliseconds. */
  void pass(long millis) {
    for (long end = now + millis; now < end; ) {
      now += 100;
      while (!delayed.isEmpty() && delayed.firstKey() <= now) {
        delayed.pollFirstEntry().getValue().forEach(Runnable::run);
      }
      List.copyOf(timed).forEach(Runnable::run);
    }
  }

  private void packetIn(DatapathId switchId, OFPort inPort, FakeFlowTable.Output output) {
    TableId table = output.table();
    byte[] frame = output.frame();
    packetIns++;
    if (probeDelay > 0 && ProbeFrames.isProbe(frame)) {
      delayed
          .computeIfAbsent(now + probeDelay, any -> new ArrayList<>())
          .add(() -> handle(switchId, inPort, table, frame));
    } else {
      handle(switchId, inPort, table, frame);
    }
  }

  private void handle(DatapathId switchId, OFPort inPort, TableId table, byte[] frame) {
    IOFSwitch sw = connected.get(switchId);
    if (sw == null || ofOthers.contains(switchId)) {
      return;
    }
    OFPacketIn message =
        OF.buildPacketIn()
            .setBufferId(OFBufferId.NO_BUFFER)
            .setReason(OFPacketInReason.NO_MATCH)
            .setTableId(table)
            .setMatch(OF.buildMatch().setExact(MatchField.IN_PORT, inPort).build())
            .setData(frame)
            .build();
    FloodlightContext context = new FloodlightContext();
    for (IOFMessageListener listener : listeners) {
      if (listener.receive(sw, message, context) == Command.STOP) {
        return;
      }
    }
  }

  private IOFSwitch fakeSwitch(DatapathId switchId) {
    IOFSwitch sw = mock(IOFSwitch.class, withSettings().stubOnly());
    lenient().when(sw.getId()).thenReturn(switchId);
    lenient().when(sw.getOFFactory()).thenReturn(OF);
    lenient().when(sw.getEnabledPortNumbers()).thenAnswer(call -> ports.get(switchId));
    lenient()
        .when(sw.write(any(OFMessage.class)))
        .thenAnswer(
            call -> {
              write(switchId, call.getArgument(0));
              return true;
            });
    lenient()
        .when(sw.write(ArgumentMatchers.<Iterable<OFMessage>>any()))
        .thenAnswer(
            call -> {
              Iterable<OFMessage> messages = call.getArgument(0);
              messages.forEach(message -> write(switchId, message));
              return List.of();
            });
    return sw;
  }

  private void write(DatapathId switchId, OFMessage message) {
    sent.add(message);
    switches.send(switchId, message).stream()
        .filter(delivery -> Packet.parse(delivery.frame()).etherType() == Packet.ETHERTYPE_LLDP)
        .forEach(probe -> probes.put(probe.at(), probe.frame()));
  }

  private IFloodlightProviderService provider() {
    IFloodlightProviderService provider = mock(IFloodlightProviderService.class);
    lenient()
        .doAnswer(call -> listeners.add(call.getArgument(1)))
        .when(provider)
        .addOFMessageListener(any(), any());
    return provider;
  }

  private IOFSwitchService switchService() {
    IOFSwitchService service = mock(IOFSwitchService.class, withSettings().stubOnly());
    lenient()
        .when(service.getActiveSwitch(any()))
        .thenAnswer(
            call -> {
              DatapathId switchId = call.getArgument(0);
              return ofOthers.contains(switchId) ? null : connected.get(switchId);
            });
    lenient().when(service.getAllSwitchDpids()).thenAnswer(call -> Set.copyOf(connected.keySet()));
    lenient()
        .doAnswer(call -> switchListeners.add(call.getArgument(0)))
        .when(service)
        .addOFSwitchListener(any());
    return service;
  }

  private IRelayService relay() {
    IRelayService relay = mock(IRelayService.class, withSettings().stubOnly());
    lenient()
        .when(relay.find(any()))
        .thenAnswer(
            call -> {
              DatapathId switchId = call.getArgument(0);
              return Optional.of(switchId)
                  .filter(ofOthers::contains)
                  .map(connected::get)
                  .map(FloodlightSwitch::new);
            });
    return relay;
  }

  private IThreadPoolService threadPool() {
    ScheduledExecutorService pool = mock(ScheduledExecutorService.class);
    lenient()
        .doAnswer(
            call -> {
              call.<Runnable>getArgument(0).run();
              return null;
            })
        .when(pool)
        .execute(any());
    // what only waits in order to save work comes at once
    lenient()
        .when(pool.schedule(any(Runnable.class), anyLong(), any()))
        .thenAnswer(
            call -> {
              call.<Runnable>getArgument(0).run();
              return null;
            });
    lenient()
        .when(pool.scheduleWithFixedDelay(any(), anyLong(), anyLong(), any()))
        .thenAnswer(
            call -> {
              timed.add(call.getArgument(0));
              return null;
            });
    return () -> pool;
  }
}
