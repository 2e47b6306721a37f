package io.malob.openflow.packet;

import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;

/** Adds headers of either IP version to a payload. Pure. */
@SuppressWarnings("ByteBufferBackingArray") // every buffer here is allocated whole
final class IpFrames {
  /** The position for a payload without checksum. */
  static final int NO_CHECKSUM = -1;

  private IpFrames() {}

  /** The same as the other one, without VLAN tags. */
  static byte[] of(
      Replies.Ends ends, int protocol, int hopLimit, ByteBuffer payload, int checksumAt) {
    boolean isIpv4 = ends.src().getIpVersion() == IPVersion.IPv4;
    byte[] link =
        ByteBuffer.allocate(Packet.ETHERNET_BYTES)
            .put(ends.dstMac().getBytes())
            .put(ends.srcMac().getBytes())
            .putShort((short) (isIpv4 ? Packet.ETHERTYPE_IPV4 : Packet.ETHERTYPE_IPV6))
            .array();
    return of(link, ends.src(), ends.dst(), protocol, hopLimit, payload, checksumAt);
  }

  /**
   * A whole frame.
   *
   * @param link all before the IP header
   * @param payload with a checksum that is still zero
   * @param checksumAt its position in the payload, or {@link #NO_CHECKSUM}
   */
  static byte[] of(
      byte[] link,
      IPAddress<?> src,
      IPAddress<?> dst,
      int protocol,
      int hopLimit,
      ByteBuffer payload,
      int checksumAt) {
    boolean isIpv4 = src.getIpVersion() == IPVersion.IPv4;
    byte[] header =
        isIpv4
            ? ipv4(src, dst, protocol, hopLimit, payload.capacity())
            : ipv6(src, dst, protocol, hopLimit, payload.capacity());
    int at = link.length + header.length;
    ByteBuffer frame =
        ByteBuffer.allocate(at + payload.capacity()).put(link).put(header).put(payload.array());
    if (checksumAt != NO_CHECKSUM) {
      frame.putShort(
          at + checksumAt,
          protocol == Packet.PROTOCOL_ICMP
              ? Checksums.of(frame, at, payload.capacity(), 0)
              : Checksums.withAddresses(
                  frame,
                  at - 2 * src.getBytes().length,
                  src.getBytes().length,
                  at,
                  payload.capacity(),
                  protocol));
    }
    return frame.array();
  }

  private static byte[] ipv4(
      IPAddress<?> src, IPAddress<?> dst, int protocol, int hopLimit, int payloadBytes) {
    ByteBuffer header =
        ByteBuffer.allocate(Packet.IPV4_BYTES)
            .put(0, (byte) 0x45)
            .putShort(2, (short) (Packet.IPV4_BYTES + payloadBytes))
            .put(8, (byte) hopLimit)
            .put(9, (byte) protocol)
            .put(12, src.getBytes())
            .put(16, dst.getBytes());
    return header.putShort(10, Checksums.of(header, 0, Packet.IPV4_BYTES, 0)).array();
  }

  private static byte[] ipv6(
      IPAddress<?> src, IPAddress<?> dst, int protocol, int hopLimit, int payloadBytes) {
    return ByteBuffer.allocate(Packet.IPV6_BYTES)
        .put(0, (byte) 0x60)
        .putShort(4, (short) payloadBytes)
        .put(6, (byte) protocol)
        .put(7, (byte) hopLimit)
        .put(8, src.getBytes())
        .put(24, dst.getBytes())
        .array();
  }
}
