package io.malob.rest;

import io.malob.endhost.IEndhostService;
import io.malob.module.BaseModule;
import io.malob.resource.ResourceRoutable;
import io.malob.resource.RouteTable;
import java.util.Collection;
import java.util.List;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.restserver.IRestApiService;

/**
 * Adds the resources of a host's flows to the controller's REST server, and no others: for a
 * controller without other modules of MALOB. {@link BalancerRestModule} has them, too; load only
 * one of both.
 */
public final class EndhostRestModule extends BaseModule {

  /** Made by the module loader. */
  public EndhostRestModule() {}

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(IRestApiService.class, IEndhostService.class);
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    RouteTable routes =
        EndhostResources.addTo(RouteTable.listing(), context.getServiceImpl(IEndhostService.class));
    context
        .getServiceImpl(IRestApiService.class)
        .addRestletRoutable(new ResourceRoutable("/wm/malob", routes));
  }
}
