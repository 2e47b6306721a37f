package io.malob.balancer;

import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.health.FrameProbes;
import io.malob.balancer.health.HealthChecks;
import io.malob.balancer.health.HttpProbes;
import io.malob.balancer.health.OutlierDetector;
import io.malob.balancer.health.PeerHealth;
import io.malob.balancer.health.Probe;
import io.malob.balancer.health.Probes;
import io.malob.balancer.health.SpoofGuard;
import io.malob.balancer.health.Standby;
import io.malob.balancer.health.UnansweredSynDetector;
import io.malob.balancer.view.ServerMoves;
import io.malob.balancer.view.SplitHosts;
import io.malob.module.IClusterService;
import io.malob.module.PeerTopic;
import io.malob.module.Repetition;
import java.util.concurrent.ConcurrentLinkedQueue;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFType;

/** The checks of members, and the guard against hosts that claim the addresses of others. */
final class Checking {
  final FrameProbes probes;
  final HealthChecks checks;

  private final OutlierDetector outliers;
  final ServerMoves serverMoves;

  /** Null if it is turned off. */
  private final @Nullable SpoofGuard spoofGuard;

  Checking(BalancerContext context, Viewing viewing, Connecting connecting, Placing placing)
      throws FloodlightModuleException {
    ConcurrentLinkedQueue<Probe> answers = new ConcurrentLinkedQueue<>();
    outliers = connecting.outliers;
    probes = new FrameProbes(context.ruleSender, context.random, answers::add);
    checks =
        new HealthChecks(
            context.nanoTime,
            context.random,
            new Probes(
                probes,
                new HttpProbes(answers::add),
                context::measured,
                switchId -> context.switches.getActiveSwitch(switchId) != null,
                new Standby(
                    context.switches,
                    () -> IClusterService.isInCluster(context.cluster),
                    context.nanoTime),
                context.routing,
                answers::add),
            answers,
            outliers::accepted,
            shared(context));
    serverMoves = new ServerMoves(viewing.hosts, context.nanoTime);
    spoofGuard =
        context.settings.get(BalancerSettings.REFUSE_SPOOFING)
            ? new SpoofGuard(
                viewing.view.views(),
                context.topology,
                serverMoves,
                viewing.coreAccess,
                context.ownAddresses,
                context.rejects,
                placing.requests::replyToClient,
                context.nanoTime)
            : null;
  }

  /** In a cluster, shares verdicts and ejections with the other controllers; else returns null. */
  private @Nullable PeerHealth shared(BalancerContext context) {
    if (context.peers == null || context.cluster == null) {
      return null;
    }
    PeerHealth others = new PeerHealth(context.peers, context.cluster, context.unowned, outliers);
    context.peers.listen(PeerTopic.HEALTH, others);
    return others;
  }

  /** Adds the periodic tasks. */
  void schedule(BalancerContext context, CatalogUpdates updates) {
    Repetition repetition = context.repetition;
    context.housekeeping.every(
        HealthChecks.TICK_MILLIS,
        () -> !checks.health().isEmpty(),
        new Task("checking members", updates::checkMembers));
    context.monitor.servers().addListener(outliers::reported);
    repetition.every(
        UnansweredSynDetector.TICK_MILLIS,
        "detecting unanswered SYNs",
        outliers.unansweredSyns()::tick);
    repetition.every(OutlierDetector.TICK_MILLIS, "readmitting members", outliers::tick);
    repetition.every(
        SplitHosts.TICK_MILLIS, "forgetting hosts that stay", serverMoves.splitHosts()::tick);
    if (spoofGuard != null) {
      context.provider.addOFMessageListener(OFType.PACKET_IN, spoofGuard);
      repetition.every(ServerMoves.TICK_MILLIS, "probing moved servers", serverMoves::tick);
      repetition.every(SpoofGuard.TICK_MILLIS, "logging refused addresses", spoofGuard::tick);
    }
  }
}
