package io.malob.algorithm;

import org.projectfloodlight.openflow.types.IPAddress;

/**
 * An IP address in a VLAN: the same address in two VLANs is that of two hosts.
 *
 * @param vlan the VLAN id, 1 to 4094; 0 if the host's frames are untagged
 */
public record VlanAddress(IPAddress<?> address, int vlan) {
  @Override
  public String toString() {
    return vlan == 0 ? address.toString() : address + " in VLAN " + vlan;
  }
}
