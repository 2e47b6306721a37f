package io.malob.controller.rest;

import io.malob.controller.access.AuditLog;
import io.malob.controller.access.StoredTokens;
import io.malob.controller.access.TlsFiles;
import io.malob.controller.http.HttpLimits;
import io.malob.controller.http.HttpServer;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.Application;
import org.restlet.Component;
import org.restlet.Context;
import org.restlet.Restlet;
import org.restlet.routing.Router;
import org.restlet.routing.Template;

/** All resources behind a running HTTP server. */
final class RestServer implements AutoCloseable {
  /** The path of the page; the root redirects browsers there. */
  private static final String PAGE = "/ui";

  private final Component component = new Component();
  private final HttpServer server;

  /**
   * Starts serving these resources.
   *
   * @throws UncheckedIOException if the address cannot be bound; the message says which and why
   */
  RestServer(
      String host,
      int port,
      HttpLimits limits,
      AccessSettings access,
      Map<String, Object> services,
      List<RestletRoutable> routables) {
    BearerScheme.register();
    component.getLogService().setEnabled(false);
    Routes routes = new Routes(access, services, routables);
    component.getDefaultHost().attach(routes);
    try {
      component.start();
    } catch (Exception e) {
      throw new IllegalStateException("The REST resources did not start", e);
    }
    server =
        new HttpServer(
            new InetSocketAddress(host, port),
            access.tls().map(RestServer::load),
            limits,
            routes.checks(),
            component);
  }

  private static SslContext load(TlsFiles tls) {
    try {
      return tls.load();
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  /** The port that it serves on: the one asked for, or a free one if that was 0. */
  int port() {
    return server.port();
  }

  /** Stops serving. */
  @Override
  public void close() {
    server.close();
    try {
      component.stop();
    } catch (Exception e) {
      throw new IllegalStateException("The HTTP server did not stop", e);
    }
  }

  /** All resources under one root. */
  private static final class Routes extends Application {
    private final AccessSettings access;
    private final AuditLog log = new AuditLog(System::nanoTime);
    private final RequestEffects effects;
    private final AccessPolicy policy;
    private final Map<String, Object> services;
    private final List<RestletRoutable> routables;

    Routes(AccessSettings access, Map<String, Object> services, List<RestletRoutable> routables) {
      this.access = access;
      effects = new RequestEffects(routables);
      policy = new AccessPolicy(access, effects, open(access), log, System::nanoTime);
      this.services = services;
      this.routables = routables;
      setStatusService(new JsonStatusService());
      // "?media=…", "?method=…" and suffixes in paths are not part of the interface
      getTunnelService().setEnabled(false);
      getRangeService().setEnabled(false);
    }

    RequestChecks checks() {
      return new RequestChecks(policy, effects, routables);
    }

    @Override
    public Restlet createInboundRoot() {
      Context context = getContext();
      context.getAttributes().putAll(services);
      Router router = new Router(context);
      router.setDefaultMatchingMode(Template.MODE_STARTS_WITH);
      frontDoor(context)
          .ifPresent(door -> router.attach("/", door).setMatchingMode(Template.MODE_EQUALS));
      for (RestletRoutable routable : routables) {
        router.attach(routable.basePath(), routable.getRestlet(context));
      }
      return new AccessFilter(
          context, router, policy, log, Clock.systemUTC(), access.strictTransport());
    }

    /** The root of a server that has the page and OpenStack's API. */
    private Optional<Restlet> frontDoor(Context context) {
      boolean hasPage = routables.stream().anyMatch(routable -> routable.basePath().equals(PAGE));
      return routables.stream()
          .filter(routable -> hasPage && FrontDoor.VERSIONS.contains(routable.basePath()))
          .findFirst()
          .map(versions -> new FrontDoor(context, PAGE + "/", versions.getRestlet(context)));
    }

    private static StoredTokens open(AccessSettings access) {
      try {
        return new StoredTokens(access.tokens(), access.mustHaveTokens(), Clock.systemUTC());
      } catch (IOException e) {
        throw new UncheckedIOException("The tokens cannot be used: " + e.getMessage(), e);
      }
    }
  }
}
