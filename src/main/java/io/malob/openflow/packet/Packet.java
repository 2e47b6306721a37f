package io.malob.openflow.packet;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.FiveTuple;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The headers of one Ethernet frame, read once from its bytes, which are not copied. Immutable as
 * long as the bytes are not modified. Fields that a frame of this {@link Kind} does not have are
 * zero.
 */
public final class Packet extends Headers {

  /** What a frame carries, as far as it could be read. */
  public enum Kind {
    TCP,
    UDP,
    /** ICMP of IPv4, or ICMPv6. */
    ICMP,
    /** IP without readable ports: another protocol, or a fragment after the first. */
    OTHER_IP,
    ARP,
    /** A well-formed frame of another EtherType. */
    OTHER,
    /** Too short, or lengths that contradict each other. */
    MALFORMED
  }

  public static final int ETHERTYPE_IPV4 = 0x0800;
  public static final int ETHERTYPE_ARP = 0x0806;
  public static final int ETHERTYPE_IPV6 = 0x86dd;
  public static final int ETHERTYPE_LLDP = 0x88cc;

  private static final int SRC_MAC_AT = 6;

  public static final int ARP_REQUEST = 1;
  public static final int ARP_REPLY = 2;

  public static final int TCP_FIN = 0x01;
  public static final int TCP_SYN = 0x02;
  public static final int TCP_RST = 0x04;
  public static final int TCP_ACK = 0x10;

  /** Created once; a race only creates it twice, because five-tuples are immutable. */
  private @Nullable FiveTuple fiveTuple;

  private Packet(byte[] frame) {
    super(frame);
  }

  /** Reads a frame. Never throws; an invalid frame is {@link Kind#MALFORMED}. */
  public static Packet parse(byte[] frame) {
    return new Packet(frame);
  }

  /** Whether it is a part of a longer packet, the first or a later one. */
  public boolean isFragment() {
    return isFragment && isIp();
  }

  /** The bytes; read-only. */
  public byte[] frame() {
    return frame;
  }

  /** A copy of the bytes with another source MAC address. */
  public byte[] frameFrom(MacAddress source) {
    byte[] changed = frame.clone();
    System.arraycopy(source.getBytes(), 0, changed, SRC_MAC_AT, source.getLength());
    return changed;
  }

  public Kind kind() {
    return kind;
  }

  /** The EtherType behind all VLAN tags. */
  public int etherType() {
    return etherType;
  }

  /** The receiver of the frame. */
  public MacAddress dstMac() {
    return macAt(0);
  }

  /** The sender of the frame. */
  public MacAddress srcMac() {
    return macAt(SRC_MAC_AT);
  }

  /** The VLAN id of the outer tag; 0 without one. */
  public int vlan() {
    return vlan;
  }

  /** Whether the frame has a VLAN tag, be it of VLAN 0. */
  public boolean isTagged() {
    return networkOffset > ETHERNET_BYTES;
  }

  /** Whether the frame has two VLAN tags (QinQ). */
  public boolean isDoubleTagged() {
    return networkOffset > ETHERNET_BYTES + VLAN_BYTES;
  }

  /** Whether the frame is for more than one host. */
  public boolean isMulticast() {
    return frame.length > 0 && (frame[0] & 1) != 0;
  }

  /** Whether this is IPv4, of any protocol. */
  public boolean isIpv4() {
    return etherType == ETHERTYPE_IPV4 && kind != Kind.MALFORMED;
  }

  /** Whether this is IPv6, of any protocol. */
  public boolean isIpv6() {
    return etherType == ETHERTYPE_IPV6 && kind != Kind.MALFORMED;
  }

  /** Whether this is IPv4 or IPv6. */
  public boolean isIp() {
    return isIpv4() || isIpv6();
  }

  /** The version of an IP packet. */
  public IPVersion version() {
    return isIpv6() ? IPVersion.IPv6 : IPVersion.IPv4;
  }

  /** Whether IPv6 has a header that lists routers to visit, which can evade rules. */
  public boolean hasRoutingHeader() {
    return hasRoutingHeader && isIpv6();
  }

  /** The remaining hops of an IPv6 packet. */
  int hopLimit() {
    return uint8(networkOffset + 7);
  }

  /** The IPv6 address at that offset of the frame. */
  IPv6Address ipv6At(int offset) {
    return IPv6Address.of(int64(offset), int64(offset + 8));
  }

  /** Whether this is a neighbour solicitation or advertisement of ICMPv6. */
  public boolean isNeighbourMessage() {
    return isIpv6()
        && kind == Kind.ICMP
        && (icmpType == NeighbourMessage.SOLICITATION
            || icmpType == NeighbourMessage.ADVERTISEMENT);
  }

  /**
   * The {@link AddressKey} of the source, or of the sender of an ARP packet. An IPv6 source has
   * none if the destination has none.
   */
  public int srcAddress() {
    return srcAddress;
  }

  /**
   * The {@link AddressKey} of the destination, or of the target of an ARP packet. An IPv6 address
   * that nothing knows has none.
   */
  public int dstAddress() {
    return dstAddress;
  }

