package io.malob.balancer;

import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.recovery.LostClients;
import io.malob.balancer.recovery.ReconcileRounds;
import io.malob.balancer.recovery.Reconciler;
import io.malob.balancer.recovery.RecoveredLabels;
import io.malob.balancer.recovery.RecoveredRoutes;
import io.malob.balancer.recovery.StateRecovery;
import io.malob.balancer.recovery.SwitchRecovery;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.module.FloodlightModuleException;

/** The agreement with switches: their rules are read, compared, and recovered after a restart. */
final class Recovering {
  final StateRecovery stateRecovery;
  final SwitchRecovery switchRecovery;
  final Task recover;

  private final ReconcileRounds rounds;
  private final LostClients lostClients;

  Recovering(
      BalancerContext context,
      Viewing viewing,
      Connecting connecting,
      ProactivePlacement proactive,
      Placing placing,
      Clustered clustered)
      throws FloodlightModuleException {
    long patienceNanos =
        TimeUnit.SECONDS.toNanos(context.settings.get(BalancerSettings.ADOPT_SECONDS));
    RecoveredLabels labels =
        new RecoveredLabels(
            viewing.labels, patienceNanos, proactive.vips::usesFoundLabel, context.nanoTime);
    stateRecovery =
        new StateRecovery(
            new StateRecovery.Parts(
                viewing.view.views(),
                connecting.tables,
                new RecoveredRoutes(
                    labels, viewing.labels, connecting.ruleSender, context.nanoTime),
                placing.admissionControl,
                connecting.teardown,
                context.ruleSender,
                viewing.hosts,
                context.unowned),
            patienceNanos,
            context.nanoTime,
            work -> context.housekeeping.submit("recovering connections", work));
    recover = new Task("recovering connections", stateRecovery::complete);
    int auditSeconds = context.settings.get(BalancerSettings.AUDIT_SECONDS);
    rounds =
        new ReconcileRounds(
            context.switches,
            viewing.readSwitches,
            context.serialExecutor,
            context.nanoTime,
            new Reconciler.Parts(
                stateRecovery,
                viewing.labels,
                connecting.ruleSender,
                proactive.vips,
                viewing.coreAccess,
                viewing.segments,
                context.ownAddresses),
            context.settings.get(BalancerSettings.ANSWER_SECONDS),
            auditSeconds);
    switchRecovery =
        new SwitchRecovery(
            viewing.readSwitches,
            connecting.hostRules,
            viewing.preparation,
            rounds,
            stateRecovery,
            viewing.outages,
            clustered::covers,
            proactive.vips::reset);
    lostClients =
        new LostClients(
            connecting.tables,
            viewing.outages,
            connecting.teardown,
            connecting.ruleSender,
            context.rejects,
            TimeUnit.SECONDS.toNanos(auditSeconds),
            context.serialExecutor,
            context.nanoTime);
  }

  /** Adds the periodic tasks. */
  void schedule(BalancerContext context) {
    context.housekeeping.tidying(recover, new Task("reconciling switches", rounds::tick));
    context.repetition.every(LostClients.TICK_MILLIS, "ending lost clients", lostClients::tick);
  }
}
