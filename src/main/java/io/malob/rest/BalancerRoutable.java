package io.malob.rest;

import io.malob.balancer.IBalancerService;
import net.floodlightcontroller.restserver.RestletRoutable;
import org.restlet.Context;
import org.restlet.Restlet;
import org.restlet.routing.Router;

/** The balancer's REST resources, at the path where Floodlight has those of its own balancer. */
public final class BalancerRoutable implements RestletRoutable {
  private final IBalancerService balancer;

  /** The resources of that balancer. */
  public BalancerRoutable(IBalancerService balancer) {
    this.balancer = balancer;
  }

  /**
   * A router, as servers take everything below the base path only from those. It has one target
   * that reads the path itself, so that what is not there is answered in JSON too.
   */
  @Override
  public Restlet getRestlet(Context context) {
    Router router = new Router(context);
    router.attachDefault(new BalancerRestlet(context, new BalancerResources(balancer)));
    return router;
  }

  @Override
  public String basePath() {
    return "/quantum/v1.0";
  }
}
