package io.malob.testing;

import io.malob.openflow.packet.Packet;
import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** Frames that hosts send, with right checksums. */
public final class Frames {
  /** Where an untagged frame has the TCP sequence number. */
  private static final int TCP_SEQUENCE_AT = 38;

  private static final byte[] NO_PAYLOAD = {};

  private Frames() {}

  /** A frame of any EtherType, without VLAN tag. */
  public static byte[] ethernet(MacAddress src, MacAddress dst, int etherType, byte[] payload) {
    return ByteBuffer.allocate(14 + payload.length)
        .put(dst.getBytes())
        .put(src.getBytes())
        .putShort((short) etherType)
        .put(payload)
        .array();
  }

  /** The same frame with a VLAN tag. */
  public static byte[] tagged(byte[] frame, int vlan) {
    return ByteBuffer.allocate(frame.length + 4)
        .put(frame, 0, 12)
        .putShort((short) 0x8100)
        .putShort((short) vlan)
        .put(frame, 12, frame.length - 12)
        .array();
  }

  /** A TCP segment; flags as in the header's lowest byte. */
  public static byte[] tcp(
      MacAddress src,
      MacAddress dst,
      IPv4Address srcIp,
      int srcPort,
      IPv4Address dstIp,
      int dstPort,
      int flags) {
    return tcp(src, dst, srcIp, srcPort, dstIp, dstPort, flags, 1_000);
  }

  /** A TCP segment with this sequence number. */
  public static byte[] tcp(
      MacAddress src,
      MacAddress dst,
      IPv4Address srcIp,
      int srcPort,
      IPv4Address dstIp,
      int dstPort,
      int flags,
      int sequence) {
    byte[] segment =
        ByteBuffer.allocate(20)
            .putShort((short) srcPort)
            .putShort((short) dstPort)
            .putInt(sequence)
            .putInt(0)
            .put((byte) 0x50)
            .put((byte) flags)
            .putShort((short) 0xffff)
            .array();
    return ipv4(src, dst, srcIp, dstIp, 6, segment, 16);
  }

  /** A host accepts the connection of a SYN. */
  public static byte[] synAck(MacAddress host, byte[] syn) {
    Packet packet = Packet.parse(syn);
    byte[] answer =
        tcp(
            host,
            packet.srcMac(),
            IPv4Address.of(packet.dstAddress()),
            packet.dstPort(),
            IPv4Address.of(packet.srcAddress()),
            packet.srcPort(),
            Packet.TCP_SYN | Packet.TCP_ACK);
    int sequence = ByteBuffer.wrap(syn).getInt(TCP_SEQUENCE_AT);
    ByteBuffer.wrap(answer).putInt(TCP_SEQUENCE_AT + 4, sequence + 1);
    return answer;
  }

  /** A UDP datagram. */
  public static byte[] udp(
      MacAddress src,
      MacAddress dst,
      IPv4Address srcIp,
      int srcPort,
      IPv4Address dstIp,
      int dstPort,
      byte[] payload) {
    byte[] datagram =
        ByteBuffer.allocate(8 + payload.length)
            .putShort((short) srcPort)
            .putShort((short) dstPort)
            .putShort((short) (8 + payload.length))
            .putShort((short) 0)
            .put(payload)
            .array();
    return ipv4(src, dst, srcIp, dstIp, 17, datagram, 6);
  }

  /**
   * The same IPv4 packet as a part of a longer one.
   *
   * @param offset where in the payload the part begins, in units of eight bytes
   */
  public static byte[] fragment(byte[] frame, int offset, boolean moreFollow) {
    ByteBuffer packet = ByteBuffer.wrap(frame.clone());
    packet
        .putShort(14 + 6, (short) ((moreFollow ? 0x2000 : 0) | offset))
        .putShort(14 + 10, (short) 0);
    return packet.putShort(14 + 10, checksum(packet, 14, 20, 0)).array();
  }

  /** A ping. */
  public static byte[] echoRequest(
      MacAddress src, MacAddress dst, IPv4Address srcIp, IPv4Address dstIp) {
    return echo(8, src, dst, srcIp, dstIp, 0x10001);
  }

