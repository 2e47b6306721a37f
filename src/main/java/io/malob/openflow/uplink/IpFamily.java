package io.malob.openflow.uplink;

import com.google.common.collect.ImmutableList;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.oxm.OFOxm;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.ICMPv4Type;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U8;

/** What rules for both IP versions have in common but for names and numbers. */
enum IpFamily {
  /** With ICMP: unreachable, time exceeded, parameter problem. */
  IPV4(3, 0, ImmutableList.of(3, 11, 12), 68),
  /** With ICMPv6: unreachable, packet too big, time exceeded, parameter problem. */
  IPV6(1, 129, ImmutableList.of(1, 2, 3, 4), 546);

  /** The ICMP type by which a host says that it does not have a port. */
  final int icmpUnreachable;

  final int icmpEchoReply;

  /** The ICMP types of messages about other packets. */
  final ImmutableList<Integer> icmpErrors;

  private final int dhcpClientPort;

  IpFamily(
      int icmpUnreachable,
      int icmpEchoReply,
      ImmutableList<Integer> icmpErrors,
      int dhcpClientPort) {
    this.icmpUnreachable = icmpUnreachable;
    this.icmpEchoReply = icmpEchoReply;
    this.icmpErrors = icmpErrors;
    this.dhcpClientPort = dhcpClientPort;
  }

  static IpFamily of(IPVersion version) {
    return version == IPVersion.IPv4 ? IPV4 : IPV6;
  }

  static IpFamily of(IPAddress<?> address) {
    return of(address.getIpVersion());
  }

  /** The family of what a rule matches. */
  static IpFamily of(Match match) {
    return match.get(MatchField.ETH_TYPE).equals(EthType.IPv4) ? IPV4 : IPV6;
  }

  /** Packets of this family. */
  Consumer<Match.Builder> any() {
    return match -> match.setExact(MatchField.ETH_TYPE, this == IPV4 ? EthType.IPv4 : EthType.IPv6);
  }

  /** Packets of this family with this protocol. */
  Consumer<Match.Builder> protocol(IpProtocol protocol) {
    return any().andThen(match -> match.setExact(MatchField.IP_PROTO, protocol));
  }

  /** ICMP or ICMPv6 of this type. */
  Consumer<Match.Builder> icmp(int icmpType) {
    return this == IPV4
        ? protocol(IpProtocol.ICMP)
            .andThen(m -> m.setExact(MatchField.ICMPV4_TYPE, ICMPv4Type.of((short) icmpType)))
        : protocol(IpProtocol.IPv6_ICMP)
            .andThen(m -> m.setExact(MatchField.ICMPV6_TYPE, U8.of((short) icmpType)));
  }

  /** What DHCP servers send to clients. */
  Consumer<Match.Builder> dhcp() {
    return protocol(IpProtocol.UDP)
        .andThen(m -> m.setExact(MatchField.UDP_DST, TransportPort.of(dhcpClientPort)));
  }

  /** Packets from this address. */
  static Consumer<Match.Builder> from(IPAddress<?> address) {
    return address instanceof IPv4Address v4
        ? match -> match.setExact(MatchField.IPV4_SRC, v4)
        : match -> match.setExact(MatchField.IPV6_SRC, (IPv6Address) address);
  }

  /** Packets to this address. */
  static Consumer<Match.Builder> to(IPAddress<?> address) {
    return address instanceof IPv4Address v4
        ? match -> match.setExact(MatchField.IPV4_DST, v4)
        : match -> match.setExact(MatchField.IPV6_DST, (IPv6Address) address);
  }

  /** The address from which a rule takes packets. */
  static IPAddress<?> source(Match match) {
    return of(match) == IPV4 ? match.get(MatchField.IPV4_SRC) : match.get(MatchField.IPV6_SRC);
  }

  /** The address to which a rule takes packets. */
  static IPAddress<?> destination(Match match) {
    return of(match) == IPV4 ? match.get(MatchField.IPV4_DST) : match.get(MatchField.IPV6_DST);
  }

  /** Gives packets this source address. */
  static OFOxm<?> newSource(OFFactory factory, IPAddress<?> address) {
    return address instanceof IPv4Address v4
        ? factory.oxms().ipv4Src(v4)
        : factory.oxms().ipv6Src((IPv6Address) address);
  }

  /** Gives packets this destination address. */
  static OFOxm<?> newDestination(OFFactory factory, IPAddress<?> address) {
    return address instanceof IPv4Address v4
        ? factory.oxms().ipv4Dst(v4)
        : factory.oxms().ipv6Dst((IPv6Address) address);
  }
}
