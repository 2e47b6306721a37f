package io.malob.balancer;

import io.malob.algorithm.FiveTuple;
import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.admission.ConnectionActivator;
import io.malob.balancer.admission.HostFinder;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.bucket.ProactiveClients;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.connection.HalfOpenLimit;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.balancer.proactive.ProactiveSettings;
import io.malob.balancer.proactive.ProactiveVips;
import io.malob.balancer.recovery.ReadSwitches;
import io.malob.balancer.recovery.SwitchPreparation;
import io.malob.balancer.reroute.RulePacer;
import io.malob.balancer.view.ViewWriter;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.RefusedRule;
import io.malob.openflow.label.LabelTable;
import io.malob.state.catalog.Member;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.devicemanager.IDeviceService;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Wires proactive VIPs to the rest of the balancer: to housekeeping, the view, and the connections
 * that have rules of their own. Thread-safe, except {@link #vips}.
 */
final class ProactivePlacement implements SwitchMessages.Proactive {
  private final ProactiveSettings settings;
  private final Pins pins;
  private final ConnectionActivator activator;
  private final Housekeeping housekeeping;
  private final ProactiveVips vips;

  ProactivePlacement(
      ProactiveSettings settings,
      Buckets buckets,
      ProactiveClients clients,
      ViewWriter view,
      IOFSwitchService switches,
      IDeviceService devices,
      CoreAccess coreAccess,
      ReadSwitches readSwitches,
      LabelTable labels,
      HostRuleCache hostRules,
      FlowProgrammer programmer,
      RulePacer pacer,
      HostFinder hosts,
      HalfOpenLimit halfOpen,
      SwitchPreparation preparation,
      ConnectionTable connections,
      ConnectionActivator activator,
      BooleanSupplier hasSeveralMasters,
      Housekeeping housekeeping,
      Executor serialExecutor,
      LongSupplier nanoTime) {
    this.settings = settings;
    this.pins = new Pins(buckets, connections, activator::reinstall);
    this.activator = activator;
    this.housekeeping = housekeeping;
    this.vips =
        new ProactiveVips(
            settings,
            view.views(),
            switches,
            devices,
            coreAccess,
            readSwitches::contains,
            labels,
            hostRules,
            buckets,
            clients,
            programmer,
            pacer,
            hosts::probeEverywhere,
            halfOpen::now,
            preparation::matchesTcpFlags,
            pins::pinExposed,
            hasSeveralMasters,
            corrections(view),
            serialExecutor,
            nanoTime);
  }

  private static ProactiveVips.Corrections corrections(ViewWriter view) {
    return new ProactiveVips.Corrections() {
      @Override
      public OptionalInt reported(Member member) {
        return view.reportedConnections(member);
      }

      @Override
      public void estimated(Map<Integer, Integer> open) {
        view.setEstimated(open);
      }

      @Override
      public void placed(int memberNumber, long connections) {
        view.addPlaced(memberNumber, connections);
      }
    };
  }

  /** The VIPs, for one thread at a time, as they say. */
  ProactiveVips vips() {
    return vips;
  }

  /** Adds the periodic task to housekeeping. */
  void schedule() {
    housekeeping.every(
        ProactiveVips.TICK_MILLIS,
        "placing proactively",
        vips::isNeeded,
        new Task("placing proactively", vips::tick));
  }

  /** Clients of proactive VIPs have become known or have moved. */
  void clientsChanged() {
    housekeeping.submit("installing clients of proactive VIPs", vips::tick);
  }

  @Override
  public boolean probeRefused(OFErrorMsg error) {
    return vips.probeRefused(error);
  }

  @Override
  public void refused(DatapathId switchId, RefusedRule rule) {
    housekeeping.submit("handling a refused rule", () -> vips.refused(switchId, rule));
  }

  @Override
  public void expired(Connection connection, int idleSeconds) {
    // one that was pinned before has been silent for so long that it is given up
    if (idleSeconds < settings.pin()) {
      pins.pin(connection);
    }
  }

  @Override
  public void synRuleExpired(FiveTuple request, int generation) {
    activator.synRuleExpired(request, generation);
  }
}
