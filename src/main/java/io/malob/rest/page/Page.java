package io.malob.rest.page;

import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.Context;
import org.restlet.Restlet;
import org.restlet.routing.Router;

/** The web page, at {@code /ui/}. It uses only the controller's REST interface. */
public final class Page implements RestletRoutable {
  /** Where it is. */
  public static final String PATH = "/ui";

  /** Created by the module that serves it. */
  public Page() {}

  @Override
  public String basePath() {
    return PATH;
  }

  @Override
  public Restlet getRestlet(Context context) {
    Router router = new Router(context);
    router.attachDefault(new PageRestlet(context));
    return router;
  }
}
