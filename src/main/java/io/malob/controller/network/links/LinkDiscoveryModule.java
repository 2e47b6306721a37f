package io.malob.controller.network.links;

import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.controller.guard.Refusal;
import io.malob.controller.guard.RefusalCounts;
import io.malob.controller.network.PacketMessages;
import io.malob.controller.network.SteadyClock;
import io.malob.controller.network.links.ProbeFrames.Probe;
import io.malob.module.BaseModule;
import io.malob.module.DropLog;
import io.malob.module.IMastershipService;
import io.malob.module.Mastership;
import io.malob.module.Repetition;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.module.StandbyListener;
import io.malob.module.SwitchListener;
import io.malob.module.Unordered;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.PortChangeType;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LDUpdate;
import net.floodlightcontroller.linkdiscovery.ILinkDiscoveryListener;
import net.floodlightcontroller.linkdiscovery.ILinkDiscoveryService;
import net.floodlightcontroller.linkdiscovery.Link;
import net.floodlightcontroller.linkdiscovery.internal.LinkInfo;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the links between switches by LLDP, and those through legacy switches by broadcasts, and
 * removes them when probes stay away. Probes that this run has not signed, that are older than a
 * link's lifetime, or that come back to the port that sent them, are refused, counted and logged.
 * All changes happen one after the other on the shared pool; listeners are called there, too. In a
 * cluster, the master's probes also show a slave the links.
 */
