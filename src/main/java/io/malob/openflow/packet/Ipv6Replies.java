package io.malob.openflow.packet;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** Builds the IPv6 frames that the controller itself sends: what {@link Replies} is for IPv4. */
@SuppressWarnings("ByteBufferBackingArray") // every buffer here is allocated whole
public final class Ipv6Replies {
  private static final int HOP_LIMIT = 64;
  private static final int UNREACHABLE = 1;
  private static final int CODE_NO_ROUTE = 0;
  private static final int CODE_PORT_UNREACHABLE = 4;
  private static final int UDP_BYTES = 8;

  /** An error is to fit into what every link can carry (RFC 4443, section 2.4). */
  private static final int MOST_QUOTED = 1_280 - Ipv6Packet.IPV6_BYTES - Ipv6Packet.ICMPV6_BYTES;

  /** Advertisement flags: solicited, and in the place of what was known before. */
  private static final int SOLICITED_OVERRIDE = 0x6000_0000;

  private Ipv6Replies() {}

  /** Who sends a packet, and to whom; ports are 0 where there are none. */
  public record Ends(
      MacAddress srcMac,
      MacAddress dstMac,
      IPv6Address src,
      int srcPort,
      IPv6Address dst,
      int dstPort) {

    private static Ends backTo(Ipv6Packet packet) {
      return new Ends(
              packet.srcMac(),
              packet.dstMac(),
              packet.srcAddress(),
              packet.srcPort(),
              packet.dstAddress(),
              packet.dstPort())
          .reversed();
    }

    @SuppressWarnings("ArgumentSelectionDefectChecker") // the other way round is the point
    private Ends reversed() {
      return new Ends(dstMac, srcMac, dst, dstPort, src, srcPort);
    }
  }

  /** Asks, by multicast, who has an address (RFC 4861, section 7.2.2). */
  public static byte[] solicitation(MacAddress mac, IPv6Address own, IPv6Address target) {
    byte[] asked = target.getBytes();
    byte[] group = IPv6Address.of("ff02::1:ff00:0").getBytes();
    System.arraycopy(asked, 13, group, 13, 3);
    byte[] groupMac = {0x33, 0x33, (byte) 0xff, asked[13], asked[14], asked[15]};
    Ends ends = new Ends(mac, MacAddress.of(groupMac), own, 0, IPv6Address.of(group), 0);
    return neighbourMessage(
        ends, NeighbourMessage.SOLICITATION, 0, target, NeighbourMessage.OPTION_SOURCE_MAC);
  }

  /** Answers a solicitation: what it asks for is at this MAC. */
  public static byte[] advertisement(NeighbourMessage solicitation, MacAddress mac) {
    Ends ends =
        new Ends(mac, solicitation.mac(), solicitation.target(), 0, solicitation.sender(), 0);
    return neighbourMessage(
        ends,
        NeighbourMessage.ADVERTISEMENT,
        SOLICITED_OVERRIDE,
        solicitation.target(),
        NeighbourMessage.OPTION_TARGET_MAC);
  }

  private static byte[] neighbourMessage(
      Ends ends, int type, int flags, IPv6Address target, int option) {
    ByteBuffer message =
        ByteBuffer.allocate(NeighbourMessage.BYTES + NeighbourMessage.OPTION_BYTES)
            .put(0, (byte) type)
            .putInt(4, flags)
            .put(8, target.getBytes())
            .put(NeighbourMessage.BYTES, (byte) option)
            .put(NeighbourMessage.BYTES + 1, (byte) 1)
            .put(NeighbourMessage.BYTES + 2, ends.srcMac.getBytes());
    return frame(ends, Ipv6Packet.PROTOCOL_ICMPV6, NeighbourMessage.HOP_LIMIT, message, 2);
  }

