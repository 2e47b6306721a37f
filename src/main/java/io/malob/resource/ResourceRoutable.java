package io.malob.resource;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import java.io.IOException;
import java.util.Optional;
import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.Context;
import org.restlet.Restlet;
import org.restlet.routing.Router;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resources below a base path of the controller's REST server. The embedded server calls them
 * directly, Floodlight's by Restlet.
 *
 * @param basePath the prefix of all their paths
 * @param errors the bodies of errors
 */
public record ResourceRoutable(String basePath, RouteTable routes, ErrorBody errors)
    implements RestletRoutable {
  private static final Logger log = LoggerFactory.getLogger(ResourceRoutable.class);

  /** Resources with errors in the common form. */
  public ResourceRoutable(String basePath, RouteTable routes) {
    this(basePath, routes, ErrorBody.COMMON);
  }

  /**
   * A router, because servers pass all paths below the base path only to routers. It has one target
   * that parses the path itself, so that errors for unknown paths are JSON, too.
   */
  @Override
  public Restlet getRestlet(Context context) {
    Router router = new Router(context);
    router.attachDefault(new ResourceRestlet(context, this));
    return router;
  }

  /** The part of a path below the base path; empty if the path is not below it. */
  public Optional<String> below(String path) {
    int end = basePath.length();
    return path.startsWith(basePath) && (path.length() == end || path.charAt(end) == '/')
        ? Optional.of(path.substring(end))
        : Optional.empty();
  }

  /**
   * The effect of a method.
   *
   * @param below the part of its path below the base path, as sent
   */
  public Effect effectOf(String method, String below) {
    return find(method, below).map(RouteTable.Method::effect).orElse(Effect.READ);
  }

  /** The demand of a method; as for {@link #effectOf}. */
  public Demand demandOf(String method, String below) {
    return find(method, below).map(RouteTable.Method::demand).orElse(Demand.USUAL);
  }

  private Optional<RouteTable.Method> find(String method, String below) {
    try {
      return routes.find(method, segments(below));
    } catch (RejectedException e) {
      return Optional.empty(); // it is rejected
    }
  }

  /**
   * The answer to a request, whatever its outcome.
   *
   * @param below the part of its path below the base path, as sent
   */
  public Reply answer(Call.Head head, String below, RequestBody body) {
    try {
      Call call =
          new Call(head, segments(below), ImmutableMap.of(), routes.parameters(head.query()), body);
      return routes.answer(call).unlessKept(call);
    } catch (RejectedException e) {
      return errors.reply(e);
    } catch (IOException e) {
      log.info("request_body_unreadable why=\"{}\"", e.toString());
      return errors.reply(RejectedException.invalid(null, "the body could not be read"));
    } catch (RuntimeException e) {
      log.error("request_failed method={} uri=\"{}\"", head.method(), head.target(), e);
      return errors.reply(
          new RejectedException(
              Reason.FAILED, "internal error in the controller; see its log", null));
    }
  }

  private static ImmutableList<String> segments(String below) throws RejectedException {
    if (below.isEmpty() || below.equals("/")) {
      return ImmutableList.of();
    } else if (!below.startsWith("/")) {
      throw RejectedException.notFound("there is nothing at this path");
    }
    ImmutableList.Builder<String> segments = ImmutableList.builder();
    int end = below.endsWith("/") ? below.length() - 1 : below.length();
    for (String segment : below.substring(1, end).split("/", -1)) {
      segments.add(QueryParameters.decoded(segment));
    }
    return segments.build();
  }
}
