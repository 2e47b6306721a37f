package io.malob.openflow.bucket;

import io.malob.openflow.IpFamily;
import org.projectfloodlight.openflow.types.IPAddress;
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
    int vipNumber, IPAddress<?> address, MacAddress mac, IpProtocol protocol, int port) {

  /** The family of its addresses. */
  public IpFamily family() {
    return IpFamily.of(address);
  }

  /** Whether it is TCP; UDP otherwise. */
  public boolean isTcp() {
    return protocol.equals(IpProtocol.TCP);
  }
}
