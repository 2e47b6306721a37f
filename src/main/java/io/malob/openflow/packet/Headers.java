package io.malob.openflow.packet;

import io.malob.algorithm.AddressKey;

/**
 * Reads the headers of a frame for {@link Packet}, once: Ethernet II with up to two VLAN tags, ARP
 * for IPv4, IPv4, IPv6 (RFC 8200), TCP, UDP and ICMP of both. Of IPv6, hop-by-hop, routing,
 * destination and authentication headers are skipped, as in switches.
 */
abstract sealed class Headers permits Packet {
  static final int ETHERNET_BYTES = 14;
  static final int ARP_BYTES = 28;
  static final int IPV4_BYTES = 20;
  static final int IPV6_BYTES = 40;
  static final int TCP_BYTES = 20;
  static final int UDP_BYTES = 8;
  static final int ICMP_BYTES = 8;

  static final int PROTOCOL_ICMP = 1;
  static final int PROTOCOL_TCP = 6;
  static final int PROTOCOL_UDP = 17;
  static final int PROTOCOL_ICMPV6 = 58;

  private static final int ETHERTYPE_VLAN = 0x8100;
  private static final int ETHERTYPE_PROVIDER_VLAN = 0x88a8;
  static final int VLAN_BYTES = 4;

  private static final int HOP_BY_HOP = 0;
  private static final int ROUTING = 43;
  private static final int FRAGMENT = 44;
  private static final int AUTHENTICATION = 51;
  private static final int DESTINATION = 60;
  private static final int MAX_EXTENSIONS = 8;
  private static final int MIN_EXTENSION_BYTES = 8;

  final byte[] frame;
  final Packet.Kind kind;
  int vlan;
  int etherType;
  int networkOffset;
  int transportOffset;
  int networkEnd;
  int srcAddress;
  int dstAddress;
  int protocol;
  int srcPort;
  int dstPort;
  int tcpFlags;
  int icmpType;
  int arpOperation;
  boolean isFragment;
  boolean hasRoutingHeader;

  Headers(byte[] frame) {
    this.frame = frame;
    this.kind = readEthernet();
  }

  private Packet.Kind readEthernet() {
    int offset = ETHERNET_BYTES - 2;
    if (frame.length < ETHERNET_BYTES) {
      return Packet.Kind.MALFORMED;
    }
    etherType = uint16(offset);
    for (int tags = 0; tags < 2 && isVlan(etherType); tags++) {
      offset += VLAN_BYTES;
      if (frame.length < offset + 2) {
        return Packet.Kind.MALFORMED;
      }
      if (tags == 0) {
        vlan = uint16(offset - 2) & 0x0fff;
      }
      etherType = uint16(offset);
    }
    networkOffset = offset + 2;
    return switch (etherType) {
      case Packet.ETHERTYPE_IPV4 -> readIpv4();
      case Packet.ETHERTYPE_ARP -> readArp();
      case Packet.ETHERTYPE_IPV6 -> readIpv6();
      default -> Packet.Kind.OTHER;
    };
  }

  static boolean isVlan(int etherType) {
    return etherType == ETHERTYPE_VLAN || etherType == ETHERTYPE_PROVIDER_VLAN;
  }

  private Packet.Kind readArp() {
    int at = networkOffset;
    if (frame.length < at + ARP_BYTES
        || uint16(at) != 1
        || uint16(at + 2) != Packet.ETHERTYPE_IPV4
        || frame[at + 4] != 6
        || frame[at + 5] != 4) {
      return Packet.Kind.MALFORMED;
    }
    arpOperation = uint16(at + 6);
    srcAddress = int32(at + 14);
    dstAddress = int32(at + 24);
    return hasReservedAddress() ? Packet.Kind.MALFORMED : Packet.Kind.ARP;
  }

