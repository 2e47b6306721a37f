package io.malob.mptcp;

import com.google.common.util.concurrent.MoreExecutors;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.module.BaseModule;
import io.malob.module.FloodlightSwitch;
import io.malob.module.IStoreService;
import io.malob.module.NetworkEvents;
import io.malob.module.Repetition;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.monitor.IMonitorService;
import io.malob.openflow.LabelGroups;
import io.malob.openflow.RuleCompiler;
import io.malob.openflow.RuleSender;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import io.malob.store.Store;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes of MPTCP sub-flows as a Floodlight module: wires its parts to the controller's events.
 */
@SuppressWarnings("NullAway.Init") // filled by init, before anything else is called
public final class MptcpModule extends BaseModule implements IMptcpService, IOFMessageListener {
  private static final Setting<Integer> ANSWER_SECONDS =
      Setting.number("answerSeconds", 5, 1, 60)
          .describedAs(
              "The max time in seconds that a request to install a plan waits for the switches.");

  private static final Logger LOG = LoggerFactory.getLogger(MptcpModule.class);
  private static final String NAME = "malobmptcp";

  /** Listeners that must handle a packet before this module. */
  private static final Set<String> BEFORE = Set.of("linkdiscovery", "topology", "devicemanager");

  /** Listeners for packets that this module ignores. */
  private static final Set<String> AFTER = Set.of("loadbalancer", "forwarding");

  /** The max time that packets are in transit on former rules. */
  private static final long UNDER_WAY_MILLIS = 2_000;

  private static final long GATHER_MILLIS = 100;
  private static final long COUNT_MILLIS = 30_000;
  private static final long RETRY_MILLIS = 1_000;
  private static final long FOLLOW_MILLIS = 5_000;

  private final LongSupplier nanoTime;
  private final AtomicBoolean followSoon = new AtomicBoolean();
  private final LongAdder undelivered = new LongAdder();

  /** Only one dry run at a time. */
  private final Object planning = new Object();

  private final RuleSender ruleSender =
      new RuleSender(switchId -> FloodlightSwitch.active(this.switches, switchId));
  private IFloodlightProviderService provider;
  private IOFSwitchService switches;
  private IDeviceService devices;
  private ITopologyService topologyService;
  private ISwitchCapabilityService capabilities;
  private RuleCompiler compiler;
  private IMonitorService monitor;
  private ScheduledExecutorService timer;
  private Executor serialExecutor;
  private RuleInstaller installer;
  private RuleCounts counts;
  private PlanTracker tracker;
  private AliasNeighbours neighbours;
  private SubflowRefusals refusals;
  private int answerSeconds;

  /** For the module loader. */
  public MptcpModule() {
    this(System::nanoTime);
  }

  /** A module on a clock of its own. */
  MptcpModule(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public List<Setting<?>> settings() {
    return List.of(DATA, ANSWER_SECONDS);
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IFloodlightProviderService.class,
        IOFSwitchService.class,
        IDeviceService.class,
        ITopologyService.class,
        IThreadPoolService.class,
        IStoreService.class,
        IMonitorService.class,
        ISwitchCapabilityService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    provider = context.getServiceImpl(IFloodlightProviderService.class);
    switches = context.getServiceImpl(IOFSwitchService.class);
    devices = context.getServiceImpl(IDeviceService.class);
    topologyService = context.getServiceImpl(ITopologyService.class);
    monitor = context.getServiceImpl(IMonitorService.class);
    capabilities = context.getServiceImpl(ISwitchCapabilityService.class);
    compiler = new RuleCompiler(capabilities::layout, new LabelGroups());
    timer = context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor();
    serialExecutor = MoreExecutors.newSequentialExecutor(timer);
    answerSeconds = settings.get(ANSWER_SECONDS);
    installer =
        new RuleInstaller(
            ruleSender, serialExecutor, this::later, new SecureRandom()::nextInt, compiler);
    counts = new RuleCounts(switches, installer, serialExecutor);
    tracker =
        openTracker(context.getServiceImpl(IStoreService.class).inDirectory(settings.get(DATA)));
    neighbours = new AliasNeighbours(() -> tracker.view().addresses(), ruleSender);
    refusals = new SubflowRefusals(() -> tracker.view(), ruleSender);
  }

  private PlanTracker openTracker(Store store) throws FloodlightModuleException {
    try {
      return new PlanTracker(
          new SeenNetwork(switches, topologyService, devices, monitor, compiler),
          new LinkLife(nanoTime, this::isUp),
          installer,
          store);
    } catch (IOException e) {
      throw new FloodlightModuleException("The MPTCP plan cannot be read: " + e.getMessage(), e);
    }
  }

  private boolean isUp(DatapathId switchId, OFPort port) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    return sw != null && sw.getEnabledPortNumbers().contains(port);
  }

