package io.malob.openflow.packet;

import io.malob.algorithm.FiveTuple;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** Builds the frames that the controller itself sends, of ARP and both IP versions. Pure. */
@SuppressWarnings("ByteBufferBackingArray") // every buffer here is allocated whole
public final class Replies {
  private static final int ICMP_HEADER_BYTES = 8;
  private static final int UDP_HEADER_BYTES = 8;
  private static final int HOP_LIMIT = 64;

  /** An error is to fit into what every link can carry (RFC 4443, section 2.4). */
  private static final int MAX_QUOTED_IPV6 = 1_280 - Packet.IPV6_BYTES - Packet.ICMP_BYTES;

  private Replies() {}

  /**
   * The sender and receiver of a packet; ports are 0 if there are none. Both addresses are of one
   * IP version.
   */
  public record Ends(
      MacAddress srcMac,
      MacAddress dstMac,
      IPAddress<?> src,
      int srcPort,
      IPAddress<?> dst,
      int dstPort) {

    /** Those of packets with a five-tuple. */
    public static Ends of(MacAddress srcMac, MacAddress dstMac, FiveTuple tuple) {
      return new Ends(
          srcMac, dstMac, tuple.source(), tuple.srcPort(), tuple.destination(), tuple.dstPort());
    }
  }

  /** A broadcast request for the MAC of an address. */
  public static byte[] arpRequest(MacAddress senderMac, IPv4Address sender, IPv4Address target) {
    ByteBuffer frame =
        ByteBuffer.allocate(Packet.ETHERNET_BYTES + Packet.ARP_BYTES)
            .put(MacAddress.BROADCAST.getBytes())
            .put(senderMac.getBytes())
            .putShort((short) Packet.ETHERTYPE_ARP);
    return arp(frame, Packet.ARP_REQUEST, senderMac, sender, MacAddress.NONE, target);
  }

  /** Answers an ARP request with this MAC. The answer has the VLAN tags of the request. */
  public static byte[] arpReply(Packet request, MacAddress mac) {
    int network = request.networkOffset();
    ByteBuffer frame =
        ByteBuffer.allocate(network + Packet.ARP_BYTES)
            .put(request.srcMac().getBytes())
            .put(mac.getBytes())
            .put(request.frame(), 12, network - 12);
    return arp(
        frame,
        Packet.ARP_REPLY,
        mac,
        IPv4Address.of(request.dstAddress()),
        request.arpSenderMac(),
        IPv4Address.of(request.srcAddress()));
  }

  private static byte[] arp(
      ByteBuffer frame,
      int operation,
      MacAddress senderMac,
      IPv4Address sender,
      MacAddress targetMac,
      IPv4Address target) {
    return frame
        .putShort((short) 1)
        .putShort((short) Packet.ETHERTYPE_IPV4)
        .put((byte) 6)
        .put((byte) 4)
        .putShort((short) operation)
        .put(senderMac.getBytes())
        .putInt(sender.getInt())
        .put(targetMac.getBytes())
        .putInt(target.getInt())
        .array();
  }

  /**
   * The reset that makes the sender of a TCP packet give up (RFC 9293, section 3.10.7.1): at the
   * sequence number that the packet acknowledges, or, if it acknowledges nothing, at zero and
   * acknowledging all of the packet. Not to be sent in answer to a reset.
   */
  public static byte[] tcpReset(Packet packet) {
    boolean acknowledges = packet.hasTcpFlags(Packet.TCP_ACK);
    int flags = acknowledges ? Packet.TCP_RST : Packet.TCP_RST | Packet.TCP_ACK;
    ByteBuffer tcp =
        tcp(/* srcPort= */ packet.dstPort(), /* dstPort= */ packet.srcPort(), flags)
            .putInt(4, acknowledges ? packet.tcpAcknowledgement() : 0)
            .putInt(8, acknowledges ? 0 : packet.tcpSequence() + packet.tcpSequenceLength());
    return answer(packet, Packet.PROTOCOL_TCP, tcp, 16);
  }

  private static ByteBuffer tcp(int srcPort, int dstPort, int flags) {
    return ByteBuffer.allocate(Packet.TCP_BYTES)
        .putShort(0, (short) srcPort)
        .putShort(2, (short) dstPort)
        .put(12, (byte) ((Packet.TCP_BYTES / 4) << 4))
        .put(13, (byte) flags);
  }

