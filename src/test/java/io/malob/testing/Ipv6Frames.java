package io.malob.testing;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** IPv6 frames between two hosts, with right checksums. */
public record Ipv6Frames(MacAddress srcMac, MacAddress dstMac, IPv6Address src, IPv6Address dst) {
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int ICMP = 58;

  /** A TCP segment; flags as in the header's lowest byte. */
  public byte[] tcp(int srcPort, int dstPort, int flags) {
    ByteBuffer segment =
        ByteBuffer.allocate(20)
            .putShort((short) srcPort)
            .putShort((short) dstPort)
            .putInt(1_000)
            .putInt(2_000)
            .put((byte) 0x50)
            .put((byte) flags)
            .putShort((short) 0xffff);
    return packet(TCP, 64, segment.array(), 16);
  }

  /** A UDP datagram. */
  public byte[] udp(int srcPort, int dstPort, byte[] payload) {
    ByteBuffer datagram =
        ByteBuffer.allocate(8 + payload.length)
            .putShort((short) srcPort)
            .putShort((short) dstPort)
            .putShort((short) (8 + payload.length))
            .putShort((short) 0)
            .put(payload);
    return packet(UDP, 64, datagram.array(), 6);
  }

  /** An ICMPv6 message with four bytes and a body behind type, code and checksum. */
  public byte[] icmp(int type, int hopLimit, int word, byte[] body) {
    ByteBuffer message =
        ByteBuffer.allocate(8 + body.length).put(0, (byte) type).putInt(4, word).put(8, body);
    return packet(ICMP, hopLimit, message.array(), 2);
  }

  /** Asks who has an address. */
  public byte[] solicitation(IPv6Address target) {
    return icmp(135, 255, 0, target.getBytes());
  }

  /** Says that an address is at this MAC. */
  public byte[] advertisement(IPv6Address target, MacAddress mac) {
    byte[] body =
        ByteBuffer.allocate(24)
            .put(target.getBytes())
            .put((byte) 2)
            .put((byte) 1)
            .put(mac.getBytes())
            .array();
    return icmp(136, 255, 0x6000_0000, body);
  }

  /** A packet of any protocol without a checksum; extension headers are part of the payload. */
  public byte[] packet(int nextHeader, byte[] payload) {
    return ethernet(nextHeader, 64, payload);
  }

  /** A part of a longer packet; the offset counts units of eight bytes. */
  public byte[] fragment(int protocol, int offset, boolean moreFollow, byte[] payload) {
    ByteBuffer with =
        ByteBuffer.allocate(8 + payload.length)
            .put((byte) protocol)
            .put((byte) 0)
            .putShort((short) (offset << 3 | (moreFollow ? 1 : 0)))
            .putInt(7)
            .put(payload);
    return ethernet(44, 64, with.array());
  }

  private byte[] packet(int protocol, int hopLimit, byte[] payload, int checksumAt) {
    ByteBuffer.wrap(payload).putShort(checksumAt, checksum(protocol, payload));
    return ethernet(protocol, hopLimit, payload);
  }

  private byte[] ethernet(int nextHeader, int hopLimit, byte[] payload) {
    byte[] packet =
        ByteBuffer.allocate(40 + payload.length)
            .putInt(0x6000_0000)
            .putShort((short) payload.length)
            .put((byte) nextHeader)
            .put((byte) hopLimit)
            .put(src.getBytes())
            .put(dst.getBytes())
            .put(payload)
            .array();
    return Frames.ethernet(srcMac, dstMac, 0x86dd, packet);
  }

  private short checksum(int protocol, byte[] payload) {
    int even = payload.length + payload.length % 2;
    ByteBuffer all =
        ByteBuffer.allocate(40 + even)
            .put(src.getBytes())
            .put(dst.getBytes())
            .putInt(payload.length)
            .putInt(protocol)
            .put(payload);
    int sum = new BigInteger(1, all.array()).mod(BigInteger.valueOf(0xffff)).intValue();
    return (short) (0xffff - sum);
  }

  /**
   * Whether the checksum of a frame's TCP, UDP or ICMPv6, right behind its IPv6 header, is right.
   */
  public static boolean hasRightChecksum(byte[] frame) {
    ByteBuffer packet = ByteBuffer.wrap(frame, 14, frame.length - 14).slice();
    int length = packet.getShort(4) & 0xffff;
    ByteBuffer all = ByteBuffer.allocate(40 + length + length % 2);
    all.put(packet.slice(8, 32)).putInt(length).putInt(packet.get(6) & 0xff);
    all.put(packet.slice(40, length));
    BigInteger sum = new BigInteger(1, all.array());
    return length == frame.length - 54 && sum.mod(BigInteger.valueOf(0xffff)).signum() == 0;
  }
}
