package io.malob.openflow.packet;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A question for the MAC of an address, or an answer: ARP, or a neighbour solicitation or
 * advertisement (RFC 4861, section 4.3 and 4.4). Immutable.
 *
 * @param sender the sender's address; unspecified if it only checks whether an address is free
 * @param receiver the target of an ARP packet, or the destination of an IPv6 packet
 * @param target the address in question
 * @param mac of the target, if this is an answer that contains it; otherwise of the sender
 */
public record NeighbourMessage(
    boolean isSolicitation,
    IPAddress<?> sender,
    IPAddress<?> receiver,
    IPAddress<?> target,
    MacAddress mac) {
  public static final int SOLICITATION = 135;
  public static final int ADVERTISEMENT = 136;

  static final int BYTES = 24;
  static final int OPTION_BYTES = 8;
  static final int OPTION_SOURCE_MAC = 1;
  static final int OPTION_TARGET_MAC = 2;

  /** Only packets that no router has forwarded have it. */
  static final int HOP_LIMIT = 255;

  /** Reads one of either IP version; empty if this is not one, or not from the same link. */
  public static Optional<NeighbourMessage> of(Packet packet) {
    if (packet.kind() == Packet.Kind.ARP) {
      boolean isRequest = packet.arpOperation() == Packet.ARP_REQUEST;
      return Optional.of(
          new NeighbourMessage(
              isRequest,
              packet.source(),
              packet.destination(),
              isRequest ? packet.destination() : packet.source(),
              packet.arpSenderMac()));
    }
    int type = packet.icmpType();
    int at = packet.transportOffset();
    boolean isOne =
        packet.isNeighbourMessage()
            && packet.hopLimit() == HOP_LIMIT
            && packet.end() >= at + BYTES
            && packet.frame()[at + 1] == 0;
    if (!isOne) {
      return Optional.empty();
    }
    IPv6Address target = packet.ipv6At(at + 8);
    return target.isMulticast()
        ? Optional.empty()
        : Optional.of(
            new NeighbourMessage(
                type == SOLICITATION,
                packet.source(),
                packet.destination(),
                target,
                macIn(packet, type == SOLICITATION ? OPTION_SOURCE_MAC : OPTION_TARGET_MAC)));
  }

  private static MacAddress macIn(Packet packet, int option) {
    ByteBuffer bytes = ByteBuffer.wrap(packet.frame());
    int at = packet.transportOffset() + BYTES;
    while (at + OPTION_BYTES <= packet.end()) {
      int length = (bytes.get(at + 1) & 0xff) * OPTION_BYTES;
      if (bytes.get(at) == option && length == OPTION_BYTES) {
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

  /**
   * The address that the sender says to be its own; unspecified if it only checks whether an
   * address is free.
   */
  public IPAddress<?> claimed() {
    return isSolicitation ? sender : target;
  }

  /** The address that it is for: of a question the target, of an answer the receiver. */
  public IPAddress<?> addressee() {
    return isSolicitation ? target : receiver;
  }

  /** Whether an answer is due; not if the sender announces its own address by a question. */
  public boolean isQuestion() {
    return isSolicitation && !sender.equals(target);
  }
}
