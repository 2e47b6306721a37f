package io.malob.rest;

import io.malob.agent.IAgentService;
import io.malob.balancer.api.IBalancerService;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.endhost.IEndhostService;
import io.malob.latency.ILatencyService;
import io.malob.module.BaseModule;
import io.malob.monitor.IMonitorService;
import io.malob.mptcp.IMptcpService;
import io.malob.resource.ResourceRoutable;
import io.malob.rest.live.LiveEvents;
import io.malob.rest.octavia.OctaviaApi;
import io.malob.rest.page.Page;
import io.malob.rest.problem.ProblemSources;
import java.util.Collection;
import java.util.List;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.restserver.IRestApiService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;

/** Adds the resources of balancer and monitor, and the page, to the controller's REST server. */
public final class BalancerRestModule extends BaseModule implements AutoCloseable {
  private @Nullable LiveEvents events;

  /** Made by the module loader. */
  public BalancerRestModule() {}

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IRestApiService.class,
        IBalancerService.class,
        IMonitorService.class,
        IAgentService.class,
        ILatencyService.class,
        ISwitchCapabilityService.class,
        IMptcpService.class,
        IEndhostService.class,
        IDeviceService.class,
        IThreadPoolService.class);
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    IBalancerService balancer = context.getServiceImpl(IBalancerService.class);
    ProblemSources sources = ProblemSources.of(context);
    LiveEvents live = new LiveEvents(sources, System::nanoTime);
    events = live;
    live.start(context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor());
    IRestApiService server = context.getServiceImpl(IRestApiService.class);
    // the path of Floodlight's own balancer
    server.addRestletRoutable(
        new ResourceRoutable("/quantum/v1.0", BalancerResources.routes(balancer)));
    OctaviaApi.of(balancer).forEach(server::addRestletRoutable);
    server.addRestletRoutable(Page.resources());
    // before all others that serve a part of this path
    server.addRestletRoutable(new ResourceRoutable("/wm/malob/events", live.routes()));
    server.addRestletRoutable(
        new ResourceRoutable("/wm/malob", StateRoutes.of(context, sources, live)));
  }

  /** Ends the streams of events. */
  @Override
  public void close() {
    LiveEvents live = events;
    if (live != null) {
      live.close();
    }
  }
}
