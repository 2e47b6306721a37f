package io.malob.controller.rest;

import io.malob.controller.access.TlsFiles;
import io.malob.controller.access.TokenFile;
import io.netty.handler.ssl.JdkSslContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.Application;
import org.restlet.Component;
import org.restlet.Context;
import org.restlet.Restlet;
import org.restlet.Server;
import org.restlet.data.Parameter;
import org.restlet.data.Protocol;
import org.restlet.engine.Engine;
import org.restlet.routing.Redirector;
import org.restlet.routing.Router;
import org.restlet.routing.Template;
import org.restlet.util.Series;

/** A running HTTP server of Restlet's own connector, which is the JDK's server. */
final class RestServer implements AutoCloseable {
  private static final int MAX_QUEUED = 256;

  /** Where modules serve a page for people; the root leads there. */
  private static final String PAGE = "/ui";

  private final Component component = new Component();
  private final Server server;

  /**
   * Starts serving these resources.
   *
   * @throws UncheckedIOException if the address cannot be bound; the message says which and why
   */
  RestServer(
      String host,
      int port,
      int maxThreads,
      AccessSettings access,
      Map<String, Object> services,
      List<RestletRoutable> routables) {
    // without it, the JDK's server lets replies on kept connections wait for acknowledgements
    System.setProperty("sun.net.httpserver.nodelay", "true");
    BearerScheme.register();
    server = server(host, port, access.tls());
    Series<Parameter> parameters = server.getContext().getParameters();
    // with fewer, requests would wait in the queue while long responses hold the others
    parameters.set("minThreads", Integer.toString(maxThreads), false);
    parameters.set("maxThreads", Integer.toString(maxThreads), false);
    parameters.set("maxQueued", Integer.toString(MAX_QUEUED), false);
    component.getLogService().setEnabled(false);
    component.getDefaultHost().attach(new Routes(access, services, routables));
    try {
      component.start();
    } catch (Exception e) {
      throw new UncheckedIOException(
          String.format("Cannot serve HTTP on %s port %d: %s", host, port, e.getMessage()),
          e instanceof IOException io ? io : new IOException(e));
    }
  }

  private Server server(String host, int port, Optional<TlsFiles> tls) {
    if (tls.isEmpty()) {
      return component.getServers().add(Protocol.HTTP, host, port);
    }
    if (Engine.getInstance().getRegisteredServers().stream()
        .noneMatch(TlsServerHelper.class::isInstance)) {
      Engine.getInstance().getRegisteredServers().add(0, new TlsServerHelper(null));
    }
    Server secure = component.getServers().add(Protocol.HTTPS, host, port);
    Map<String, Object> attributes = secure.getContext().getAttributes();
    try {
      attributes.put(TlsServerHelper.CONTEXT, ((JdkSslContext) tls.get().load()).context());
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
    attributes.put(TlsServerHelper.WANTS_CLIENTS, tls.get().wantsClients());
    return secure;
  }

  /** The port that it serves on: the one asked for, or a free one if that was 0. */
  int port() {
    return server.getPort() == 0 ? server.getEphemeralPort() : server.getPort();
  }

  /** Stops serving. */
  @Override
  public void close() {
    try {
      component.stop();
    } catch (Exception e) {
      throw new IllegalStateException("The HTTP server did not stop", e);
    }
  }

  /** All resources under one root. */
  private static final class Routes extends Application {
    private final AccessSettings access;
    private final Optional<TokenFile> tokens;
    private final Map<String, Object> services;
    private final List<RestletRoutable> routables;

    Routes(AccessSettings access, Map<String, Object> services, List<RestletRoutable> routables) {
      this.access = access;
      this.tokens = access.tokens().map(file -> open(file, access));
      this.services = services;
      this.routables = routables;
      setStatusService(new JsonStatusService());
      // "?media=…", "?method=…" and suffixes in paths are not part of the interface
      getTunnelService().setEnabled(false);
      getRangeService().setEnabled(false);
    }

    @Override
    public Restlet createInboundRoot() {
      Context context = getContext();
      context.getAttributes().putAll(services);
      Router router = new Router(context);
      router.setDefaultMatchingMode(Template.MODE_STARTS_WITH);
      if (routables.stream().anyMatch(routable -> routable.basePath().equals(PAGE))) {
        router
            .attach("/", new Redirector(context, PAGE + "/", Redirector.MODE_CLIENT_FOUND))
            .setMatchingMode(Template.MODE_EQUALS);
      }
      for (RestletRoutable routable : routables) {
        router.attach(routable.basePath(), routable.getRestlet(context));
      }
      return new AccessFilter(
          context, router, access, new RequestEffects(routables), tokens, Clock.systemUTC());
    }

    private static TokenFile open(Path file, AccessSettings access) {
      try {
        return new TokenFile(file, access.mustHaveTokens(), System::nanoTime);
      } catch (IOException e) {
        throw new UncheckedIOException("Tokens of " + file + ": " + e.getMessage(), e);
      }
    }
  }
}
