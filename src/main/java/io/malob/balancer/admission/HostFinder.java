package io.malob.balancer.admission;

import io.malob.algorithm.Attachment;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.connection.SharedAttachments;
import io.malob.balancer.view.ServerMoves;
import io.malob.balancer.view.VipMac;
import io.malob.module.AttachedHosts;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.packet.NeighbourReplies;
import io.malob.openflow.packet.Packet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.devicemanager.IDeviceService;
import net.floodlightcontroller.topology.ITopologyService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Locates hosts: by the device tracker, or by asking them: by ARP, or by neighbour solicitations.
 * Thread-safe.
 */
public final class HostFinder
    implements RequestHandler.Clients, ServerMoves.Locations, VipAnnouncer.Sender {
  private final IOFSwitchService switches;
  private final ITopologyService topology;
  private final AttachedHosts hosts;
  private final CoreAccess coreAccess;
  private final FlowProgrammer programmer;
  private final SharedAttachments attachments = new SharedAttachments();

  public HostFinder(
      IOFSwitchService switches,
      ITopologyService topology,
      IDeviceService devices,
      CoreAccess coreAccess,
      FlowProgrammer programmer) {
    this.coreAccess = coreAccess;
    this.switches = switches;
    this.topology = topology;
    this.hosts = new AttachedHosts(devices);
    this.programmer = programmer;
  }

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
            ? coreAccess.edgeOf(new Attachment(switchId, inPort, packet.srcMac()))
            : find(packet.source());
    return found.map(attachments::share);
  }

  @Override
  public Optional<Attachment> find(IPAddress<?> address) {
    return hosts.find(address).flatMap(coreAccess::edgeOf);
  }

  /**
   * Asks for an address at all ports that hosts can be attached to. The reply is addressed to a
   * VIP, so it comes to the controller, where the device tracker learns the host. False if there is
   * no such port yet.
   */
  @Override
  public boolean probeEverywhere(IPAddress<?> address, IPAddress<?> vip) {
    return sendToHosts(NeighbourReplies.question(VipMac.of(vip), vip, address)) > 0;
  }

  @Override
  public int sendToHosts(byte[] frame) {
    int sent = 0;
    for (DatapathId switchId : switches.getAllSwitchDpids()) {
      List<OFPort> ports = hostPorts(switchId);
      if (!ports.isEmpty()) {
        programmer.sendFrame(switchId, ports, frame);
        sent++;
      }
    }
    return sent;
  }

  @Override
  public void probeAt(Attachment location, IPAddress<?> address, IPAddress<?> vip) {
    byte[] request = NeighbourReplies.question(VipMac.of(vip), vip, address);
    Attachment place =
        coreAccess.isEdgePort(location.switchId(), location.port())
            ? hosts.find(address).orElse(location) // behind a core switch, which would not flood
            : location;
    programmer.sendFrame(place.switchId(), List.of(place.port()), request);
  }

  @Override
  public boolean isUp(Attachment location) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(location.switchId());
    return sw != null && sw.getEnabledPortNumbers().contains(location.port());
  }

  private List<OFPort> hostPorts(DatapathId switchId) {
    List<OFPort> ports = new ArrayList<>();
    @Nullable IOFSwitch sw = switches.getSwitch(switchId);
    if (sw != null) {
      for (OFPort port : sw.getEnabledPortNumbers()) {
        if (topology.isAttachmentPointPort(switchId, port)) {
          ports.add(port);
        }
      }
    }
    return ports;
  }
}
