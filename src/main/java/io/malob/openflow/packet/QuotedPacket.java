package io.malob.openflow.packet;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The beginning of a packet that an ICMP error is about and quotes (RFC 792; RFC 1812, section
 * 4.3.2.3; RFC 4443): the error is for the sender of that packet. IPv6 packets with extension
 * headers count as of their first one's number.
 */
@SuppressWarnings("ByteBufferBackingArray") // every buffer here is allocated whole
public final class QuotedPacket {
  private static final int ICMP_BYTES = 8;
  private static final int PORT_BYTES = 4;

  private final IpPacket error;
  private final boolean isIpv4;
  private final ByteBuffer frame;
  private final int at;
  private final int transport;

  private QuotedPacket(IpPacket error, boolean isIpv4, ByteBuffer frame, int at, int transport) {
    this.error = error;
    this.isIpv4 = isIpv4;
    this.frame = frame;
    this.at = at;
    this.transport = transport;
  }

  /** The quoted packet of an ICMP message; empty if it is not an error, or quotes too little. */
  public static Optional<QuotedPacket> of(IpPacket packet) {
    boolean isIpv4 = packet.version() == IPVersion.IPv4;
    if (packet.isFragment() || !isError(packet.icmpType(), isIpv4)) {
      return Optional.empty();
    }
    ByteBuffer frame = ByteBuffer.wrap(packet.frame());
    int at = packet.transportOffset() + ICMP_BYTES;
    int minHeaderBytes = isIpv4 ? Packet.IPV4_BYTES : Ipv6Packet.IPV6_BYTES;
    if (packet.end() < at + minHeaderBytes || (frame.get(at) >> 4) != (isIpv4 ? 4 : 6)) {
      return Optional.empty();
    }
    int headerBytes = isIpv4 ? (frame.get(at) & 0x0f) * 4 : minHeaderBytes;
    return headerBytes < minHeaderBytes || packet.end() < at + headerBytes + PORT_BYTES
        ? Optional.empty()
        : Optional.of(new QuotedPacket(packet, isIpv4, frame, at, at + headerBytes));
  }

  /** Unreachable, packet too big (of IPv6 alone), time exceeded, parameter problem. */
  private static boolean isError(int type, boolean isIpv4) {
    return isIpv4 ? type == 3 || type == 11 || type == 12 : type >= 1 && type <= 4;
  }

  /** The sender of the packet. */
  public IPAddress<?> source() {
    return address(sourceAt(at));
  }

  /** The receiver of the packet. */
  public IPAddress<?> destination() {
    return address(isIpv4 ? at + 16 : at + 24);
  }

  private IPAddress<?> address(int offset) {
    return error instanceof Ipv6Packet ipv6
        ? ipv6.addressAt(offset)
        : IPv4Address.of(frame.getInt(offset));
  }

  private int sourceAt(int header) {
    return header + (isIpv4 ? 12 : 8);
  }

  public int protocol() {
    return frame.get(at + (isIpv4 ? 9 : 6)) & 0xff;
  }

  /** Whether it has ports that can be read: TCP or UDP, and no fragment. */
  public boolean hasPorts() {
    boolean isFragment = isIpv4 && (frame.getShort(at + 6) & 0x3fff) != 0;
    return !isFragment && (protocol() == Packet.PROTOCOL_TCP || protocol() == Packet.PROTOCOL_UDP);
  }

  public int srcPort() {
    return frame.getShort(transport) & 0xffff;
  }

  public int dstPort() {
    return frame.getShort(transport + 2) & 0xffff;
  }

  /**
   * The same error for a host that sent the packet from another address.
   *
   * @param host that address, to which the error goes, too; of the same IP version
   */
  public byte[] readdressed(MacAddress srcMac, MacAddress dstMac, IPAddress<?> host) {
    int network = error.networkOffset();
    int icmp = error.transportOffset();
    byte[] address = host.getBytes();
    ByteBuffer copy = ByteBuffer.wrap(Arrays.copyOf(error.frame(), error.end()));
    copy.put(0, dstMac.getBytes()).put(6, srcMac.getBytes());
    copy.put(sourceAt(network) + address.length, address);
    correctTransport(copy, ByteBuffer.wrap(address));
    copy.put(sourceAt(at), address);
    copy.putShort(icmp + 2, (short) 0);
    int length = error.end() - icmp;
    if (isIpv4) {
      headerChecksum(copy, at, transport);
      copy.putShort(icmp + 2, Checksums.of(copy, icmp, length, 0));
      headerChecksum(copy, network, icmp);
    } else {
      copy.putShort(
          icmp + 2,
          Checksums.withAddresses(
              copy, sourceAt(network), address.length, icmp, length, Ipv6Packet.PROTOCOL_ICMPV6));
    }
    return copy.array();
  }

  /** The quoted packet has a checksum that covers its source, if the quote is long enough. */
  private void correctTransport(ByteBuffer copy, ByteBuffer host) {
    int checksumAt =
        switch (protocol()) {
          case Packet.PROTOCOL_TCP -> transport + 16;
          case Packet.PROTOCOL_UDP -> transport + 6;
          case Ipv6Packet.PROTOCOL_ICMPV6 -> transport + 2;
          default -> copy.capacity();
        };
    boolean isThere = (!isIpv4 || hasPorts()) && checksumAt + 2 <= copy.capacity();
    if (!isThere || (isIpv4 && copy.getShort(checksumAt) == 0)) { // UDP of IPv4 may have none
      return;
    }
    short checksum = copy.getShort(checksumAt);
    for (int word = 0; word < host.capacity(); word += 4) {
      checksum = Checksums.changed(checksum, copy.getInt(sourceAt(at) + word), host.getInt(word));
    }
    copy.putShort(checksumAt, checksum);
  }

  private static void headerChecksum(ByteBuffer copy, int from, int to) {
    copy.putShort(from + 10, (short) 0);
    copy.putShort(from + 10, Checksums.of(copy, from, to - from, 0));
  }
}
