package io.malob.openflow.uplink;

import java.util.Optional;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The applications' side of the switch.
 *
 * @param port of the switch
 * @param mac of the host's interface there
 * @param gatewayMac of the gateway that the host sees there
 * @param ipv4 the host's address there
 * @param ipv6 the same, where IPv6 is used
 */
public record InsideEnd(
    OFPort port,
    MacAddress mac,
    MacAddress gatewayMac,
    IPv4Address ipv4,
    Optional<IPv6Address> ipv6) {}
