package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.openflow.subflow.Fan.Tagging;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;

/**
 * A host that sends and receives sub-flows.
 *
 * @param ip its own address
 * @param prefixLength of its network
 * @param fixed whether a request gives its location; other hosts are where the controller sees them
 * @param vlan 0 for none
 * @param aliases further addresses from a request; empty for computed ones
 * @param device the name of its interface, for the shown commands
 */
record Host(
    String id,
    IPAddress<?> ip,
    int prefixLength,
    Attachment at,
    boolean fixed,
    int vlan,
    Tagging tagging,
    ImmutableList<IPAddress<?>> aliases,
    String device) {

  DatapathId switchId() {
    return at.switchId();
  }

  /** Its subnet. */
  IPAddressWithMask<?> network() {
    return ip.withMaskOfLength(prefixLength);
  }

  Host movedTo(Attachment place) {
    return new Host(id, ip, prefixLength, place, fixed, vlan, tagging, aliases, device);
  }
}
