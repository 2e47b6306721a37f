package io.malob.endhost;

import java.util.Optional;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The side of the switch on which the host's own applications are: a pair of virtual interfaces
 * whose one end has the host's internal address and whose other end is a port of the switch.
 *
 * @param port name of the switch's port
 * @param mac of the host's end
 * @param gatewayMac the MAC address in ARP replies of the internal gateway, which is the controller
 *     itself
 * @param ipv4 the address that applications send from
 * @param gatewayIpv4 the next hop of the host's default route
 * @param ipv6 the same for IPv6, if it is used
 * @param gatewayIpv6 the same for IPv6
 */
record Inside(
    String port,
    MacAddress mac,
    MacAddress gatewayMac,
    IPv4Address ipv4,
    IPv4Address gatewayIpv4,
    Optional<IPv6Address> ipv6,
    Optional<IPv6Address> gatewayIpv6) {}
