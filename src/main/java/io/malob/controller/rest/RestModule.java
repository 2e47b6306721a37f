package io.malob.controller.rest;

import com.google.common.net.HostAndPort;
import com.sun.management.UnixOperatingSystemMXBean;
import io.malob.controller.http.HttpLimits;
import io.malob.module.BaseModule;
import io.malob.module.IStoreService;
import io.malob.module.SettingReader;
import io.malob.module.Settings;
import io.malob.resource.ResourceRoutable;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.restserver.IRestApiService;
import net.floodlightcontroller.restserver.RestletRoutable;
import org.jspecify.annotations.Nullable;
import org.restlet.engine.Engine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * The HTTP server as a module. It starts when {@link #run} is called, after all modules have added
 * their resources. Settings: {@code host} (loopback), {@code httpPort} (8080; 0 for a free one),
 * {@code maxThreads} (16) for requests, {@code maxConnections} (4096; half of the files that the
 * process may open at most), {@code maxConnectionsPerAddress} (256; three quarters of all for this
 * machine), {@code requestSeconds} (10) that a request may take to arrive; for access {@code
 * tokens} (tokens.json in {@code data}), {@code certificate}, {@code privateKey}, {@code
 * clientAuthorities}, {@code administrators}, {@code hostNames}, {@code strictTransportSeconds}
 * (0), {@code insecure}.
 *
 * <p>As in Floodlight, Restlet's resources find every service in the attributes of their context,
 * under the name of the service's interface. Ours do not need that.
 */
@Settings({
  "data",
  "host",
  "httpPort",
  "maxThreads",
  "maxConnections",
  "maxConnectionsPerAddress",
  "requestSeconds",
  "tokens",
  "certificate",
  "privateKey",
  "clientAuthorities",
  "administrators",
  "hostNames",
  "strictTransportSeconds",
  "insecure"
})
public final class RestModule extends BaseModule implements IRestApiService, AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(RestModule.class);

  private final List<RestletRoutable> routables = new CopyOnWriteArrayList<>();
  private final Map<String, Object> services = new HashMap<>();
  private String host = "127.0.0.1";
  private int port = 8080;
  private HttpLimits limits = HttpLimits.of(16, 4096, 256, 10);
  private @Nullable AccessSettings access;
  private @Nullable RestServer server;

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(IOFSwitchService.class, IStoreService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    host = settings.text("host", host);
    port = settings.number("httpPort", port, 0, 65535);
    limits =
        HttpLimits.of(
            settings.number("maxThreads", 16, 1, 1024),
            Math.min(settings.number("maxConnections", 4096, 16, 65536), maxConnections()),
            settings.number("maxConnectionsPerAddress", 256, 1, 65536),
            settings.number("requestSeconds", 10, 1, 3600));
    access = AccessSettings.read(settings, context.getServiceImpl(IStoreService.class), host);
    bridgeLogging();
  }

  /** Switches need files as well. */
  private static int maxConnections() {
    OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
    return system instanceof UnixOperatingSystemMXBean unix
        ? (int) Math.max(16, Math.min(Integer.MAX_VALUE, unix.getMaxFileDescriptorCount() / 2))
        : Integer.MAX_VALUE;
  }

  /**
   * Restlet sets up java.util.logging anew when it is first used: the bridge must come after. Its
   * warnings are about headers that it cannot read: clients could fill the log with them.
   */
  private static void bridgeLogging() {
    Engine.setRestletLogLevel(Level.SEVERE);
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    for (Class<? extends IFloodlightService> service : context.getAllServices()) {
      services.put(service.getCanonicalName(), context.getServiceImpl(service));
    }
    addRestletRoutable(new ResourceRoutable("/wm/core", CoreRoutes.of(context)));
  }

  @Override
  public void addRestletRoutable(RestletRoutable routable) {
    routables.add(routable);
  }

  /**
   * Starts the server and returns; called once.
   *
   * @throws java.io.UncheckedIOException if the port cannot be bound
   */
  @Override
  public void run() {
    AccessSettings who = Objects.requireNonNull(access, "run before init");
    RestServer started = new RestServer(host, port, limits, who, services, routables);
    server = started;
    logger.info("http_started address={} port={}", host, started.port());
  }

  /**
   * The port of the server.
   *
   * @throws IllegalStateException before {@link #run}
   */
  public int httpPort() {
    RestServer running = server;
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
    RestServer running = server;
    if (running != null) {
      running.close();
    }
  }
}