public final class LinkDiscoveryModule extends BaseModule
    implements ILinkDiscoveryService,
        LinkSnapshots,
        IOFMessageListener,
        StandbyListener,
        Unordered<OFType>,
        SwitchListener,
        LinkTracker.Outlet {
  private static final Setting<Integer> PROBE_INTERVAL_MILLIS =
      Setting.number("probeIntervalMillis", 3_000, 1, 3_600_000)
          .describedAs("The interval between two probes of a port.");
  private static final Setting<Integer> MISSED_PROBES =
      Setting.number("missedProbes", 3, 1, 1_000)
          .describedAs("The number of missed probes after which a link is down.");
  private static final Setting<Integer> SETTLE_MILLIS =
      Setting.number("settleMillis", 1_000, 1, 3_600_000)
          .describedAs("The time for which a new port is probed before hosts are learnt there.");

  /** The name by which other listeners order themselves. */
  public static final String NAME = "linkdiscovery";

  private static final Logger log = LoggerFactory.getLogger(LinkDiscoveryModule.class);
  private static final long TICK_MILLIS = 100;
  private static final long LOG_MILLIS = 1_000;

  /** With this run's key; in a cluster, with the key that its controllers share. */
  private volatile ProbeFrames frames = ProbeFrames.withRandomKey();

  private final List<ILinkDiscoveryListener> listeners = new CopyOnWriteArrayList<>();
  private final LongSupplier millis;

  /** Probes that wait for the next call of {@link #sendProbes}; for the tracker's thread. */
  private final ListMultimap<IOFSwitch, OFMessage> unsent =
      MultimapBuilder.linkedHashKeys().arrayListValues().build();

  private final DropLog<NodePortTuple> refused =
      new DropLog<>(
          (at, count, first) ->
              log.warn(
                  "link_probe_refused switch={} port={} count={} first=\"{}\"",
                  at.getNodeId(),
                  at.getPortId(),
                  count,
                  first));
  private LinkTimes times;
  private RefusalCounts refusals;
  private IOFSwitchService switches;
  private ScheduledExecutorService pool;
  private Executor writer;
  private @Nullable CompletableFuture<Mastership> election;
  private LinkTracker tracker;

  /** Called by the module loader. */
  public LinkDiscoveryModule() {
    this(SteadyClock.millis());
  }

  /** With a clock of milliseconds. */
  @SuppressWarnings("NullAway.Init") // the rest comes in init
  public LinkDiscoveryModule(LongSupplier millis) {
    this.millis = millis;
  }

  @Override
  public List<Setting<?>> settings() {
    return List.of(PROBE_INTERVAL_MILLIS, MISSED_PROBES, SETTLE_MILLIS);
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IFloodlightProviderService.class,
        IOFSwitchService.class,
        IThreadPoolService.class,
        RefusalCounts.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    times =
        new LinkTimes(
            settings.get(PROBE_INTERVAL_MILLIS),
            settings.get(MISSED_PROBES),
            settings.get(SETTLE_MILLIS));
    switches = context.getServiceImpl(IOFSwitchService.class);
    refusals = context.getServiceImpl(RefusalCounts.class);
    @Nullable IMastershipService roles = context.getServiceImpl(IMastershipService.class);
    election = roles == null ? null : roles.election();
    tracker = new LinkTracker(times, millis, this);
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    pool = context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor();
    writer = MoreExecutors.newSequentialExecutor(pool);
    context
        .getServiceImpl(IFloodlightProviderService.class)
        .addOFMessageListener(OFType.PACKET_IN, this);
    CompletableFuture<Mastership> inCluster = election;
    if (inCluster != null) {
      var unused =
          inCluster.thenAccept(
              master -> master.followProbeKey(key -> frames = new ProbeFrames(key)));
    }
    switches.addOFSwitchListener(this);
    switches.getAllSwitchDpids().forEach(this::switchActivated);
    Repetition repetition = new Repetition(pool);
    repetition.every(TICK_MILLIS, "checking links", writer, tracker::tick);
    repetition.every(LOG_MILLIS, "logging refused probes", this::logRefused);
  }

  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    if (!(message instanceof OFPacketIn packetIn) || !ProbeFrames.isProbe(packetIn.getData())) {
      return Command.CONTINUE;
    }
    byte[] frame = packetIn.getData();
    NodePortTuple at = new NodePortTuple(sw.getId(), packetIn.getMatch().get(MatchField.IN_PORT));
    Optional<Probe> probe = frames.read(frame);
    @Nullable Refusal problem = problem(frame, probe, at);
    if (problem != null) {
      refuse(problem, at);
    } else {
      probe.ifPresent(
          read -> writer.execute(() -> tracker.probeArrived(read.kind(), read.from(), at)));
    }
    return Command.STOP;
  }

  private @Nullable Refusal problem(byte[] frame, Optional<Probe> read, NodePortTuple at) {
    if (read.isEmpty()) {
      return ProbeFrames.isMarked(frame) ? Refusal.PROBE_FORGED : Refusal.PROBE_FOREIGN;
    }
    Probe probe = read.get();
    if (millis.getAsLong() - probe.sentMillis() > times.probeLife()) {
      return Refusal.PROBE_LATE;
    }
    // broadcasts come back from legacy switches that form a loop
    boolean isReflected = probe.kind() == ProbeKind.LLDP && probe.from().equals(at);
    return isReflected ? Refusal.PROBE_REFLECTED : null;
  }

  private void refuse(Refusal problem, NodePortTuple at) {
    refusals.count(problem);
    // LLDP of hosts and legacy switches is usual and not logged
    if (problem != Refusal.PROBE_FOREIGN) {
      refused.note(at, () -> problem.label() + ", links may be forged");
    }
  }

  private void logRefused() {
    refused.flush(TimeUnit.MILLISECONDS.toNanos(millis.getAsLong()));
  }

  @Override
  public boolean probe(NodePortTuple port, ProbeKind kind) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(port.getNodeId());
    if (sw == null) {
      return false;
    }
    @Nullable OFPortDesc description = sw.getPort(port.getPortId());
    MacAddress source =
        description == null || description.getHwAddr().equals(MacAddress.NONE)
            ? MacAddress.of(0x02_00_00_00_00_00L | (port.getNodeId().getLong() & 0xffffffffL))
            : description.getHwAddr();
    byte[] frame = frames.frame(kind, port, source, millis.getAsLong());
    unsent.put(sw, PacketMessages.packetOut(sw.getOFFactory(), List.of(port.getPortId()), frame));
    return true;
  }

  @Override
  public Set<DatapathId> sendProbes() {
    Set<DatapathId> refused = new HashSet<>();
    for (IOFSwitch sw : unsent.keySet()) {
      if (!sw.write(unsent.get(sw)).isEmpty()) {
        refused.add(sw.getId());
      }
    }
    unsent.clear();
    return refused;
  }

  @Override
  public void soon(Runnable publication, long delayMillis) {
    if (delayMillis == 0) {
      writer.execute(publication);
    } else {
      var unused =
          pool.schedule(() -> writer.execute(publication), delayMillis, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void changed(List<LDUpdate> updates) {
    for (LDUpdate update : updates) {
      log.debug("link_changed update=\"{}\"", update);
    }
    for (ILinkDiscoveryListener listener : listeners) {
      try {
        listener.linkDiscoveryUpdate(updates);
      } catch (RuntimeException e) {
        log.error("link_listener_failed listener=\"{}\"", listener, e);
      }
    }
  }

  @Override
  public void switchActivated(DatapathId switchId) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    if (sw != null) {
      List<OFPort> ports = realPorts(sw);
      writer.execute(() -> tracker.switchUp(switchId, ports));
    }
  }

  @Override
  public void switchPortChanged(DatapathId switchId, OFPortDesc port, PortChangeType change) {
    OFPort number = port.getPortNo();
    if (!PacketMessages.isReal(number)) {
      return;
    }
    boolean gone = change == PortChangeType.DELETE || change == PortChangeType.DOWN;
    if (gone || !port.isEnabled()) {
      writer.execute(() -> tracker.portDown(switchId, number));
    } else {
      writer.execute(() -> tracker.portUp(switchId, number));
    }
  }

  @Override
  public void switchRemoved(DatapathId switchId) {
    writer.execute(() -> tracker.switchDown(switchId));
  }

  /** In a cluster, a slave knows links by the master's probes. */
  @Override
  public void switchAdded(DatapathId switchId) {
    @Nullable IOFSwitch sw = switches.getSwitch(switchId);
    if (sw != null && !sw.isActive() && isInCluster()) {
      List<OFPort> ports = realPorts(sw);
      writer.execute(() -> tracker.switchObserved(switchId, ports));
    }
  }

  @Override
  public void switchDeactivated(DatapathId switchId) {
    if (isInCluster()) {
      writer.execute(() -> tracker.switchObserved(switchId, List.of()));
    } else {
      writer.execute(() -> tracker.switchDown(switchId));
    }
  }

  private boolean isInCluster() {
    return election != null && election.isDone();
  }

  private static List<OFPort> realPorts(IOFSwitch sw) {
    return sw.getEnabledPortNumbers().stream().filter(PacketMessages::isReal).toList();
  }

  @Override
  public LinkSnapshot current() {
    return tracker.current();
  }

  @Override
  public Map<Link, LinkInfo> getLinks() {
    return current().links();
  }

  @Override
  public Map<DatapathId, Set<Link>> getSwitchLinks() {
    return current().bySwitch();
  }

  @Override
  public void addListener(ILinkDiscoveryListener listener) {
    listeners.add(listener);
  }

  @Override
  public String getName() {
    return NAME;
  }
}
