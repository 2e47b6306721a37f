package io.malob.openflow.packet;

import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;

/**
 * The claimed sender of a frame, for modules that check each packet and handle few of them.
 * Allocates no more than the address, and never throws.
 */
public final class FrameSender {
  private static final int MAC_AT = 6;
  private static final int TYPE_AT = 12;
  private static final int VLAN_BYTES = 4;
  private static final int MAX_VLAN = 0x0fff;
  private static final int ARP_SENDER_AT = 14;
  private static final int IPV4_SOURCE_AT = 12;
  private static final int IPV6_SOURCE_AT = 8;
  private static final int ADVERTISED_AT = Packet.IPV6_BYTES + 8;

  private FrameSender() {}

  /** The source MAC, 0 if the frame is too short to have one. */
  public static long mac(byte[] frame) {
    return frame.length < TYPE_AT
        ? 0
        : (long) uint16(frame, MAC_AT) << 32 | Integer.toUnsignedLong(int32(frame, MAC_AT + 2));
  }

  /** The VLAN id of the outer tag; 0 without one. */
  public static int vlan(byte[] frame) {
    return Packet.isVlan(type(frame, TYPE_AT)) && frame.length >= TYPE_AT + VLAN_BYTES
        ? uint16(frame, TYPE_AT + 2) & MAX_VLAN
        : 0;
  }

  /** The IP source, or the sender of an ARP packet; unspecified if there is none. */
  public static IPAddress<?> address(byte[] frame) {
    int typeAt = typeAt(frame);
    return switch (type(frame, typeAt)) {
      case Packet.ETHERTYPE_ARP -> ipv4(frame, typeAt + 2 + ARP_SENDER_AT);
      case Packet.ETHERTYPE_IPV4 -> ipv4(frame, typeAt + 2 + IPV4_SOURCE_AT);
      case Packet.ETHERTYPE_IPV6 -> ipv6(frame, typeAt + 2 + IPV6_SOURCE_AT);
      default -> IPv4Address.NONE;
    };
  }

  /** The address that a neighbour advertisement is about; null if the frame is no such. */
  public static @Nullable IPAddress<?> advertised(byte[] frame) {
    int typeAt = typeAt(frame);
    int networkAt = typeAt + 2;
    boolean isOne =
        type(frame, typeAt) == Packet.ETHERTYPE_IPV6
            && networkAt + ADVERTISED_AT <= frame.length
            && frame[networkAt + 6] == Packet.PROTOCOL_ICMPV6
            && (frame[networkAt + Packet.IPV6_BYTES] & 0xff) == NeighbourMessage.ADVERTISEMENT;
    return isOne ? ipv6(frame, networkAt + ADVERTISED_AT) : null;
  }

  private static int typeAt(byte[] frame) {
    int typeAt = TYPE_AT;
    for (int tags = 0; tags < 2 && Packet.isVlan(type(frame, typeAt)); tags++) {
      typeAt += VLAN_BYTES;
    }
    return typeAt;
  }

  private static IPAddress<?> ipv4(byte[] frame, int at) {
    return at + Integer.BYTES <= frame.length ? IPv4Address.of(int32(frame, at)) : IPv4Address.NONE;
  }

  private static IPAddress<?> ipv6(byte[] frame, int at) {
    return at + 2 * Long.BYTES <= frame.length
        ? IPv6Address.of(int64(frame, at), int64(frame, at + Long.BYTES))
        : IPv6Address.NONE;
  }

  private static int type(byte[] frame, int at) {
    return at + 2 <= frame.length ? uint16(frame, at) : 0;
  }

  private static int uint16(byte[] frame, int at) {
    return (frame[at] & 0xff) << 8 | (frame[at + 1] & 0xff);
  }

  private static int int32(byte[] frame, int at) {
    return uint16(frame, at) << 16 | uint16(frame, at + 2);
  }

  private static long int64(byte[] frame, int at) {
    return (long) int32(frame, at) << 32 | Integer.toUnsignedLong(int32(frame, at + 4));
  }
}
