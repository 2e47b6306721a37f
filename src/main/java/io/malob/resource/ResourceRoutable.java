package io.malob.resource;

import java.util.List;
import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.Context;
import org.restlet.Restlet;
import org.restlet.routing.Router;

/**
 * Adds resources at a base path of the controller's REST server.
 *
 * @param basePath the prefix of all their paths
 * @param errors the bodies of errors
 */
public record ResourceRoutable(String basePath, Routes routes, ErrorBody errors)
    implements RestletRoutable, DeclaresEffects, DeclaresDemands {

  /** Resources with errors in the common form. */
  public ResourceRoutable(String basePath, Routes routes) {
    this(basePath, routes, ErrorBody.COMMON);
  }

  /**
   * A router, because servers pass all paths below the base path only to routers. It has one target
   * that parses the path itself, so that errors for unknown paths are JSON, too.
   */
  @Override
  public Restlet getRestlet(Context context) {
    Router router = new Router(context);
    router.attachDefault(new ResourceRestlet(context, routes, errors));
    return router;
  }

  @Override
  public Effect effectOf(String method, List<String> path) {
    return routes.effectOf(method, path);
  }

  @Override
  public Demand demandOf(String method, List<String> path) {
    return routes.demandOf(method, path);
  }
}
