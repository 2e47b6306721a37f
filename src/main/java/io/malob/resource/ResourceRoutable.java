package io.malob.resource;

import java.util.List;
import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.Context;
import org.restlet.Restlet;
import org.restlet.routing.Router;

/**
 * Puts resources at a base path of the controller's REST server.
 *
 * @param basePath what all their paths start with
 */
public record ResourceRoutable(String basePath, Routes routes)
    implements RestletRoutable, DeclaresEffects {

  /**
   * A router, as servers take everything below the base path only from those. It has one target
   * that reads the path itself, so that what is not there is answered in JSON too.
   */
  @Override
  public Restlet getRestlet(Context context) {
    Router router = new Router(context);
    router.attachDefault(new ResourceRestlet(context, routes));
    return router;
  }

  @Override
  public Effect effectOf(String method, List<String> path) {
    return routes.effectOf(method, path);
  }
}
