package io.malob.openflow.packet;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A neighbour solicitation or advertisement (RFC 4861, section 4.3 and 4.4), which is for IPv6 what
 * ARP is for IPv4. Immutable.
 *
 * @param target the address in question
 * @param mac of the target, if this is an advertisement that contains it; otherwise of the sender
 */
public record NeighbourMessage(
    boolean isSolicitation, IPv6Address sender, IPv6Address target, MacAddress mac) {
  public static final int SOLICITATION = 135;
  public static final int ADVERTISEMENT = 136;

  static final int BYTES = 24;
  static final int OPTION_BYTES = 8;
  static final int OPTION_SOURCE_MAC = 1;
  static final int OPTION_TARGET_MAC = 2;

  /** Only packets that no router has forwarded have it. */
  static final int HOP_LIMIT = 255;

  /** Reads one; empty if this is not one, or not from the same link. */
  public static Optional<NeighbourMessage> of(Ipv6Packet packet) {
    int type = packet.icmpType();
    int at = packet.transportOffset();
    boolean isOne =
        (type == SOLICITATION || type == ADVERTISEMENT)
            && packet.hopLimit() == HOP_LIMIT
            && packet.end() >= at + BYTES
            && packet.frame()[at + 1] == 0;
    if (!isOne) {
      return Optional.empty();
    }
    return Optional.of(
        new NeighbourMessage(
            type == SOLICITATION,
            packet.source(),
            packet.addressAt(at + 8),
            type == SOLICITATION ? packet.srcMac() : advertisedMac(packet)));
  }

  private static MacAddress advertisedMac(Ipv6Packet packet) {
    ByteBuffer bytes = ByteBuffer.wrap(packet.frame());
    int at = packet.transportOffset() + BYTES;
    while (at + OPTION_BYTES <= packet.end()) {
      int length = (bytes.get(at + 1) & 0xff) * OPTION_BYTES;
      if (bytes.get(at) == OPTION_TARGET_MAC && length == OPTION_BYTES) {
        byte[] mac = new byte[6];
        bytes.get(at + 2, mac);
        return MacAddress.of(mac);
      }
      if (length == 0) {
        break;
      }
      at += length;
    }
    return packet.srcMac();
  }
}
