package io.malob.openflow.packet;

import io.malob.algorithm.FiveTuple;
import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** Builds the frames that the controller itself sends. Pure. */
@SuppressWarnings("ByteBufferBackingArray") // every buffer here is allocated whole
public final class Replies {
  private static final int ICMP_HEADER_BYTES = 8;
  private static final int ICMP_UNREACHABLE = 3;
  private static final int CODE_NETWORK_UNREACHABLE = 0;
  private static final int CODE_PORT_UNREACHABLE = 3;
  private static final int UDP_HEADER_BYTES = 8;
  private static final int TTL = 64;

  private Replies() {}

  /** Asks, by broadcast, who has an address. */
  public static byte[] arpRequest(MacAddress senderMac, IPv4Address sender, IPv4Address target) {
    ByteBuffer frame =
        ByteBuffer.allocate(Packet.ETHERNET_BYTES + Packet.ARP_BYTES)
            .put(MacAddress.BROADCAST.getBytes())
            .put(senderMac.getBytes())
            .putShort((short) Packet.ETHERTYPE_ARP);
    return arp(frame, Packet.ARP_REQUEST, senderMac, sender, MacAddress.NONE, target);
  }

  /**
   * Answers an ARP request: the address that it asks for is at this MAC. The answer has the VLAN
   * tags of the request.
   */
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
    ByteBuffer reply = answer(packet, Packet.TCP_BYTES);
    int at = packet.transportOffset();
    int tcp = packet.networkOffset() + Packet.IPV4_BYTES;
    reply
        .putShort(tcp, ByteBuffer.wrap(packet.frame()).getShort(at + 2))
        .putShort(tcp + 2, ByteBuffer.wrap(packet.frame()).getShort(at))
        .putInt(tcp + 4, acknowledges ? packet.tcpAcknowledgement() : 0)
        .putInt(tcp + 8, acknowledges ? 0 : packet.tcpSequence() + packet.tcpSequenceLength())
        .put(tcp + 12, (byte) ((Packet.TCP_BYTES / 4) << 4))
        .put(tcp + 13, (byte) (acknowledges ? Packet.TCP_RST : Packet.TCP_RST | Packet.TCP_ACK));
    return finishTcp(reply, packet.networkOffset());
  }

  private static byte[] finishTcp(ByteBuffer frame, int network) {
    int pseudoHeader =
        Checksums.sum(frame, network + 12, 8) + Packet.PROTOCOL_TCP + Packet.TCP_BYTES;
    int tcp = network + Packet.IPV4_BYTES;
    frame.putShort(tcp + 16, Checksums.of(frame, tcp, Packet.TCP_BYTES, pseudoHeader));
    return finish(frame, network, Packet.PROTOCOL_TCP, Packet.TCP_BYTES);
  }

  /**
   * A SYN between two hosts, which makes the receiver tell what it expects if it has that
   * connection already (RFC 5961, section 4). It has no options, least of all a time stamp, by
   * which it might be taken for an old duplicate.
   */
  public static byte[] tcpSyn(MacAddress srcMac, MacAddress dstMac, FiveTuple tuple) {
    return tcpSyn(srcMac, dstMac, tuple, 0);
  }

  /** The same with a sequence number, which the answer acknowledges. */
  public static byte[] tcpSyn(MacAddress srcMac, MacAddress dstMac, FiveTuple tuple, int sequence) {
    int tcp = Packet.ETHERNET_BYTES + Packet.IPV4_BYTES;
    ByteBuffer frame = ByteBuffer.allocate(tcp + Packet.TCP_BYTES);
    frame
        .put(dstMac.getBytes())
        .put(srcMac.getBytes())
        .putShort((short) Packet.ETHERTYPE_IPV4)
        .putInt(Packet.ETHERNET_BYTES + 12, tuple.srcAddress())
        .putInt(Packet.ETHERNET_BYTES + 16, tuple.dstAddress())
        .putShort(tcp, (short) tuple.srcPort())
        .putShort(tcp + 2, (short) tuple.dstPort())
        .putInt(tcp + 4, sequence)
        .put(tcp + 12, (byte) ((Packet.TCP_BYTES / 4) << 4))
        .put(tcp + 13, (byte) Packet.TCP_SYN)
        .putShort(tcp + 14, (short) 0xffff);
    return finishTcp(frame, Packet.ETHERNET_BYTES);
  }

  /** Tells the sender of a packet that nobody listens on its port (RFC 792, RFC 1122). */
  public static byte[] portUnreachable(Packet packet) {
    return unreachable(packet, CODE_PORT_UNREACHABLE);
  }

  /** Tells the sender of a packet that there is no way (RFC 792, RFC 1122). */
  public static byte[] networkUnreachable(Packet packet) {
    return unreachable(packet, CODE_NETWORK_UNREACHABLE);
  }

  /**
   * Tells a host that nobody listens any more where it sends to by UDP, without a packet of its own
   * at hand.
   *
   * @param tuple of the packets that it sends
   */
  public static byte[] udpPortUnreachable(MacAddress srcMac, MacAddress dstMac, FiveTuple tuple) {
    int udp = Packet.ETHERNET_BYTES + Packet.IPV4_BYTES;
    ByteBuffer sent = ByteBuffer.allocate(udp + UDP_HEADER_BYTES);
    sent.put(srcMac.getBytes())
        .put(dstMac.getBytes())
        .putShort((short) Packet.ETHERTYPE_IPV4)
        .putInt(Packet.ETHERNET_BYTES + 12, tuple.srcAddress())
        .putInt(Packet.ETHERNET_BYTES + 16, tuple.dstAddress())
        .putShort(udp, (short) tuple.srcPort())
        .putShort(udp + 2, (short) tuple.dstPort())
        .putShort(udp + 4, (short) UDP_HEADER_BYTES);
    finish(sent, Packet.ETHERNET_BYTES, Packet.PROTOCOL_UDP, UDP_HEADER_BYTES);
    return portUnreachable(Packet.parse(sent.array()));
  }

  private static byte[] unreachable(Packet packet, int code) {
    int headerBytes = packet.transportOffset() - packet.networkOffset();
    int quoted = Math.min(headerBytes + 8, packet.networkBytes());
    int icmpBytes = ICMP_HEADER_BYTES + quoted;
    ByteBuffer reply = answer(packet, icmpBytes);
    int icmp = packet.networkOffset() + Packet.IPV4_BYTES;
    reply.put(icmp, (byte) ICMP_UNREACHABLE).put(icmp + 1, (byte) code);
    System.arraycopy(
        packet.frame(), packet.networkOffset(), reply.array(), icmp + ICMP_HEADER_BYTES, quoted);
    reply.putShort(icmp + 2, Checksums.of(reply, icmp, icmpBytes, 0));
    return finish(reply, packet.networkOffset(), Packet.PROTOCOL_ICMP, icmpBytes);
  }

  /**
   * A frame of that much payload back to the sender, with its VLAN tags, and no IPv4 header yet.
   */
  private static ByteBuffer answer(Packet packet, int payloadBytes) {
    int network = packet.networkOffset();
    ByteBuffer reply = ByteBuffer.allocate(network + Packet.IPV4_BYTES + payloadBytes);
    System.arraycopy(packet.frame(), 0, reply.array(), 0, network);
    System.arraycopy(packet.frame(), 6, reply.array(), 0, 6);
    System.arraycopy(packet.frame(), 0, reply.array(), 6, 6);
    return reply
        .putInt(network + 12, packet.dstAddress())
        .putInt(network + 16, packet.srcAddress());
  }

  private static byte[] finish(ByteBuffer reply, int at, int protocol, int payloadBytes) {
    reply
        .put(at, (byte) 0x45)
        .putShort(at + 2, (short) (Packet.IPV4_BYTES + payloadBytes))
        .put(at + 8, (byte) TTL)
        .put(at + 9, (byte) protocol)
        .putShort(at + 10, Checksums.of(reply, at, Packet.IPV4_BYTES, 0));
    return reply.array();
  }
}
