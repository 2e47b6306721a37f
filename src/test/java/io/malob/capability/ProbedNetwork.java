package io.malob.capability;

import com.google.common.collect.ImmutableSortedSet;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import io.malob.module.IPacketInQueueService;
import io.malob.module.IPeerService;
import io.malob.module.PeerListener;
import io.malob.testing.Stub;
import io.malob.testing.Wire;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IListener;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.IOFSwitchListener;
import net.floodlightcontroller.core.SwitchDescription;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFBarrierRequest;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowDelete;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.OFGroupAdd;
import org.projectfloodlight.openflow.protocol.OFGroupDelete;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFTableFeaturesStatsReply;
import org.projectfloodlight.openflow.protocol.OFTableStatsEntry;
import org.projectfloodlight.openflow.protocol.OFTableStatsReply;
import org.projectfloodlight.openflow.protocol.OFTableStatsRequest;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/** The module between stubbed services, on a clock of its own and on the calling thread. */
@SuppressWarnings("FutureReturnValueIgnored") // they are the stubs' answers
final class ProbedNetwork {
  static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  private final AtomicLong nanoTime = new AtomicLong();
  private final CapabilityModule module = new CapabilityModule(nanoTime::get);
  private final Map<DatapathId, ProbedSwitch> active = new TreeMap<>();
  private final List<Timer> timers = new ArrayList<>();
  private final List<Runnable> repeated = new ArrayList<>();
  private @Nullable PeerListener fromPeers;

  /** What the module has told its peers. */
  final List<byte[]> told = new ArrayList<>();

  private final Map<OFType, IOFMessageListener> listeners = new EnumMap<>(OFType.class);
  private @Nullable IOFSwitchListener listener;

  private static final class Timer {
    final long atNanos;
    final Runnable work;
    boolean isOver;

    Timer(long atNanos, Runnable work) {
      this.atNanos = atNanos;
      this.work = work;
    }
  }

  ProbedNetwork(Map<String, String> settings) throws FloodlightModuleException {
    this(settings, true);
  }

  /**
   * A network without switches.
   *
   * @param isEmbedded whether the controller is the embedded one, not real Floodlight
   */
  ProbedNetwork(Map<String, String> settings, boolean isEmbedded) throws FloodlightModuleException {
    FloodlightModuleContext context = new FloodlightModuleContext();
    if (isEmbedded) {
      context.addService(IPacketInQueueService.class, Stub.of(IPacketInQueueService.class).make());
    }
    context.addService(
        IOFSwitchService.class,
        Stub.of(IOFSwitchService.class)
            .on("getAllSwitchDpids", with -> ImmutableSortedSet.copyOf(active.keySet()))
            .on(
                "getActiveSwitch",
                with -> Optional.ofNullable(active.get(with[0])).map(each -> each.sw).orElse(null))
            .on(
                "addOFSwitchListener",
                with -> {
                  listener = (IOFSwitchListener) with[0];
                  return null;
                })
            .make());
    context.addService(
        IFloodlightProviderService.class,
        Stub.of(IFloodlightProviderService.class)
            .on(
                "addOFMessageListener",
                with -> {
                  listeners.put((OFType) with[0], (IOFMessageListener) with[1]);
                  return null;
                })
            .make());
    context.addService(
        IPeerService.class,
        Stub.of(IPeerService.class)
            .on(
                "listen",
                with -> {
                  fromPeers = (PeerListener) with[1];
                  return null;
                })
            .on("send", with -> told.add((byte[]) with[2]))
            .make());
    IThreadPoolService pool = () -> timer();
    context.addService(IThreadPoolService.class, pool);
    settings.forEach((key, value) -> context.addConfigParam(module, key, value));
    module.init(context);
    module.startUp(context);
  }

  private ScheduledExecutorService timer() {
    return Stub.of(ScheduledExecutorService.class)
        .on(
            "scheduleWithFixedDelay",
            with -> {
              repeated.add((Runnable) with[0]);
              return null;
            })
        .on(
            "execute",
            with -> {
              ((Runnable) with[0]).run();
              return null;
            })
        .on("schedule", with -> schedule((Runnable) with[0], (Long) with[1] * 1_000_000))
        .make();
  }

  private ScheduledFuture<?> schedule(Runnable work, long nanos) {
    Timer added = new Timer(nanoTime.get() + nanos, work);
    timers.add(added);
    return Stub.of(ScheduledFuture.class).on("cancel", with -> added.isOver = true).make();
  }

  CapabilityModule module() {
    return module;
  }

  /** Time passes, and what is due is done. */
  void passMillis(long millis) {
    nanoTime.addAndGet(millis * 1_000_000);
    for (Timer each : List.copyOf(timers)) {
      if (!each.isOver && each.atNanos <= nanoTime.get()) {
        each.isOver = true;
        each.work.run();
      }
    }
  }

  /** Seconds pass, with what is done in each. */
  void passSeconds(int seconds) {
    for (int second = 0; second < seconds; second++) {
      passMillis(1_000);
      repeated.forEach(Runnable::run);
    }
  }

  /** Another controller of the cluster. */
  PeerListener peer() {
    return fromPeers;
  }

  /** A switch connects, with this controller as its master. */
  ProbedSwitch connect(ProbedSwitch sw) {
    active.put(sw.id, sw);
    sw.network = this;
    listener.switchActivated(sw.id);
    return sw;
  }

  void disconnect(ProbedSwitch sw) {
    active.remove(sw.id);
    listener.switchRemoved(sw.id);
  }

  void deactivate(ProbedSwitch sw) {
    active.remove(sw.id);
    listener.switchDeactivated(sw.id);
  }

