package io.malob.monitor;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.util.concurrent.SettableFuture;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.module.ClusterView;
import io.malob.module.IClusterService;
import io.malob.module.MastershipPolicy;
import io.malob.testing.Stores;
import io.malob.testing.Stub;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import net.floodlightcontroller.topology.ITopologyListener;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortStatsReply;
import org.projectfloodlight.openflow.protocol.OFPortStatsRequest;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/** The module between stubbed services, on a clock of its own and on the calling thread. */
final class PolledNetwork {
  private final AtomicLong nanoTime = new AtomicLong();
  private final MonitorModule module = new MonitorModule(nanoTime::get);
  private final Map<DatapathId, PolledSwitch> switches = new TreeMap<>();
  private final Set<DatapathId> ofOthers = new TreeSet<>();
  private final Set<Link> links = new HashSet<>();
  private final List<Runnable> ticks = new ArrayList<>();
  private @Nullable ITopologyListener listener;
  private int questions;

  PolledNetwork(Map<String, String> settings) {
    FloodlightModuleContext context = new FloodlightModuleContext();
    context.addService(
        IOFSwitchService.class,
        Stub.of(IOFSwitchService.class)
            .on("getAllSwitchDpids", with -> ImmutableSortedSet.copyOf(switches.keySet()))
            .on("getSwitch", with -> connected((DatapathId) with[0]))
            .on(
                "getActiveSwitch",
                with -> ofOthers.contains(with[0]) ? null : connected((DatapathId) with[0]))
            .make());
    context.addService(
        IClusterService.class,
        Stub.of(IClusterService.class).on("electionView", with -> electionView()).make());
    context.addService(
        ITopologyService.class,
        Stub.of(ITopologyService.class)
            .on(
                "addListener",
                with -> {
                  listener = (ITopologyListener) with[0];
                  return null;
                })
            .on(
                "getAllLinks",
                with ->
                    links.stream().collect(Collectors.groupingBy(Link::getSrc, Collectors.toSet())))
            .make());
    context.addService(IDeviceService.class, Stub.of(IDeviceService.class).make());
    ScheduledExecutorService timer =
        Stub.of(ScheduledExecutorService.class)
            .on(
                "execute",
                with -> {
                  ((Runnable) with[0]).run();
                  return null;
                })
            .on(
                "scheduleWithFixedDelay",
                with -> {
                  if ((Long) with[1] == 1_000 / PortPolling.MIN_SLICES) {
                    ticks.add((Runnable) with[0]);
                  }
                  return null;
                })
            .make();
    IThreadPoolService pool = () -> timer;
    context.addService(IThreadPoolService.class, pool);
    Stores.addTo(context);
    settings.forEach((key, value) -> context.addConfigParam(module, key, value));
    try {
      module.init(context);
    } catch (FloodlightModuleException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    module.startUp(context);
  }

  /** Belongs to a cluster as long as any switch has another master. */
  private Optional<ClusterView> electionView() {
    return ofOthers.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new ClusterView(
                "a",
                true,
                0,
                0,
                MastershipPolicy.SPREAD,
                ImmutableList.of(),
                ImmutableMap.of(),
                ImmutableMap.of(),
                ImmutableList.of()));
  }

  /** Another controller of the cluster is master of a switch from now on. */
  void hasOtherMaster(DatapathId switchId) {
    ofOthers.add(switchId);
    Objects.requireNonNull(listener).topologyChanged(List.of());
  }

  private @Nullable IOFSwitch connected(DatapathId switchId) {
    PolledSwitch found = switches.get(switchId);
    return found == null ? null : found.sw;
  }

  MonitorModule module() {
    return module;
  }

  long nanoTime() {
    return nanoTime.get();
  }

  void pass(long nanos) {
    nanoTime.addAndGet(nanos);
  }

  /** One tick of the polling; no time passes. */
  void tick() {
    ticks.forEach(Runnable::run);
  }

  /** A whole round; the second one and all later ones begin a second after the one before. */
  void round() {
    if (questions > 0) {
      pass(1_000_000_000);
    }
    for (int tick = 0; tick < PortPolling.MIN_SLICES; tick++) {
      tick();
    }
  }

  /** How many questions all switches got. */
  int questions() {
    return questions;
  }

  /** A switch connects, in the place of another one with this id. */
  PolledSwitch add(DatapathId switchId) {
    PolledSwitch added = new PolledSwitch(switchId);
    switches.put(switchId, added);
    return added;
  }

  void remove(DatapathId switchId) {
    switches.remove(switchId);
  }

  void link(DirectedLink link) {
    links.add(new Link(link.src(), link.srcPort(), link.dst(), link.dstPort(), U64.ZERO));
    if (listener != null) {
      listener.topologyChanged(List.of());
    }
  }

  /** A switch that answers when a test says so. */
  final class PolledSwitch {
    private final IOFSwitch sw;
    private final Map<OFPort, OFPortDesc> ports = new HashMap<>();
    private final List<OFPort> asked = new ArrayList<>();
    private boolean fails;
    private final ArrayDeque<SettableFuture<List<OFPortStatsReply>>> waiting = new ArrayDeque<>();

    private PolledSwitch(DatapathId id) {
      sw =
          Stub.of(IOFSwitch.class)
              .on("getId", with -> id)
              .on("getOFFactory", with -> PortAnswers.FACTORY)
              .on("getPort", with -> ports.get(with[0]))
              .on("writeStatsRequest", with -> question((OFPortStatsRequest) with[0]))
              .make();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the module takes it for what it is
    private Object question(OFPortStatsRequest request) {
      if (fails) {
        throw new IllegalStateException("cannot be asked");
      }
      questions++;
      asked.add(request.getPortNo());
      SettableFuture<List<OFPortStatsReply>> future = SettableFuture.create();
      waiting.add(future);
      return future;
    }

    /** The ports that it was asked for, question by question. */
    List<OFPort> asked() {
      return asked;
    }

    /** From now on, asking it is an exception. */
    void fails() {
      fails = true;
    }

    /** Answers its oldest question. */
    void answer(PortAnswers answer) {
      waiting.remove().set(answer.make());
    }

    /** Refuses its oldest question. */
    void refuse() {
      waiting.remove().setException(new IllegalStateException("refused"));
    }

    void speed(int port, long kilobits) {
      ports.put(
          OFPort.of(port),
          PortAnswers.FACTORY
              .buildPortDesc()
              .setPortNo(OFPort.of(port))
              .setCurrSpeed(kilobits)
              .build());
    }
  }
}
