package io.malob.openflow.bucket;

import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The traffic of a proactive VIP.
 *
 * @param vipNumber the number of the VIP, for cookies
 * @param address its address
 * @param mac the MAC address that clients know it by
 * @param protocol TCP or UDP
 * @param port its port
 */
public record BucketTraffic(
    int vipNumber, IPv4Address address, MacAddress mac, IpProtocol protocol, int port) {

  /** Whether it is TCP; UDP otherwise. */
  public boolean isTcp() {
    return protocol.equals(IpProtocol.TCP);
  }
}
