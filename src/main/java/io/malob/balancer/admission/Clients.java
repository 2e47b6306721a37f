package io.malob.balancer.admission;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.VlanAddress;
import io.malob.openflow.packet.Packet;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Finds out where clients are attached. */
public interface Clients {
  /** Where the sender of a packet is attached, as seen at that port; empty if not known. */
  Optional<Attachment> locate(DatapathId switchId, OFPort inPort, Packet packet);

  /** Where a host was last seen. */
  Optional<Attachment> find(VlanAddress host);

  /**
   * Asks for a host in its VLAN at all ports that hosts can be attached to, on behalf of a VIP of
   * the same IP version. False if there is no such port yet.
   */
  boolean probeAll(VlanAddress host, IPAddress<?> vip);

  /** Whether an address is that of a host of the network, and not of one behind a router. */
  boolean isHost(VlanAddress address);

  /** Where the host with a MAC address on a VLAN was last seen; 0 for untagged frames. */
  Optional<Attachment> find(MacAddress mac, int vlan);
}
