package io.malob.openflow.packet;

import io.malob.algorithm.AddressKey;
import java.util.Optional;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The headers of one IPv6 packet (RFC 8200) in an Ethernet frame, read from its bytes, which are
 * not copied: TCP, UDP, ICMPv6, and any other protocol by its number. Hop-by-hop, routing,
 * destination and authentication headers are skipped, as in switches. Immutable as long as the
 * bytes are not modified.
 */
public final class Ipv6Packet implements IpPacket {
  static final int IPV6_BYTES = 40;
  static final int PROTOCOL_ICMPV6 = 58;
  static final int ICMPV6_BYTES = 8;

  private static final int HOP_BY_HOP = 0;
  private static final int ROUTING = 43;
  private static final int FRAGMENT = 44;
  private static final int AUTHENTICATION = 51;
  private static final int DESTINATION = 60;
  private static final int MAX_HEADERS = 8;
  private static final int MIN_HEADER_BYTES = 8;
  private static final int UDP_BYTES = 8;

  private final Packet ethernet;
  private int protocol;
  private int transportOffset;
  private int end;
  private boolean isFragment;
  private boolean hasRoutingHeader;

  /** A packet without headers yet. */
  Ipv6Packet(Packet ethernet) {
    this.ethernet = ethernet;
  }

  /** What a frame carries; empty if it is not IPv6, or lengths contradict each other. */
  public static Optional<Ipv6Packet> of(Packet ethernet) {
    return Optional.ofNullable(ethernet.ipv6());
  }

  /** Reads the headers; false if lengths contradict each other. */
  boolean readHeaders() {
    int network = networkOffset();
    if (frame().length < network + IPV6_BYTES || (uint8(network) >> 4) != 6) {
      return false;
    }
    end = network + IPV6_BYTES + uint16(network + 4);
    protocol = uint8(network + 6);
    transportOffset = network + IPV6_BYTES;
    if (end > frame().length || !passExtensions()) {
      return false;
    }
    return isFragment || isTransportWhole(end - transportOffset);
  }

  /** Skips to the transport header; false if a header before it is incomplete. */
  private boolean passExtensions() {
    for (int headers = 0; isExtension() && !isFragment; headers++) {
      if (headers == MAX_HEADERS || end < transportOffset + MIN_HEADER_BYTES) {
        return false;
      }
      hasRoutingHeader |= protocol == ROUTING;
      int units = uint8(transportOffset + 1);
      int length =
          switch (protocol) {
            case FRAGMENT -> MIN_HEADER_BYTES;
            case AUTHENTICATION -> (units + 2) * 4;
            default -> (units + 1) * 8;
          };
      // an atomic fragment is a whole packet (RFC 6946)
      isFragment = protocol == FRAGMENT && (uint16(transportOffset + 2) & ~6) != 0;
      protocol = uint8(transportOffset);
      transportOffset += length;
    }
    return transportOffset <= end;
  }

  private boolean isExtension() {
    return switch (protocol) {
      case HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, DESTINATION -> true;
      default -> false;
    };
  }

  private boolean isTransportWhole(int available) {
    return switch (protocol) {
      case Packet.PROTOCOL_TCP ->
          available >= Packet.TCP_BYTES
              && tcpHeaderBytes() >= Packet.TCP_BYTES
              && tcpHeaderBytes() <= available;
      case Packet.PROTOCOL_UDP -> available >= UDP_BYTES;
      case PROTOCOL_ICMPV6 -> available >= ICMPV6_BYTES;
      default -> true;
    };
  }

  @Override
  public byte[] frame() {
    return ethernet.frame();
  }

  @Override
  public MacAddress srcMac() {
    return ethernet.srcMac();
  }

  @Override
  public MacAddress dstMac() {
    return ethernet.dstMac();
  }

  @Override
  public boolean isMulticast() {
    return ethernet.isMulticast();
  }

  @Override
  public IPv6Address source() {
    return addressAt(networkOffset() + 8);
  }

  @Override
  public IPv6Address destination() {
    return addressAt(networkOffset() + 24);
  }

  /** The {@link AddressKey} of the source, which gets one if it has none. */
  int keyOfSource() {
    int at = networkOffset() + 8;
    return AddressKey.ofClient(ethernet.int64(at), ethernet.int64(at + 8));
  }

  /** The {@link AddressKey} of the destination if it has one, else {@link AddressKey#NONE}. */
  int keyOfDestination() {
    int at = networkOffset() + 24;
    return AddressKey.find(ethernet.int64(at), ethernet.int64(at + 8));
  }

  /** Whether it has a header that lists routers to visit. */
  boolean hasRoutingHeader() {
    return hasRoutingHeader;
  }

  @Override
  public int protocol() {
    return protocol;
  }

  @Override
  public boolean isFragment() {
    return isFragment;
  }

  @Override
  public int srcPort() {
    return hasPorts() ? uint16(transportOffset) : 0;
  }

  @Override
  public int dstPort() {
    return hasPorts() ? uint16(transportOffset + 2) : 0;
  }

  private boolean hasPorts() {
    return is(Packet.PROTOCOL_TCP) || is(Packet.PROTOCOL_UDP);
  }

  private boolean is(int wanted) {
    return protocol == wanted && !isFragment;
  }

  @Override
  public boolean hasTcpFlags(int flags) {
    return is(Packet.PROTOCOL_TCP) && (tcpFlags() & flags) == flags;
  }

  @Override
  public int icmpType() {
    return is(PROTOCOL_ICMPV6) ? uint8(transportOffset) : 0;
  }

  /** The remaining hops. */
  int hopLimit() {
    return uint8(networkOffset() + 7);
  }

  @Override
  public int tcpSequence() {
    return ethernet.int32(transportOffset + 4);
  }

  @Override
  public int tcpAcknowledgement() {
    return ethernet.int32(transportOffset + 8);
  }

  @Override
  public int tcpSequenceLength() {
    return end
        - transportOffset
        - tcpHeaderBytes()
        + Integer.bitCount(tcpFlags() & (Packet.TCP_SYN | Packet.TCP_FIN));
  }

  private int tcpFlags() {
    return uint8(transportOffset + 13);
  }

  private int tcpHeaderBytes() {
    return (uint8(transportOffset + 12) >> 4) * 4;
  }

  @Override
  public int networkOffset() {
    return ethernet.networkOffset();
  }

  @Override
  public int transportOffset() {
    return transportOffset;
  }

  @Override
  public int end() {
    return end;
  }

  IPv6Address addressAt(int offset) {
    return IPv6Address.of(ethernet.int64(offset), ethernet.int64(offset + 8));
  }

  private int uint8(int offset) {
    return ethernet.uint8(offset);
  }

  private int uint16(int offset) {
    return ethernet.uint16(offset);
  }

  @Override
  public String toString() {
    String ports = hasPorts() ? " " + srcPort() + " -> " + dstPort() : "";
    return "IPv6 protocol " + protocol + " " + source() + " -> " + destination() + ports;
  }
}
