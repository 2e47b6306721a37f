package io.malob.agent;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.algorithm.AddressText;
import io.malob.capability.FeatureProbes;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.module.AttachedHosts;
import io.malob.module.BaseModule;
import io.malob.module.DropLog;
import io.malob.module.FloodlightSwitch;
import io.malob.module.IPeerService;
import io.malob.module.IStoreService;
import io.malob.module.PeerTopic;
import io.malob.module.Repetition;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.module.Unordered;
import io.malob.monitor.IMonitorService;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.Packet;
import io.malob.state.network.ServerTracker;
import io.malob.state.report.Agent;
import io.malob.state.report.AgentTable;
import io.malob.state.report.RejectedReportException;
import io.malob.state.report.ReplayGuard;
import io.malob.state.report.ReportCounts;
import io.malob.state.report.ReportIntake;
import io.malob.store.Store;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.IShutdownService;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.IPAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the reports of agents on servers and network nodes, which arrive by UDP at addresses
 * that no host has.
 */
@SuppressWarnings("NullAway.Init") // filled by init, before anything else is called
public final class AgentModule extends BaseModule
    implements IAgentService, IOFMessageListener, Unordered<OFType> {
  private static final Setting<String> AGENTS_FILE =
      Setting.text("agentsFile", "")
          .describedAs(
              "The file of the agents and their keys; empty: agents.json in the data directory.");
  private static final Setting<String> SERVER_ADDRESS =
      Setting.text("serverAddress", "192.168.9.19")
          .describedAs(
              "The address to which servers' agents send reports, or one of each family,"
                  + " separated by a comma; no host has it, and the first switch sends the"
                  + " packets to the controller.");
  private static final Setting<String> LINK_ADDRESS =
      Setting.text("linkAddress", "192.168.9.29").describedAs("The same for link agents.");
  private static final Setting<Integer> PORT =
      Setting.number("port", 9_876, 1, 65_535)
          .describedAs("The UDP port to which agents send reports.");
  private static final Setting<Integer> REPORTS_PER_SECOND =
      Setting.number("reportsPerSecond", 20, 1, 100_000)
          .describedAs("The max number of reports per second from one agent's address.");
  private static final Setting<Integer> PACKETS_PER_SECOND =
      Setting.number("packetsPerSecondAndSwitch", 1_000, 1, 1_000_000)
          .describedAs("The max number of reports per second from a switch with meters.");

  private static final Logger LOG = LoggerFactory.getLogger(AgentModule.class);
  private static final String NAME = "malobagents";
  private static final ImmutableSet<String> AFTER =
      ImmutableSet.of(
          "linkdiscovery",
          "topology",
          "devicemanager",
          "malobagentsarp",
          "loadbalancer",
          "forwarding");

  /** The source of reports by REST. */
  private static final IPAddress<?> NOT_A_PACKET = IPAddress.of("0.0.0.0");

  private static final long LOG_MILLIS = 5_000;
  private static final long REFRESH_MILLIS = 60_000;

  private final LongSupplier nanoTime;
  private final LongSupplier wallMillis;
  private final ReportCounts counts = new ReportCounts();
  private final DropLog<IPAddress<?>> log =
      new DropLog<>(
          (source, count, first) ->
              LOG.warn(
                  "reports_dropped source={} count={} first=\"{}\"",
                  source.equals(NOT_A_PACKET) ? "http" : source,
                  count,
                  first));
  private final RuleSender ruleSender =
      new RuleSender(switchId -> FloodlightSwitch.active(this.switches, switchId));
  private IFloodlightProviderService provider;
  private IOFSwitchService switches;
  private ScheduledExecutorService timer;
  private StoredAgents agents;
  private StoredGuard guard;
  private ReportIntake intake;
  private @Nullable PeerReports peerReports;
  private IMonitorService monitor;
  private ServerTracker servers;
  private ReportPackets packets;
  private ReportSwitches reportSwitches;
  private Executor serialExecutor;
  private int reportsPerSecond;

  /** For the module loader. */
  public AgentModule() {
    this(System::nanoTime, System::currentTimeMillis);
  }

  /** A module on clocks of its own. */
  AgentModule(LongSupplier nanoTime, LongSupplier wallMillis) {
    this.nanoTime = nanoTime;
    this.wallMillis = wallMillis;
  }

  @Override
  public List<Setting<?>> settings() {
    return List.of(
        DATA,
        AGENTS_FILE,
        SERVER_ADDRESS,
        LINK_ADDRESS,
        PORT,
        REPORTS_PER_SECOND,
        PACKETS_PER_SECOND);
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IFloodlightProviderService.class,
        IOFSwitchService.class,
        IDeviceService.class,
        IThreadPoolService.class,
        IShutdownService.class,
        IStoreService.class,
        IMonitorService.class,
        ISwitchCapabilityService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    provider = context.getServiceImpl(IFloodlightProviderService.class);
    switches = context.getServiceImpl(IOFSwitchService.class);
    timer = context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor();
    serialExecutor = MoreExecutors.newSequentialExecutor(timer);
    open(settings, context.getServiceImpl(IStoreService.class));
    monitor = context.getServiceImpl(IMonitorService.class);
    servers = monitor.servers();
    reportsPerSecond = settings.get(REPORTS_PER_SECOND);
    intake =
        new ReportIntake(
            agents,
            new ReplayGuard(guard.get(), nanoTime.getAsLong()),
            counts,
            wallMillis,
            new MeasuredReports(
                monitor, new AttachedHosts(context.getServiceImpl(IDeviceService.class)), counts));
    @Nullable IPeerService peers = context.getServiceImpl(IPeerService.class);
    if (peers != null) {
      PeerReports reports = new PeerReports(peers, intake, nanoTime, serialExecutor);
      peers.listen(PeerTopic.REPORTS, reports);
      intake.whenAccepted(reports);
      peerReports = reports;
    }
    build(settings, context.getServiceImpl(ISwitchCapabilityService.class).features());
    context.getServiceImpl(IShutdownService.class).registerShutdownListener(this::save);
  }

  /** The agents, and their last reports. */
  private void open(SettingReader settings, IStoreService stores) throws FloodlightModuleException {
    String data = settings.get(DATA);
    String file = settings.given(AGENTS_FILE).orElse(data.isEmpty() ? "agents.json" : "");
    Store kept = stores.inDirectory(data);
    try {
      agents = new StoredAgents(file.isEmpty() ? kept : stores.inFile(Path.of(file)));
      guard = new StoredGuard(kept);
    } catch (IOException e) {
      throw new FloodlightModuleException("The agents cannot be read: " + e.getMessage(), e);
    }
  }

  private void build(SettingReader settings, FeatureProbes features)
      throws FloodlightModuleException {
    int port = settings.get(PORT);
    ImmutableSet<IPAddress<?>> addresses =
        ImmutableSet.<IPAddress<?>>builder()
            .addAll(addresses(settings, SERVER_ADDRESS))
            .addAll(addresses(settings, LINK_ADDRESS))
            .build();
    reportSwitches =
        new ReportSwitches(
            ruleSender, features, addresses.asList(), port, settings.get(PACKETS_PER_SECOND));
    packets =
        new ReportPackets(
            ruleSender, addresses, port, intake, counts, log, serialExecutor, nanoTime);
  }

  private static List<IPAddress<?>> addresses(SettingReader settings, Setting<String> setting)
      throws FloodlightModuleException {
    String text = settings.get(setting);
    List<IPAddress<?>> addresses = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      AddressText.parse(each.strip()).ifPresent(addresses::add);
    }
    long families = addresses.stream().map(IPAddress::getIpVersion).distinct().count();
    if (families < text.split(",", -1).length) {
      throw settings.wrong(
          setting,
          "must be an IPv4 or IPv6 address, or one of each with a comma, not \"" + text + "\"");
    }
    return addresses;
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    agentsChanged(AgentTable.EMPTY);
    agents.follow(this::agentsChanged);
    monitor.setLinkAgents(() -> agents.get().addresses(Agent.Kind.LINK));
    switches.addOFSwitchListener(reportSwitches);
    provider.addOFMessageListener(OFType.PACKET_IN, this);
    provider.addOFMessageListener(OFType.PACKET_IN, new ReportArp(packets));
    Repetition repetition = new Repetition(timer);
    repetition.every(LOG_MILLIS, "logging dropped reports", this::logDrops);
    guard.follow((agent, memory) -> intake.learn(agent, memory, nanoTime.getAsLong()));
    repetition.every(StoredGuard.PAUSE_MILLIS, "saving the last report of each agent", this::save);
    repetition.every(REFRESH_MILLIS, "installing the rules for reports", this::refreshRules);
  }

  private void agentsChanged(AgentTable before) {
    packets.setAgents(agents.get(), reportsPerSecond);
    intake.retainKnown();
    if (peerReports != null) {
      peerReports.retain(agents.get().byId().keySet());
    }
    forgetServers(before);
  }

  private void forgetServers(AgentTable before) {
    AgentTable now = agents.get();
    before.byId().values().stream()
        .filter(agent -> agent.kind() == Agent.Kind.SERVER)
        .flatMap(agent -> agent.addresses().stream())
        .filter(address -> now.at(address, Agent.Kind.SERVER).isEmpty())
        .forEach(servers::forget);
  }

  private void logDrops() {
    log.flush(nanoTime.getAsLong());
  }

  private synchronized void save() {
    guard.save(intake.memory());
  }

  private void refreshRules() {
    reportSwitches.refresh(ImmutableList.copyOf(switches.getAllSwitchDpids()));
  }

  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    if (message instanceof OFPacketIn packetIn
        && Cookie.is(packetIn.getCookie(), CookieKind.REPORT)) {
      return packets.report(Packet.parse(packetIn.getData())) ? Command.STOP : Command.CONTINUE;
    }
    return Command.CONTINUE;
  }

  @Override
  public void take(byte[] report) throws RejectedReportException {
    try {
      intake.take(report, null, nanoTime.getAsLong());
    } catch (RejectedReportException e) {
      log.note(NOT_A_PACKET, () -> e.reason().label() + ", " + e.sentence());
      throw e;
    }
  }

  @Override
  public ReportCounts counts() {
    return counts;
  }

  @Override
  public List<KnownAgent> agents() {
    return agents.get().byId().values().stream()
        .map(agent -> new KnownAgent(agent, intake.status(agent.id())))
        .toList();
  }

  @Override
  public long nanoTime() {
    return nanoTime.getAsLong();
  }

  @Override
  public String getName() {
    return NAME;
  }

  /**
   * Before all others: a flood of reports must cost almost nothing, and no host is learnt from it.
   */
  @Override
  public boolean isCallbackOrderingPostreq(OFType type, String name) {
    return type == OFType.PACKET_IN && AFTER.contains(name);
  }
}