  /** The source address, or the sender of an ARP packet. */
  public IPAddress<?> source() {
    return isIpv6() ? ipv6At(networkOffset + 8) : AddressKey.toAddress(srcAddress);
  }

  /** The destination address, or the target of an ARP packet. */
  public IPAddress<?> destination() {
    return isIpv6() ? ipv6At(networkOffset + 24) : AddressKey.toAddress(dstAddress);
  }

  /** The sender of an ARP packet. */
  public MacAddress arpSenderMac() {
    return kind == Kind.ARP ? macAt(networkOffset + 8) : MacAddress.NONE;
  }

  public int arpOperation() {
    return arpOperation;
  }

  /** The payload size of a UDP packet; 0 if this is not UDP. */
  public int udpPayloadBytes() {
    return kind == Kind.UDP ? networkEnd - transportOffset - UDP_BYTES : 0;
  }

  /** A copy of the payload of a UDP packet; empty if this is not UDP. */
  public byte[] udpPayload() {
    return kind == Kind.UDP
        ? Arrays.copyOfRange(frame, transportOffset + UDP_BYTES, networkEnd)
        : new byte[0];
  }

  /** The IP protocol number; of IPv6 the one behind all extension headers that are read. */
  public int protocol() {
    return protocol;
  }

  /** The source port of TCP or UDP; 0 if it has none, or cannot be read. */
  public int srcPort() {
    return srcPort;
  }

  /** The destination port of TCP or UDP; 0 if it has none, or cannot be read. */
  public int dstPort() {
    return dstPort;
  }

  /** The type of an ICMP or ICMPv6 message; 0 if it is none, or cannot be read. */
  public int icmpType() {
    return icmpType;
  }

  /** The identifier of an ICMP echo request or reply; 0 if this is not ICMP. */
  public int icmpIdentifier() {
    return kind == Kind.ICMP ? uint16(transportOffset + 4) : 0;
  }

  /** The sequence number of an ICMP echo request or reply; 0 if this is not ICMP. */
  public int icmpSequence() {
    return kind == Kind.ICMP ? uint16(transportOffset + 6) : 0;
  }

  /** Whether all of these TCP flags are set. */
  public boolean hasTcpFlags(int flags) {
    return kind == Kind.TCP && (tcpFlags & flags) == flags;
  }

  /** Whether this is the first packet of a TCP connection: SYN and no ACK. */
  public boolean isTcpSyn() {
    return hasTcpFlags(TCP_SYN) && !hasTcpFlags(TCP_SYN | TCP_ACK);
  }

  /** The TCP sequence number. */
  public int tcpSequence() {
    return int32(transportOffset + 4);
  }

  /** The TCP acknowledgement number. */
  public int tcpAcknowledgement() {
    return int32(transportOffset + 8);
  }

  /** How many sequence numbers a TCP packet uses: its data, and one each for SYN and FIN. */
  public int tcpSequenceLength() {
    int dataBytes = networkEnd - transportOffset - tcpHeaderBytes();
    return dataBytes + Integer.bitCount(tcpFlags & (TCP_SYN | TCP_FIN));
  }

  /** The offset of its IP header in the frame. */
  public int networkOffset() {
    return networkOffset;
  }

  /** The offset of its end in the frame; padding may follow. */
  public int end() {
    return networkEnd;
  }

  /** The offset of its transport header in the frame. */
  public int transportOffset() {
    return transportOffset;
  }

  /** Whether this is an echo request of ICMP or ICMPv6. */
  public boolean isEchoRequest() {
    return kind == Kind.ICMP
        && icmpType == (isIpv6() ? EchoFrames.ICMPV6_ECHO_REQUEST : EchoFrames.ICMP_ECHO_REQUEST);
  }

  /** Whether this is an echo reply of ICMP or ICMPv6. */
  public boolean isEchoReply() {
    return kind == Kind.ICMP
        && icmpType == (isIpv6() ? EchoFrames.ICMPV6_ECHO_REPLY : EchoFrames.ICMP_ECHO_REPLY);
  }

  /** Whether this may answer a request: of ICMP, only echo replies and their fragments do. */
  public boolean mayBeReply() {
    return kind != Kind.ICMP || isEchoReply();
  }

  /** The connection that a TCP, UDP or ICMP packet belongs to; ICMP counts without type. */
  public FiveTuple fiveTuple() {
    @Nullable FiveTuple made = fiveTuple;
    if (made == null) {
      int number = protocol == PROTOCOL_ICMPV6 && isIpv6() ? PROTOCOL_ICMP : protocol;
      made = FiveTuple.of(number, srcAddress, srcPort, dstAddress, dstPort);
      fiveTuple = made;
    }
    return made;
  }

  private MacAddress macAt(int offset) {
    if (frame.length < offset + 6) {
      return MacAddress.NONE;
    }
    return MacAddress.of((long) uint16(offset) << 32 | Integer.toUnsignedLong(int32(offset + 2)));
  }

  @Override
  public String toString() {
    String ends = source() + " -> " + destination();
    return switch (kind) {
      case TCP, UDP -> kind + " " + fiveTuple();
      case ICMP, OTHER_IP, ARP -> kind + " " + ends;
      case OTHER, MALFORMED -> kind + " of " + frame.length + " bytes";
    };
  }
}
