package io.malob.latency;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.monitor.IMonitorService;
import io.malob.state.network.MeasuredLinks;
import io.malob.state.network.Measurement;
import io.malob.state.network.TimesToLive;
import io.malob.testing.EventQueue;
import io.malob.testing.Stub;
import io.malob.testing.Wire;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IListener.Command;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFEchoReply;
import org.projectfloodlight.openflow.protocol.OFEchoRequest;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/**
 * The module on a network whose every delay is known, in simulated time: from the controller to
 * each switch, back, and over each link. Messages go through their bytes.
 */
@SuppressWarnings("FutureReturnValueIgnored") // they are handed on by stubs
final class LatencyNetwork {
  static final long MILLI = 1_000_000;
  private static final OFFactory OF = OFFactories.getFactory(OFVersion.OF_13);

  final EventQueue time = new EventQueue(new AtomicLong(123_456_789));
  final LatencyModule module = new LatencyModule(new Random(1)::nextLong);

  /** Frames as they arrive; changes and copies can be made of them, or none given back. */
  UnaryOperator<@Nullable Arrival> tampering = arrival -> arrival;

  private final MeasuredLinks tracker =
      new MeasuredLinks(new TimesToLive(30_000 * MILLI, MILLI, MILLI, MILLI));
  private final Map<DatapathId, ControlChannel> channels = new HashMap<>();
  private final Map<DirectedLink, LongSupplier> latencies = new HashMap<>();
  private final Set<DatapathId> inactive = new HashSet<>();
  private final Map<OFType, List<IOFMessageListener>> listeners = new HashMap<>();
  private Topology topology;
  private @Nullable Runnable tick;

  /** Packets that the module left to others. */
  final List<Arrival> leftToOthers = new ArrayList<>();

  /** Frames that switches were told to put out, in order. */
  final List<Arrival> sent = new ArrayList<>();

  /** Echo requests that switches got. */
  int echoes;

  /** What was written at a time, in order: how many messages, and to which switch. */
  final List<Write> writes = new ArrayList<>();

  /** Messages that left together. */
  record Write(DatapathId switchId, int messages, long atNanos) {}

  /** A frame at a port of a switch. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Arrival(DatapathId switchId, OFPort port, byte[] frame) {}

  /** Times are those of one message. */
  static final class ControlChannel {
    LongSupplier there = () -> MILLI;
    LongSupplier back = () -> MILLI;

    /** What echoes wait beyond that. */
    long echoNanos;

    boolean answersEcho = true;
    boolean answersPackets = true;
    boolean reads = true;
  }

  /** A network with this topology, where links have no latency and control channels take 1 ms. */
  LatencyNetwork(Topology topology, Map<String, String> settings) throws FloodlightModuleException {
    this.topology = topology;
    tracker.setTopology(topology);
    FloodlightModuleContext context = new FloodlightModuleContext();
    context.addService(IMonitorService.class, monitor());
    context.addService(IOFSwitchService.class, switchService());
    context.addService(
        IFloodlightProviderService.class,
        Stub.of(IFloodlightProviderService.class)
            .on(
                "addOFMessageListener",
                with -> listeners((OFType) with[0]).add((IOFMessageListener) with[1]))
            .make());
    ScheduledExecutorService timer =
        Stub.of(ScheduledExecutorService.class).on("scheduleWithFixedDelay", this::repeat).make();
    IThreadPoolService threads = () -> timer;
    context.addService(IThreadPoolService.class, threads);
    settings.forEach((key, value) -> context.addConfigParam(module, key, value));
    module.init(context);
    module.startUp(context);
  }

  private ScheduledFuture<?> repeat(Object[] with) {
    tick = (Runnable) with[0];
    step((long) with[2] * MILLI);
    return Stub.of(ScheduledFuture.class).make();
  }

  private void step(long delayNanos) {
    time.after(
        delayNanos,
        () -> {
          tick.run();
          step(delayNanos);
        });
  }

  ControlChannel channel(long switchId) {
    return channels.computeIfAbsent(DatapathId.of(switchId), any -> new ControlChannel());
  }

  void latency(DirectedLink link, long nanos) {
    latencies.put(link, () -> nanos);
  }

  void latency(DirectedLink link, LongSupplier nanos) {
    latencies.put(link, nanos);
  }

  void setTopology(Topology now) {
    tracker.setTopology(now);
    topology = now;
  }

  void setActive(long switchId, boolean active) {
    if (active) {
      inactive.remove(DatapathId.of(switchId));
    } else {
      inactive.add(DatapathId.of(switchId));
    }
  }

