package io.malob.balancer;

import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.admission.ConnectionActivator;
import io.malob.balancer.bucket.VipNextHops;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.proactive.ProactiveContext;
import io.malob.balancer.proactive.ProactiveSettings;
import io.malob.balancer.proactive.ProactiveVips;
import io.malob.openflow.RefusedRule;
import io.malob.state.catalog.Member;
import java.util.Map;
import java.util.OptionalInt;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Wires proactive VIPs to the rest of the balancer: to housekeeping, the view, and the connections
 * that have rules of their own. Thread-safe, except {@link #vips}.
 */
final class ProactivePlacement {
  private final ProactiveSettings settings;
  private final Pins pins;
  private final ConnectionActivator activator;
  private final Housekeeping housekeeping;

  /** The VIPs, for one thread at a time, as they say. */
  final ProactiveVips vips;

  /** The next hops of proactive VIPs. */
  final VipNextHops nextHops;

  ProactivePlacement(
      BalancerContext context, Viewing viewing, Connecting connecting, ProactiveSettings settings) {
    this.settings = settings;
    this.activator = connecting.activator;
    this.pins =
        new Pins(
            connecting.buckets, connecting.connections, activator::reinstall, activator::watch);
    this.housekeeping = context.housekeeping;
    this.nextHops = new VipNextHops(this::nextHopsChanged);
    this.vips =
        new ProactiveVips(
            settings,
            viewing.view.views(),
            new ProactiveContext(
                new ProactiveContext.Network(
                    context.switches,
                    context.devices,
                    viewing.coreAccess,
                    viewing.readSwitches::contains,
                    context.features,
                    context.capabilities.trackedZone(),
                    context::hasSeveralMasters,
                    address -> context.routing.routerTo(address).isPresent(),
                    context.routing.self(),
                    context.routers,
                    context.sourceAddresses,
                    context.routing::nextHop),
                new ProactiveContext.Rules(
                    context.ruleSender,
                    viewing.labels,
                    viewing.segments,
                    connecting.hostRules,
                    connecting.pacer),
                new ProactiveContext.Clients(
                    connecting.buckets,
                    nextHops,
                    connecting.halfOpen::now,
                    pins::pinExposed,
                    pins::watchElsewhere)),
            corrections(viewing, connecting.limiter),
            context.serialExecutor,
            context.nanoTime);
  }

  private static ProactiveVips.Corrections corrections(Viewing viewing, ConnectionLimiter limiter) {
    return new ProactiveVips.Corrections() {
      @Override
      public OptionalInt reported(Member member) {
        return viewing.loads.reportedConnections(member);
      }

      @Override
      public void estimated(Map<Integer, Integer> open) {
        viewing.view.setEstimated(open);
      }

      @Override
      public void estimatedAtVip(int vipNumber, int open) {
        limiter.setEstimated(vipNumber, open);
      }

      @Override
      public void placed(int memberNumber, long connections) {
        viewing.loads.addPlaced(memberNumber, connections);
      }
    };
  }

  /** Adds the periodic task to housekeeping. */
  void schedule() {
    housekeeping.every(
        ProactiveVips.TICK_MILLIS, vips::isNeeded, new Task("placing proactively", vips::tick));
  }

  private void nextHopsChanged() {
    housekeeping.submit("installing next hops of proactive VIPs", vips::tick);
  }

  /** A switch has refused a rule. */
  void refused(DatapathId switchId, RefusedRule rule) {
    housekeeping.submit("handling a refused rule", () -> vips.refused(switchId, rule));
  }

  /**
   * The rules of a connection have expired.
   *
   * @param idleSeconds their idle timeout
   */
  void expired(Connection connection, int idleSeconds) {
    // one that was pinned before has been silent for so long that it is given up
    if (idleSeconds < settings.pin()) {
      pins.pin(connection);
    }
  }
}
