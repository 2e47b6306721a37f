package io.malob.controller.network.forwarding;

import io.malob.algorithm.VlanAddress;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.controller.network.PacketMessages;
import io.malob.controller.network.PortLimiter;
import io.malob.controller.network.devices.HostVlans;
import io.malob.controller.network.topology.HostRoute;
import io.malob.controller.network.topology.Segment;
import io.malob.controller.network.topology.TopologySnapshot;
import io.malob.controller.network.topology.TopologyView;
import io.malob.module.AttachedHosts;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;
import org.projectfloodlight.openflow.types.VlanVid;

/**
 * Forwards each packet that no other module handled to its destination, exactly once: to the port
 * of its destination, over the path with the fewest hops, with rules for the packets that follow;
 * or, if the destination is unknown or a group, to all other host ports of the connected network
 * that may have hosts of its VLAN, without rules. The packet itself never goes hop by hop but
 * leaves at its last switch, so rules that are late neither lose nor double it. Switches with
 * another master get rules and packets by way of that. Called by the threads that receive packets;
 * does not block.
 */
record Forwarder(
    TopologyView topology,
    IDeviceService devices,
    HostVlans vlans,
    SwitchWriter switches,
    PortLimiter floods,
    RouteCookies cookies,
    int idleSeconds) {
  /** Addresses whose frames stay on their link (IEEE 802.1D, table 7-10). */
  private static final long LINK_LOCAL = 0x0180c2000000L;

  private static final long LINK_LOCAL_MASK = 0xfffffffffff0L;

  /** Forwards a packet that came in at that port. */
  void forward(NodePortTuple from, Packet packet) {
    if (packet.kind() == Packet.Kind.MALFORMED || isForNobody(packet)) {
      return;
    }
    TopologySnapshot network = topology.current();
    @Nullable SwitchPort to = packet.isMulticast() ? null : attachment(packet, packet.dstMac());
    if (to != null) {
      send(network, from, to, packet);
    } else if (network.isAttachmentPoint(from.getNodeId(), from.getPortId())) {
      // from any other port it would be a copy of a packet from a host port
      flood(network, from, packet);
    }
  }

  private static boolean isForNobody(Packet packet) {
    return (packet.dstMac().getLong() & LINK_LOCAL_MASK) == LINK_LOCAL
        || Label.isLabel(packet.dstMac())
        || packet.etherType() == Packet.ETHERTYPE_LLDP;
  }

  private @Nullable SwitchPort attachment(Packet packet, MacAddress host) {
    IDevice device =
        devices.findDevice(
            host, VlanVid.ofVlan(packet.vlan()), IPv4Address.NONE, IPv6Address.NONE, null, null);
    SwitchPort[] places = device == null ? new SwitchPort[0] : device.getAttachmentPoints();
    return places.length == 0 ? null : places[0];
  }

  private void send(TopologySnapshot network, NodePortTuple from, SwitchPort to, Packet packet) {
    NodePortTuple target = new NodePortTuple(to.getNodeId(), to.getPortId());
    Optional<Segment> shared = network.sharedSegment(from);
    if (target.equals(from) || (shared.isPresent() && shared.get().ports().contains(target))) {
      return; // both hosts are behind that port, and the legacy switch there has delivered it
    }
    Optional<HostRoute> route = network.route(source(network, from, packet), target);
    // legacy switches may send copies to all ports of a segment: only one of them is on the path
    if (route.isEmpty() || (shared.isPresent() && !route.get().comesInAt(from, network))) {
      return;
    }
    NodePortTuple exit = route.get().exit();
    Optional<Path> path = network.path(from.getNodeId(), exit.getNodeId());
    if (path.isEmpty()) {
      return;
    }
    if (RouteRule.isFor(packet)) {
      install(path.get(), from.getPortId(), exit.getPortId(), packet);
      takeBackIfOutdated(path.get(), to, packet);
    }
    switches.write(
        exit.getNodeId(),
        of -> PacketMessages.packetOut(of, List.of(exit.getPortId()), packet.frame()));
  }

  /** Where the sender is: at the port itself, unless other switches are behind that. */
  private NodePortTuple source(TopologySnapshot network, NodePortTuple from, Packet packet) {
    if (network.linkedPorts(from.getNodeId()).contains(from.getPortId())) {
      @Nullable SwitchPort known = attachment(packet, packet.srcMac());
      if (known != null) {
        return new NodePortTuple(known.getNodeId(), known.getPortId());
      }
    }
    return from;
  }

  /** The last switch first: a packet that meets the first rule meets all of them. */
  private void install(Path path, OFPort from, OFPort to, Packet packet) {
    U64 cookie = cookies.of(path);
    OFPort out = to;
    for (DirectedLink link : path.links().reverse()) {
      add(link.dst(), link.dstPort(), out, packet, cookie);
      out = link.srcPort();
    }
    add(path.src(), from, out, packet, cookie);
  }

  private void add(DatapathId switchId, OFPort from, OFPort to, Packet packet, U64 cookie) {
    switches.writeAll(switchId, of -> RouteRule.add(of, from, to, packet, cookie, idleSeconds));
  }

  /**
   * A change since the packet was examined deletes rules, but possibly just before these were
   * written. A change is published before it deletes rules, so one of the two sees the other.
   */
  private void takeBackIfOutdated(Path path, SwitchPort to, Packet packet) {
    if (!topology.current().contains(path)) {
      deletePath(path, cookies.of(path));
    } else if (!to.equals(attachment(packet, packet.dstMac()))) {
      path.switches().forEach(id -> deleteTo(id, packet.dstMac()));
    }
  }

  /** Deletes the rules over a removed link, on all switches of their paths. */
  void linkRemoved(DirectedLink link) {
    cookies.removeOver(link).forEach(this::deletePath);
  }

  private void deletePath(Path path, U64 cookie) {
    switches.write(path.src(), of -> RouteRule.deletePath(of, cookie));
    for (DirectedLink link : path.links()) {
      switches.write(link.dst(), of -> RouteRule.deletePath(of, cookie));
    }
  }

  /** Deletes the rules that lead to a host; other masters do so at their switches. */
  void hostMoved(MacAddress host) {
    switches.own().forEach(id -> deleteTo(id, host));
  }

  private void deleteTo(DatapathId switchId, MacAddress host) {
    switches.write(switchId, of -> RouteRule.deleteTo(of, host));
  }

  private void flood(TopologySnapshot network, NodePortTuple from, Packet packet) {
    Set<DatapathId> part = network.partOf(from.getNodeId());
    if (isForASwitch(packet.dstMac(), part) || !floods.allows(from)) {
      return;
    }
    boolean toAllVlans = asksForUnknown(packet);
    for (DatapathId switchId : part) {
      List<OFPort> ports =
          network.attachmentPorts(switchId).stream()
              .filter(port -> !switchId.equals(from.getNodeId()) || !port.equals(from.getPortId()))
              .filter(port -> toAllVlans || vlans.mayHave(switchId, port, packet.vlan()))
              .toList();
      Map<Boolean, List<OFPort>> parts =
          ports.stream()
              .collect(
                  Collectors.partitioningBy(port -> isRewritten(network, switchId, port, packet)));
      parts.forEach(
          (rewritten, some) ->
              send(
                  switchId,
                  some,
                  rewritten ? packet.frameFrom(EdgeMac.of(switchId)) : packet.frame()));
    }
  }

  private void send(DatapathId switchId, List<OFPort> ports, byte[] frame) {
    if (!ports.isEmpty()) {
      switches.write(switchId, of -> PacketMessages.packetOut(of, ports, frame));
    }
  }

  /**
   * Whether a flooded packet leaves a port with the switch's MAC address as its source. It enters a
   * segment at one port, other packets of its sender at the one that is nearest to the sender: else
   * legacy switches would see the sender at both. Hosts learn from the addresses in ARP and
   * neighbour discovery instead.
   */
  private static boolean isRewritten(
      TopologySnapshot network, DatapathId switchId, OFPort port, Packet packet) {
    return (packet.isIp() || packet.etherType() == Packet.ETHERTYPE_ARP)
        && network.sharedSegment(new NodePortTuple(switchId, port)).isPresent();
  }

  /** Whether it is for what a balancer does at a switch, which no host has. */
  private static boolean isForASwitch(MacAddress mac, Set<DatapathId> part) {
    return EdgeMac.mayBe(mac) && part.stream().anyMatch(id -> EdgeMac.of(id).equals(mac));
  }

  /** A silent host may be in a VLAN in which none is known at its port. */
  private boolean asksForUnknown(Packet packet) {
    return NeighbourMessage.of(packet)
        .filter(NeighbourMessage::isQuestion)
        .filter(asked -> !isKnown(new VlanAddress(asked.target(), packet.vlan())))
        .isPresent();
  }

  private boolean isKnown(VlanAddress host) {
    return new AttachedHosts(devices).find(host).isPresent();
  }
}
