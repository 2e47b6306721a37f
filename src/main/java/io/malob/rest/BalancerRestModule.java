package io.malob.rest;

import io.malob.agent.IAgentService;
import io.malob.balancer.IBalancerService;
import io.malob.endhost.IEndhostService;
import io.malob.latency.ILatencyService;
import io.malob.monitor.IMonitorService;
import io.malob.mptcp.IMptcpService;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.IFloodlightModule;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.restserver.IRestApiService;

/** Adds the resources of balancer and monitor to the controller's REST server. */
public final class BalancerRestModule implements IFloodlightModule {

  /** Made by the module loader. */
  public BalancerRestModule() {}

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleServices() {
    return List.of();
  }

  @Override
  public Map<Class<? extends IFloodlightService>, IFloodlightService> getServiceImpls() {
    return Map.of();
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IRestApiService.class,
        IBalancerService.class,
        IMonitorService.class,
        IAgentService.class,
        ILatencyService.class,
        IMptcpService.class,
        IEndhostService.class);
  }

  @Override
  public void init(FloodlightModuleContext context) {}

  @Override
  public void startUp(FloodlightModuleContext context) {
    IBalancerService balancer = context.getServiceImpl(IBalancerService.class);
    IRestApiService server = context.getServiceImpl(IRestApiService.class);
    // the path where Floodlight has the resources of its own balancer
    server.addRestletRoutable(new JsonRoutable("/quantum/v1.0", new BalancerResources(balancer)));
    server.addRestletRoutable(new JsonRoutable("/v2.0/lbaas", new LbaasResources(balancer)));
    IMonitorService monitor = context.getServiceImpl(IMonitorService.class);
    IAgentService agents = context.getServiceImpl(IAgentService.class);
    ILatencyService latency = context.getServiceImpl(ILatencyService.class);
    server.addRestletRoutable(
        new JsonRoutable(
            "/wm/malob",
            new StateResources(
                balancer,
                monitor,
                agents,
                latency,
                context.getServiceImpl(IMptcpService.class),
                context.getServiceImpl(IEndhostService.class))));
  }
}
