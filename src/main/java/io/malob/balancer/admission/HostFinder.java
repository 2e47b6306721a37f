package io.malob.balancer.admission;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.VlanAddress;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.connection.SharedAttachments;
import io.malob.balancer.view.ServerMoves;
import io.malob.module.AttachedHosts;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.NeighbourReplies;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.VlanTag;
import io.malob.state.network.Routing;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Locates hosts: by the device tracker, or by asking them: by ARP, or by neighbour solicitations. A
 * host behind a router, by an operator's route, is where that router is. Thread-safe.
 */
public record HostFinder(
    IOFSwitchService switches,
    ITopologyService topology,
    AttachedHosts hosts,
    CoreAccess coreAccess,
    RuleSender ruleSender,
    SharedAttachments attachments,
    Routing routing)
    implements Clients, ServerMoves.Locations {
  /**
   * {@inheritDoc}
   *
   * <p>The packet's own ingress port is the best evidence if no other switch is behind it, and the
   * only evidence for a client behind a router.
   */
  @Override
  public Optional<Attachment> locate(DatapathId switchId, OFPort inPort, Packet packet) {
    boolean isSeen =
        topology.isAttachmentPointPort(switchId, inPort) || coreAccess.isEdgePort(switchId, inPort);
    Optional<Attachment> found =
        isSeen
            ? coreAccess.edgeOf(new Attachment(switchId, inPort, packet.srcMac(), packet.vlan()))
            : find(new VlanAddress(packet.source(), packet.vlan()));
    return found.map(attachments::share);
  }

  @Override
  public boolean isHost(VlanAddress address) {
    return hosts.find(address).isPresent();
  }

  @Override
  public Optional<Attachment> find(MacAddress mac, int vlan) {
    return hosts.find(mac, vlan).flatMap(coreAccess::edgeOf);
  }

  @Override
  public Optional<Attachment> find(VlanAddress host) {
    return hosts.find(routing.nextHop(host)).flatMap(coreAccess::edgeOf);
  }

  /**
   * Asks for a host, or for the router to it, in its VLAN at all ports that hosts can be attached
   * to. The reply is addressed to the balancer, so it comes to the controller, where the device
   * tracker learns the host. False if there is no such port yet.
   */
  @Override
  public boolean probeAll(VlanAddress host, IPAddress<?> vip) {
    IPAddress<?> own = source(host, vip);
    IPAddress<?> asked = routing.nextHop(host.address());
    return sendToHosts(from -> NeighbourReplies.question(from, own, asked), host.vlan()) > 0;
  }

  /** A host may have no route to a VIP that is not in its subnet. */
  private IPAddress<?> source(VlanAddress host, IPAddress<?> vip) {
    return routing.sourceTo(host.address(), host.vlan()).orElse(vip);
  }

  /**
   * Announces the MAC addresses of a VIP in its VLAN from all host ports of this controller's
   * switches; returns how many have one.
   */
  public int announce(VlanAddress vip) {
    return sendToHosts(from -> NeighbourReplies.announcement(from, vip.address()), vip.vlan());
  }

  /** Sends a frame from all host ports, which each switch sends with a source of its own. */
  private int sendToHosts(Function<MacAddress, byte[]> frame, int vlan) {
    int sent = 0;
    for (DatapathId switchId : switches.getAllSwitchDpids()) {
      List<OFPort> ports = hostPorts(switchId);
      if (!ports.isEmpty()) {
        byte[] tagged = VlanTag.set(frame.apply(EdgeMac.of(switchId)), vlan);
        ruleSender.sendFrame(switchId, ports, tagged);
        sent++;
      }
    }
    return sent;
  }

  @Override
  public void probeAt(Attachment location, IPAddress<?> address, IPAddress<?> vip) {
    IPAddress<?> asked = routing.nextHop(address);
    Attachment place =
        coreAccess.isEdgePort(location.switchId(), location.port())
            // behind a core switch, which would not flood
            ? hosts.find(new VlanAddress(asked, location.vlan())).orElse(location)
            : location;
    IPAddress<?> own = source(new VlanAddress(address, location.vlan()), vip);
    ruleSender.sendFrame(
        place, NeighbourReplies.question(EdgeMac.of(place.switchId()), own, asked));
  }

  @Override
  public boolean isUp(Attachment location) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(location.switchId());
    return sw != null && sw.getEnabledPortNumbers().contains(location.port());
  }

  private List<OFPort> hostPorts(DatapathId switchId) {
    @Nullable IOFSwitch sw = switches.getSwitch(switchId);
    return sw == null
        ? List.of()
        : sw.getEnabledPortNumbers().stream()
            .filter(port -> topology.isAttachmentPointPort(switchId, port))
            .toList();
  }
}
