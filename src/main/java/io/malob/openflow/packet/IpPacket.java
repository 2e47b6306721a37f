package io.malob.openflow.packet;

import java.util.Optional;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.MacAddress;

/** A packet of IPv4 or IPv6, with the fields that flows need. */
public sealed interface IpPacket permits Packet, Ipv6Packet {
  /** The packet in a frame; empty if it is neither IPv4 nor IPv6, or malformed. */
  static Optional<IpPacket> of(Packet frame) {
    return frame.isIpv4() ? Optional.of(frame) : Ipv6Packet.of(frame).map(IpPacket.class::cast);
  }

  /** The bytes of its frame; read-only. */
  byte[] frame();

  /** The sender of the frame. */
  MacAddress srcMac();

  /** The receiver of the frame. */
  MacAddress dstMac();

  /** Whether the frame is for more than one host. */
  boolean isMulticast();

  /** The source address. */
  IPAddress<?> source();

  /** The destination address. */
  IPAddress<?> destination();

  /** The version of both addresses. */
  default IPVersion version() {
    return source().getIpVersion();
  }

  /** The IP protocol number; of IPv6 the one behind all extension headers that are read. */
  int protocol();

  /** The source port of TCP or UDP; 0 if it has none, or cannot be read. */
  int srcPort();

  /** The destination port of TCP or UDP; 0 if it has none, or cannot be read. */
  int dstPort();

  /** The type of an ICMP or ICMPv6 message; 0 if it is none, or cannot be read. */
  int icmpType();

  /** Whether it is a part of a longer packet, the first or a later one. */
  boolean isFragment();

  /** Whether all of these TCP flags are set. */
  boolean hasTcpFlags(int flags);

  /** Whether this is the first packet of a TCP connection: SYN and no ACK. */
  default boolean isTcpSyn() {
    return hasTcpFlags(Packet.TCP_SYN) && !hasTcpFlags(Packet.TCP_SYN | Packet.TCP_ACK);
  }

  /** The TCP sequence number. */
  int tcpSequence();

  /** The TCP acknowledgement number. */
  int tcpAcknowledgement();

  /** How many sequence numbers a TCP packet uses: its data, and one each for SYN and FIN. */
  int tcpSequenceLength();

  /** The offset of its IP header in the frame. */
  int networkOffset();

  /** The offset of its transport header in the frame. */
  int transportOffset();

  /** The offset of its end in the frame; padding may follow. */
  int end();
}
