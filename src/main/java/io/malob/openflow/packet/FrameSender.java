package io.malob.openflow.packet;

/**
 * The claimed sender of a frame, for modules that check each packet and handle few of them.
 * Allocates nothing, and never throws.
 */
public final class FrameSender {
  private static final int MAC_AT = 6;
  private static final int TYPE_AT = 12;
  private static final int VLAN_BYTES = 4;
  private static final int ARP_SENDER_AT = 14;
  private static final int IPV4_SOURCE_AT = 12;

  private FrameSender() {}

  /** The source MAC, 0 if the frame is too short to have one. */
  public static long mac(byte[] frame) {
    return frame.length < TYPE_AT
        ? 0
        : (long) uint16(frame, MAC_AT) << 32 | Integer.toUnsignedLong(int32(frame, MAC_AT + 2));
  }

  /** The IPv4 source, or the sender of an ARP packet; 0 if there is none. */
  public static int ipv4(byte[] frame) {
    int typeAt = TYPE_AT;
    for (int tags = 0; tags < 2 && Packet.isVlan(type(frame, typeAt)); tags++) {
      typeAt += VLAN_BYTES;
    }
    int addressAt =
        switch (type(frame, typeAt)) {
          case Packet.ETHERTYPE_ARP -> typeAt + 2 + ARP_SENDER_AT;
          case Packet.ETHERTYPE_IPV4 -> typeAt + 2 + IPV4_SOURCE_AT;
          default -> frame.length;
        };
    return addressAt + Integer.BYTES <= frame.length ? int32(frame, addressAt) : 0;
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
}
