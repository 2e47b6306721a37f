package io.malob.testing;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFValueType;
import org.projectfloodlight.openflow.types.TransportPort;

/**
 * The packets of a connection in one direction, as a fake switch tells them apart. Of ICMP, both
 * ports are the identifier, and the type counts; of other protocols, ports and type are 0.
 */
public record ConntrackTuple(
    int protocol, int icmpType, IPAddress<?> src, int srcPort, IPAddress<?> dst, int dstPort) {
  static final int TCP = 6;
  static final int UDP = 17;
  static final int ICMP = 1;
  static final int ICMPV6 = 58;

  /** Of TCP or UDP. */
  ConntrackTuple(int protocol, IPAddress<?> src, int srcPort, IPAddress<?> dst, int dstPort) {
    this(protocol, 0, src, srcPort, dst, dstPort);
  }

  /** That of a frame; empty if connection tracking cannot read it. */
  static Optional<ConntrackTuple> of(MutableFrame frame) {
    @Nullable OFValueType<?> protocol = frame.get(MatchField.IP_PROTO);
    if (protocol == null || frame.isPartOfPacket() || !frame.hasRightChecksums()) {
      return Optional.empty();
    }
    int number = ((IpProtocol) protocol).getIpProtocolNumber();
    boolean isIpv6 = frame.get(MatchField.IPV6_SRC) != null;
    IPAddress<?> src = address(frame, isIpv6 ? MatchField.IPV6_SRC : MatchField.IPV4_SRC);
    IPAddress<?> dst = address(frame, isIpv6 ? MatchField.IPV6_DST : MatchField.IPV4_DST);
    if (number == (isIpv6 ? ICMPV6 : ICMP)) {
      if (frame.get(isIpv6 ? MatchField.ICMPV6_TYPE : MatchField.ICMPV4_TYPE) == null) {
        return Optional.empty();
      }
      int type = frame.icmpType();
      int id = frame.icmpIdentifier();
      return type == reversed(type)
          ? Optional.empty()
          : Optional.of(new ConntrackTuple(number, type, src, id, dst, id));
    }
    if (number != TCP && number != UDP) {
      return Optional.of(new ConntrackTuple(number, src, 0, dst, 0));
    }
    int srcPort = port(frame, number == TCP ? MatchField.TCP_SRC : MatchField.UDP_SRC);
    int dstPort = port(frame, number == TCP ? MatchField.TCP_DST : MatchField.UDP_DST);
    return srcPort == 0 || dstPort == 0
        ? Optional.empty()
        : Optional.of(new ConntrackTuple(number, src, srcPort, dst, dstPort));
  }

  private static IPAddress<?> address(MutableFrame frame, MatchField<?> field) {
    return (IPAddress<?>) frame.get(field);
  }

  private static int port(MutableFrame frame, MatchField<?> field) {
    @Nullable OFValueType<?> port = frame.get(field);
    return port == null ? 0 : ((TransportPort) port).getPort();
  }

  /** The type of the answer to an ICMP message, or of the question; the type itself for others. */
  private static int reversed(int type) {
    return switch (type) {
      case 0 -> 8;
      case 8 -> 0;
      case 13 -> 14;
      case 14 -> 13;
      case 128 -> 129;
      case 129 -> 128;
      default -> type;
    };
  }

  private boolean isIcmp() {
    return protocol == ICMP || protocol == ICMPV6;
  }

  boolean hasPorts() {
    return protocol == TCP || protocol == UDP;
  }

  /** That of the packets in the other direction. */
  ConntrackTuple reversed() {
    int type = isIcmp() ? reversed(icmpType) : icmpType;
    return new ConntrackTuple(protocol, type, dst, dstPort, src, srcPort);
  }

  /** The same packets from another source. */
  ConntrackTuple from(IPAddress<?> address, int port) {
    return new ConntrackTuple(
        protocol, icmpType, address, hasPorts() ? port : srcPort, dst, dstPort);
  }

  /** The same packets to another destination. */
  ConntrackTuple to(IPAddress<?> address, int port) {
    return new ConntrackTuple(
        protocol, icmpType, src, srcPort, address, hasPorts() ? port : dstPort);
  }

  /** Whether a packet may begin a connection, by its ICMP type. */
  boolean mayBegin() {
    return !isIcmp() || icmpType == 8 || icmpType == 13 || icmpType == 128;
  }

  /** Makes a frame one of these packets: addresses, ports and checksums. */
  void writeTo(MutableFrame frame) {
    boolean isIpv6 = src instanceof IPv6Address;
    frame.set(isIpv6 ? MatchField.IPV6_SRC : MatchField.IPV4_SRC, src);
    frame.set(isIpv6 ? MatchField.IPV6_DST : MatchField.IPV4_DST, dst);
    if (hasPorts()) {
      boolean isTcp = protocol == TCP;
      frame.set(isTcp ? MatchField.TCP_SRC : MatchField.UDP_SRC, TransportPort.of(srcPort));
      frame.set(isTcp ? MatchField.TCP_DST : MatchField.UDP_DST, TransportPort.of(dstPort));
    }
  }
}
