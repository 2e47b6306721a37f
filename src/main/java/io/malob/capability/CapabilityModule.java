package io.malob.capability;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.module.BaseModule;
import io.malob.module.IPacketInQueueService;
import io.malob.module.IPeerService;
import io.malob.module.PeerTopic;
import io.malob.module.Repetition;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.module.SwitchListener;
import io.malob.module.Unordered;
import io.malob.openflow.TableLayout;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Finds out what switches can do, and how full their tables are.
 *
 * <p>Settings: {@code layouts}, layouts that operators choose, each as {@code DPID=LAYOUT}; {@code
 * trackedZone}, where switches are to track connections.
 */
@SuppressWarnings("NullAway.Init") // filled by init, before anything else is called
public final class CapabilityModule extends BaseModule
    implements ISwitchCapabilityService, SwitchListener, IOFMessageListener, Unordered<OFType> {
  private static final Setting<String> LAYOUTS =
      Setting.text("layouts", "")
          .describedAs(
              "The layouts of switches' rules that are not to be found out by probes,"
                  + " DPID=LAYOUT,…, for example 00:00:00:00:00:00:00:02=one-table; the layouts"
                  + " are four-tables, one-table-with-groups, one-table and labels-only.");

  private static final Setting<Integer> TRACKED_ZONE =
      Setting.number("trackedZone", 7_777, 1, 0xfffd)
          .describedAs(
              "The zone of Open vSwitch's connection tracking in which switches track the"
                  + " connections of tracked VIPs, and are probed for it; they also use the next"
                  + " two. The bridges of a host share their zones, so no other application should"
                  + " use these.");

  private static final long TELLING_MILLIS = 200;

  /** How long a switch has been active when it is asked for the features of its tables. */
  private static final long FEATURES_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final LongSupplier nanoTime;
  private IOFSwitchService switches;
  private IFloodlightProviderService provider;
  private IThreadPoolService threads;
  private Executor serialExecutor;
  private final FeatureProbes probes = new FeatureProbes();
  private SwitchProber prober;
  private TrackingProber tracking;
  private int trackedZone;
  private Capabilities capabilities;
  private TableFill fill;
  private TableFeatureReader features;
  private RulePolling rules;

  /** Null without a cluster. */
  private @Nullable PeerCapabilities peers;

  /** For the module loader. */
  public CapabilityModule() {
    this(System::nanoTime);
  }

  /** A module on a clock of its own. */
  CapabilityModule(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public List<Setting<?>> settings() {
    return List.of(LAYOUTS, TRACKED_ZONE);
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IFloodlightProviderService.class, IOFSwitchService.class, IThreadPoolService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    switches = context.getServiceImpl(IOFSwitchService.class);
    provider = context.getServiceImpl(IFloodlightProviderService.class);
    threads = context.getServiceImpl(IThreadPoolService.class);
    serialExecutor = MoreExecutors.newSequentialExecutor(threads.getScheduledExecutor());
    prober = new SwitchProber(threads.getScheduledExecutor());
    trackedZone = settings.get(TRACKED_ZONE);
    // real Floodlight, which lacks this service, rejects each message that tells of a rule with
    // actions of connection tracking
    boolean isTrackingOffered = context.getServiceImpl(IPacketInQueueService.class) != null;
    tracking = new TrackingProber(threads.getScheduledExecutor(), trackedZone, isTrackingOffered);
    capabilities =
        new Capabilities(
            prober,
            tracking,
            ForcedLayouts.parse(LAYOUTS.of(CapabilityModule.class), settings.get(LAYOUTS)),
            nanoTime,
            this::known);
    fill = new TableFill(nanoTime);
    features = new TableFeatureReader(switches, nanoTime, FEATURES_NANOS, this::described);
    rules = new RulePolling(switches, nanoTime, fill::setRules);
    // real Floodlight has no such service
    @Nullable IPeerService peerService = context.getServiceImpl(IPeerService.class);
    if (peerService != null) {
      PeerCapabilities shared =
          new PeerCapabilities(peerService, capabilities::own, capabilities::learn, serialExecutor);
      peerService.listen(PeerTopic.CAPABILITIES, shared);
      peers = shared;
    }
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    provider.addOFMessageListener(OFType.ERROR, this);
    provider.addOFMessageListener(OFType.PACKET_IN, this);
    switches.addOFSwitchListener(this);
    Repetition repetition = new Repetition(threads.getScheduledExecutor());
    repetition.every(RulePolling.TICK_MILLIS, "asking switches for their tables", features::tick);
    repetition.every(RulePolling.TICK_MILLIS, "counting rules", rules::tick);
    if (peers != null) {
      repetition.every(TELLING_MILLIS, "telling of capabilities", serialExecutor, peers::publish);
    }
  }

  private void known(DatapathId switchId, KnownCapability capability) {
    SwitchCapability known = capability.capability();
    known.refused().forEach(feature -> probes.refused(switchId, feature));
    switch (known.tracking()) {
      case ACCEPTED -> probes.accepted(switchId, SwitchFeature.CONNECTION_TRACKING);
      case REFUSED -> probes.refused(switchId, SwitchFeature.CONNECTION_TRACKING);
      case PENDING -> {}
    }
    if (peers != null) {
      peers.changed(switchId, capability);
    }
  }

  private void described(DatapathId switchId, TableFeatures described) {
    fill.setMax(switchId, described.maxRules());
    capabilities.claimed(switchId, described.claimed());
  }

  @Override
  public void switchActivated(DatapathId switchId) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    if (sw != null) {
      capabilities.activated(sw);
      features.add(switchId);
    }
  }

  @Override
  public void switchDeactivated(DatapathId switchId) {
    capabilities.deactivated(switchId);
    probes.forget(switchId);
    fill.forget(switchId);
  }

  @Override
  public void switchRemoved(DatapathId switchId) {
    switchDeactivated(switchId);
  }

  @Override
  public String getName() {
    return ISwitchCapabilityService.LISTENER;
  }

  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    boolean isOfProbe =
        message instanceof OFPacketIn packetIn
            ? tracking.returned(sw.getId(), packetIn)
            : message instanceof OFErrorMsg error
                && (prober.refused(sw.getId(), error)
                    || tracking.refused(sw.getId(), error)
                    || probes.refused(error));
    return isOfProbe ? Command.STOP : Command.CONTINUE;
  }

  /** No other module may take the packet of a probe for a host's. */
  @Override
  public boolean isCallbackOrderingPostreq(OFType type, String name) {
    return type == OFType.PACKET_IN;
  }

  @Override
  public @Nullable TableLayout layout(DatapathId switchId) {
    @Nullable SwitchCapability known = capabilities.of(switchId);
    return known == null ? null : known.layout();
  }

  @Override
  public CompletableFuture<TableLayout> whenKnown(DatapathId switchId) {
    return capabilities.whenKnown(switchId);
  }

  @Override
  public ImmutableSortedMap<DatapathId, SwitchCapability> capabilities() {
    return capabilities.all();
  }

  @Override
  public FeatureProbes features() {
    return probes;
  }

  @Override
  public int trackedZone() {
    return trackedZone;
  }

  @Override
  public ImmutableSortedMap<DatapathId, ImmutableSortedMap<Integer, TableUse>> tables() {
    return fill.tables();
  }
}
