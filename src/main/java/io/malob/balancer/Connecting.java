package io.malob.balancer;

import io.malob.algorithm.FiveTuple;
import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.admission.ConnectionActivator;
import io.malob.balancer.admission.ConnectionResetter;
import io.malob.balancer.admission.ConnectionTeardown;
import io.malob.balancer.admission.FalseEnds;
import io.malob.balancer.admission.LimitWarnings;
import io.malob.balancer.admission.NextHopChanges;
import io.malob.balancer.admission.OrdinaryConnections;
import io.malob.balancer.admission.RecoveringConnections;
import io.malob.balancer.admission.RejectSender;
import io.malob.balancer.admission.Relocations;
import io.malob.balancer.admission.Tables;
import io.malob.balancer.api.PlacementTimes;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.connection.AffinityTable;
import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.connection.ConnectionMessages;
import io.malob.balancer.connection.ConnectionRoutes;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.balancer.connection.ConnectionRuleSender.IdleTimeouts;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.FtpSessions;
import io.malob.balancer.connection.HalfOpenLimit;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.balancer.connection.LatestConnections;
import io.malob.balancer.connection.MemberGateways;
import io.malob.balancer.health.OutlierDetector;
import io.malob.balancer.proactive.ProactiveSettings;
import io.malob.balancer.reroute.PortChanges;
import io.malob.balancer.reroute.RulePacer;
import io.malob.balancer.view.BalancerView;
import io.malob.capability.SwitchFeature;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import net.floodlightcontroller.core.module.FloodlightModuleException;

/** The connections with their limits and rules, and what begins, moves and ends them. */
final class Connecting {
  private static final int HOST_RULE_IDLE_SECONDS = 300;
  private static final long DORMANT_NANOS = TimeUnit.HOURS.toNanos(1);

  final ConnectionTable connections;
  final ConnectionLimiter limiter;
  final HalfOpenLimit halfOpen;
  final AffinityTable affinity;
  final FtpSessions ftpSessions = new FtpSessions();
  final RecoveringConnections recovering;
  final Tables tables;
  final Buckets buckets;
  final MemberGateways gateways = new MemberGateways();
  final HostRuleCache hostRules = new HostRuleCache(HOST_RULE_IDLE_SECONDS);
  final LatestConnections latest = new LatestConnections();
  final ConnectionRuleSender ruleSender;
  final RejectSender rejectSender;
  final PlacementTimes placementTimes = new PlacementTimes();
  final OutlierDetector outliers;
  final FalseEnds falseEnds;
  final ConnectionTeardown teardown;
  final ConnectionActivator activator;
  final Relocations relocations;
  final ConnectionResetter resetter;

  /** Bounds the rate of changes on switches with one table. */
  final RulePacer pacer;

  private final PortChanges portChanges;
  private final LimitWarnings limitWarnings;

  Connecting(BalancerContext context, Viewing viewing, ProactiveSettings proactive)
      throws FloodlightModuleException {
    Supplier<BalancerView> views = viewing.view.views();
    IdleTimeouts idleTimeouts = BalancerSettings.idleTimeouts(context.settings);
    buckets =
        new Buckets(
            proactive.timeouts(idleTimeouts.udp()),
            switchId -> context.features.has(switchId, SwitchFeature.TCP_FLAGS),
            context.nanoTime);
    ruleSender =
        new ConnectionRuleSender(
            context.everywhere,
            latest,
            new ConnectionMessages(
                hostRules, idleTimeouts, ftpSessions, context.records.records(), buckets, gateways),
            context.nanoTime);
    pacer = new RulePacer(context.everywhere, context.housekeeping::execute, context.nanoTime);
    int maxConnections = context.settings.get(BalancerSettings.MAX_CONNECTIONS);
    connections =
        new ConnectionTable(
            maxConnections,
            context.settings.get(BalancerSettings.MAX_DORMANT),
            DORMANT_NANOS,
            context.nanoTime,
            ruleSender::leaveSession);
    portChanges = new PortChanges(connections, ruleSender, pacer);
    viewing.labels.whenRerouted(portChanges::rerouted);
    limiter = new ConnectionLimiter(context::partOf);
    halfOpen =
        new HalfOpenLimit(
            context.settings.get(BalancerSettings.MAX_HALF_OPEN),
            context::partOf,
            context.nanoTime);
    limitWarnings = new LimitWarnings(limiter, halfOpen, context.nanoTime);
    affinity = new AffinityTable(context.nanoTime);
    recovering = new RecoveringConnections(maxConnections, viewing.readSwitches, context.nanoTime);
    rejectSender = new RejectSender(context.everywhere, context.rejects);
    outliers =
        new OutlierDetector(
            BalancerSettings.ejection(context.settings),
            context.switches,
            viewing.view,
            connections::byRequest,
            context::measured,
            context.serialExecutor,
            context.nanoTime);
    falseEnds =
        new FalseEnds(
            views,
            connections,
            limiter,
            ruleSender,
            switchId ->
                context.switches.getActiveSwitch(switchId) != null && !viewing.outages.mayHeal(),
            context.nanoTime);
    ConnectionRoutes routes = new ConnectionRoutes(viewing.labels);
    tables =
        new Tables(
            connections,
            limiter,
            halfOpen,
            affinity,
            ftpSessions,
            recovering,
            buckets,
            new OrdinaryConnections(context.nanoTime));
    teardown =
        new ConnectionTeardown(
            views,
            tables,
            routes,
            ruleSender,
            outliers.unansweredSyns(),
            context.records.records(),
            falseEnds,
            context.nanoTime);
    activator =
        new ConnectionActivator(
            views,
            tables,
            routes,
            ruleSender,
            rejectSender,
            teardown,
            context.packetIns,
            arrival -> placementTimes.count(context.nanoTime.getAsLong() - arrival.nanos()));
    relocations =
        new Relocations(
            views,
            connections,
            activator,
            new NextHopChanges(
                viewing.hosts, viewing.hosts::isUp, gateways, context.unowned, context.routers),
            context.unowned,
            context.serialExecutor,
            context.nanoTime);
    resetter =
        new ConnectionResetter(
            views,
            connections,
            teardown,
            ruleSender,
            context.unowned,
            viewing.readSwitches::contains,
            context.nanoTime);
  }

  /** The keys of addresses in use. */
  void addressKeys(IntConsumer keys) {
    connections.all().forEach(each -> addressKeys(each.request(), each.reply(), keys));
    recovering.all().forEach(each -> addressKeys(each.request(), each.reply(), keys));
    tables.ordinary().addressKeys(keys);
  }

  private static void addressKeys(FiveTuple request, FiveTuple reply, IntConsumer keys) {
    keys.accept(request.srcAddress());
    keys.accept(request.dstAddress());
    keys.accept(reply.srcAddress());
  }

  /** Adds the periodic tasks. */
  void schedule(BalancerContext context, Viewing viewing) {
    Housekeeping housekeeping = context.housekeeping;
    housekeeping.every(
        RulePacer.TICK_MILLIS,
        () -> portChanges.isPending() || pacer.isWaiting(),
        new Task("finding rules of rerouted connections", portChanges::find),
        new Task("changing rules", pacer::tick));
    housekeeping.every(
        ConnectionResetter.TICK_MILLIS, new Task("closing connections", resetter::resume));
    housekeeping.tidying(
        new Task("sweeping connections", connections::sweep),
        new Task("counting connections that go on", falseEnds::sweep),
        new Task("sweeping clients' members", affinity::sweep),
        new Task(
            "reporting limits",
            () -> limitWarnings.log(viewing.view.get().catalog().vips().values())));
  }
}
