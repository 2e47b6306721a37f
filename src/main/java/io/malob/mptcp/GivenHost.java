package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.IpFamily;
import io.malob.openflow.subflow.Fan.Tagging;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A host in a request: for a host that the controller has seen, its address is enough.
 *
 * @param prefixLength of its network
 * @param vlan 0 for none; empty: as the controller has seen it
 * @param aliases its further addresses; empty for computed ones
 * @param device the name of its interface, for the shown commands
 */
record GivenHost(
    String id,
    IPAddress<?> address,
    int prefixLength,
    Optional<Integer> vlan,
    Tagging tagging,
    Optional<MacAddress> mac,
    Optional<DatapathId> switchId,
    Optional<OFPort> port,
    ImmutableList<IPAddress<?>> aliases,
    Optional<String> device) {

  IpFamily family() {
    return IpFamily.of(address);
  }
}
