package io.malob.endhost;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.SettableFuture;
import io.malob.json.RejectedException;
import io.malob.testing.FakeFlowTable;
import io.malob.testing.FakeFlowTable.Output;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.Stub;
import io.malob.testing.SwitchProfile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IListener.Command;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.OFFlowRemovedReason;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * The module between stubbed services and a fake flow table: a host with two uplinks, on ports 2
 * and 3, and its inside on port 1. Everything runs on the calling thread; time passes when a test
 * says so.
 */
final class HostOnASwitch {
  static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  static final DatapathId SWITCH = DatapathId.of(0xaa);
  static final MacAddress HOST_MAC = MacAddress.of("02:00:00:00:00:01");
  static final MacAddress GATEWAY_MAC = MacAddress.of("0a:4d:4c:00:00:01");
  static final IPv4Address HOST = IPv4Address.of("198.18.255.2");
  static final IPv4Address[] UPLINK_ADDRESSES = {
    IPv4Address.of("10.0.1.2"), IPv4Address.of("10.0.2.2")
  };

  final AtomicLong nanoTime;
  final FakeFlowTable table;
  final ManualUplinks uplinks = new ManualUplinks();
  final EndhostModule module;

  /** What has left the switch, and not to the controller, since it was last looked at. */
  private final List<Output> left = new ArrayList<>();

  /** Whether the switch's table takes no rules of flows any more. */
  boolean isTableFull;

  /** Whether answers to questions about rules wait for {@link #answer}. */
  boolean answersLate;

  private final List<Runnable> lateAnswers = new ArrayList<>();
  private @Nullable List<Runnable> held;
  private final List<Runnable> repeated = new ArrayList<>();
  private final List<Scheduled> scheduled = new ArrayList<>();
  private final IOFSwitch sw;

  private record Scheduled(Runnable task, long dueNanos) {}

  HostOnASwitch() {
    this(new AtomicLong(TimeUnit.HOURS.toNanos(1)));
  }

  private HostOnASwitch(AtomicLong clock) {
    this(clock, new FakeFlowTable(SwitchProfile.OPEN_VSWITCH, clock::get), Map.of());
  }

  HostOnASwitch(AtomicLong clock, FakeFlowTable table, Map<String, String> settings) {
    this.nanoTime = clock;
    this.table = table;
    this.sw = fakeSwitch();
    module = new EndhostModule(clock::get, (switches, inOrder, repetition) -> uplinks);
    FloodlightModuleContext context = new FloodlightModuleContext();
    context.addService(
        IFloodlightProviderService.class,
        Stub.of(IFloodlightProviderService.class).on("addOFMessageListener", with -> null).make());
    context.addService(
        IOFSwitchService.class,
        Stub.of(IOFSwitchService.class)
            .on("addOFSwitchListener", with -> null)
            .on("getActiveSwitch", with -> SWITCH.equals(with[0]) ? sw : null)
            .make());
    ScheduledExecutorService timer = timer();
    IThreadPoolService pool = () -> timer;
    context.addService(IThreadPoolService.class, pool);
    settings.forEach((key, value) -> context.addConfigParam(module, key, value));
    try {
      module.init(context);
    } catch (FloodlightModuleException e) {
      throw new IllegalArgumentException(e);
    }
    module.startUp(context);
  }

