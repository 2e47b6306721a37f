package io.malob.controller.network.web;

import java.util.List;
import java.util.function.Supplier;
import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.Context;
import org.restlet.Restlet;
import org.restlet.routing.Router;
import org.restlet.routing.Template;

/**
 * One answer under some paths, each with and without a slash at its end.
 *
 * @param basePath what all paths start with
 * @param paths the rest of each path, without slash at the end
 * @param answer makes what is shown, anew for each request; called by any thread
 */
record NetworkRoutable(String basePath, List<String> paths, Supplier<Object> answer)
    implements RestletRoutable {

  @Override
  public Restlet getRestlet(Context context) {
    Context own = context == null ? new Context() : context.createChildContext();
    own.getAttributes().put(SnapshotResource.ANSWER, answer);
    Router router = new Router(own);
    router.setDefaultMatchingMode(Template.MODE_EQUALS);
    for (String path : paths) {
      router.attach(path, SnapshotResource.class);
      router.attach(path + "/", SnapshotResource.class);
    }
    return router;
  }
}
