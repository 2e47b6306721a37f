package io.malob.openflow.uplink;

import io.malob.openflow.packet.Packet;
import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;

/**
 * The identity of a flow of a host: its five-tuple without the host's own address, which differs
 * inside and on each uplink. IPv4 addresses are written as IPv6 has them (RFC 4291, section
 * 2.5.5.2). Packets without ports, and fragments, have port 0 at both ends.
 *
 * @param peerHigh upper half of the peer's address
 * @param peerLow lower half of it
 * @param protocol IP protocol number
 * @param hostPort the port at the host; for the switch it stays the same
 * @param peerPort the port at the peer
 */
public record FlowKey(long peerHigh, long peerLow, int protocol, int hostPort, int peerPort) {
  public static final int ICMP = 1;
  public static final int TCP = 6;
  public static final int UDP = 17;
  public static final int ICMPV6 = 58;

  private static final long MAPPED = 0xffffL << 32;

  /** The flow with that peer. */
  public static FlowKey of(IPAddress<?> peer, int protocol, int hostPort, int peerPort) {
    if (peer instanceof IPv4Address v4) {
      long mapped = MAPPED | Integer.toUnsignedLong(v4.getInt());
      return new FlowKey(0, mapped, protocol, hostPort, peerPort);
    }
    ByteBuffer bytes = ByteBuffer.wrap(peer.getBytes());
    return new FlowKey(bytes.getLong(), bytes.getLong(), protocol, hostPort, peerPort);
  }

  /** The flow of a packet that the host sends. */
  public static FlowKey sent(Packet packet) {
    return hasPorts(packet)
        ? of(packet.destination(), packet.protocol(), packet.srcPort(), packet.dstPort())
        : of(packet.destination(), packet.protocol(), 0, 0);
  }

  /** The flow of a packet that is sent to the host. */
  public static FlowKey received(Packet packet) {
    return hasPorts(packet)
        ? of(packet.source(), packet.protocol(), packet.dstPort(), packet.srcPort())
        : of(packet.source(), packet.protocol(), 0, 0);
  }

  /** Switches treat the ports of all fragments as 0, also of the first one. */
  private static boolean hasPorts(Packet packet) {
    return !packet.isFragment();
  }

  /**
   * The version of the peer's address. An IPv6 packet whose peer has an IPv4-mapped address belongs
   * to no flow: such addresses are not used in networks.
   */
  public IPVersion version() {
    boolean isMapped = peerHigh == 0 && peerLow >>> 32 == MAPPED >>> 32;
    return isMapped ? IPVersion.IPv4 : IPVersion.IPv6;
  }

  /** The peer's address. */
  public IPAddress<?> peer() {
    return version() == IPVersion.IPv4
        ? IPv4Address.of((int) peerLow)
        : IPv6Address.of(peerHigh, peerLow);
  }

  /** Whether this is TCP or UDP with ports: such flows are distributed over uplinks. */
  public boolean isSpread() {
    return (protocol == TCP || protocol == UDP) && (hostPort != 0 || peerPort != 0);
  }

  /** The protocol's name, or its number. */
  public String protocolName() {
    return switch (protocol) {
      case ICMP -> "icmp";
      case TCP -> "tcp";
      case UDP -> "udp";
      case ICMPV6 -> "icmpv6";
      default -> Integer.toString(protocol);
    };
  }
}
