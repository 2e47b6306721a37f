package io.malob.openflow.packet;

/** A packet of IPv4 or IPv6, as far as flows need to know it. */
public sealed interface IpPacket permits Packet, Ipv6Packet {
  /** The bytes of the frame that it is in; not to be written to. */
  byte[] frame();

  /** The IP protocol number; of IPv6 the one behind all extension headers that are read. */
  int protocol();

  /** The source port of TCP or UDP; 0 if it has none, or cannot be read. */
  int srcPort();

  /** The destination port of TCP or UDP; 0 if it has none, or cannot be read. */
  int dstPort();

  /** Whether it is a part of a longer packet, the first or a later one. */
  boolean isFragment();

  /** Whether all of these TCP flags are set. */
  boolean hasTcpFlags(int flags);

  /** Whether this is the first packet of a TCP connection: SYN and no ACK. */
  default boolean isTcpSyn() {
    return hasTcpFlags(Packet.TCP_SYN) && !hasTcpFlags(Packet.TCP_SYN | Packet.TCP_ACK);
  }
}
