package io.malob.rest;

import com.google.common.collect.ImmutableList;
import io.malob.agent.IAgentService;
import io.malob.balancer.api.IBalancerService;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.endhost.IEndhostService;
import io.malob.json.RejectedException;
import io.malob.latency.ILatencyService;
import io.malob.module.ClusterView;
import io.malob.module.DuplicateSwitch;
import io.malob.module.IClusterService;
import io.malob.module.IDuplicateSwitchService;
import io.malob.module.IPeerService;
import io.malob.monitor.IMonitorService;
import io.malob.mptcp.IMptcpService;
import io.malob.resource.Call;
import io.malob.resource.Demand;
import io.malob.resource.Reply;
import io.malob.resource.Resource;
import io.malob.resource.Routes;
import io.malob.rest.live.LiveEvents;
import io.malob.rest.live.ShownPlacement;
import io.malob.rest.problem.Problem;
import io.malob.rest.problem.Problems;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.devicemanager.IDeviceService;
import org.jspecify.annotations.Nullable;

/**
 * The table of all resources below {@code /wm/malob}, except events. A new resource is a line here.
 */
final class StateRoutes {
  private StateRoutes() {}

  /** Shows the current state. */
  private interface Shown {
    Object now() throws RejectedException;
  }

  /** Answers a request. */
  private interface ShownFor {
    Object of(Call call) throws RejectedException;
  }

  /** The routes to the resources of these services. */
  static Routes of(FloodlightModuleContext context, LiveEvents live) {
    IBalancerService balancer = context.getServiceImpl(IBalancerService.class);
    IMonitorService monitor = context.getServiceImpl(IMonitorService.class);
    IDeviceService devices = context.getServiceImpl(IDeviceService.class);
    ILatencyService latency = context.getServiceImpl(ILatencyService.class);
    ISwitchCapabilityService capabilities = context.getServiceImpl(ISwitchCapabilityService.class);
    MonitoredState monitored = new MonitoredState(balancer, monitor, Clock.systemUTC());
    ConfigResources config = new ConfigResources(balancer);
    ConnectionResources connections = new ConnectionResources(balancer);
    ExplanationResources explanations = new ExplanationResources(balancer, monitor);
    CapacityResources capacities = new CapacityResources(monitor.capacities());
    ReportResources reports = new ReportResources(context.getServiceImpl(IAgentService.class));
    MptcpResources mptcp = new MptcpResources(context.getServiceImpl(IMptcpService.class));
    @Nullable IClusterService clusterService = context.getServiceImpl(IClusterService.class);
    ClusterResources cluster = new ClusterResources(clusterService);
    Supplier<Optional<ClusterView>> clusterView = ClusterResources.viewOf(clusterService);
    Supplier<ImmutableList<DuplicateSwitch>> duplicates =
        duplicates(context.getServiceImpl(IDuplicateSwitchService.class));
    MissingPeers peers = new MissingPeers(context.getServiceImpl(IPeerService.class), clusterView);
    LogLevels levels = new LogLevels();
    Routes routes =
        Routes.listing()
            .get("config", config::get)
            .post("config", ConfigResources.PARAMETERS, config::put)
            .put("config", ConfigResources.PARAMETERS, config::put)
            .demanding("config", new Demand(ConfigResources.MAX_BYTES, false))
            .get("openapi.json", call -> Reply.text("application/json", OpenApiDocument.json()))
            .get(
                "explain",
                ExplanationResources.PARAMETERS,
                peers.on(shownFor(explanations::explain)))
            .get(
                "connections",
                ConnectionResources.PARAMETERS,
                peers.on(shownFor(connections::list)))
            .get("capacities", capacities::list)
            .post("capacities", capacities::create)
            .get("capacities/{switch}/{port}", capacities::show)
            .put("capacities/{switch}/{port}", capacities::put)
            .delete("capacities/{switch}/{port}", capacities::delete)
            .get("paths", peers.on(shown(() -> BalancerState.paths(balancer.paths()))))
            .get("algorithms", shown(BalancerState::algorithms))
            .get("profiles", peers.on(shown(() -> LearntServices.shown(balancer.profiles()))))
            .get("moves", peers.on(shown(() -> BalancerState.moves(balancer.moves()))))
            .get("links", peers.on(shown(monitored::links)))
            .get("servers", peers.on(shown(monitored::servers)))
            .get("snapshot", peers.on(shown(monitored::snapshot)))
            .get("latency", peers.on(shown(() -> LatencyProbing.shown(latency))))
            .get("switches", peers.on(shown(() -> ShownSwitches.shown(capabilities))))
            .get("reports", peers.on(reports::list))
            .post("reports", reports::take)
            .get("refusals", peers.on(shown(balancer::rejects)))
            .get("history", peers.on(shown(live::history)))
            .get(
                "problems",
                peers.on(
                    shown(
                        () ->
                            problems(
                                Problems.now(
                                    balancer,
                                    monitor,
                                    clusterView.get(),
                                    devices.getAllDevices(),
                                    duplicates.get())))))
            .get("cluster", cluster::show)
            .post("cluster/handover", cluster::handOver)
            .put("cluster/mastership", cluster::setMastership)
            .post("cluster/generation-base", cluster::raiseBase)
            .get("counters", peers.on(shown(() -> BalancerState.counters(balancer.counters()))))
            .get("placement", peers.on(shown(() -> placement(balancer))))
            .get("audits", peers.on(shown(() -> BalancerState.audits(balancer.reconcileStats()))))
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

  /** Switches with one datapath id; none in real Floodlight. */
  static Supplier<ImmutableList<DuplicateSwitch>> duplicates(
      @Nullable IDuplicateSwitchService service) {
    return service == null ? ImmutableList::of : service::duplicates;
  }

  private static List<Object> problems(List<Problem> problems) {
    return problems.stream().map(Problem::shown).collect(Collectors.toList());
  }

  private static List<Object> placement(IBalancerService balancer) {
    return ShownPlacement.of(balancer.proactive(), ShownPlacement.MAX_EDGES);
  }

  private static Resource shown(Shown shown) {
    return call -> Reply.ok(shown.now());
  }

  private static Resource shownFor(ShownFor shown) {
    return call -> Reply.ok(shown.of(call));
  }
}
