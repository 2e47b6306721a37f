package io.malob.controller.rest;

import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.Context;
import org.restlet.Restlet;
import org.restlet.resource.ServerResource;
import org.restlet.routing.Router;

/** The resources of the controller itself. */
final class CoreRoutes implements RestletRoutable {

  @Override
  public String basePath() {
    return "/wm/core";
  }

  @Override
  public Restlet getRestlet(Context context) {
    Router router = new Router(context);
    attach(router, "/health/json", HealthResource.class);
    attach(router, "/module/{which}/json", ModulesResource.class);
    attach(router, "/refused/json", RefusedResource.class);
    attach(router, "/controller/switches/json", SwitchesResource.class);
    attach(router, "/switch/{switchId}/{stat}/json", StatisticsResource.class);
    return router;
  }

  private static void attach(Router router, String path, Class<? extends ServerResource> resource) {
    router.attach(path, resource);
    router.attach(path + "/", resource);
  }
}