  /** The reset that makes the sender of a TCP packet give up; see {@link Replies#tcpReset}. */
  public static byte[] tcpReset(Ipv6Packet packet) {
    boolean acknowledges = packet.hasTcpFlags(Packet.TCP_ACK);
    int flags = acknowledges ? Packet.TCP_RST : Packet.TCP_RST | Packet.TCP_ACK;
    Ends back = Ends.backTo(packet);
    ByteBuffer tcp =
        tcp(back, flags)
            .putInt(4, acknowledges ? packet.tcpAcknowledgement() : 0)
            .putInt(8, acknowledges ? 0 : packet.tcpSequence() + packet.tcpSequenceLength());
    return tcpFrame(back, tcp);
  }

  /** A SYN within a connection, to learn what its receiver expects; see {@link Replies#tcpSyn}. */
  public static byte[] tcpSyn(Ends ends) {
    return tcpFrame(ends, tcp(ends, Packet.TCP_SYN).putShort(14, (short) 0xffff));
  }

  private static ByteBuffer tcp(Ends ends, int flags) {
    return ByteBuffer.allocate(Packet.TCP_BYTES)
        .putShort(0, (short) ends.srcPort)
        .putShort(2, (short) ends.dstPort)
        .put(12, (byte) ((Packet.TCP_BYTES / 4) << 4))
        .put(13, (byte) flags);
  }

  private static byte[] tcpFrame(Ends ends, ByteBuffer tcp) {
    return frame(ends, Packet.PROTOCOL_TCP, HOP_LIMIT, tcp, 16);
  }

  /** Tells the sender of a packet that there is no way (RFC 4443, section 3.1). */
  public static byte[] noRoute(Ipv6Packet packet) {
    return unreachable(
        Ends.backTo(packet),
        CODE_NO_ROUTE,
        Arrays.copyOfRange(packet.frame(), packet.networkOffset(), packet.end()));
  }

  /**
   * Tells a host that nobody listens any more where it sends to by UDP, without a packet of its own
   * at hand.
   *
   * @param sent of the packets that it sends
   */
  public static byte[] udpPortUnreachable(Ends sent) {
    ByteBuffer udp =
        ByteBuffer.allocate(UDP_BYTES)
            .putShort(0, (short) sent.srcPort)
            .putShort(2, (short) sent.dstPort)
            .putShort(4, (short) UDP_BYTES);
    byte[] frame = frame(sent, Packet.PROTOCOL_UDP, HOP_LIMIT, udp, 6);
    return unreachable(
        sent.reversed(),
        CODE_PORT_UNREACHABLE,
        Arrays.copyOfRange(frame, Packet.ETHERNET_BYTES, frame.length));
  }

  private static byte[] unreachable(Ends ends, int code, byte[] about) {
    int quoted = Math.min(about.length, MOST_QUOTED);
    ByteBuffer message =
        ByteBuffer.allocate(Ipv6Packet.ICMPV6_BYTES + quoted)
            .put(0, (byte) UNREACHABLE)
            .put(1, (byte) code)
            .put(Ipv6Packet.ICMPV6_BYTES, about, 0, quoted);
    return frame(ends, Ipv6Packet.PROTOCOL_ICMPV6, HOP_LIMIT, message, 2);
  }

  /** A whole frame. The payload's checksum, at that place in it, is still zero. */
  private static byte[] frame(
      Ends ends, int protocol, int hopLimit, ByteBuffer payload, int checksumAt) {
    int length = payload.capacity();
    int network = Packet.ETHERNET_BYTES;
    int transport = network + Ipv6Packet.IPV6_BYTES;
    ByteBuffer frame =
        ByteBuffer.allocate(transport + length)
            .put(0, ends.dstMac.getBytes())
            .put(6, ends.srcMac.getBytes())
            .putShort(12, (short) Packet.ETHERTYPE_IPV6)
            .put(network, (byte) 0x60)
            .putShort(network + 4, (short) length)
            .put(network + 6, (byte) protocol)
            .put(network + 7, (byte) hopLimit)
            .put(network + 8, ends.src.getBytes())
            .put(network + 24, ends.dst.getBytes())
            .put(transport, payload.array());
    return frame
        .putShort(
            transport + checksumAt,
            Checksums.ofIpv6(frame, network + 8, transport, length, protocol))
        .array();
  }
}
