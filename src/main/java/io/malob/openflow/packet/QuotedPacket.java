package io.malob.openflow.packet;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The beginning of an IPv4 packet that an ICMP error is about and quotes (RFC 792, RFC 1812,
 * section 4.3.2.3): whoever sent that packet is to hear of it.
 */
@SuppressWarnings("ByteBufferBackingArray") // every buffer here is allocated whole
public final class QuotedPacket {
  private static final int ICMP_BYTES = 8;
  private static final int PORT_BYTES = 4;

  private final Packet error;
  private final ByteBuffer frame;
  private final int at;
  private final int headerBytes;

  private QuotedPacket(Packet error, ByteBuffer frame, int at, int headerBytes) {
    this.error = error;
    this.frame = frame;
    this.at = at;
    this.headerBytes = headerBytes;
  }

  /** What an ICMP message quotes; empty if it is no error, or quotes too little. */
  public static Optional<QuotedPacket> of(Packet packet) {
    if (packet.kind() != Packet.Kind.ICMP || packet.isFragment() || !isError(packet.icmpType())) {
      return Optional.empty();
    }
    ByteBuffer frame = ByteBuffer.wrap(packet.frame());
    int at = packet.transportOffset() + ICMP_BYTES;
    int end = packet.networkOffset() + packet.networkBytes();
    if (end < at + Packet.IPV4_BYTES || frame.get(at) >> 4 != 4) {
      return Optional.empty();
    }
    int headerBytes = (frame.get(at) & 0x0f) * 4;
    return headerBytes < Packet.IPV4_BYTES || end < at + headerBytes + PORT_BYTES
        ? Optional.empty()
        : Optional.of(new QuotedPacket(packet, frame, at, headerBytes));
  }

  private static boolean isError(int type) {
    return type == 3 || type == 11 || type == 12;
  }

  /** Who sent the packet. */
  public int srcAddress() {
    return frame.getInt(at + 12);
  }

  /** Whom it was for. */
  public int dstAddress() {
    return frame.getInt(at + 16);
  }

  public int protocol() {
    return frame.get(at + 9) & 0xff;
  }

  /** Whether it has ports that can be read: TCP or UDP, and no fragment. */
  public boolean hasPorts() {
    boolean isFragment = (frame.getShort(at + 6) & 0x3fff) != 0;
    return !isFragment && (protocol() == Packet.PROTOCOL_TCP || protocol() == Packet.PROTOCOL_UDP);
  }

  public int srcPort() {
    return frame.getShort(at + headerBytes) & 0xffff;
  }

  public int dstPort() {
    return frame.getShort(at + headerBytes + 2) & 0xffff;
  }

  /**
   * The same error for a host that sent the packet from another address.
   *
   * @param host that address, to which the error goes, too
   */
  public byte[] readdressed(MacAddress srcMac, MacAddress dstMac, IPv4Address host) {
    int network = error.networkOffset();
    int end = network + error.networkBytes();
    ByteBuffer copy = ByteBuffer.wrap(Arrays.copyOf(error.frame(), end));
    copy.put(0, dstMac.getBytes()).put(6, srcMac.getBytes());
    copy.putInt(network + 16, host.getInt());
    correctTransport(copy, end, host.getInt());
    copy.putInt(at + 12, host.getInt());
    checksum(copy, at, headerBytes, at + 10);
    int icmp = error.transportOffset();
    checksum(copy, icmp, end - icmp, icmp + 2);
    checksum(copy, network, icmp - network, network + 10);
    return copy.array();
  }

  /** The checksums of TCP and UDP cover the address, too; of TCP's there is rarely enough. */
  private void correctTransport(ByteBuffer copy, int end, int host) {
    int checksumAt = at + headerBytes + (protocol() == Packet.PROTOCOL_TCP ? 16 : 6);
    boolean isThere = hasPorts() && end >= checksumAt + 2;
    boolean isUsed = isThere && copy.getShort(checksumAt) != 0;
    if (isUsed) {
      copy.putShort(checksumAt, Checksums.changed(copy.getShort(checksumAt), srcAddress(), host));
    }
  }

  private static void checksum(ByteBuffer copy, int from, int length, int checksumAt) {
    copy.putShort(checksumAt, (short) 0);
    copy.putShort(checksumAt, Checksums.of(copy, from, length, 0));
  }
}
