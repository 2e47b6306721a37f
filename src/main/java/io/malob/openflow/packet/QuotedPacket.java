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

  private final Packet error;
  private final boolean isIpv4;
  private final ByteBuffer frame;
  private final int at;
  private final int transport;

  private QuotedPacket(Packet error, boolean isIpv4, ByteBuffer frame, int at, int transport) {
    this.error = error;
    this.isIpv4 = isIpv4;
    this.frame = frame;
    this.at = at;
    this.transport = transport;
  }

  /** The quoted packet of an ICMP message; empty if it is not an error, or quotes too little. */
  public static Optional<QuotedPacket> of(Packet packet) {
    boolean isIpv4 = packet.version() == IPVersion.IPv4;
    if (packet.isFragment() || !isError(packet.icmpType(), isIpv4)) {
      return Optional.empty();
    }
    ByteBuffer frame = ByteBuffer.wrap(packet.frame());
    int at = packet.transportOffset() + ICMP_BYTES;
    int minHeaderBytes = isIpv4 ? Packet.IPV4_BYTES : Packet.IPV6_BYTES;
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
    return address(destinationAt(at));
  }

  private IPAddress<?> address(int offset) {
    return isIpv4 ? IPv4Address.of(frame.getInt(offset)) : error.ipv6At(offset);
  }

  private int sourceAt(int header) {
    return header + (isIpv4 ? 12 : 8);
  }

  private int destinationAt(int header) {
    return header + (isIpv4 ? 16 : 24);
  }

  public int protocol() {
    return frame.get(at + (isIpv4 ? 9 : 6)) & 0xff;
  }

  /** Whether it is ICMP, or ICMPv6 if it is IPv6. */
  public boolean isIcmp() {
    return protocol() == (isIpv4 ? Packet.PROTOCOL_ICMP : Packet.PROTOCOL_ICMPV6);
  }

  /** Whether it has ports that can be read: TCP or UDP, and no fragment. */
  public boolean hasPorts() {
    boolean isFragment = isIpv4 && (frame.getShort(at + 6) & 0x3fff) != 0;
    return !isFragment && (protocol() == Packet.PROTOCOL_TCP || protocol() == Packet.PROTOCOL_UDP);
  }

  /** Whether the error says that no socket has the port (RFC 792; RFC 4443, section 3.1). */
  public boolean isPortUnreachable() {
    int code = frame.get(at - ICMP_BYTES + 1);
    return error.icmpType() == (isIpv4 ? 3 : 1) && code == (isIpv4 ? 3 : 4);
  }

  public int srcPort() {
    return frame.getShort(transport) & 0xffff;
  }

  public int dstPort() {
    return frame.getShort(transport + 2) & 0xffff;
  }

  /** The same error for a host that sent the packet from another address, by the same port. */
  public byte[] readdressed(MacAddress srcMac, MacAddress dstMac, IPAddress<?> host) {
    return withSender(srcMac, dstMac, host, srcPort());
  }

  /**
   * The same error for a host that sent the packet from another address and port.
   *
   * @param host that address, to which the error goes, too; of the same IP version
   * @param port ignored if the packet has no ports
   */
  public byte[] withSender(MacAddress srcMac, MacAddress dstMac, IPAddress<?> host, int port) {
    ByteBuffer copy = copy(srcMac, dstMac);
    copy.put(destinationAt(error.networkOffset()), host.getBytes());
    changeQuote(copy, sourceAt(at), host, transport, port);
    return complete(copy);
  }

  /**
   * The same error about a packet that was sent to another address and port. It comes from there,
   * too, if it came from the packet's receiver, not from a router.
   *
   * @param host that address; of the same IP version
   * @param port ignored if the packet has no ports
   */
  public byte[] withReceiver(MacAddress srcMac, MacAddress dstMac, IPAddress<?> host, int port) {
    ByteBuffer copy = copy(srcMac, dstMac);
    if (error.source().equals(destination())) {
      copy.put(sourceAt(error.networkOffset()), host.getBytes());
    }
    changeQuote(copy, destinationAt(at), host, transport + 2, port);
    return complete(copy);
  }

  private ByteBuffer copy(MacAddress srcMac, MacAddress dstMac) {
    ByteBuffer copy = ByteBuffer.wrap(Arrays.copyOf(error.frame(), error.end()));
    return copy.put(0, dstMac.getBytes()).put(6, srcMac.getBytes());
  }

  private void changeQuote(
      ByteBuffer copy, int addressAt, IPAddress<?> address, int portAt, int port) {
    byte[] bytes = address.getBytes();
    copy.put(addressAt, bytes);
    if (hasPorts()) {
      copy.putShort(portAt, (short) port);
    }
    correctTransport(copy, addressAt, bytes.length);
  }

  /** The quoted packet has a checksum that covers what changed, if the quote is long enough. */
  private void correctTransport(ByteBuffer copy, int addressAt, int addressBytes) {
    int checksumAt =
        switch (protocol()) {
          case Packet.PROTOCOL_TCP -> transport + 16;
          case Packet.PROTOCOL_UDP -> transport + 6;
          case Packet.PROTOCOL_ICMPV6 -> transport + 2;
          default -> copy.capacity();
        };
    boolean isThere = (!isIpv4 || hasPorts()) && checksumAt + 2 <= copy.capacity();
    if (!isThere || (isIpv4 && copy.getShort(checksumAt) == 0)) { // UDP of IPv4 may have none
      return;
    }
    short checksum = copy.getShort(checksumAt);
    for (int word = addressAt; word < addressAt + addressBytes; word += 4) {
      checksum = Checksums.changed(checksum, frame.getInt(word), copy.getInt(word));
    }
    if (hasPorts()) {
      checksum = Checksums.changed(checksum, frame.getInt(transport), copy.getInt(transport));
    }
    copy.putShort(checksumAt, checksum);
  }

  /** With the checksums of all that is whole. */
  private byte[] complete(ByteBuffer copy) {
    int network = error.networkOffset();
    int icmp = error.transportOffset();
    int length = error.end() - icmp;
    copy.putShort(icmp + 2, (short) 0);
    if (isIpv4) {
      headerChecksum(copy, at, transport);
      copy.putShort(icmp + 2, Checksums.of(copy, icmp, length, 0));
      headerChecksum(copy, network, icmp);
    } else {
      copy.putShort(
          icmp + 2,
          Checksums.withAddresses(
              copy, sourceAt(network), 16, icmp, length, Packet.PROTOCOL_ICMPV6));
    }
    return copy.array();
  }

  private static void headerChecksum(ByteBuffer copy, int from, int to) {
    copy.putShort(from + 10, (short) 0);
    copy.putShort(from + 10, Checksums.of(copy, from, to - from, 0));
  }
}
