package io.malob.openflow.bucket;

import io.malob.openflow.IpFamily;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;

/**
 * The traffic of a proactive VIP.
 *
 * @param vipNumber the number of the VIP, for cookies
 * @param address its address
 * @param vlan its VLAN; 0 if its packets are untagged
 * @param protocol TCP or UDP
 * @param port its port
 * @param zone the zone in which switches track its connections; 0 if they do not
 * @param translatesSource whether members see an address of the client's edge instead of the
 *     client's; only if switches track its connections
 */
public record BucketTraffic(
    int vipNumber,
    IPAddress<?> address,
    int vlan,
    IpProtocol protocol,
    int port,
    int zone,
    boolean translatesSource) {

  /** Traffic that is tracked in a zone. */
  public BucketTraffic(
      int vipNumber, IPAddress<?> address, int vlan, IpProtocol protocol, int port, int zone) {
    this(vipNumber, address, vlan, protocol, port, zone, false);
  }

  /** Traffic that is not tracked. */
  public BucketTraffic(
      int vipNumber, IPAddress<?> address, int vlan, IpProtocol protocol, int port) {
    this(vipNumber, address, vlan, protocol, port, 0);
  }

  /** Whether switches track its connections, and remember their members. */
  public boolean isTracked() {
    return zone != 0;
  }

  /**
   * The zone in which members' edges remember connections. It differs from that of clients' edges,
   * as switches that share a zone would take the one for the other.
   */
  public int memberZone() {
    return zone + 1;
  }

  /** The family of its addresses. */
  public IpFamily family() {
    return IpFamily.of(address);
  }

  /** Whether it is TCP; UDP otherwise. */
  public boolean isTcp() {
    return protocol.equals(IpProtocol.TCP);
  }
}
