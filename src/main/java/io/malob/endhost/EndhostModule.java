package io.malob.endhost;

import com.google.common.util.concurrent.MoreExecutors;
import io.malob.capability.FeatureProbes;
import io.malob.capability.SwitchFeature;
import io.malob.json.RejectedException;
import io.malob.module.BaseModule;
import io.malob.module.FloodlightSwitch;
import io.malob.module.Repetition;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.module.SwitchListener;
import io.malob.module.Tasks;
import io.malob.module.Unordered;
import io.malob.openflow.RuleSender;
import io.malob.openflow.uplink.UplinkCookie;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
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
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A host's own flows over its uplinks, as a Floodlight module: wires its parts to the controller's
 * events. Until a network is configured it does nothing, and it never changes other switches than
 * the host's.
 */
@SuppressWarnings("NullAway.Init") // filled by init, before anything else is called
public final class EndhostModule extends BaseModule
    implements IEndhostService, IOFMessageListener, Unordered<OFType>, SwitchListener {
  private static final Setting<Integer> MAX_FLOWS =
      Setting.number("maxFlows", 20_000, 1, 1_000_000)
          .describedAs("The max number of open flows of a host with several uplinks.");

  private static final String NAME = "malobendhost";

  /** Other modules must not get messages of the host's switch. */
  private static final Set<String> AFTER =
      Set.of("linkdiscovery", "topology", "devicemanager", "loadbalancer", "forwarding");

  private static final int SWEEP_MILLIS = 1_000;

  private final LongSupplier nanoTime;
  private final UplinksMaker uplinksMaker;
  private final Tasks tasks;
  private final RuleSender ruleSender =
      new RuleSender(switchId -> FloodlightSwitch.active(this.switches, switchId));
  private IFloodlightProviderService provider;
  private IOFSwitchService switches;
  private ScheduledExecutorService timer;
  private Executor serialExecutor;
  private Uplinks uplinks;
  private UplinkChoice choice;
  private OpenFlows flows;
  private FlowEnds ends;
  private Races races;

  /** Its own: this module's controller needs no layouts, and so has no module that probes them. */
  private final FeatureProbes features = new FeatureProbes();

  private FixedRules rules;
  private WiredHost host;
  private ConfigurationWriter configuration;
  private RefusedFlows refusedFlows;
  private PacketIns packets;
  private Refusals refusals;
  private HostStatus status;

  /** For the module loader. */
  public EndhostModule() {
    this(System::nanoTime, EndhostModule::measured);
  }

  /** A module on a clock of its own. */
  EndhostModule(LongSupplier nanoTime, UplinksMaker uplinksMaker) {
    this.nanoTime = nanoTime;
    this.uplinksMaker = uplinksMaker;
    this.tasks = new Tasks(nanoTime);
  }

  /** Creates the parts that depend on the uplinks. */
  interface UplinksMaker {
    Uplinks make(IOFSwitchService switches, Executor serialExecutor, Repetition repetition);
  }

  private static Uplinks measured(
      IOFSwitchService switches, Executor serialExecutor, Repetition repetition) {
    MeasuredUplinks uplinks =
        new MeasuredUplinks(switches, serialExecutor, System::nanoTime, new Random()::nextDouble);
    repetition.after(
        uplinks::pauseMillis,
        "measuring uplinks",
        serialExecutor,
        () -> uplinks.view().ifPresent(configured -> uplinks.tick()));
    return uplinks;
  }

  @Override
  public List<Setting<?>> settings() {
    return List.of(MAX_FLOWS);
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IFloodlightProviderService.class, IOFSwitchService.class, IThreadPoolService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    provider = context.getServiceImpl(IFloodlightProviderService.class);
    switches = context.getServiceImpl(IOFSwitchService.class);
    timer = context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor();
    serialExecutor = MoreExecutors.newSequentialExecutor(timer);
    long start = nanoTime.getAsLong();
    uplinks = uplinksMaker.make(switches, serialExecutor, new Repetition(timer, tasks));
    choice = new UplinkChoice();
    flows = new OpenFlows(settings.get(MAX_FLOWS), choice, UplinkCookie.generation(start));
    refusals = new Refusals();
    FlowSender sender = new FlowSender(ruleSender);
    Resets resets = new Resets(sender);
    ends = new FlowEnds(flows, sender);
    rules = new FixedRules(ruleSender, features, (int) (start >>> 20));
    host =
        new WiredHost(
            ruleSender,
            rules,
            flows,
            sender,
            resets,
            wirings ->
                new FlowReading(
                    switches,
                    flows,
                    choice,
                    sender,
                    resets,
                    wirings,
                    this::resetLater,
                    serialExecutor,
                    nanoTime),
            serialExecutor,
            this::resetLater,
            nanoTime);
    configuration = new ConfigurationWriter(uplinks, choice, host, serialExecutor);
    refusedFlows = new RefusedFlows(flows, serialExecutor, this::endRefused);
    FirstPackets firstPackets = new FirstPackets();
    races = new Races();
    FlowPlacer placer =
        new FlowPlacer(flows, choice, sender, refusals, resets, races, this::seesAnswers, nanoTime);
    packets =
        new PacketIns(
            uplinks,
            placer,
            ends,
            new NeighbourProxy(sender),
            new IcmpErrors(flows, races, sender, refusals),
            firstPackets,
            refusals,
            nanoTime);
    status = new HostStatus(flows, choice, refusals, firstPackets, races);
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    uplinks.addListener(host::viewChanged);
    switches.addOFSwitchListener(this);
    provider.addOFMessageListener(OFType.PACKET_IN, this);
    provider.addOFMessageListener(OFType.FLOW_REMOVED, this);
    provider.addOFMessageListener(OFType.ERROR, this);
    Repetition repetition = new Repetition(timer, tasks);
    repetition.every(SWEEP_MILLIS, "checking a host's flows", serialExecutor, host::check);
    repetition.every(SWEEP_MILLIS, "sweeping a host's flows", serialExecutor, this::sweep);
  }

  private void sweep() {
    host.wiring().ifPresent(wiring -> ends.sweep(wiring, nanoTime.getAsLong()));
    races.sweep(nanoTime.getAsLong());
  }

  private void resetLater() {
    ScheduledFuture<?> unused =
        timer.schedule(
            () -> serialExecutor.execute(this::resetMore),
            Resets.TICK_MILLIS,
            TimeUnit.MILLISECONDS);
  }

  /** After a failure, pending resets wait for the next reset. */
  private void resetMore() {
    tasks.run(
        "resetting a host's flows",
        () -> {
          if (host.resetMore()) {
            resetLater();
          }
        });
  }

  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    Optional<Wiring> hosts = host.wiring().filter(now -> now.switchId().equals(sw.getId()));
    if (message instanceof OFPacketIn packetIn) {
      hosts.ifPresent(
          wiring ->
              packets.take(
                  wiring,
                  packetIn.getMatch().get(MatchField.IN_PORT),
                  packetIn.getCookie(),
                  packetIn.getData()));
      // a packet of rules from before a restart, until the host is configured; no other module
      // handles it
      return hosts.isPresent() || UplinkCookie.isOurs(packetIn.getCookie())
          ? Command.STOP
          : Command.CONTINUE;
    }
    if (hosts.isEmpty()) {
      return Command.CONTINUE;
    }
    if (message instanceof OFFlowRemoved removed) {
      return removed(removed);
    }
    return message instanceof OFErrorMsg error && isRefusal(error)
        ? Command.STOP
        : Command.CONTINUE;
  }

  private boolean isRefusal(OFErrorMsg error) {
    return features.refused(error) || refusedFlows.take(error);
  }

  private void endRefused(Flow flow) {
    if (host.endRefused(flow)) {
      refusals.count(Refusal.RULE_REFUSED);
    }
  }

  private Command removed(OFFlowRemoved removed) {
    if (!UplinkCookie.isOurs(removed.getCookie())) {
      return Command.CONTINUE;
    }
    ends.removed(removed, nanoTime.getAsLong());
    return Command.STOP;
  }

  @Override
  public Map<String, @Nullable Object> status() {
    Optional<HostView> view = uplinks.view();
    boolean connected =
        view.filter(now -> switches.getActiveSwitch(now.network().switchId()) != null).isPresent();
    return status.status(view, connected);
  }

  @Override
  public Map<String, @Nullable Object> configure(byte[] request) throws RejectedException {
    configuration.configure(request);
    return status();
  }

  @Override
  public Map<String, @Nullable Object> setAlgorithm(byte[] request) throws RejectedException {
    configuration.setAlgorithm(request);
    return status();
  }

  @Override
  public Map<String, @Nullable Object> setCapacity(String uplink, byte[] request)
      throws RejectedException {
    configuration.setCapacity(uplink, request);
    return status();
  }

  @Override
  public List<Map<String, @Nullable Object>> flows(int limit) throws RejectedException {
    HostView view = uplinks.view().orElseThrow(ConfigurationWriter::notConfigured);
    return status.flows(view, limit, nanoTime.getAsLong());
  }

  @Override
  public boolean clear() {
    return configuration.clear();
  }

  @Override
  public boolean isInForce() {
    return configuration.isInForce();
  }

  @Override
  public void switchActivated(DatapathId switchId) {
    if (isHosts(switchId)) {
      host.switchActivated(switchId);
    }
    // even if the switch is not known as the host's yet: its configuration may be on the way
    uplinks.switchChanged();
  }

  @Override
  public void switchRemoved(DatapathId switchId) {
    features.forget(switchId);
    if (isHosts(switchId)) {
      uplinks.switchGone();
    }
  }

  @Override
  public void switchDeactivated(DatapathId switchId) {
    switchRemoved(switchId);
  }

  @Override
  public void switchPortChanged(DatapathId switchId, OFPortDesc port, PortChangeType change) {
    if (isHosts(switchId)) {
      uplinks.switchChanged();
    }
  }

  /** Whether answers to first packets come to the controller. */
  private boolean seesAnswers() {
    return host.wiring()
        .filter(wiring -> !features.has(wiring.switchId(), SwitchFeature.TCP_FLAGS))
        .isEmpty();
  }

  private boolean isHosts(DatapathId switchId) {
    return uplinks.view().filter(view -> view.network().switchId().equals(switchId)).isPresent();
  }

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public boolean isCallbackOrderingPostreq(OFType type, String name) {
    return AFTER.contains(name);
  }
}