  private Packet.Kind readIpv4() {
    int at = networkOffset;
    if (frame.length < at + IPV4_BYTES || frame[at] >> 4 != 4) {
      return Packet.Kind.MALFORMED;
    }
    int headerBytes = (frame[at] & 0x0f) * 4;
    int totalBytes = uint16(at + 2);
    if (headerBytes < IPV4_BYTES || totalBytes < headerBytes || frame.length < at + totalBytes) {
      return Packet.Kind.MALFORMED;
    }
    protocol = uint8(at + 9);
    srcAddress = int32(at + 12);
    dstAddress = int32(at + 16);
    if (hasReservedAddress()) {
      return Packet.Kind.MALFORMED;
    }
    transportOffset = at + headerBytes;
    networkEnd = at + totalBytes;
    int fragment = uint16(at + 6) & 0x3fff;
    isFragment = fragment != 0;
    boolean isLaterFragment = (fragment & 0x1fff) != 0;
    return isLaterFragment ? Packet.Kind.OTHER_IP : readTransport(PROTOCOL_ICMP);
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
  private Packet.Kind readIpv6() {
    int at = networkOffset;
    if (frame.length < at + IPV6_BYTES || uint8(at) >> 4 != 6) {
      return Packet.Kind.MALFORMED;
    }
    networkEnd = at + IPV6_BYTES + uint16(at + 4);
    protocol = uint8(at + 6);
    transportOffset = at + IPV6_BYTES;
    if (networkEnd > frame.length || !passExtensions()) {
      return Packet.Kind.MALFORMED;
    }
    Packet.Kind read = isFragment ? Packet.Kind.OTHER_IP : readTransport(PROTOCOL_ICMPV6);
    if (read != Packet.Kind.MALFORMED) {
      dstAddress = AddressKey.find(int64(at + 24), int64(at + 32));
      // a source gets a key only if the destination has one
      srcAddress =
          dstAddress == AddressKey.NONE
              ? AddressKey.NONE
              : AddressKey.ofClient(int64(at + 8), int64(at + 16));
    }
    return read;
  }

  /** Skips to the transport header; false if a header before it is incomplete. */
  private boolean passExtensions() {
    for (int headers = 0; isExtension() && !isFragment; headers++) {
      if (headers == MAX_EXTENSIONS || networkEnd < transportOffset + MIN_EXTENSION_BYTES) {
        return false;
      }
      hasRoutingHeader |= protocol == ROUTING;
      int units = uint8(transportOffset + 1);
      int length =
          switch (protocol) {
            case FRAGMENT -> MIN_EXTENSION_BYTES;
            case AUTHENTICATION -> (units + 2) * 4;
            default -> (units + 1) * 8;
          };
      // an atomic fragment is a whole packet (RFC 6946)
      isFragment = protocol == FRAGMENT && (uint16(transportOffset + 2) & ~6) != 0;
      protocol = uint8(transportOffset);
      transportOffset += length;
    }
    return transportOffset <= networkEnd;
  }

  private boolean isExtension() {
    return switch (protocol) {
      case HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, DESTINATION -> true;
      default -> false;
    };
  }

  /**
   * Reads what IP carries.
   *
   * @param icmp the number of this version's ICMP
   */
  private Packet.Kind readTransport(int icmp) {
    int at = transportOffset;
    int available = networkEnd - at;
    if (protocol == PROTOCOL_TCP) {
      if (available < TCP_BYTES || tcpHeaderBytes() < TCP_BYTES || tcpHeaderBytes() > available) {
        return Packet.Kind.MALFORMED;
      }
      readPorts();
      tcpFlags = uint8(at + 13);
      return Packet.Kind.TCP;
    }
    if (protocol == PROTOCOL_UDP) {
      if (available < UDP_BYTES) {
        return Packet.Kind.MALFORMED;
      }
      readPorts();
      return Packet.Kind.UDP;
    }
    if (protocol != icmp) {
      return Packet.Kind.OTHER_IP;
    }
    if (available < ICMP_BYTES) {
      return Packet.Kind.MALFORMED;
    }
    icmpType = uint8(at);
    return Packet.Kind.ICMP;
  }

  final int tcpHeaderBytes() {
    return (uint8(transportOffset + 12) >> 4) * 4;
  }

  private void readPorts() {
    srcPort = uint16(transportOffset);
    dstPort = uint16(transportOffset + 2);
  }

  final int uint8(int offset) {
    return frame[offset] & 0xff;
  }

  final int uint16(int offset) {
    return uint8(offset) << 8 | uint8(offset + 1);
  }

  final int int32(int offset) {
    return uint16(offset) << 16 | uint16(offset + 2);
  }

  final long int64(int offset) {
    return (long) int32(offset) << 32 | Integer.toUnsignedLong(int32(offset + 4));
  }
}
