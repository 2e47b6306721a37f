package io.malob.openflow.uplink;

import io.malob.openflow.packet.Ipv6Packet;
import io.malob.openflow.packet.Packet;
import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;

/**
 * What tells one flow of a host from another: all of its five-tuple but the host's own address,
 * which differs inside and on each uplink. IPv4 addresses are written as IPv6 has them (RFC 4291,
 * section 2.5.5.2). What has no ports, or is a fragment, has the port 0 at both ends.
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

  /** The flow with an IPv4 peer. */
  public static FlowKey of(IPv4Address peer, int protocol, int hostPort, int peerPort) {
    return of(peer.getInt(), protocol, hostPort, peerPort);
  }

  private static FlowKey of(int peer, int protocol, int hostPort, int peerPort) {
    return new FlowKey(0, MAPPED | Integer.toUnsignedLong(peer), protocol, hostPort, peerPort);
  }

  /** The flow with an IPv6 peer. */
  public static FlowKey of(IPv6Address peer, int protocol, int hostPort, int peerPort) {
    ByteBuffer bytes = ByteBuffer.wrap(peer.getBytes());
    return new FlowKey(bytes.getLong(), bytes.getLong(), protocol, hostPort, peerPort);
  }

  /** The flow of an IPv4 packet that the host sends. */
  public static FlowKey sent(Packet packet) {
    return hasPorts(packet)
        ? of(packet.dstAddress(), packet.protocol(), packet.srcPort(), packet.dstPort())
        : of(packet.dstAddress(), packet.protocol(), 0, 0);
  }

  /** The flow of an IPv4 packet that is sent to the host. */
  public static FlowKey received(Packet packet) {
    return hasPorts(packet)
        ? of(packet.srcAddress(), packet.protocol(), packet.dstPort(), packet.srcPort())
        : of(packet.srcAddress(), packet.protocol(), 0, 0);
  }

  /** The flow of an IPv6 packet that the host sends, and that is no fragment. */
  public static FlowKey sent(Ipv6Packet packet) {
    return of(packet.dstAddress(), packet.protocol(), packet.srcPort(), packet.dstPort());
  }

  /** The flow of an IPv6 packet that is sent to the host, and that is no fragment. */
  public static FlowKey received(Ipv6Packet packet) {
    return of(packet.srcAddress(), packet.protocol(), packet.dstPort(), packet.srcPort());
  }

  /** Switches take the ports of all fragments for 0, the first one's, too. */
  private static boolean hasPorts(Packet packet) {
    return !packet.isFragment();
  }

  /** Whether the peer has an IPv4 address. */
  public boolean isIpv4() {
    return peerHigh == 0 && peerLow >>> 32 == MAPPED >>> 32;
  }

  /** The peer's address, if that is one of IPv4. */
  public IPv4Address peer4() {
    return IPv4Address.of((int) peerLow);
  }

  /** The peer's address, if that is one of IPv6. */
  public IPv6Address peer6() {
    return IPv6Address.of(peerHigh, peerLow);
  }

  /** The peer's address as text. */
  public String peer() {
    return isIpv4() ? peer4().toString() : peer6().toString();
  }

  /** Whether this is TCP or UDP with ports: such flows are spread over uplinks. */
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
