package io.malob.balancer;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Counting;
import io.malob.algorithm.VlanAddress;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.admission.HostFinder;
import io.malob.balancer.admission.MissingHosts;
import io.malob.balancer.admission.ReadSwitches;
import io.malob.balancer.admission.SwitchOutages;
import io.malob.balancer.api.PlacementCounts;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.connection.LegacySegments;
import io.malob.balancer.connection.ServiceProfiles;
import io.malob.balancer.connection.SharedAttachments;
import io.malob.balancer.recovery.SwitchPreparation;
import io.malob.balancer.view.MemberLoads;
import io.malob.balancer.view.NetworkValues;
import io.malob.balancer.view.ServicePlan;
import io.malob.balancer.view.SlowStarts;
import io.malob.balancer.view.ViewWriter;
import io.malob.module.AttachedHosts;
import io.malob.openflow.label.Label;
import io.malob.openflow.label.LabelTable;
import io.malob.state.catalog.Service;
import io.malob.state.catalog.Vip;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.devicemanager.IDevice;

/**
 * The view that placements read, and what keeps it: where hosts are, which switches can be used,
 * and the labels of paths.
 */
final class Viewing {
  private static final long SLOW_START_MILLIS = 100;
  private static final long MEASURED_MILLIS = 1_000;

  final CoreAccess coreAccess;
  final HostFinder hosts;
  final LabelTable labels;
  final LegacySegments segments;
  final SwitchPreparation preparation;
  final MemberLoads loads;
  final ViewWriter view;
  final ServiceProfiles profiles = new ServiceProfiles();
  final PlacementCounts placements = new PlacementCounts();
  final ReadSwitches readSwitches = new ReadSwitches();
  final SwitchOutages outages;
  final MissingHosts missingHosts;

  final Task locateMembers;
  final Task askForMembers;
  final Task followHosts;
  final Task followSegments;

  /** Called when a host behind core switches is attached to another edge. */
  BiConsumer<IDevice, Attachment> whenEdgeChanged = (device, place) -> {};

  /** Finds the hosts that are not attached to this controller's switches. */
  Function<VlanAddress, Optional<Attachment>> otherHosts = host -> Optional.empty();

  /** Run after each search for paths. */
  Task afterSearch = new Task("", () -> {});

  Viewing(BalancerContext context) throws FloodlightModuleException {
    coreAccess =
        new CoreAccess(
            context.devices,
            context.ruleSender,
            (device, place) -> whenEdgeChanged.accept(device, place),
            context.ownAddresses,
            context.nanoTime);
    hosts =
        new HostFinder(
            context.switches,
            context.topology,
            new AttachedHosts(context.devices),
            coreAccess,
            context.ruleSender,
            new SharedAttachments(),
            context.routing);
    LinkLoads linkLoads = new LinkLoads();
    labels =
        new LabelTable(
            context.everywhere,
            context.nanoTime,
            linkLoads,
            context::labelRange,
            context.random.applyAsInt(Label.MAX_CONNECTION_ID));
    segments =
        new LegacySegments(
            context.ruleSender,
            context.everywhere,
            labels,
            work -> context.housekeeping.submit("dropping copies of packets", work));
    labels.beforeUse(segments::announce);
    preparation =
        new SwitchPreparation(
            context.ruleSender,
            labels,
            coreAccess,
            segments,
            context.features,
            context.ownAddresses,
            context.settings.get(BalancerSettings.TELL_ENDS));
    outages = new SwitchOutages(context.nanoTime);
    missingHosts = new MissingHosts(hosts, context.nanoTime);
    Counting counting = BalancerSettings.counting(context.settings);
    Executor searches =
        search ->
            context.housekeeping.submit(
                List.of(new Task("searching for paths", search), afterSearch));
    loads = new MemberLoads(context::measured, context::partOf);
    view =
        new ViewWriter(
            host -> hosts.find(host).or(() -> otherHosts.apply(context.routing.nextHop(host))),
            address -> context.routing.routerTo(address).isPresent(),
            loads,
            new NetworkValues(context.monitor, linkLoads, counting)::of,
            counting,
            new PlanCounters(profiles, placements),
            new SlowStarts(context.nanoTime),
            searches);
    locateMembers = new Task("locating members", view::refreshHosts);
    askForMembers =
        new Task(
            "locating missing members", () -> missingHosts.askForMembers(view.missingMembers()));
    followSegments =
        new Task(
            "following legacy segments",
            () -> segments.update(context.segments(view.get().network().topology())));
    followHosts = new Task("following hosts behind core switches", this::updateAccess);
  }

  private record PlanCounters(ServiceProfiles profiles, PlacementCounts placements)
      implements ServicePlan.Counters {
    @Override
    public ServiceProfile profile(Vip vip, Service service, boolean isFtpControl) {
      return profiles.forPlacing(vip, service, isFtpControl);
    }

    @Override
    public PlacementCounts.Tally tally(Service service, Algorithm algorithm) {
      return placements.of(service, algorithm);
    }
  }

  /** Follows the hosts behind core switches. For tasks. */
  void updateAccess() {
    coreAccess.update(view.get().network().topology(), view.get().catalog());
  }

  /** Adds the periodic tasks. */
  void schedule(BalancerContext context) {
    context.housekeeping.tidying(
        new Task("sweeping requests for hosts", missingHosts::sweep),
        new Task("sweeping outages", outages::sweep),
        askForMembers);
    context.housekeeping.every(
        LegacySegments.TICK_MILLIS, segments::isAny, new Task("announcing labels", segments::tick));
    context.housekeeping.every(
        SLOW_START_MILLIS, new Task("updating slow starts", view::refreshShares));
    context.housekeeping.every(
        MEASURED_MILLIS,
        new Task("applying link measurements", view::refreshLinks),
        new Task("applying reports", view::refreshServers));
    context
        .monitor
        .servers()
        .addListener(
            address ->
                context.housekeeping.submit(
                    "applying a report", () -> view.refreshServer(address)));
  }
}
