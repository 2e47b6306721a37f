package io.malob.controller.core;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.malob.controller.access.TlsFiles;
import io.malob.controller.bond.Bonds;
import io.malob.controller.channel.Admission;
import io.malob.controller.channel.ChannelContext;
import io.malob.controller.channel.ChannelSettings;
import io.malob.controller.channel.DatapathClaims;
import io.malob.controller.channel.OpenFlowServer;
import io.malob.controller.channel.PacketInQueues;
import io.malob.controller.guard.RefusalCounts;
import io.malob.module.BaseModule;
import io.malob.module.IDuplicateSwitchService;
import io.malob.module.IMastershipService;
import io.malob.module.INetworkRefusalService;
import io.malob.module.IPacketInQueueService;
import io.malob.module.Mastership;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.module.WrongSettingException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IShutdownService;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controller's core as a module: switches, their messages, timed work and stopping. It listens
 * when {@link IFloodlightProviderService#run} is called.
 */
public final class CoreModule extends BaseModule implements IMastershipService, AutoCloseable {
  private static final int MAX_MILLIS = 3_600_000;

  /** The address for switches. */
  public static final Setting<String> OPEN_FLOW_HOST =
      Setting.text("openFlowHost", "127.0.0.1")
          .describedAs("The address at which switches connect; option --bind sets it.");

  /** The port for switches. */
  public static final Setting<Integer> OPEN_FLOW_PORT =
      Setting.number("openFlowPort", 6653, 0, 65_535)
          .describedAs(
              "The port at which switches connect; 0: a free one. Option --openflow-port sets it.");

  private static final Setting<Integer> WORKER_THREADS =
      Setting.number("workerThreads", 1, 1024)
          .describedAs(
              "The number of threads that read from switches and handle their messages; empty:"
                  + " one per processor.");
  private static final Setting<Integer> TIMER_THREADS =
      Setting.number("timerThreads", ThreadPool.THREADS, 1, 1024)
          .describedAs("The number of threads for timed tasks.");
  private static final Setting<Integer> ECHO_INTERVAL_MILLIS =
      Setting.number("echoIntervalMillis", 5_000, 1, MAX_MILLIS)
          .describedAs(
              "The interval between two echo requests to a switch; a switch that is silent for"
                  + " three of these is disconnected.");
  private static final Setting<Integer> HANDSHAKE_TIMEOUT_MILLIS =
      Setting.number("handshakeTimeoutMillis", 10_000, 1, MAX_MILLIS)
          .describedAs("The max time that a switch takes for each step of its handshake.");
  private static final Setting<Integer> REQUEST_TIMEOUT_MILLIS =
      Setting.number("requestTimeoutMillis", 10_000, 1, MAX_MILLIS)
          .describedAs("The max time that a request waits for a switch's answer.");
  private static final Setting<Integer> MAX_PENDING_REQUESTS =
      Setting.number("maxPendingRequests", 10_000, 1, 1_000_000)
          .describedAs("The max number of requests to a switch that wait for an answer.");
  private static final Setting<Integer> UNREAD_TIMEOUT_MILLIS =
      Setting.number("unreadTimeoutMillis", 30_000, 1, MAX_MILLIS)
          .describedAs(
              "The time after which a switch that sends but reads nothing is disconnected, in"
                  + " whole echo intervals.");
  private static final Setting<String> SWITCHES =
      Setting.text("switches", "")
          .describedAs(
              "The datapath ids of the switches that may connect, separated by commas; empty:"
                  + " all.");

  private static final Setting<String> BONDS =
      Setting.text("bonds", "")
          .describedAs(
              "The hosts that use several ports of a switch at a time, DPID/PORT+PORT,…, with lacp"
                  + " after the ports of an 802.3ad bond, for example"
                  + " 00:00:00:00:00:00:00:01/1+2, 00:00:00:00:00:00:00:02/3+4 lacp.");

  private static final Logger logger = LoggerFactory.getLogger(CoreModule.class);

  private final MessageListeners listeners = new MessageListeners(this::listen);
  private final RefusalCounts refusals = new RefusalCounts();
  private final ConnectedSwitches switches = new ConnectedSwitches(listeners, refusals);
  private final ThreadPool threadPool = new ThreadPool();
  private final PacketInQueues queues = new PacketInQueues();
  private final DatapathClaims claims = new DatapathClaims(System::nanoTime);
  private final Shutdown shutdown = new Shutdown();
  private final CompletableFuture<Mastership> election = new CompletableFuture<>();

  private InetSocketAddress address;
  private int workerThreads = 1;
  private ChannelSettings channelSettings;
  private Admission admission = Admission.EVERYONE;
  private Bonds bonds = Bonds.NONE;
  private @Nullable OpenFlowServer server;

  /** Called by the module loader. */
  @SuppressWarnings("NullAway.Init") // the rest comes in init
  public CoreModule() {}

  @Override
  public Map<Class<? extends IFloodlightService>, IFloodlightService> getServiceImpls() {
    return Map.of(
        IFloodlightProviderService.class, listeners,
        IOFSwitchService.class, switches,
        IThreadPoolService.class, threadPool,
        IShutdownService.class, shutdown,
        IPacketInQueueService.class, queues,
        IMastershipService.class, this,
        IDuplicateSwitchService.class, claims,
        RefusalCounts.class, refusals,
        INetworkRefusalService.class, refusals);
  }

  @Override
  public List<Setting<?>> settings() {
    return ImmutableList.<Setting<?>>builder()
        .add(
            OPEN_FLOW_HOST,
            OPEN_FLOW_PORT,
            WORKER_THREADS,
            TIMER_THREADS,
            ECHO_INTERVAL_MILLIS,
            HANDSHAKE_TIMEOUT_MILLIS,
            REQUEST_TIMEOUT_MILLIS,
            MAX_PENDING_REQUESTS,
            UNREAD_TIMEOUT_MILLIS,
            SWITCHES,
            BONDS)
        .addAll(TlsFiles.SETTINGS)
        .build();
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of();
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    address = new InetSocketAddress(settings.get(OPEN_FLOW_HOST), settings.get(OPEN_FLOW_PORT));
    if (address.isUnresolved()) {
      throw new FloodlightModuleException(
          OPEN_FLOW_HOST.of(CoreModule.class)
              + ": cannot resolve \""
              + address.getHostString()
              + "\"");
    }
    workerThreads =
        settings.given(WORKER_THREADS).orElseGet(Runtime.getRuntime()::availableProcessors);
    threadPool.setCorePoolSize(settings.get(TIMER_THREADS));
    channelSettings =
        new ChannelSettings(
            settings.get(ECHO_INTERVAL_MILLIS),
            settings.get(HANDSHAKE_TIMEOUT_MILLIS),
            settings.get(REQUEST_TIMEOUT_MILLIS),
            settings.get(MAX_PENDING_REQUESTS),
            settings.get(UNREAD_TIMEOUT_MILLIS));
    admission = admission(settings);
    try {
      bonds = Bonds.parse(settings.get(BONDS));
    } catch (IllegalArgumentException e) {
      throw new WrongSettingException(BONDS.of(CoreModule.class) + ": " + e.getMessage(), e);
    }
  }

  private static Admission admission(SettingReader settings) throws FloodlightModuleException {
    Optional<TlsFiles> tls = TlsFiles.read(settings);
    ImmutableSet.Builder<DatapathId> listed = ImmutableSet.builder();
    for (String id :
        Splitter.onPattern("[,\\s]+").omitEmptyStrings().split(settings.get(SWITCHES))) {
      try {
        listed.add(DatapathId.of(id));
      } catch (IllegalArgumentException e) {
        throw new WrongSettingException(
            SWITCHES.of(CoreModule.class) + ": \"" + id + "\" is not a datapath id", e);
      }
    }
    try {
      return new Admission(
          tls.isEmpty() ? Optional.empty() : Optional.of(tls.get().load()),
          listed.build(),
          System::nanoTime);
    } catch (IOException e) {
      throw new FloodlightModuleException(CoreModule.class.getName() + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    // switches may connect when all modules are up: see listen()
  }

  @Override
  public void decideBy(Mastership mastership) {
    election.complete(mastership);
  }

  @Override
  public CompletableFuture<Mastership> election() {
    return election;
  }

  private void listen() {
    OpenFlowServer started =
        new OpenFlowServer(
            address,
            workerThreads,
            new ChannelContext(
                channelSettings,
                admission,
                claims,
                queues,
                switches,
                bonds,
                Optional.ofNullable(election.getNow(null)),
                System::nanoTime));
    server = started;
    logger.info("openflow_started address={} port={}", address.getHostString(), started.port());
  }

  /**
   * The port for switches.
   *
   * @throws IllegalStateException before {@link IFloodlightProviderService#run}
   */
  public int openFlowPort() {
    OpenFlowServer running = server;
    if (running == null) {
      throw new IllegalStateException("not listening yet");
    }
    return running.port();
  }

  /** Completed with the exit status as soon as a module asks to stop. */
  public CompletableFuture<Integer> shutdownRequested() {
    return shutdown.requested();
  }

  /** Notifies the shutdown listeners. */
  public void notifyShutdownListeners() {
    shutdown.notifyListeners();
  }

  /** Closes all connections and ends all threads of the core. */
  @Override
  public void close() {
    OpenFlowServer running = server;
    if (running != null) {
      running.close();
    }
    switches.close();
    threadPool.close();
  }
}