  /** A ping (type 8) or the answer to one (0), with this in the place of identifier and number. */
  public static byte[] echo(
      int type, MacAddress src, MacAddress dst, IPv4Address srcIp, IPv4Address dstIp, int mark) {
    return icmp(type, src, dst, srcIp, dstIp, mark, NO_PAYLOAD);
  }

  /** An ICMP message with four bytes and a body behind type, code and checksum. */
  public static byte[] icmp(
      int type,
      MacAddress src,
      MacAddress dst,
      IPv4Address srcIp,
      IPv4Address dstIp,
      int word,
      byte[] body) {
    byte[] message =
        ByteBuffer.allocate(8 + body.length)
            .put(0, (byte) type)
            .putInt(4, word)
            .put(8, body)
            .array();
    return ipv4(src, dst, srcIp, dstIp, 1, message, 2);
  }

  /** Asks by broadcast who has an address. */
  public static byte[] arpRequest(MacAddress src, IPv4Address sender, IPv4Address target) {
    return arp(1, src, MacAddress.BROADCAST, sender, MacAddress.NONE, target);
  }

  /** Says that an address is at the sender. */
  public static byte[] arpReply(
      MacAddress src, MacAddress dst, IPv4Address sender, IPv4Address target) {
    return arp(2, src, dst, sender, dst, target);
  }

  private static byte[] arp(
      int operation,
      MacAddress src,
      MacAddress dst,
      IPv4Address sender,
      MacAddress targetMac,
      IPv4Address target) {
    byte[] payload =
        ByteBuffer.allocate(28)
            .putShort((short) 1)
            .putShort((short) 0x0800)
            .put((byte) 6)
            .put((byte) 4)
            .putShort((short) operation)
            .put(src.getBytes())
            .putInt(sender.getInt())
            .put(targetMac.getBytes())
            .putInt(target.getInt())
            .array();
    return ethernet(src, dst, 0x0806, payload);
  }

  private static byte[] ipv4(
      MacAddress src,
      MacAddress dst,
      IPv4Address srcIp,
      IPv4Address dstIp,
      int protocol,
      byte[] payload,
      int checksumAt) {
    ByteBuffer packet =
        ByteBuffer.allocate(20 + payload.length)
            .putShort((short) 0x4500)
            .putShort((short) (20 + payload.length))
            .putInt(0)
            .put((byte) 64)
            .put((byte) protocol)
            .putShort((short) 0)
            .putInt(srcIp.getInt())
            .putInt(dstIp.getInt())
            .put(payload);
    packet.putShort(10, checksum(packet, 0, 20, 0));
    int pseudoHeader = protocol == 1 ? 0 : sum(packet, 12, 8) + protocol + payload.length;
    packet.putShort(20 + checksumAt, checksum(packet, 20, payload.length, pseudoHeader));
    return ethernet(src, dst, 0x0800, packet.array());
  }

  /** An IPv4 packet without transport header. */
  public static byte[] ipv4(
      MacAddress src, MacAddress dst, IPv4Address srcIp, IPv4Address dstIp, int protocol) {
    ByteBuffer packet =
        ByteBuffer.allocate(20)
            .putShort((short) 0x4500)
            .putShort((short) 20)
            .putInt(0)
            .put((byte) 64)
            .put((byte) protocol)
            .putShort((short) 0)
            .putInt(srcIp.getInt())
            .putInt(dstIp.getInt())
            .put(NO_PAYLOAD);
    return ethernet(src, dst, 0x0800, packet.putShort(10, checksum(packet, 0, 20, 0)).array());
  }

  private static short checksum(ByteBuffer bytes, int from, int length, int initial) {
    int sum = initial + sum(bytes, from, length);
    while (sum >>> 16 != 0) {
      sum = (sum & 0xffff) + (sum >>> 16);
    }
    return (short) ~sum;
  }

  private static int sum(ByteBuffer bytes, int from, int length) {
    int sum = 0;
    for (int i = 0; i < length; i++) {
      sum += (bytes.get(from + i) & 0xff) << (i % 2 == 0 ? 8 : 0);
    }
    return sum;
  }
}
