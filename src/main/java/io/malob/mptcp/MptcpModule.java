package io.malob.mptcp;

import com.google.common.util.concurrent.MoreExecutors;
import io.malob.algorithm.graph.Topology;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.json.RejectedException;
import io.malob.module.BaseModule;
import io.malob.module.FloodlightSwitch;
import io.malob.module.FoundLinks;
import io.malob.module.IStoreService;
import io.malob.module.NetworkEvents;
import io.malob.module.Repetition;
import io.malob.module.SettingReader;
import io.malob.module.Settings;
import io.malob.monitor.IMonitorService;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.subflow.SubflowCompiler;
import io.malob.store.Store;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
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
 *
 * <p>Settings: {@code data}, the directory of the installed plan (without it, the plan is not
 * stored); {@code answerSeconds}, the max time that a request to install a plan waits for the
 * switches.
 */
@Settings({"data", "answerSeconds"})
@SuppressWarnings("NullAway.Init") // filled by init, before anything else is called
public final class MptcpModule extends BaseModule implements IMptcpService, IOFMessageListener {
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

  private final FlowProgrammer programmer =
      new FlowProgrammer(switchId -> FloodlightSwitch.active(this.switches, switchId));
  private IFloodlightProviderService provider;
  private IOFSwitchService switches;
  private IDeviceService devices;
  private ITopologyService topologyService;
  private ISwitchCapabilityService capabilities;
  private IMonitorService monitor;
  private ScheduledExecutorService timer;
  private Executor serialExecutor;
  private RuleInstaller installer;
  private RuleCounts counts;
  private PlanKeeper keeper;
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
    timer = context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor();
    serialExecutor = MoreExecutors.newSequentialExecutor(timer);
    answerSeconds = settings.number("answerSeconds", 5, 1, 60);
    installer =
        new RuleInstaller(
            programmer,
            serialExecutor,
            this::later,
            new SecureRandom()::nextInt,
            capabilities::layout);
    counts = new RuleCounts(switches, installer, serialExecutor);
    keeper =
        openKeeper(
            context.getServiceImpl(IStoreService.class).inDirectory(settings.text("data", "")));
    neighbours = new AliasNeighbours(() -> keeper.view().addresses(), programmer);
    refusals = new SubflowRefusals(() -> keeper.view(), programmer);
  }

  /** The links that were found, between switches of known layout. */
  private Topology foundNetwork() {
    Topology found = FoundLinks.between(switches, topologyService);
    return Topology.of(
        found.switches().stream().filter(this::isKnown).toList(),
        found.links().stream().filter(link -> isKnown(link.src()) && isKnown(link.dst())).toList());
  }

  private boolean isKnown(DatapathId switchId) {
    return capabilities.layout(switchId) != null;
  }

  private PlanKeeper openKeeper(Store store) throws FloodlightModuleException {
    try {
      return new PlanKeeper(
          new SeenNetwork(devices, monitor, capabilities),
          this::foundNetwork,
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
    serialExecutor.execute(keeper::resume);
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
      keeper.follow();
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
    if (keeper.view().applied().isEmpty()) {
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
      plan = keeper.dryRun(request);
    }
    return shown(LabelledPlan.fresh(plan));
  }

  private Map<String, @Nullable Object> shown(LabelledPlan plan) {
    return new PlanFormat(DatapathId::toString)
        .shown(plan.plan(), SubflowCompiler.compile(capabilities::layout, plan.rules(List.of())));
  }

  @Override
  public Map<String, @Nullable Object> apply(byte[] request) throws RejectedException {
    await(done -> keeper.apply(request, done));
    return status();
  }

  @Override
  public boolean clear() throws RejectedException {
    AtomicBoolean was = new AtomicBoolean();
    await(done -> was.set(keeper.clear(done)));
    return was.get();
  }

  @Override
  public boolean isInForce() {
    return !keeper.view().changing() && installer.condition().missing().isEmpty();
  }

  private interface Change {
    void make(Runnable done) throws RejectedException;
  }

  /** Makes a change in order, and waits a limited time for the confirmation of switches. */
  private void await(Change change) throws RejectedException {
    CompletableFuture<Optional<RejectedException>> refused = new CompletableFuture<>();
    CompletableFuture<Boolean> confirmed = new CompletableFuture<>();
    serialExecutor.execute(
        () -> {
          try {
            change.make(() -> confirmed.complete(true));
            refused.complete(Optional.empty());
          } catch (RejectedException e) {
            refused.complete(Optional.of(e));
          } catch (RuntimeException e) {
            refused.completeExceptionally(e);
          }
        });
    try {
      Optional<RejectedException> why = refused.get();
      if (why.isPresent()) {
        throw why.get();
      }
      confirmed.get(answerSeconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      // status and isInForce show the result
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public Map<String, @Nullable Object> status() {
    PlanKeeper.View view = keeper.view();
    RuleInstaller.Condition rules = installer.condition();
    Map<String, @Nullable Object> status = new LinkedHashMap<>();
    status.put("state", state(view, rules));
    status.put("trouble", view.trouble().orElse(null));
    status.put("replans", view.replans());
    status.put("switches_missing", texts(rules.missing()));
    status.put("switches_refusing", texts(rules.refusing()));
    status.put("packets_for_nobody", undelivered.sum());
    status.put("plan", view.applied().map(applied -> shown(applied.labelled())).orElse(null));
    return status;
  }

  private static String state(PlanKeeper.View view, RuleInstaller.Condition rules) {
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
    return keeper
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
