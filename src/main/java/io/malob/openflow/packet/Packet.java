package io.malob.openflow.packet;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.FiveTuple;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The headers of one Ethernet frame, read once from its bytes (which are not copied): Ethernet II
 * with up to two VLAN tags, ARP for IPv4, IPv4, IPv6 (by {@link Ipv6Packet}), TCP, UDP and ICMP of
 * both. Immutable as long as the bytes are not modified. Fields that a frame of this {@link Kind}
 * does not have are zero.
 */
public final class Packet implements IpPacket {

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

  public static final int ARP_REQUEST = 1;
  public static final int ARP_REPLY = 2;

  public static final int TCP_FIN = 0x01;
  public static final int TCP_SYN = 0x02;
  public static final int TCP_RST = 0x04;
  public static final int TCP_ACK = 0x10;

  static final int PROTOCOL_ICMP = 1;
  static final int PROTOCOL_TCP = 6;
  static final int PROTOCOL_UDP = 17;

  static final int ETHERNET_BYTES = 14;
  static final int ARP_BYTES = 28;
  static final int IPV4_BYTES = 20;
  static final int TCP_BYTES = 20;

  private static final int ETHERTYPE_VLAN = 0x8100;
  private static final int ETHERTYPE_PROVIDER_VLAN = 0x88a8;
  private static final int VLAN_BYTES = 4;
  private static final int UDP_BYTES = 8;
  private static final int ICMP_BYTES = 8;

  private final byte[] frame;
  private Kind kind = Kind.MALFORMED;
  private int vlan;
  private int etherType;
  private int networkOffset;
  private int transportOffset;
  private int networkEnd;
  private int srcAddress;
  private int dstAddress;
  private int protocol;
  private int srcPort;
  private int dstPort;
  private int tcpFlags;
  private int icmpType;
  private int arpOperation;

  /** What IPv6 alone has; null if this is not IPv6. */
  private @Nullable Ipv6Packet ipv6;

  /** Created once; a race only creates it twice, because five-tuples are immutable. */
  private @Nullable FiveTuple fiveTuple;

  private Packet(byte[] frame) {
    this.frame = frame;
  }

  /** Reads a frame. Never throws; an invalid frame is {@link Kind#MALFORMED}. */
  public static Packet parse(byte[] frame) {
    Packet packet = new Packet(frame);
    packet.kind = packet.readEthernet();
    return packet;
  }

  private Kind readEthernet() {
    int offset = ETHERNET_BYTES - 2;
    if (frame.length < ETHERNET_BYTES) {
      return Kind.MALFORMED;
    }
    etherType = uint16(offset);
    for (int tags = 0; tags < 2 && isVlan(etherType); tags++) {
      offset += VLAN_BYTES;
      if (frame.length < offset + 2) {
        return Kind.MALFORMED;
      }
      if (tags == 0) {
        vlan = uint16(offset - 2) & 0x0fff;
      }
      etherType = uint16(offset);
    }
    networkOffset = offset + 2;
    return switch (etherType) {
      case ETHERTYPE_IPV4 -> readIpv4();
      case ETHERTYPE_ARP -> readArp();
      case ETHERTYPE_IPV6 -> readIpv6();
      default -> Kind.OTHER;
    };
  }

  static boolean isVlan(int etherType) {
    return etherType == ETHERTYPE_VLAN || etherType == ETHERTYPE_PROVIDER_VLAN;
  }

  private Kind readArp() {
    int at = networkOffset;
    if (frame.length < at + ARP_BYTES
        || uint16(at) != 1
        || uint16(at + 2) != ETHERTYPE_IPV4
        || frame[at + 4] != 6
        || frame[at + 5] != 4) {
      return Kind.MALFORMED;
    }
    arpOperation = uint16(at + 6);
    srcAddress = int32(at + 14);
    dstAddress = int32(at + 24);
    return hasReservedAddress() ? Kind.MALFORMED : Kind.ARP;
  }

  private Kind readIpv4() {
    int at = networkOffset;
    if (frame.length < at + IPV4_BYTES || frame[at] >> 4 != 4) {
      return Kind.MALFORMED;
    }
    int headerBytes = (frame[at] & 0x0f) * 4;
    int totalBytes = uint16(at + 2);
    if (headerBytes < IPV4_BYTES || totalBytes < headerBytes || frame.length < at + totalBytes) {
      return Kind.MALFORMED;
    }
    protocol = frame[at + 9] & 0xff;
    srcAddress = int32(at + 12);
    dstAddress = int32(at + 16);
    if (hasReservedAddress()) {
      return Kind.MALFORMED;
    }
    transportOffset = at + headerBytes;
    networkEnd = at + totalBytes;
    boolean laterFragment = (uint16(at + 6) & 0x1fff) != 0;
    return laterFragment ? Kind.OTHER_IP : readTransport();
  }

  /** No IPv4 host may pass for an IPv6 one: the packet then has no addresses. */
  private boolean hasReservedAddress() {
    boolean isReserved = AddressKey.isIpv6(srcAddress) || AddressKey.isIpv6(dstAddress);
    if (isReserved) {
      srcAddress = AddressKey.NONE;
      dstAddress = AddressKey.NONE;
    }
    return isReserved;
  }

