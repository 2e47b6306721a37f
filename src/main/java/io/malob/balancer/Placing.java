package io.malob.balancer;

import com.google.common.collect.ImmutableMap;
import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.admission.AclDropRules;
import io.malob.balancer.admission.AdmissionControl;
import io.malob.balancer.admission.BucketExplainer;
import io.malob.balancer.admission.ChosenMembers;
import io.malob.balancer.admission.Decider;
import io.malob.balancer.admission.DecisionExecutor;
import io.malob.balancer.admission.ErrorRelay;
import io.malob.balancer.admission.Explainer;
import io.malob.balancer.admission.FloodGuard;
import io.malob.balancer.admission.MemberTiers;
import io.malob.balancer.admission.OpeningDecider;
import io.malob.balancer.admission.PacketInClasses;
import io.malob.balancer.admission.PacketInDrops;
import io.malob.balancer.admission.PendingPackets;
import io.malob.balancer.admission.Refusals;
import io.malob.balancer.admission.RequestHandler;
import io.malob.balancer.admission.SelfTraffic;
import io.malob.balancer.admission.Tables;
import io.malob.balancer.admission.TrackedOpenings;
import io.malob.balancer.admission.TrackedPackets;
import io.malob.balancer.admission.TranslatedPackets;
import io.malob.balancer.admission.UnrecordedReplies;
import io.malob.balancer.admission.VipNeighbours;
import io.malob.balancer.connection.FlowSamples;
import io.malob.balancer.view.BalancerView;
import io.malob.module.AttachedHosts;
import io.malob.module.IPacketInQueueService;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.jspecify.annotations.Nullable;

/** The path of a packet: admission, placement, and the explanation of placements. */
final class Placing {
  private static final long RETRY_MILLIS = 500;

  /** How many members of connections are remembered until their switches track them. */
  private static final int MAX_CHOSEN = 32_768;

  final AdmissionControl admissionControl;
  final AclDropRules aclDropRules;
  final PendingPackets pendingPackets;
  final FlowSamples samples;
  final RequestHandler requests;
  final Explainer explainer;
  final VipNeighbours neighbours;
  final SelfTraffic selfTraffic;
  final Task retryPending;

  /** Null in real Floodlight, which has no such queues. */
  private final @Nullable PacketInDrops packetInDrops;

  /**
   * Places packets.
   *
   * @param queues null in real Floodlight
   */
  Placing(
      BalancerContext context,
      Viewing viewing,
      Connecting connecting,
      ProactivePlacement proactive,
      @Nullable IPacketInQueueService queues)
      throws FloodlightModuleException {
    Supplier<BalancerView> views = viewing.view.views();
    samples = new FlowSamples(context.nanoTime);
    aclDropRules = new AclDropRules(context.ruleSender, context.rejects, context.nanoTime);
    pendingPackets =
        new PendingPackets(
            context.nanoTime,
            arrival ->
                context.housekeeping.submit(
                    List.of(
                        viewing.askForMembers,
                        new Task(
                            "locating a client",
                            () -> viewing.missingHosts.askForClient(arrival)))));
    Tables tables = connecting.tables;
    MemberTiers tiers = new MemberTiers(connecting.connections, viewing.coreAccess);
    admissionControl =
        new AdmissionControl(
            tables,
            tiers,
            connecting.ruleSender,
            connecting.activator,
            connecting.teardown,
            new TrackedOpenings(
                tables,
                context.ruleSender,
                new ChosenMembers(MAX_CHOSEN, context.nanoTime.getAsLong())),
            samples,
            new AtomicInteger(context.random.applyAsInt(Integer.MAX_VALUE)));
    OpeningDecider openings = new OpeningDecider(tables, viewing.profiles, viewing.placements);
    explainer =
        new Explainer(
            views,
            tables,
            openings,
            tiers,
            new AttachedHosts(context.devices),
            viewing.coreAccess,
            new BucketExplainer(tables.buckets(), proactive.vips::stats, context.nanoTime));
    Refusals refusals =
        new Refusals(
            tables, connecting.rejectSender, aclDropRules, pendingPackets, viewing.outages);
    Decider decider = new Decider(tables, viewing.hosts, openings, context.nanoTime);
    TranslatedPackets translated =
        new TranslatedPackets(
            tables,
            viewing.hosts,
            connecting.ruleSender,
            new TrackedPackets(tables, connecting.ruleSender),
            connecting.activator,
            connecting.relocations,
            connecting.rejectSender,
            proactive.nextHops);
    requests =
        new RequestHandler(
            views,
            new DecisionExecutor(
                tables,
                decider,
                admissionControl,
                connecting.activator,
                connecting.teardown,
                connecting.relocations,
                refusals,
                context.packetIns),
            new UnrecordedReplies(
                tables,
                viewing.hosts,
                translated,
                refusals,
                context.packetIns,
                context.ownAddresses),
            translated,
            new ErrorRelay(tables, viewing.hosts, context.everywhere, context.rejects),
            refusals,
            context.packetIns,
            context.nanoTime);
    neighbours =
        new VipNeighbours(
            views,
            context.ruleSender,
            viewing.hosts,
            proactive.nextHops,
            context.ownAddresses,
            context.rejects);
    selfTraffic = new SelfTraffic(context.ownAddresses, context.ruleSender);
    retryPending = new Task("retrying pending packets", requests::retryPending);
    packetInDrops = queues == null ? null : packetInDrops(context, queues);
  }

  private static PacketInDrops packetInDrops(BalancerContext context, IPacketInQueueService queues)
      throws FloodlightModuleException {
    return new PacketInDrops(
        queues,
        new PacketInClasses(context.catalog::snapshot),
        new FloodGuard(
            context.settings.get(BalancerSettings.FLOOD_PER_SECOND),
            context.catalog::snapshot,
            context.ruleSender,
            context.nanoTime));
  }

  /** Adds the periodic tasks. */
  void schedule(BalancerContext context) {
    context.housekeeping.every(RETRY_MILLIS, retryPending);
    context.repetition.every(Housekeeping.TIDY_MILLIS, "forgetting samples", samples::sweep);
    if (packetInDrops != null) {
      context.repetition.every(
          Housekeeping.TIDY_MILLIS, "reporting dropped packet-ins", packetInDrops::log);
    }
  }

  /** The dropped packet-ins, by class. */
  ImmutableMap<String, Long> droppedPacketIns() {
    return packetInDrops == null ? ImmutableMap.of() : packetInDrops.byClass();
  }
}
