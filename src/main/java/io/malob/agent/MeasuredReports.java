package io.malob.agent;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.module.AttachedHosts;
import io.malob.monitor.IMonitorService;
import io.malob.state.network.ServerTracker;
import io.malob.state.report.Agent;
import io.malob.state.report.Rejection;
import io.malob.state.report.Report;
import io.malob.state.report.ReportCounts;
import io.malob.state.report.ReportIntake;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Writes agents' reports to the trackers. A throughput between two nodes belongs to the only link
 * between their switches.
 */
record MeasuredReports(IMonitorService monitor, AttachedHosts hosts, ReportCounts counts)
    implements ReportIntake.Sink {
  @Override
  public void take(Agent agent, Report report, long atNanos) {
    if (report.content() instanceof Report.Server server) {
      ServerTracker.Report measured =
          new ServerTracker.Report(
              server.values(), server.answers(), server.connections(), atNanos);
      agent.addresses().forEach(address -> monitor.servers().report(address, measured));
    } else if (report.content() instanceof Report.Links links) {
      Optional<DatapathId> at = switchOf(agent.address());
      links.links().forEach(link -> take(at, link, atNanos));
    }
  }

  private void take(Optional<DatapathId> at, Report.Throughput reported, long atNanos) {
    Optional<DatapathId> other = switchOf(reported.neighbour());
    if (at.isEmpty() || other.isEmpty()) {
      counts.count(Rejection.UNKNOWN_LINK);
      return;
    }
    Topology topology = monitor.topology();
    List<DirectedLink> there = topology.linksBetween(at.get(), other.get());
    List<DirectedLink> back = topology.linksBetween(other.get(), at.get());
    if (there.size() > 1 || back.size() > 1) {
      counts.count(Rejection.AMBIGUOUS_LINK);
    } else if (there.isEmpty() && back.isEmpty()) {
      counts.count(Rejection.UNKNOWN_LINK);
    } else {
      there.forEach(link -> measured(link, reported.upBps(), atNanos));
      back.forEach(link -> measured(link, reported.downBps(), atNanos));
    }
  }

  private void measured(DirectedLink link, OptionalDouble bps, long atNanos) {
    if (bps.isPresent()) {
      monitor.links().agentThroughput(link, bps.getAsDouble(), atNanos);
    }
  }

  private Optional<DatapathId> switchOf(IPAddress<?> address) {
    return hosts.find(address).map(Attachment::switchId);
  }
}