  void passMillis(long millis) {
    time.pass(millis * MILLI, () -> {});
  }

  /** What is known of a link, in nanoseconds; null if nothing is. */
  @Nullable Double measured(DirectedLink link) {
    @Nullable Measurement latency = tracker.snapshot(time.now()).get(link).latencyNanos();
    return latency == null ? null : latency.value();
  }

  /** A frame comes in at a switch, and the controller gets it at once. */
  void packetIn(Arrival at) {
    OFPacketIn message =
        OF.buildPacketIn()
            .setBufferId(OFBufferId.NO_BUFFER)
            .setTotalLen(at.frame.length)
            .setReason(OFPacketInReason.NO_MATCH)
            .setTableId(TableId.of(0))
            .setMatch(OF.buildMatch().setExact(MatchField.IN_PORT, at.port).build())
            .setData(at.frame)
            .build();
    if (!isTaken(at.switchId, message)) {
      leftToOthers.add(at);
    }
  }

  /** A message comes from a switch; whether a listener keeps it from others. */
  boolean isTaken(DatapathId switchId, OFMessage message) {
    return listeners(message.getType()).stream()
        .anyMatch(
            each -> each.receive(sw(switchId), message, new FloodlightContext()) == Command.STOP);
  }

  IOFMessageListener listener() {
    return listeners(OFType.PACKET_IN).get(0);
  }

  private List<IOFMessageListener> listeners(OFType type) {
    return listeners.computeIfAbsent(type, any -> new ArrayList<>());
  }

  private IMonitorService monitor() {
    return Stub.of(IMonitorService.class)
        .on("topology", with -> topology)
        .on("measuredLinks", with -> topology)
        .on("links", with -> tracker)
        .on("nanoTime", with -> time.now())
        .make();
  }

  private IOFSwitchService switchService() {
    return Stub.of(IOFSwitchService.class)
        .on(
            "getActiveSwitch",
            with -> inactive.contains((DatapathId) with[0]) ? null : sw((DatapathId) with[0]))
        .on("getSwitch", with -> sw((DatapathId) with[0]))
        .make();
  }

  private IOFSwitch sw(DatapathId id) {
    return Stub.of(IOFSwitch.class)
        .on("getId", with -> id)
        .on("getOFFactory", with -> OF)
        .on("write", with -> write(id, messages((Iterable<?>) with[0])))
        .make();
  }

  private static List<OFMessage> messages(Iterable<?> written) {
    return ImmutableList.copyOf(Iterables.filter(written, OFMessage.class));
  }

  /** All of them, or none: gives back what is not sent. */
  private List<OFMessage> write(DatapathId id, List<OFMessage> messages) {
    ControlChannel channel = channel(id.getLong());
    if (!channel.reads) {
      return messages;
    }
    writes.add(new Write(id, messages.size(), time.now()));
    for (OFMessage message : messages) {
      OFMessage read = Wire.readBack(message);
      if (read instanceof OFEchoRequest request) {
        echo(id, request);
      } else {
        time.after(channel.there.getAsLong(), () -> execute(id, (OFPacketOut) read));
      }
    }
    return List.of();
  }

  private void echo(DatapathId id, OFEchoRequest request) {
    ControlChannel channel = channel(id.getLong());
    echoes++;
    if (channel.answersEcho) {
      OFEchoReply reply =
          OF.buildEchoReply().setXid(request.getXid()).setData(request.getData()).build();
      time.after(
          channel.there.getAsLong() + channel.echoNanos + channel.back.getAsLong(),
          () -> isTaken(id, reply));
    }
  }

  private void execute(DatapathId id, OFPacketOut out) {
    OFPort port = ((OFActionOutput) out.getActions().get(0)).getPort();
    sent.add(new Arrival(id, port, out.getData()));
    if (port.equals(OFPort.CONTROLLER)) {
      if (channel(id.getLong()).answersPackets) {
        arrive(new Arrival(id, OFPort.CONTROLLER, out.getData()));
      }
      return;
    }
    for (DirectedLink link : topology.linksFrom(id)) {
      if (link.srcPort().equals(port)) {
        time.after(
            latencies.getOrDefault(link, () -> 0).getAsLong(),
            () -> arrive(new Arrival(link.dst(), link.dstPort(), out.getData())));
      }
    }
  }

  private void arrive(Arrival arrival) {
    Arrival tampered = tampering.apply(arrival);
    if (tampered != null) {
      time.after(channel(tampered.switchId.getLong()).back.getAsLong(), () -> packetIn(tampered));
    }
  }
}
