package io.malob.openflow.packet;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * The beginning of an IPv6 packet that an ICMPv6 error is about and quotes (RFC 4443): whoever sent
 * that packet is to hear of it. Packets with extension headers count as of their first one's
 * number.
 */
@SuppressWarnings("ByteBufferBackingArray") // every buffer here is allocated whole
public final class QuotedIpv6Packet {
  private static final int PORT_BYTES = 4;
  private static final int UNREACHABLE = 1;
  private static final int PARAMETER_PROBLEM = 4;

  private final Ipv6Packet error;
  private final ByteBuffer frame;
  private final int at;

  private QuotedIpv6Packet(Ipv6Packet error, ByteBuffer frame, int at) {
    this.error = error;
    this.frame = frame;
    this.at = at;
  }

  /** What an ICMPv6 message quotes; empty if it is no error, or quotes too little. */
  public static Optional<QuotedIpv6Packet> of(Ipv6Packet packet) {
    int type = packet.icmpType();
    int at = packet.transportOffset() + Ipv6Packet.ICMPV6_BYTES;
    ByteBuffer frame = ByteBuffer.wrap(packet.frame());
    boolean isError =
        type >= UNREACHABLE
            && type <= PARAMETER_PROBLEM
            && packet.end() >= at + Ipv6Packet.IPV6_BYTES + PORT_BYTES
            && (frame.get(at) >> 4 & 0x0f) == 6;
    return isError ? Optional.of(new QuotedIpv6Packet(packet, frame, at)) : Optional.empty();
  }

  /** Whom the packet was for. */
  public IPv6Address dstAddress() {
    return error.addressAt(at + 24);
  }

  public int protocol() {
    return frame.get(at + 6) & 0xff;
  }

  /** Whether it is TCP or UDP. */
  public boolean hasPorts() {
    return protocol() == Packet.PROTOCOL_TCP || protocol() == Packet.PROTOCOL_UDP;
  }

  public int srcPort() {
    return frame.getShort(transport()) & 0xffff;
  }

  public int dstPort() {
    return frame.getShort(transport() + 2) & 0xffff;
  }

  private int transport() {
    return at + Ipv6Packet.IPV6_BYTES;
  }

  /**
   * The same error for a host that sent the packet from another address.
   *
   * @param host that address, to which the error goes, too
   */
  public byte[] readdressed(MacAddress srcMac, MacAddress dstMac, IPv6Address host) {
    int network = error.networkOffset();
    ByteBuffer copy = ByteBuffer.wrap(Arrays.copyOf(error.frame(), error.end()));
    copy.put(0, dstMac.getBytes()).put(6, srcMac.getBytes());
    copy.put(network + 24, host.getBytes());
    correctTransport(copy, host.getBytes());
    copy.put(at + 8, host.getBytes());
    int icmp = error.transportOffset();
    copy.putShort(icmp + 2, (short) 0);
    copy.putShort(
        icmp + 2,
        Checksums.ofIpv6(copy, network + 8, icmp, error.end() - icmp, Ipv6Packet.PROTOCOL_ICMPV6));
    return copy.array();
  }

  /** The checksum of what is quoted covers the address, too. */
  private void correctTransport(ByteBuffer copy, byte[] host) {
    int checksumAt =
        switch (protocol()) {
          case Packet.PROTOCOL_TCP -> transport() + 16;
          case Packet.PROTOCOL_UDP -> transport() + 6;
          case Ipv6Packet.PROTOCOL_ICMPV6 -> transport() + 2;
          default -> copy.capacity();
        };
    if (checksumAt + 2 <= copy.capacity()) {
      ByteBuffer now = ByteBuffer.wrap(host);
      short checksum = copy.getShort(checksumAt);
      for (int word = 0; word < host.length; word += 4) {
        checksum = Checksums.changed(checksum, copy.getInt(at + 8 + word), now.getInt(word));
      }
      copy.putShort(checksumAt, checksum);
    }
  }
}
