package io.malob.endhost;

import java.util.Optional;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * One configured interface over which the host reaches the Internet.
 *
 * @param name its interface's, which operators use
 * @param port name of the switch's port
 * @param mac of the interface
 * @param weight that the operator gave it; 0 if its capacity is to be its weight
 * @param ipv4 its address; empty if it has none
 * @param gatewayIpv4 its router; empty if it has none
 * @param ipv6 its global address, if it has one
 * @param gatewayIpv6 its IPv6 router, if it has one
 */
record Uplink(
    String name,
    String port,
    MacAddress mac,
    double weight,
    Optional<IPv4Address> ipv4,
    Optional<IPv4Address> gatewayIpv4,
    Optional<IPv6Address> ipv6,
    Optional<IPv6Address> gatewayIpv6) {

  /** Its address of that version. */
  Optional<? extends IPAddress<?>> address(IPVersion version) {
    return version == IPVersion.IPv4 ? ipv4 : ipv6;
  }

  /** Its router for that version. */
  Optional<? extends IPAddress<?>> gateway(IPVersion version) {
    return version == IPVersion.IPv4 ? gatewayIpv4 : gatewayIpv6;
  }

  /** Whether it has an address and a router of that version. */
  boolean reaches(IPVersion version) {
    return address(version).isPresent() && gateway(version).isPresent();
  }
}
