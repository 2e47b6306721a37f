package io.malob.algorithm;

import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Where packets leave the network: a MAC address at a switch port, on a VLAN. It is the next hop of
 * a host's own addresses, and of all addresses that a router leads to.
 *
 * @param switchId its edge switch
 * @param port the port of that switch
 * @param mac the host's address, or that of the router in front of it
 * @param vlan the VLAN id of its frames, 1 to 4094; 0 if they are untagged
 */
public record Attachment(DatapathId switchId, OFPort port, MacAddress mac, int vlan) {
  /** An attachment whose frames are untagged. */
  public Attachment(DatapathId switchId, OFPort port, MacAddress mac) {
    this(switchId, port, mac, 0);
  }

  /** Whether it is at the switch port of another one. */
  public boolean isAtPortOf(Attachment other) {
    return switchId.equals(other.switchId) && port.equals(other.port);
  }

  /** Whether it is the same next hop as another one, wherever both are. */
  public boolean isSameHost(Attachment other) {
    return mac.equals(other.mac) && vlan == other.vlan;
  }
}