  private void later(Runnable work) {
    ScheduledFuture<?> unused =
        timer.schedule(() -> serialExecutor.execute(work), UNDER_WAY_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    serialExecutor.execute(tracker::resume);
    NetworkEvents events = new NetworkEvents(NAME, new Changes());
    switches.addOFSwitchListener(events);
    topologyService.addListener(events);
    devices.addListener(events);
    provider.addOFMessageListener(OFType.PACKET_IN, this);
    provider.addOFMessageListener(OFType.ERROR, this);
    Repetition repetition = new Repetition(timer);
    repetition.every(FOLLOW_MILLIS, "adapting to the network", this::networkChanged);
    repetition.every(
        RETRY_MILLIS, "completing rules for sub-flows", serialExecutor, installer::retry);
    repetition.every(COUNT_MILLIS, "counting rules for sub-flows", serialExecutor, counts::compare);
  }

  /** Events that the plan depends on. */
  private final class Changes implements NetworkEvents.Follower {
    @Override
    public void switchActivated(DatapathId switchId) {
      CompletableFuture<Void> unused =
          capabilities
              .whenKnown(switchId)
              .thenRun(
                  () -> {
                    serialExecutor.execute(() -> installer.switchActive(switchId));
                    networkChanged();
                  });
    }

    @Override
    public void switchRemoved(DatapathId switchId) {
      serialExecutor.execute(() -> installer.switchGone(switchId));
      networkChanged();
    }

    @Override
    public void topologyChanged() {
      networkChanged();
    }

    @Override
    public void hostChanged(IDevice device) {
      networkChanged();
    }

    @Override
    public void hostVlanChanged(IDevice device) {
      networkChanged();
    }
  }

  /** Links or hosts have changed; changes within a short time are handled together. */
  private void networkChanged() {
    if (followSoon.compareAndSet(false, true)) {
      ScheduledFuture<?> unused =
          timer.schedule(
              () -> serialExecutor.execute(this::follow), GATHER_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void follow() {
    followSoon.set(false);
    try {
      tracker.follow();
    } catch (RuntimeException e) {
      LOG.error("mptcp_plan_stuck - it could not adapt to the network", e);
    }
  }

  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    if (message instanceof OFErrorMsg error) {
      boolean isOurs = installer.refused(sw.getId(), error.getXid());
      return isOurs ? Command.STOP : Command.CONTINUE;
    }
    return message instanceof OFPacketIn packetIn && take(sw.getId(), packetIn)
        ? Command.STOP
        : Command.CONTINUE;
  }

  private boolean take(DatapathId switchId, OFPacketIn packetIn) {
    if (tracker.view().applied().isEmpty()) {
      return false;
    }
    Packet packet = Packet.parse(packetIn.getData());
    if (Label.isOfSubflow(packet.dstMac())) {
      if (!refusals.handle(packet)) {
        // no host has the address, or its rule is missing, which the poll of rule counts detects
        undelivered.increment();
      }
      return true;
    }
    return neighbours.handle(switchId, packetIn.getMatch().get(MatchField.IN_PORT), packet);
  }

  @Override
  public Map<String, @Nullable Object> plan(byte[] request) throws RejectedException {
    NetworkPlan plan;
    synchronized (planning) {
      plan = tracker.dryRun(request);
    }
    return shown(LabelledPlan.fresh(plan));
  }

  private Map<String, @Nullable Object> shown(LabelledPlan plan) {
    return new PlanFormat(DatapathId::toString)
        .shown(plan.plan(), compiler.compile(plan.rules(List.of())));
  }

  @Override
  public Map<String, @Nullable Object> apply(byte[] request) throws RejectedException {
    await(done -> tracker.apply(request, done));
    return status();
  }

  @Override
  public boolean clear() throws RejectedException {
    AtomicBoolean was = new AtomicBoolean();
    await(done -> was.set(tracker.clear(done)));
    return was.get();
  }

  @Override
  public boolean isInForce() {
    return !tracker.view().changing() && installer.condition().missing().isEmpty();
  }

  private interface Change {
    void make(Runnable done) throws RejectedException;
  }

  /** Makes a change in order, and waits a limited time for the confirmation of switches. */
  private void await(Change change) throws RejectedException {
    CompletableFuture<Boolean> confirmed = new CompletableFuture<>();
    FutureTask<Boolean> made =
        new FutureTask<>(
            () -> {
              change.make(() -> confirmed.complete(true));
              return true;
            });
    serialExecutor.execute(made);
    try {
      made.get();
      confirmed.get(answerSeconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      // status and isInForce show the result
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RejectedException rejected) {
        throw rejected;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public Map<String, @Nullable Object> status() {
    PlanTracker.View view = tracker.view();
    RuleInstaller.Condition rules = installer.condition();
    return Json.fields(
        "state", state(view, rules),
        "trouble", view.trouble(),
        "replans", view.replans(),
        "switches_missing", texts(rules.missing()),
        "switches_refusing", texts(rules.refusing()),
        "packets_for_nobody", undelivered.sum(),
        "plan", view.applied().map(applied -> shown(applied.labelled())));
  }

  private static String state(PlanTracker.View view, RuleInstaller.Condition rules) {
    if (view.applied().isEmpty()) {
      return "none";
    }
    if (view.changing()) {
      return "applying";
    }
    boolean whole =
        view.trouble().isEmpty() && rules.missing().isEmpty() && rules.refusing().isEmpty();
    return whole ? "applied" : "degraded";
  }

  private static List<String> texts(Collection<DatapathId> switches) {
    return switches.stream().map(DatapathId::toString).collect(Collectors.toList());
  }

  @Override
  public Optional<String> picture() {
    return tracker
        .view()
        .applied()
        .map(applied -> PlanPicture.of(applied.plan(), DatapathId::toString));
  }

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public boolean isCallbackOrderingPrereq(OFType type, String name) {
    return type == OFType.PACKET_IN && BEFORE.contains(name);
  }

  @Override
  public boolean isCallbackOrderingPostreq(OFType type, String name) {
    return AFTER.contains(name);
  }
}
