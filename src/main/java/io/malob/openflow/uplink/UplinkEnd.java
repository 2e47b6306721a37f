package io.malob.openflow.uplink;

import java.util.Optional;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * An uplink as rules need it. What is empty is not there, or not known yet.
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

  /** Whether it can carry flows to IPv4 peers. */
  public boolean carriesIpv4() {
    return ipv4.isPresent() && gatewayMac.isPresent();
  }

  /** Whether it can carry flows to IPv6 peers. */
  public boolean carriesIpv6() {
    return ipv6.isPresent() && gatewayMac6.isPresent();
  }

  /** Whether it can carry that flow. */
  public boolean carries(FlowKey key) {
    return key.isIpv4() ? carriesIpv4() : carriesIpv6();
  }
}
