package io.malob.controller.core;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import io.malob.controller.access.TlsFiles;
import io.malob.controller.channel.Admission;
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
import io.malob.module.SettingReader;
import io.malob.module.Settings;
import io.malob.module.WrongSettingException;
import java.io.IOException;
import java.net.InetAddress;
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
 * when {@link IFloodlightProviderService#run} is called. Settings: {@code openFlowHost} (loopback),
 * {@code openFlowPort} (6653; 0 for a free one), {@code workerThreads} (one per processor), {@code
 * timerThreads} (4), {@code echoIntervalMillis}, {@code handshakeTimeoutMillis}, {@code
 * requestTimeoutMillis}, {@code maxPendingRequests}, {@code unreadTimeoutMillis}; for admission
 * {@code switches} (datapath ids; empty: all), {@code certificate}, {@code privateKey}, {@code
 * clientAuthorities}.
 */
@Settings({
  "openFlowHost",
  "openFlowPort",
  "workerThreads",
  "timerThreads",
  "echoIntervalMillis",
  "handshakeTimeoutMillis",
  "requestTimeoutMillis",
  "maxPendingRequests",
  "unreadTimeoutMillis",
  "switches",
  "certificate",
  "privateKey",
  "clientAuthorities"
})
public final class CoreModule extends BaseModule implements IMastershipService, AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(CoreModule.class);
  private static final int MAX_MILLIS = 3_600_000;

  private final MessageListeners listeners = new MessageListeners();
  private final RefusalCounts refusals = new RefusalCounts();
  private final ConnectedSwitches switches = new ConnectedSwitches(listeners, refusals);
  private final OpenFlowProvider provider = new OpenFlowProvider(listeners, this::listen);
  private final ThreadPool threadPool = new ThreadPool();
  private final PacketInQueues queues = new PacketInQueues();
  private final DatapathClaims claims = new DatapathClaims(System::nanoTime);
  private final Shutdown shutdown = new Shutdown();
  private final CompletableFuture<Mastership> election = new CompletableFuture<>();

  private InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 6653);
  private int workerThreads = 1;
  private ChannelSettings channelSettings = ChannelSettings.DEFAULT;
  private Admission admission = Admission.EVERYONE;
  private @Nullable OpenFlowServer server;

  @Override
  public Map<Class<? extends IFloodlightService>, IFloodlightService> getServiceImpls() {
    return Map.of(
        IFloodlightProviderService.class, provider,
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
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of();
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    address =
        new InetSocketAddress(
            settings.text("openFlowHost", "127.0.0.1"),
            settings.number("openFlowPort", 6653, 0, 65535));
    if (address.isUnresolved()) {
      throw new FloodlightModuleException(
          CoreModule.class.getName()
              + ".openFlowHost: cannot resolve \""
              + address.getHostString()
              + "\"");
    }
    int processors = Runtime.getRuntime().availableProcessors();
    workerThreads = settings.number("workerThreads", processors, 1, 1024);
    threadPool.use(settings.number("timerThreads", ThreadPool.THREADS, 1, 1024));
    ChannelSettings byDefault = ChannelSettings.DEFAULT;
    channelSettings =
        new ChannelSettings(
            settings.number("echoIntervalMillis", byDefault.echoIntervalMillis(), 1, MAX_MILLIS),
            settings.number(
                "handshakeTimeoutMillis", byDefault.handshakeTimeoutMillis(), 1, MAX_MILLIS),
            settings.number(
                "requestTimeoutMillis", byDefault.requestTimeoutMillis(), 1, MAX_MILLIS),
            settings.number("maxPendingRequests", byDefault.maxPendingRequests(), 1, 1_000_000),
            settings.number("unreadTimeoutMillis", byDefault.unreadTimeoutMillis(), 1, MAX_MILLIS));
    admission = admission(settings);
  }

  private static Admission admission(SettingReader settings) throws FloodlightModuleException {
    Optional<TlsFiles> tls = TlsFiles.read(settings);
    ImmutableSet.Builder<DatapathId> listed = ImmutableSet.builder();
    for (String id :
        Splitter.onPattern("[,\\s]+").omitEmptyStrings().split(settings.text("switches", ""))) {
      try {
        listed.add(DatapathId.of(id));
      } catch (IllegalArgumentException e) {
        throw new WrongSettingException(
            CoreModule.class.getName() + ".switches: \"" + id + "\" is not a datapath id", e);
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
            channelSettings,
            admission,
            claims,
            queues,
            switches,
            Optional.ofNullable(election.getNow(null)));
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
  public void tellShutdownListeners() {
    shutdown.tellListeners();
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
