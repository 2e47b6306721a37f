package io.malob.agent;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.Futures;
import io.malob.algorithm.graph.Topology;
import io.malob.capability.FeatureProbes;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.monitor.IMonitorService;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.state.network.MeasuredLinks;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.TimesToLive;
import io.malob.testing.Stores;
import io.malob.testing.Stub;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IListener.Command;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.IOFSwitchListener;
import net.floodlightcontroller.core.IShutdownListener;
import net.floodlightcontroller.core.IShutdownService;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.devicemanager.SwitchPort;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFMeterModFailedCode;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;
import org.projectfloodlight.openflow.types.VlanVid;

/**
 * The agents' module between stubbed services and switches that write down what they are sent.
 * Everything runs on the calling thread, unless tasks are held.
 */
final class AgentNetwork {
  static final long WALL_MILLIS = 4_000;
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final OFPort PORT = OFPort.of(1);
  private static final TimesToLive LIVES = new TimesToLive(0, Long.MAX_VALUE, 0, Long.MAX_VALUE);

  final AtomicLong nanoTime = new AtomicLong();
  final ServerTracker servers = new ServerTracker(LIVES);
  final MeasuredLinks links = new MeasuredLinks(LIVES);
  final AgentModule module = new AgentModule(nanoTime::get, () -> WALL_MILLIS);

  private final Map<DatapathId, IOFSwitch> switches = new TreeMap<>();
  private final Map<DatapathId, List<OFMessage>> sent = new HashMap<>();
  private final Map<IPv4Address, IDevice> devices = new HashMap<>();
  private final Map<Runnable, Long> repeated = new HashMap<>();
  private final Map<Runnable, Long> due = new HashMap<>();
  private final List<IOFMessageListener> listeners = new ArrayList<>();
  private final List<Runnable> tasks = new ArrayList<>();
  private Supplier<?> linkAgents = Set::of;
  private boolean holdsTasks;
  private final FeatureProbes features = new FeatureProbes();
  private boolean refusesMeters;
  private Topology topology = Topology.EMPTY;
  private IOFSwitchListener switchListener;
  private IShutdownListener shutdownListener;

  /** Those whose probes the monitor is to keep on their links. */
  Object linkAgents() {
    return linkAgents.get();
  }

  AgentNetwork(Map<String, String> settings) {
    FloodlightModuleContext context = new FloodlightModuleContext();
    IFloodlightProviderService provider =
        Stub.of(IFloodlightProviderService.class)
            .on(
                "addOFMessageListener",
                with -> with[0] == OFType.PACKET_IN && listeners.add((IOFMessageListener) with[1]))
            .make();
    context.addService(IFloodlightProviderService.class, provider);
    context.addService(IOFSwitchService.class, switchService());
    context.addService(IDeviceService.class, deviceService());
    IShutdownService shutdown =
        Stub.of(IShutdownService.class)
            .on("registerShutdownListener", with -> shutdownListener = (IShutdownListener) with[0])
            .make();
    context.addService(IShutdownService.class, shutdown);
    IMonitorService monitor =
        Stub.of(IMonitorService.class)
            .on("servers", with -> servers)
            .on("links", with -> links)
            .on("topology", with -> topology)
            .on("setLinkAgents", with -> linkAgents = (Supplier<?>) with[0])
            .make();
    context.addService(IMonitorService.class, monitor);
    context.addService(
        ISwitchCapabilityService.class,
        Stub.of(ISwitchCapabilityService.class).on("features", with -> features).make());
    ScheduledExecutorService timer = timer();
    IThreadPoolService pool = () -> timer;
    context.addService(IThreadPoolService.class, pool);
    Stores.addTo(context).startUp(context);
    settings.forEach((key, value) -> context.addConfigParam(module, key, value));
    try {
      module.init(context);
    } catch (FloodlightModuleException e) {
      throw new IllegalArgumentException(e);
    }
    module.startUp(context);
  }

  private ScheduledExecutorService timer() {
    return Stub.of(ScheduledExecutorService.class)
        .on(
            "execute",
            with -> {
              if (holdsTasks) {
                tasks.add((Runnable) with[0]);
              } else {
                ((Runnable) with[0]).run();
              }
              return null;
            })
        .on(
            "scheduleWithFixedDelay",
            with -> {
              repeated.put((Runnable) with[0], TimeUnit.MILLISECONDS.toNanos((Long) with[1]));
              return null;
            })
        .make();
  }

