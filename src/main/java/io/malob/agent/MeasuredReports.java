package io.malob.agent;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.monitor.IMonitorService;
import io.malob.state.network.ServerTracker;
import io.malob.state.report.Agent;
import io.malob.state.report.Rejection;
import io.malob.state.report.Report;
import io.malob.state.report.ReportCounts;
import io.malob.state.report.ReportIntake;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Writes what agents report to the trackers. A throughput between two nodes is that of the one link
 * between the switches that they are attached to.
 */
final class MeasuredReports implements ReportIntake.Sink {
  private final IMonitorService monitor;
  private final IDeviceService devices;
  private final ReportCounts counts;

  MeasuredReports(IMonitorService monitor, IDeviceService devices, ReportCounts counts) {
    this.monitor = monitor;
    this.devices = devices;
    this.counts = counts;
  }

  @Override
  public void take(Agent agent, Report report, long atNanos) {
    if (report.content() instanceof Report.Server server) {
      monitor
          .servers()
          .report(
              agent.address(),
              new ServerTracker.Report(
                  server.cpuFraction(), server.responseNanos(), server.connections(), atNanos));
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
    List<DirectedLink> there = linksBetween(at.get(), other.get());
    List<DirectedLink> back = linksBetween(other.get(), at.get());
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

  private List<DirectedLink> linksBetween(DatapathId src, DatapathId dst) {
    return monitor.topology().links().stream()
        .filter(link -> link.src().equals(src) && link.dst().equals(dst))
        .toList();
  }

  private Optional<DatapathId> switchOf(IPv4Address address) {
    Iterator<? extends IDevice> found =
        devices.queryDevices(
            MacAddress.NONE, null, address, IPv6Address.NONE, DatapathId.NONE, OFPort.ZERO);
    while (found.hasNext()) {
      @Nullable SwitchPort[] ports = found.next().getAttachmentPoints();
      for (SwitchPort port : ports) {
        if (port != null) {
          return Optional.of(port.getNodeId());
        }
      }
    }
    return Optional.empty();
  }
}