  /** A controller that has been started anew: it knows nothing, the switch holds what it held. */
  HostOnASwitch restarted() {
    nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(1));
    return new HostOnASwitch(nanoTime, table, Map.of());
  }

  private ScheduledExecutorService timer() {
    return Stub.of(ScheduledExecutorService.class)
        .on(
            "execute",
            with -> {
              Runnable task = (Runnable) with[0];
              if (held == null) {
                task.run();
              } else {
                held.add(task);
              }
              return null;
            })
        .on(
            "schedule",
            with -> {
              long nanos = ((TimeUnit) with[2]).toNanos((Long) with[1]);
              scheduled.add(new Scheduled((Runnable) with[0], nanoTime.get() + nanos));
              return null;
            })
        .on(
            "scheduleWithFixedDelay",
            with -> {
              repeated.add((Runnable) with[0]);
              return null;
            })
        .make();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the module takes them for what they are
  private IOFSwitch fakeSwitch() {
    return Stub.of(IOFSwitch.class)
        .on("getId", with -> SWITCH)
        .on("getOFFactory", with -> FACTORY)
        .on(
            "write",
            with -> {
              ((Iterable<?>) with[0]).forEach(message -> obey((OFMessage) message));
              return List.of();
            })
        .on("writeRequest", with -> Futures.immediateFuture(FACTORY.barrierReply()))
        .on(
            "writeStatsRequest",
            with -> {
              OFFlowStatsRequest request = (OFFlowStatsRequest) with[0];
              SettableFuture<List<?>> answer = SettableFuture.create();
              Runnable answering =
                  () ->
                      answer.set(
                          List.of(
                              FACTORY
                                  .buildFlowStatsReply()
                                  .setEntries(
                                      table.tell(
                                          FACTORY, request.getCookie(), request.getCookieMask()))
                                  .build()));
              if (answersLate) {
                lateAnswers.add(answering);
              } else {
                answering.run();
              }
              return answer;
            })
        .make();
  }

  /** What is to be done in order waits from now on, until {@link #release}. */
  void hold() {
    held = new ArrayList<>();
  }

  /** All that has waited is done, in order. */
  void release() {
    List<Runnable> waiting = Objects.requireNonNull(held);
    held = null;
    waiting.forEach(Runnable::run);
  }

  /** The switch answers what it has been asked. */
  void answer() {
    List<Runnable> answers = List.copyOf(lateAnswers);
    lateAnswers.clear();
    answers.forEach(Runnable::run);
  }

  private void obey(OFMessage message) {
    if (isTableFull && message instanceof OFFlowAdd rule && rule.getPriority() == 1_000) {
      module.receive(sw, tableFull(rule), new FloodlightContext());
      return;
    }
    deliver(table.apply(message), OFPort.CONTROLLER);
  }

  /** An error as switches send it, with the first 64 bytes of the message that it is about. */
  static OFMessage tableFull(OFFlowAdd rule) {
    ByteBuf bytes = Unpooled.buffer();
    rule.writeTo(bytes);
    byte[] quoted = new byte[Math.min(64, bytes.readableBytes())];
    bytes.readBytes(quoted);
    return FACTORY
        .errorMsgs()
        .buildFlowModFailedErrorMsg()
        .setXid(rule.getXid())
        .setCode(OFFlowModFailedCode.TABLE_FULL)
        .setData(OFErrorCauseData.of(quoted, OFVersion.OF_13))
        .build();
  }

  /** A rule of somebody else. */
  static OFFlowAdd foreignRule() {
    return FACTORY.buildFlowAdd().setCookie(U64.of(0x1234)).setPriority(1_000).build();
  }

  /** The switch sends a message; whether other modules see it. */
  boolean passesOn(OFMessage message) {
    return module.receive(sw, message, new FloodlightContext()) == Command.CONTINUE;
  }

  /** What the switch does with what has left a rule or a message. */
  private void deliver(List<Output> outputs, OFPort inPort) {
    for (Output output : outputs) {
      if (output.isToController()) {
        packetIn(SWITCH, inPort, output.cookie(), output.frame());
      } else {
        left.add(output);
      }
    }
  }

  /** A packet-in; whether other modules see it. */
  boolean packetIn(DatapathId switchId, OFPort inPort, U64 cookie, byte[] frame) {
    IOFSwitch from = Stub.of(IOFSwitch.class).on("getId", with -> switchId).make();
    return module.receive(
            from,
            FACTORY
                .buildPacketIn()
                .setReason(OFPacketInReason.ACTION)
                .setBufferId(OFBufferId.NO_BUFFER)
                .setCookie(cookie)
                .setMatch(FACTORY.buildMatch().setExact(MatchField.IN_PORT, inPort).build())
                .setData(frame)
                .build(),
            new FloodlightContext())
        == Command.CONTINUE;
  }

  /** Configures the host with both uplinks, by RR. */
  HostOnASwitch configured() throws RejectedException {
    return configured("RR");
  }

  HostOnASwitch configured(String algorithm) throws RejectedException {
    module.configure(configuration(algorithm, "\"10.0.1.2\"", "\"10.0.2.2\""));
    sweep();
    return this;
  }

  static byte[] configuration(String algorithm, String address0, String address1) {
    return """
        {"switch": "00:00:00:00:00:00:00:aa", "algorithm": "%s",
         "inside": {"port": "malob-sw", "mac": "02:00:00:00:00:01",
                    "gateway_mac": "0a:4d:4c:00:00:01", "ipv4": "198.18.255.2",
                    "gateway_ipv4": "198.18.255.1"},
         "uplinks": [
          {"name": "eth0", "port": "eth0", "mac": "02:00:00:00:01:01", "ipv4": %s,
           "gateway_ipv4": "10.0.1.1"},
          {"name": "eth1", "port": "eth1", "mac": "02:00:00:00:01:02", "ipv4": %s,
           "gateway_ipv4": "10.0.2.1"}]}
        """
        .formatted(algorithm, address0, address1)
        .getBytes(StandardCharsets.UTF_8);
  }

  static MacAddress uplinkMac(int uplink) {
    return MacAddress.of(0x02_00_00_00_01_01L + uplink);
  }

  static OFPort uplinkPort(int uplink) {
    return OFPort.of(uplink + 2);
  }

  /** The host sends a frame; gives back what leaves the switch because of it. */
  List<Output> sends(byte[] frame) {
    return into(ManualUplinks.INSIDE, frame);
  }

  /** A frame comes in at an uplink; gives back what leaves the switch because of it. */
  List<Output> comesIn(int uplink, byte[] frame) {
    return into(uplinkPort(uplink), frame);
  }

  private List<Output> into(OFPort port, byte[] frame) {
    left.clear();
    deliver(table.process(port, frame), port);
    return List.copyOf(left);
  }

  /** Sends a TCP packet of the host from that port. */
  List<Output> sendsTcp(int port, IPv4Address server, int flags) {
    return sends(Frames.tcp(HOST_MAC, GATEWAY_MAC, HOST, port, server, 80, flags));
  }

  /** A TCP packet of a server comes in. */
  List<Output> tcpComesIn(int uplink, IPv4Address server, int port, int flags) {
    return comesIn(
        uplink,
        Frames.tcp(
            ManualUplinks.routerMac(uplink + 1),
            uplinkMac(uplink),
            server,
            80,
            UPLINK_ADDRESSES[uplink],
            port,
            flags));
  }

  /** Opens a connection; which uplink it is on. */
  int opens(int port, IPv4Address server) {
    List<Output> sent = sendsTcp(port, server, 0x02);
    if (sent.size() != 1) {
      throw new AssertionError(sent.size() + " packets");
    }
    return sent.get(0).port().getPortNumber() - 2;
  }

  /** Sends a datagram of the host from that port; which uplink it leaves by. */
  int sendsUdp(int port, IPv4Address server, int serverPort) {
    List<Output> sent =
        sends(Frames.udp(HOST_MAC, GATEWAY_MAC, HOST, port, server, serverPort, new byte[8]));
    if (sent.size() != 1) {
      throw new AssertionError(sent.size() + " packets");
    }
    return sent.get(0).port().getPortNumber() - 2;
  }

  /** Time passes, with all that is to happen in it; gives back what leaves the switch. */
  List<Output> pass(long millis) {
    left.clear();
    nanoTime.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    List<Scheduled> due =
        scheduled.stream().filter(each -> each.dueNanos <= nanoTime.get()).toList();
    scheduled.removeAll(due);
    due.forEach(each -> each.task.run());
    return List.copyOf(left);
  }

  /** What leaves the switch while something is done. */
  List<Output> whileIt(Runnable work) {
    left.clear();
    work.run();
    return List.copyOf(left);
  }

  /** What is done each second. */
  void sweep() {
    repeated.forEach(Runnable::run);
  }

  /** Rules that nobody has used for too long go, and the controller is told. */
  void expire() {
    table.expireCounted().forEach(over -> tell(over.rule(), over.counts().bytes()));
  }

  private void tell(FakeRule rule, long bytes) {
    module.receive(
        sw,
        FACTORY
            .buildFlowRemoved()
            .setCookie(rule.cookie())
            .setPriority(rule.priority())
            .setTableId(rule.table())
            .setReason(OFFlowRemovedReason.IDLE_TIMEOUT)
            .setMatch(rule.match())
            .setByteCount(U64.of(bytes))
            .build(),
        new FloodlightContext());
  }

  /** How many rules of flows there are. */
  int flowRules() {
    return (int) table.rules(4).stream().filter(rule -> rule.priority() == 1_000).count();
  }

  /** A number from the status, such as {@code flows.open}. */
  long count(String... path) {
    @Nullable Object value = module.status();
    for (String name : path) {
      value = value == null ? null : ((Map<?, ?>) value).get(name);
    }
    return value == null ? 0 : ((Number) value).longValue();
  }

  /** What an uplink's status says of its flows. */
  long count(int uplink, String name) {
    Map<?, ?> shown = (Map<?, ?>) ((List<?>) module.status().get("uplinks")).get(uplink);
    return ((Number) ((Map<?, ?>) shown.get("flows")).get(name)).longValue();
  }
}
