package io.malob.openflow.uplink;

import java.util.List;
import java.util.Optional;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
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
 * @param ipv6 the same, if IPv6 is used
 */
public record InsideEnd(
    OFPort port,
    MacAddress mac,
    MacAddress gatewayMac,
    IPv4Address ipv4,
    Optional<IPv6Address> ipv6) {

  /** The host's address of that version, if it is used. */
  public Optional<? extends IPAddress<?>> address(IPVersion version) {
    return version == IPVersion.IPv4 ? Optional.of(ipv4) : ipv6;
  }

  /** The versions that are used. */
  public List<IPVersion> versions() {
    return ipv6.isPresent() ? List.of(IPVersion.IPv4, IPVersion.IPv6) : List.of(IPVersion.IPv4);
  }
}