  /** A fragment of IPv6 has no readable ports, not even the first: no rule would match others. */
  private Kind readIpv6() {
    Ipv6Packet read = new Ipv6Packet(this);
    if (!read.readHeaders()) {
      return Kind.MALFORMED;
    }
    ipv6 = read;
    protocol = read.protocol();
    transportOffset = read.transportOffset();
    networkEnd = read.end();
    dstAddress = read.keyOfDestination();
    // the key of a source is needed only if the destination has one
    srcAddress = dstAddress == AddressKey.NONE ? AddressKey.NONE : read.keyOfSource();
    if (read.isFragment()) {
      return Kind.OTHER_IP;
    }
    srcPort = read.srcPort();
    dstPort = read.dstPort();
    icmpType = read.icmpType();
    return switch (protocol) {
      case PROTOCOL_TCP -> {
        tcpFlags = frame[transportOffset + 13] & 0xff;
        yield Kind.TCP;
      }
      case PROTOCOL_UDP -> Kind.UDP;
      case Ipv6Packet.PROTOCOL_ICMPV6 -> Kind.ICMP;
      default -> Kind.OTHER_IP;
    };
  }

  private Kind readTransport() {
    int at = transportOffset;
    int available = networkEnd - at;
    switch (protocol) {
      case PROTOCOL_TCP -> {
        if (available < TCP_BYTES || !isTcpHeaderWithin(available)) {
          return Kind.MALFORMED;
        }
        readPorts();
        tcpFlags = frame[at + 13] & 0xff;
        return Kind.TCP;
      }
      case PROTOCOL_UDP -> {
        if (available < UDP_BYTES) {
          return Kind.MALFORMED;
        }
        readPorts();
        return Kind.UDP;
      }
      case PROTOCOL_ICMP -> {
        if (available < ICMP_BYTES) {
          return Kind.MALFORMED;
        }
        icmpType = frame[at] & 0xff;
        return Kind.ICMP;
      }
      default -> {
        return Kind.OTHER_IP;
      }
    }
  }

  private boolean isTcpHeaderWithin(int available) {
    int headerBytes = tcpHeaderBytes();
    return headerBytes >= TCP_BYTES && headerBytes <= available;
  }

  private int tcpHeaderBytes() {
    return (frame[transportOffset + 12] >> 4 & 0x0f) * 4;
  }

  private void readPorts() {
    srcPort = uint16(transportOffset);
    dstPort = uint16(transportOffset + 2);
  }

  @Override
  public boolean isFragment() {
    return ipv6 != null ? ipv6.isFragment() : isIpv4() && (uint16(networkOffset + 6) & 0x3fff) != 0;
  }

  @Override
  public byte[] frame() {
    return frame;
  }

  public Kind kind() {
    return kind;
  }

  /** The EtherType behind all VLAN tags. */
  public int etherType() {
    return etherType;
  }

  @Override
  public MacAddress dstMac() {
    return macAt(0);
  }

  @Override
  public MacAddress srcMac() {
    return macAt(6);
  }

  /** The VLAN id of the outer tag; 0 without one. */
  public int vlan() {
    return vlan;
  }

  /** Whether the frame has a VLAN tag, be it of VLAN 0. */
  public boolean isTagged() {
    return networkOffset > ETHERNET_BYTES;
  }

  @Override
  public boolean isMulticast() {
    return frame.length > 0 && (frame[0] & 1) != 0;
  }

  /** Whether this is IPv4, of any protocol. */
  public boolean isIpv4() {
    return etherType == ETHERTYPE_IPV4 && kind != Kind.MALFORMED;
  }

  /** Whether this is IPv6, of any protocol. */
  public boolean isIpv6() {
    return ipv6 != null;
  }

  /** Whether this is IPv4 or IPv6. */
  public boolean isIp() {
    return isIpv4() || isIpv6();
  }

  /** Whether IPv6 has a header that lists routers to visit, which can evade rules. */
  public boolean hasRoutingHeader() {
    return ipv6 != null && ipv6.hasRoutingHeader();
  }

  /** The IPv6 packet that this is; null if it is none. */
  @Nullable Ipv6Packet ipv6() {
    return ipv6;
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

  @Override
  public IPAddress<?> source() {
    return ipv6 != null ? ipv6.source() : AddressKey.toAddress(srcAddress);
  }

  @Override
  public IPAddress<?> destination() {
    return ipv6 != null ? ipv6.destination() : AddressKey.toAddress(dstAddress);
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

  @Override
  public int protocol() {
    return protocol;
  }

  @Override
  public int srcPort() {
    return srcPort;
  }

  @Override
  public int dstPort() {
    return dstPort;
  }

  @Override
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

  @Override
  public boolean hasTcpFlags(int flags) {
    return kind == Kind.TCP && (tcpFlags & flags) == flags;
  }

  @Override
  public int tcpSequence() {
    return int32(transportOffset + 4);
  }

  @Override
  public int tcpAcknowledgement() {
    return int32(transportOffset + 8);
  }

  @Override
  public int tcpSequenceLength() {
    int dataBytes = networkEnd - transportOffset - tcpHeaderBytes();
    return dataBytes + Integer.bitCount(tcpFlags & (TCP_SYN | TCP_FIN));
  }

  @Override
  public int networkOffset() {
    return networkOffset;
  }

  @Override
  public int end() {
    return networkEnd;
  }

  @Override
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
      int number = protocol == Ipv6Packet.PROTOCOL_ICMPV6 && isIpv6() ? PROTOCOL_ICMP : protocol;
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

  int uint8(int offset) {
    return frame[offset] & 0xff;
  }

  int uint16(int offset) {
    return uint8(offset) << 8 | uint8(offset + 1);
  }

  int int32(int offset) {
    return uint16(offset) << 16 | uint16(offset + 2);
  }

  long int64(int offset) {
    return (long) int32(offset) << 32 | Integer.toUnsignedLong(int32(offset + 4));
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
