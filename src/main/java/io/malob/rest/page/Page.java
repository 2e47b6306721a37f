package io.malob.rest.page;

import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.Context;
import org.restlet.Restlet;
import org.restlet.routing.Router;

/** The page for people, at {@code /ui/}. It knows the controller by its REST interface only. */
public final class Page implements RestletRoutable {
  /** Where it is. */
  public static final String PATH = "/ui";

  /** Made by the module that serves it. */
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
