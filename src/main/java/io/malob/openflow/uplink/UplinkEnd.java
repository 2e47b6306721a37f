package io.malob.openflow.uplink;

import java.util.Optional;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The values of an uplink for rules. Empty values are missing, or not known yet.
 *
 * @param number from 1, below {@link UplinkCookie#UPLINKS}
 * @param port of the switch
 * @param mac of the host's interface
 * @param ipv4 the host's address on it
 * @param gatewayIpv4 the router's address
 * @param gatewayMac the router's MAC for IPv4
 * @param ipv6 the host's address on it
 * @param gatewayIpv6 the router's address
 * @param gatewayMac6 the router's MAC for IPv6
 */
public record UplinkEnd(
    int number,
    OFPort port,
    MacAddress mac,
    Optional<IPv4Address> ipv4,
    Optional<IPv4Address> gatewayIpv4,
    Optional<MacAddress> gatewayMac,
    Optional<IPv6Address> ipv6,
    Optional<IPv6Address> gatewayIpv6,
    Optional<MacAddress> gatewayMac6) {

  /** The host's address of that version on it. */
  public Optional<? extends IPAddress<?>> address(IPVersion version) {
    return version == IPVersion.IPv4 ? ipv4 : ipv6;
  }

  /** The MAC of the router for that version. */
  public Optional<MacAddress> gatewayMac(IPVersion version) {
    return version == IPVersion.IPv4 ? gatewayMac : gatewayMac6;
  }

  /** Whether it can carry flows to peers with addresses of that version. */
  public boolean carries(IPVersion version) {
    return address(version).isPresent() && gatewayMac(version).isPresent();
  }
}
