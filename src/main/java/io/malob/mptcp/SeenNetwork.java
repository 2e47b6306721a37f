package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.module.AttachedHosts;
import io.malob.module.FoundLinks;
import io.malob.monitor.IMonitorService;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RuleCompiler;
import io.malob.state.network.LinkCapacity;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.Measurement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.VlanVid;

/** Hosts and links as the controller sees them. Thread-safe. */
record SeenNetwork(
    IOFSwitchService switches,
    ITopologyService topologies,
    IDeviceService devices,
    IMonitorService monitor,
    RuleCompiler compiler)
    implements PlanTracker.PlanInputs {
  /** The min part of its capacity that a full link counts for. */
  private static final double MIN_LEFT = 0.05;

  /** The links that were found, between switches of known layout. */
  @Override
  public Topology topology() {
    Topology found = FoundLinks.between(switches, topologies);
    return Topology.of(found.switches().stream().filter(compiler::knows).toList(), found.links());
  }

  @Override
  public List<KnownHosts.Seen> hosts(IpFamily family) {
    List<KnownHosts.Seen> seen = new ArrayList<>();
    for (IDevice device : devices.getAllDevices()) {
      ImmutableList<IPAddress<?>> addresses =
          AttachedHosts.addressesOf(device).stream()
              .filter(address -> IpFamily.of(address) == family && !address.isUnspecified())
              .collect(ImmutableList.toImmutableList());
      AttachedHosts.attachmentOf(device)
          .ifPresent(
              at -> {
                for (VlanVid vlan : device.getVlanId()) {
                  seen.add(new KnownHosts.Seen(at, Math.max(0, vlan.getVlan()), addresses));
                }
              });
    }
    // their order must not depend on the time they were seen
    seen.sort(KnownHosts.Seen.ORDER);
    return seen;
  }

  @Override
  public boolean isCore(DatapathId switchId) {
    return compiler.isCore(switchId);
  }

  @Override
  public ImmutableMap<UndirectedLink, Double> capacities(
      PlanSettings.Weights weights, Topology network) {
    if (weights == PlanSettings.Weights.NONE) {
      return ImmutableMap.of();
    }
    Map<DirectedLink, LinkMeasurements> measured = monitor.links().snapshot(monitor.nanoTime());
    Map<UndirectedLink, Double> capacities = new LinkedHashMap<>();
    for (DirectedLink link : network.links()) {
      monitor
          .capacity(link)
          .map(LinkCapacity::bitsPerSecond)
          .map(bps -> weights == PlanSettings.Weights.LOAD ? left(bps, measured.get(link)) : bps)
          .ifPresent(bps -> capacities.merge(UndirectedLink.of(link), bps, Math::min));
    }
    return ImmutableMap.copyOf(capacities);
  }

  private static double left(double capacityBps, @Nullable LinkMeasurements measured) {
    @Nullable Measurement left = measured == null ? null : measured.throughputBps();
    return left == null ? capacityBps : Math.max(capacityBps * MIN_LEFT, left.value());
  }
}