  /** The module gets a message of a switch. */
  IListener.Command receive(ProbedSwitch sw, OFMessage message) {
    return receive(sw.sw, message);
  }

  private IListener.Command receive(IOFSwitch sw, OFMessage message) {
    return listeners.get(message.getType()).receive(sw, message, null);
  }

  /** A switch that refuses what a test says. */
  static final class ProbedSwitch {
    private final DatapathId id;
    private final IOFSwitch sw;
    private Function<OFMessage, Optional<OFErrorMsg>> refusal = message -> Optional.empty();
    private Map<Integer, Long> rules = Map.of();
    private List<OFTableFeaturesStatsReply> features = List.of();
    private boolean isSilent;
    private boolean isTracking = true;
    private final FakeTracking tracking = new FakeTracking();
    private String software = "1";
    private OFFactory factory = FACTORY;
    private ProbedNetwork network;

    /** All messages that it got. */
    final List<OFMessage> received = new ArrayList<>();

    /** The probes' rules and groups that it has at present. */
    final List<OFMessage> held = new ArrayList<>();

    /** Answers to errors: whether a listener takes them for its own. */
    final List<IListener.Command> commands = new ArrayList<>();

    ProbedSwitch(long number, int tables) {
      id = DatapathId.of(number);
      OFPortDesc port = FACTORY.buildPortDesc().setPortNo(OFPort.of(3)).build();
      sw =
          Stub.of(IOFSwitch.class)
              .on("getId", with -> id)
              .on("getOFFactory", with -> factory)
              .on("getNumTables", with -> (short) tables)
              .on("getPorts", with -> List.of(port))
              .on(
                  "getSwitchDescription",
                  with -> new SwitchDescription("maker", "hardware", software, "0", "test"))
              .on("write", with -> write((Iterable<?>) with[0]))
              .on("writeRequest", with -> request((OFMessage) with[0]))
              .on("writeStatsRequest", with -> statistics((OFMessage) with[0]))
              .make();
    }

    /** Refuses messages with these errors. */
    ProbedSwitch refuses(Function<OFMessage, Optional<OFErrorMsg>> errors) {
      refusal = errors;
      return this;
    }

    ProbedSwitch silent() {
      isSilent = true;
      return this;
    }

    /** Accepts the actions of connection tracking, and does not do what they say. */
    ProbedSwitch ignoresTracking() {
      isTracking = false;
      return this;
    }

    ProbedSwitch openflow(OFVersion version) {
      factory = OFFactories.getFactory(version);
      return this;
    }

    ProbedSwitch software(String text) {
      software = text;
      return this;
    }

    /** What it claims to have. */
    ProbedSwitch features(OFTableFeaturesStatsReply reply) {
      features = List.of(reply);
      return this;
    }

    /** What it says of its tables. */
    ProbedSwitch rules(Map<Integer, Long> byTable) {
      rules = byTable;
      return this;
    }

    private List<OFMessage> write(Iterable<?> messages) {
      for (Object each : messages) {
        OFMessage message = (OFMessage) each;
        received.add(message instanceof OFPacketOut ? message : Wire.readBack(message));
        Optional<OFErrorMsg> error = isSilent ? Optional.empty() : refusal.apply(message);
        if (error.isPresent()) {
          commands.add(network.receive(sw, withXid(error.get(), message.getXid())));
        } else if (message instanceof OFFlowAdd || message instanceof OFGroupAdd) {
          held.add(message);
        } else if (message instanceof OFFlowDelete delete) {
          held.removeIf(
              old -> old instanceof OFFlowAdd add && add.getCookie().equals(delete.getCookie()));
        } else if (message instanceof OFGroupDelete delete) {
          held.removeIf(
              old -> old instanceof OFGroupAdd add && add.getGroup().equals(delete.getGroup()));
        } else if (message instanceof OFPacketOut packetOut && isTracking && !isSilent) {
          tracking
              .packetIn(packetOut, held)
              .ifPresent(packetIn -> commands.add(network.receive(sw, packetIn)));
        }
      }
      return List.of();
    }

    private static OFErrorMsg withXid(OFErrorMsg error, long xid) {
      return error.createBuilder().setXid(xid).build();
    }

    private ListenableFuture<OFMessage> request(OFMessage request) {
      received.add(request);
      return request instanceof OFBarrierRequest && !isSilent
          ? Futures.immediateFuture(FACTORY.barrierReply())
          : SettableFuture.create();
    }

    private ListenableFuture<?> statistics(OFMessage request) {
      received.add(request);
      if (!(request instanceof OFTableStatsRequest)) {
        return features.isEmpty()
            ? Futures.immediateFailedFuture(new IllegalStateException("not known"))
            : Futures.immediateFuture(features);
      }
      List<OFTableStatsEntry> entries =
          rules.entrySet().stream()
              .<OFTableStatsEntry>map(
                  each ->
                      FACTORY
                          .buildTableStatsEntry()
                          .setTableId(TableId.of(each.getKey()))
                          .setActiveCount(each.getValue())
                          .build())
              .toList();
      return Futures.immediateFuture(
          List.<OFTableStatsReply>of(FACTORY.buildTableStatsReply().setEntries(entries).build()));
    }
  }

  /** The error of a full table. */
  static OFErrorMsg tableFull() {
    return flowModFailed(OFFlowModFailedCode.TABLE_FULL);
  }

  static OFErrorMsg flowModFailed(OFFlowModFailedCode code) {
    return FACTORY
        .errorMsgs()
        .buildFlowModFailedErrorMsg()
        .setCode(code)
        .setData(OFErrorCauseData.NONE)
        .build();
  }
}
