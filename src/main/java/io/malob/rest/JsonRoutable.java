package io.malob.rest;

import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.Context;
import org.restlet.Restlet;
import org.restlet.routing.Router;

/** Puts resources at a base path of the controller's REST server. */
final class JsonRoutable implements RestletRoutable {
  private final String basePath;
  private final Resources resources;

  JsonRoutable(String basePath, Resources resources) {
    this.basePath = basePath;
    this.resources = resources;
  }

  /**
   * A router, as servers take everything below the base path only from those. It has one target
   * that reads the path itself, so that what is not there is answered in JSON too.
   */
  @Override
  public Restlet getRestlet(Context context) {
    Router router = new Router(context);
    router.attachDefault(new JsonRestlet(context, resources));
    return router;
  }

  @Override
  public String basePath() {
    return basePath;
  }
}
