package io.malob.rest;

import io.malob.agent.IAgentService;
import io.malob.balancer.api.IBalancerService;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.endhost.IEndhostService;
import io.malob.json.RejectedException;
import io.malob.latency.ILatencyService;
import io.malob.module.IClusterService;
import io.malob.module.IPeerService;
import io.malob.monitor.IMonitorService;
import io.malob.mptcp.IMptcpService;
import io.malob.resource.Demand;
import io.malob.resource.Reply;
import io.malob.resource.Resource;
import io.malob.resource.RouteTable;
import io.malob.rest.live.LiveEvents;
import io.malob.rest.live.ShownPlacement;
import io.malob.rest.problem.ProblemSources;
import io.malob.rest.problem.Problems;
import java.time.Clock;
import java.util.List;
import net.floodlightcontroller.core.module.FloodlightModuleContext;

/**
 * The table of all resources below {@code /wm/malob}, except events. A new resource is a line here.
 */
final class StateRoutes {
  private StateRoutes() {}

  /** Shows the current state. */
  private interface Shown {
    Object now() throws RejectedException;
  }

  /** The routes to the resources of these services. */
  static RouteTable of(FloodlightModuleContext context, ProblemSources sources, LiveEvents live) {
    IBalancerService balancer = sources.balancer();
    IMonitorService monitor = sources.monitor();
    ILatencyService latency = context.getServiceImpl(ILatencyService.class);
    ISwitchCapabilityService capabilities = context.getServiceImpl(ISwitchCapabilityService.class);
    MonitoredState monitored = new MonitoredState(balancer, monitor, Clock.systemUTC());
    ConfigResources config = new ConfigResources(balancer);
    ConnectionResources connections = new ConnectionResources(balancer);
    ExplanationResources explanations = new ExplanationResources(balancer, monitor);
    CapacityResources capacities = new CapacityResources(monitor.capacities());
    RouteResources staticRoutes = new RouteResources(balancer);
    ReportResources reports = new ReportResources(context.getServiceImpl(IAgentService.class));
    MptcpResources mptcp = new MptcpResources(context.getServiceImpl(IMptcpService.class));
    ClusterResources cluster =
        new ClusterResources(context.getServiceImpl(IClusterService.class), sources.cluster());
    MissingPeers peers =
        new MissingPeers(context.getServiceImpl(IPeerService.class), sources.cluster());
    LogLevels levels = new LogLevels();
    RouteTable routes =
        RouteTable.listing()
            .get("config", config::get)
            .post("config", ConfigResources.PARAMETERS, config::put)
            .put("config", ConfigResources.PARAMETERS, config::put)
            .demanding("config", new Demand(ConfigResources.MAX_BYTES, false))
            .get("openapi.json", call -> Reply.text("application/json", OpenApiDocument.json()))
            .get("explain", ExplanationResources.PARAMETERS, peers.on(explanations::explain))
            .get("connections", ConnectionResources.PARAMETERS, peers.on(connections::list))
            .get("capacities", capacities::list)
            .post("capacities", capacities::create)
            .get("capacities/{switch}/{port}", capacities::show)
            .put("capacities/{switch}/{port}", capacities::put)
            .delete("capacities/{switch}/{port}", capacities::delete)
            .get("routes", staticRoutes::list)
            .post("routes", staticRoutes::create)
            .get("routes/{address}/{length}", staticRoutes::show)
            .put("routes/{address}/{length}", staticRoutes::put)
            .delete("routes/{address}/{length}", staticRoutes::delete)
            .get("paths", peers.on(shown(() -> StateDocuments.paths(balancer))))
            .get("algorithms", shown(StateDocuments::algorithms))
            .get("profiles", peers.on(shown(() -> StateDocuments.profiles(balancer))))
            .get("moves", peers.on(shown(balancer::moves)))
            .get("links", peers.on(shown(monitored::links)))
            .get("servers", peers.on(shown(monitored::servers)))
            .get("snapshot", peers.on(shown(monitored::snapshot)))
            .get("latency", peers.on(shown(() -> StateDocuments.latency(latency))))
            .get("switches", peers.on(shown(() -> StateDocuments.switches(capabilities))))
            .get("reports", peers.on(reports::list))
            .post("reports", reports::take)
            .get("refusals", peers.on(shown(balancer::rejects)))
            .get("history", peers.on(shown(live::history)))
            .get("problems", peers.on(shown(() -> Problems.now(sources))))
            .get("cluster", cluster::show)
            .post("cluster/handover", cluster::handOver)
            .put("cluster/mastership", cluster::setMastership)
            .post("cluster/generation-base", cluster::raiseBase)
            .get("counters", peers.on(shown(balancer::counters)))
            .get("placement", peers.on(shown(() -> placement(balancer))))
            .get("audits", peers.on(shown(balancer::reconcileStats)))
            .get("logs/levels", levels::list)
            .put("logs/levels", levels::put)
            .get("mptcp", mptcp::status)
            .delete("mptcp", mptcp::clear)
            .get("mptcp/status", mptcp::status)
            .post("mptcp/plan", mptcp::plan)
            .post("mptcp/apply", mptcp::apply)
            .demanding("mptcp/apply", Demand.WAITING)
            .get("mptcp/picture", mptcp::picture);
    return EndhostResources.addTo(routes, context.getServiceImpl(IEndhostService.class));
  }

  private static List<?> placement(IBalancerService balancer) {
    return ShownPlacement.of(balancer.proactive(), ShownPlacement.MAX_EDGES);
  }

  private static Resource shown(Shown shown) {
    return call -> Reply.ok(shown.now());
  }
}