  /**
   * A SYN between two hosts, which makes the receiver acknowledge its expected sequence number if
   * it already has that connection (RFC 5961, section 4). It has no options, least of all a time
   * stamp, by which it might be taken for an old duplicate.
   */
  public static byte[] tcpSyn(Ends ends) {
    return tcpSyn(ends, 0);
  }

  /** The same with a sequence number, which the answer acknowledges. */
  public static byte[] tcpSyn(Ends ends, int sequence) {
    ByteBuffer tcp =
        tcp(ends.srcPort, ends.dstPort, Packet.TCP_SYN)
            .putInt(4, sequence)
            .putShort(14, (short) 0xffff);
    return IpFrames.of(ends, Packet.PROTOCOL_TCP, HOP_LIMIT, tcp, 16);
  }

  /**
   * An ACK of nothing, which makes the receiver acknowledge its expected sequence number if it has
   * that connection (RFC 9293, section 3.10.7.4), and reject the ACK if it is still opening it.
   */
  public static byte[] tcpAck(Ends ends) {
    ByteBuffer tcp = tcp(ends.srcPort, ends.dstPort, Packet.TCP_ACK).putShort(14, (short) 0xffff);
    return IpFrames.of(ends, Packet.PROTOCOL_TCP, HOP_LIMIT, tcp, 16);
  }

  /** Tells the sender of a packet that there is no listener on its port. */
  public static byte[] portUnreachable(Packet packet) {
    return unreachable(packet, packet.isIpv4() ? 3 : 4);
  }

  /** Tells the sender of a packet that there is no path. */
  public static byte[] networkUnreachable(Packet packet) {
    return unreachable(packet, 0);
  }

  /**
   * Tells a host that there is no longer a listener for its UDP packets, without a packet of the
   * host.
   *
   * @param sent of the packets that it sends
   */
  public static byte[] udpPortUnreachable(Ends sent) {
    ByteBuffer udp =
        ByteBuffer.allocate(UDP_HEADER_BYTES)
            .putShort(0, (short) sent.srcPort)
            .putShort(2, (short) sent.dstPort)
            .putShort(4, (short) UDP_HEADER_BYTES);
    boolean isIpv4 = sent.src.getIpVersion() == IPVersion.IPv4;
    int checksumAt = isIpv4 ? IpFrames.NO_CHECKSUM : 6;
    byte[] frame = IpFrames.of(sent, Packet.PROTOCOL_UDP, HOP_LIMIT, udp, checksumAt);
    return portUnreachable(Packet.parse(frame));
  }

  /** ICMP (RFC 792, RFC 1122) quotes eight bytes of what IP carries, ICMPv6 (RFC 4443) all. */
  private static byte[] unreachable(Packet packet, int code) {
    boolean isIpv4 = packet.isIpv4();
    int from = packet.networkOffset();
    int max = isIpv4 ? packet.transportOffset() - from + 8 : MAX_QUOTED_IPV6;
    byte[] quoted = Arrays.copyOfRange(packet.frame(), from, Math.min(from + max, packet.end()));
    ByteBuffer icmp =
        ByteBuffer.allocate(ICMP_HEADER_BYTES + quoted.length)
            .put(0, (byte) (isIpv4 ? 3 : 1))
            .put(1, (byte) code)
            .put(ICMP_HEADER_BYTES, quoted);
    int protocol = isIpv4 ? Packet.PROTOCOL_ICMP : Packet.PROTOCOL_ICMPV6;
    return answer(packet, protocol, icmp, 2);
  }

  /** A frame back to the sender, with its VLAN tags. */
  private static byte[] answer(Packet packet, int protocol, ByteBuffer payload, int checksumAt) {
    byte[] link = Arrays.copyOf(packet.frame(), packet.networkOffset());
    System.arraycopy(packet.frame(), 6, link, 0, 6);
    System.arraycopy(packet.frame(), 0, link, 6, 6);
    return IpFrames.of(
        link, packet.destination(), packet.source(), protocol, HOP_LIMIT, payload, checksumAt);
  }
}