  private IOFSwitchService switchService() {
    return Stub.of(IOFSwitchService.class)
        .on("addOFSwitchListener", with -> switchListener = (IOFSwitchListener) with[0])
        .on("getAllSwitchDpids", with -> ImmutableSet.copyOf(switches.keySet()))
        .on("getActiveSwitch", with -> switches.get(with[0]))
        .make();
  }

  private IDeviceService deviceService() {
    return Stub.of(IDeviceService.class)
        .on(
            "queryDevices",
            with -> {
              IDevice device = devices.get((IPv4Address) with[2]);
              return (device == null ? List.<IDevice>of() : List.of(device)).iterator();
            })
        .make();
  }

  /** A switch takes orders from now on. */
  void connect(DatapathId id) {
    IOFSwitch sw =
        Stub.of(IOFSwitch.class)
            .on("getId", with -> id)
            .on("getOFFactory", with -> FACTORY)
            .on("write", with -> written(id, (Iterable<?>) with[0]))
            .on("writeRequest", AgentNetwork::answered)
            .make();
    switches.put(id, sw);
    sent.put(id, new ArrayList<>());
    switchListener.switchActivated(id);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the module takes it for what it is
  private static Object answered(Object[] with) {
    return Futures.immediateFuture(with[0]);
  }

  private List<OFMessage> written(DatapathId id, Iterable<?> messages) {
    for (Object message : ImmutableList.copyOf(messages)) {
      sent.get(id).add((OFMessage) message);
    }
    for (Object message : ImmutableList.copyOf(messages)) {
      if (refusesMeters && ((OFMessage) message).getType() == OFType.METER_MOD) {
        OFMessage error =
            FACTORY
                .errorMsgs()
                .buildMeterModFailedErrorMsg()
                .setXid(((OFMessage) message).getXid())
                .setCode(OFMeterModFailedCode.OUT_OF_METERS)
                .setData(OFErrorCauseData.NONE)
                .build();
        features.refused((OFErrorMsg) error);
      }
    }
    return List.of();
  }

  void refuseMeters() {
    refusesMeters = true;
  }

  /** What a switch was sent. */
  List<OFMessage> sent(DatapathId id) {
    return sent.get(id);
  }

  void attach(IPv4Address address, DatapathId at) {
    SwitchPort[] ports = {new SwitchPort(at, OFPort.of(9))};
    IDevice device =
        Stub.of(IDevice.class)
            .on("getAttachmentPoints", with -> ports)
            .on("getVlanId", with -> new VlanVid[] {VlanVid.ZERO})
            .on("getMACAddress", with -> MacAddress.of("02:00:00:00:00:01"))
            .make();
    devices.put(address, device);
  }

  void setTopology(Topology now) {
    topology = now;
    links.setTopology(now);
  }

  /** A packet that came by a rule of the module's. */
  Command packetIn(DatapathId at, byte[] frame) {
    return packetIn(at, frame, Cookie.of(CookieKind.REPORT, 0));
  }

  Command packetIn(DatapathId at, byte[] frame, U64 cookie) {
    OFMessage message = message(at, frame, cookie);
    Command command = Command.CONTINUE;
    for (IOFMessageListener listener : listeners) {
      if (command == Command.CONTINUE) {
        command = listener.receive(switches.get(at), message, new FloodlightContext());
      }
    }
    return command;
  }

  /** The same, as far as the first listener. */
  Command packetInToFirst(DatapathId at, byte[] frame) {
    OFMessage message = message(at, frame, Cookie.of(CookieKind.REPORT, 0));
    return module.receive(switches.get(at), message, new FloodlightContext());
  }

  private OFMessage message(DatapathId at, byte[] frame, U64 cookie) {
    if (!switches.containsKey(at)) {
      connect(at);
    }
    return FACTORY
        .buildPacketIn()
        .setBufferId(OFBufferId.NO_BUFFER)
        .setReason(OFPacketInReason.ACTION)
        .setTableId(TableId.of(0))
        .setCookie(cookie)
        .setMatch(FACTORY.buildMatch().setExact(MatchField.IN_PORT, PORT).build())
        .setData(frame)
        .build();
  }

  /** Time passes, and what is repeated is done once if its time has come. */
  void passMillis(long millis) {
    long now = nanoTime.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    repeated.forEach(
        (work, every) -> {
          if (now >= due.getOrDefault(work, every)) {
            due.put(work, now + every);
            work.run();
          }
        });
  }

  void holdTasks() {
    holdsTasks = true;
  }

  void releaseTasks() {
    holdsTasks = false;
    List<Runnable> held = List.copyOf(tasks);
    tasks.clear();
    held.forEach(Runnable::run);
  }

  void shutDown() {
    shutdownListener.floodlightIsShuttingDown();
  }
}
