package io.malob.controller.rest;

import com.google.common.collect.ImmutableList;
import com.google.common.net.HostAndPort;
import com.sun.management.UnixOperatingSystemMXBean;
import io.malob.controller.access.AuditLog;
import io.malob.controller.access.FailureLimit;
import io.malob.controller.access.StoredTokens;
import io.malob.controller.access.TlsFiles;
import io.malob.controller.http.HttpLimits;
import io.malob.controller.http.HttpServer;
import io.malob.module.BaseModule;
import io.malob.module.IStoreService;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.resource.ResourceRoutable;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.restserver.IRestApiService;
import net.floodlightcontroller.restserver.RestletRoutable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * The HTTP server as a module. It starts when {@link #run} is called, after all modules have added
 * their resources.
 *
 * <p>It serves resources in a {@link ResourceRoutable} only, without Restlet.
 */
public final class RestModule extends BaseModule implements IRestApiService, AutoCloseable {
  /** The address of the REST interface. */
  public static final Setting<String> HOST =
      Setting.text("host", "127.0.0.1")
          .describedAs("The address of the REST interface; option --bind sets it.");

  /** The port of the REST interface. */
  public static final Setting<Integer> HTTP_PORT =
      Setting.number("httpPort", 8080, 0, 65_535)
          .describedAs(
              "The port of the REST interface; 0: a free one. Option --http-port sets it.");

  /** Whether other machines are served without authentication. */
  public static final Setting<Boolean> INSECURE =
      Setting.flag("insecure", false)
          .describedAs(
              "true: serve other machines without authentication; option --insecure sets it.");

  private static final Setting<Integer> MAX_THREADS =
      Setting.number("maxThreads", 16, 1, 1024)
          .describedAs(
              "The max number of threads that handle reads, and as many for changes; none waits"
                  + " for a client.");
  private static final Setting<Integer> MAX_CONNECTIONS =
      Setting.number("maxConnections", 4096, 16, 65_536)
          .describedAs(
              "The max number of connections of all clients; at most half of the files that the"
                  + " process may open.");
  private static final Setting<Integer> MAX_CONNECTIONS_PER_ADDRESS =
      Setting.number("maxConnectionsPerAddress", 256, 1, 65_536)
          .describedAs(
              "The max number of connections of one address; three quarters of all for this"
                  + " machine.");
  private static final Setting<Integer> REQUEST_SECONDS =
      Setting.number("requestSeconds", 10, 1, 3600)
          .describedAs("The max time in seconds until a request is complete.");

  private static final Logger logger = LoggerFactory.getLogger(RestModule.class);

  private final List<ResourceRoutable> resources = new CopyOnWriteArrayList<>();
  private String host = HOST.defaultText();
  private int port;
  private HttpLimits limits = HttpLimits.of(16, 4096, 256, 10);
  private @Nullable AccessSettings access;
  private @Nullable HttpServer server;

  @Override
  public List<Setting<?>> settings() {
    return ImmutableList.<Setting<?>>builder()
        .add(
            DATA,
            HOST,
            HTTP_PORT,
            MAX_THREADS,
            MAX_CONNECTIONS,
            MAX_CONNECTIONS_PER_ADDRESS,
            REQUEST_SECONDS)
        .addAll(AccessSettings.ALL)
        .build();
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(IOFSwitchService.class, IStoreService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    host = settings.get(HOST);
    port = settings.get(HTTP_PORT);
    limits =
        HttpLimits.of(
            settings.get(MAX_THREADS),
            Math.min(settings.get(MAX_CONNECTIONS), maxConnections()),
            settings.get(MAX_CONNECTIONS_PER_ADDRESS),
            settings.get(REQUEST_SECONDS));
    access = AccessSettings.read(settings, context.getServiceImpl(IStoreService.class));
    // libraries that log through java.util.logging
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
  }

  /** Switches need files as well. */
  private static int maxConnections() {
    OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
    return system instanceof UnixOperatingSystemMXBean unix
        ? (int) Math.max(16, Math.min(Integer.MAX_VALUE, unix.getMaxFileDescriptorCount() / 2))
        : Integer.MAX_VALUE;
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    addRestletRoutable(new ResourceRoutable("/wm/core", CoreRoutes.of(context)));
  }

  /**
   * Adds resources.
   *
   * @throws IllegalArgumentException if they are not a {@link ResourceRoutable}
   */
  @Override
  public void addRestletRoutable(RestletRoutable routable) {
    if (!(routable instanceof ResourceRoutable ours)) {
      throw new IllegalArgumentException(
          "The resources at "
              + routable.basePath()
              + " are of Restlet, which only Floodlight serves: make them a ResourceRoutable");
    }
    resources.add(ours);
  }

  /**
   * Starts the server and returns; called once.
   *
   * @throws java.io.UncheckedIOException if the port cannot be bound
   */
  @Override
  public void run() {
    AccessSettings who = Objects.requireNonNull(access, "run before init");
    AuditLog log = new AuditLog(System::nanoTime);
    AccessPolicy policy =
        new AccessPolicy(who, tokens(who), new FailureLimit(System::nanoTime), log);
    HttpServer started =
        new HttpServer(
            new InetSocketAddress(host, port),
            who.tls().map(RestModule::load),
            limits,
            new GuardedResources(resources, policy, log, Clock.systemUTC(), who.strictTransport()));
    server = started;
    logger.info("http_started address={} port={}", host, started.port());
  }

  private static StoredTokens tokens(AccessSettings access) {
    try {
      return new StoredTokens(access.tokens(), access.mustHaveTokens(), Clock.systemUTC());
    } catch (IOException e) {
      throw new UncheckedIOException("The tokens cannot be used: " + e.getMessage(), e);
    }
  }

  private static SslContext load(TlsFiles tls) {
    try {
      return tls.load();
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  /**
   * The port of the server.
   *
   * @throws IllegalStateException before {@link #run}
   */
  public int httpPort() {
    HttpServer running = server;
    if (running == null) {
      throw new IllegalStateException("not serving yet");
    }
    return running.port();
  }

  /**
   * The URL of the page for a browser on this machine.
   *
   * @throws IllegalStateException before {@link #run}
   */
  public String pageUrl() {
    AccessSettings who = Objects.requireNonNull(access, "page before init");
    boolean isOfAllAddresses = host.equals("0.0.0.0") || host.equals("::");
    return (who.tls().isPresent() ? "https" : "http")
        + "://"
        + HostAndPort.fromParts(isOfAllAddresses ? "127.0.0.1" : host, httpPort())
        + "/";
  }

  /** Stops the server, if it runs. */
  @Override
  public void close() {
    HttpServer running = server;
    if (running != null) {
      running.close();
    }
  }
}
