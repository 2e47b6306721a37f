package io.malob.openflow;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.oxm.OFOxm;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.ICMPv4Type;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPAddressWithMask;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv4AddressWithMask;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.IPv6AddressWithMask;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFVlanVidMatch;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U8;

/** The fields and numbers that differ between rules of both IP versions. Pure. */
public enum IpFamily {
  /** With ICMP: unreachable, time exceeded, parameter problem. */
  IPV4(3, 0, ImmutableList.of(3, 11, 12), 68),
  /** With ICMPv6: unreachable, packet too big, time exceeded, parameter problem. */
  IPV6(1, 129, ImmutableList.of(1, 2, 3, 4), 546);

  /** The ICMP type for an unreachable port. */
  public final int icmpUnreachable;

  public final int icmpEchoReply;

  /** The ICMP types of messages about other packets. */
  public final ImmutableList<Integer> icmpErrors;

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

  public static IpFamily of(IPVersion version) {
    return version == IPVersion.IPv4 ? IPV4 : IPV6;
  }

  public static IpFamily of(IPAddress<?> address) {
    return of(address.getIpVersion());
  }

  /** The family of a match. */
  public static IpFamily of(Match match) {
    return match.get(MatchField.ETH_TYPE).equals(EthType.IPv4) ? IPV4 : IPV6;
  }

  /** Whether a packet is an ICMP message about another packet. */
  public static boolean isIcmpError(Packet packet) {
    return packet.kind() == Packet.Kind.ICMP
        && of(packet.version()).icmpErrors.contains(packet.icmpType());
  }

  /** Packets of this family. */
  public Consumer<Match.Builder> any() {
    return match -> match.setExact(MatchField.ETH_TYPE, etherType());
  }

  /** Packets of this family with this protocol. */
  public Consumer<Match.Builder> protocol(IpProtocol protocol) {
    return any().andThen(match -> match.setExact(MatchField.IP_PROTO, protocol));
  }

  /** ICMP of this version of IP. */
  public IpProtocol icmpProtocol() {
    return this == IPV4 ? IpProtocol.ICMP : IpProtocol.IPv6_ICMP;
  }

  /** ICMP or ICMPv6 of this type. */
  public Consumer<Match.Builder> icmp(int icmpType) {
    return this == IPV4
        ? protocol(IpProtocol.ICMP)
            .andThen(m -> m.setExact(MatchField.ICMPV4_TYPE, ICMPv4Type.of((short) icmpType)))
        : protocol(IpProtocol.IPv6_ICMP)
            .andThen(m -> m.setExact(MatchField.ICMPV6_TYPE, U8.of((short) icmpType)));
  }

  /** Packets of DHCP servers to clients. */
  public Consumer<Match.Builder> dhcp() {
    return protocol(IpProtocol.UDP)
        .andThen(m -> m.setExact(MatchField.UDP_DST, TransportPort.of(dhcpClientPort)));
  }

  /** Packets from this address, of a match that has its family. */
  public static Consumer<Match.Builder> from(IPAddress<?> address) {
    return match -> setSource(match, address);
  }

  /** Packets from this network, of a match that has its family. */
  public static Consumer<Match.Builder> from(IPAddressWithMask<?> network) {
    return match -> {
      if (network instanceof IPv4AddressWithMask v4) {
        match.setMasked(MatchField.IPV4_SRC, v4);
      } else {
        match.setMasked(MatchField.IPV6_SRC, (IPv6AddressWithMask) network);
      }
    };
  }

  /** The addresses of this family that have these bits, as far as the mask has them, at the end. */
  public IPAddressWithMask<?> ending(int bits, int mask) {
    return this == IPV4
        ? IPv4Address.of(bits).withMask(IPv4Address.of(mask))
        : IPv6Address.of(0, Integer.toUnsignedLong(bits))
            .withMask(IPv6Address.of(0, Integer.toUnsignedLong(mask)));
  }

  /** The highest address: of no host. */
  public IPAddress<?> highest() {
    return this == IPV4 ? IPv4Address.NO_MASK : IPv6Address.NO_MASK;
  }

  /** Packets to this address, of a match that has its family. */
  public static Consumer<Match.Builder> to(IPAddress<?> address) {
    return match -> setDestination(match, address);
  }

  /** Packets to this network, of a match that has its family. */
  public static Consumer<Match.Builder> to(IPAddressWithMask<?> network) {
    return match -> {
      if (network instanceof IPv4AddressWithMask v4) {
        match.setMasked(MatchField.IPV4_DST, v4);
      } else {
        match.setMasked(MatchField.IPV6_DST, (IPv6AddressWithMask) network);
      }
    };
  }

  /** Matches packets to this address. */
  public static Match.Builder matchTo(OFFactory factory, IPAddress<?> address) {
    return setDestination(match(factory, address), address);
  }

  /** Matches packets of one protocol between these addresses, which are of one family. */
  public static Match.Builder matchBetween(
      OFFactory factory, IpProtocol protocol, IPAddress<?> src, IPAddress<?> dst) {
    Match.Builder match = match(factory, dst).setExact(MatchField.IP_PROTO, protocol);
    return setDestination(setSource(match, src), dst);
  }

  /** Matches requests for this address: ARP, or neighbour solicitations of ICMPv6. */
  public static Match.Builder matchWhoHas(OFFactory factory, IPAddress<?> address) {
    return address instanceof IPv4Address v4
        ? factory
            .buildMatch()
            .setExact(MatchField.ETH_TYPE, EthType.ARP)
            .setExact(MatchField.ARP_TPA, v4)
        : match(factory, address)
            .setExact(MatchField.IP_PROTO, IpProtocol.IPv6_ICMP)
            .setExact(MatchField.ICMPV6_TYPE, U8.of((short) NeighbourMessage.SOLICITATION))
            .setExact(MatchField.IPV6_ND_TARGET, (IPv6Address) address);
  }

  /**
   * Matches what hosts send to find an address, and their answers to it: ARP for it, or neighbour
   * solicitations for it and advertisements to it. Those of IPv6 are traffic of the address, too.
   * Questions come first.
   */
  public static List<Match.Builder> matchNeighbours(OFFactory factory, IPAddress<?> address) {
    Match.Builder whoHas = matchWhoHas(factory, address);
    if (of(address) == IPV4) {
      return List.of(whoHas);
    }
    return List.of(whoHas, matchIcmp(factory, IPV6, NeighbourMessage.ADVERTISEMENT, address));
  }

  /** Matches the ICMP errors to this address, each type by itself. */
  public static List<Match.Builder> matchErrors(OFFactory factory, IPAddress<?> address) {
    IpFamily family = of(address);
    return family.icmpErrors.stream()
        .map(type -> matchIcmp(factory, family, type, address))
        .toList();
  }

  private static Match.Builder matchIcmp(
      OFFactory factory, IpFamily family, int type, IPAddress<?> address) {
    Match.Builder match = matchTo(factory, address);
    family.icmp(type).accept(match);
    return match;
  }

  private EthType etherType() {
    return this == IPV4 ? EthType.IPv4 : EthType.IPv6;
  }

  private static Match.Builder match(OFFactory factory, IPAddress<?> address) {
    return factory.buildMatch().setExact(MatchField.ETH_TYPE, of(address).etherType());
  }

  private static Match.Builder setSource(Match.Builder match, IPAddress<?> address) {
    return address instanceof IPv4Address v4
        ? match.setExact(MatchField.IPV4_SRC, v4)
        : match.setExact(MatchField.IPV6_SRC, (IPv6Address) address);
  }

  private static Match.Builder setDestination(Match.Builder match, IPAddress<?> address) {
    return address instanceof IPv4Address v4
        ? match.setExact(MatchField.IPV4_DST, v4)
        : match.setExact(MatchField.IPV6_DST, (IPv6Address) address);
  }

  /** The address from which a rule takes packets. */
  public static IPAddress<?> source(Match match) {
    return of(match) == IPV4 ? match.get(MatchField.IPV4_SRC) : match.get(MatchField.IPV6_SRC);
  }

  /** The address to which a rule takes packets. */
  public static IPAddress<?> destination(Match match) {
    return of(match) == IPV4 ? match.get(MatchField.IPV4_DST) : match.get(MatchField.IPV6_DST);
  }

  /** The source port of TCP or UDP from which a rule takes packets; 0 if it names none. */
  public static int sourcePort(Match match) {
    return port(match, MatchField.TCP_SRC, MatchField.UDP_SRC);
  }

  /** The destination port of TCP or UDP to which a rule takes packets; 0 if it names none. */
  public static int destinationPort(Match match) {
    return port(match, MatchField.TCP_DST, MatchField.UDP_DST);
  }

  private static int port(
      Match match, MatchField<TransportPort> ofTcp, MatchField<TransportPort> ofUdp) {
    @Nullable TransportPort tcp = match.get(ofTcp);
    @Nullable TransportPort port = tcp == null ? match.get(ofUdp) : tcp;
    return port == null ? 0 : port.getPort();
  }

  /** The field of the source port of TCP or UDP. */
  public static MatchField<TransportPort> srcPort(IpProtocol protocol) {
    return protocol.equals(IpProtocol.TCP) ? MatchField.TCP_SRC : MatchField.UDP_SRC;
  }

  /** The field of the destination port of TCP or UDP. */
  public static MatchField<TransportPort> dstPort(IpProtocol protocol) {
    return protocol.equals(IpProtocol.TCP) ? MatchField.TCP_DST : MatchField.UDP_DST;
  }

  /** Matches both ports, too, if packets of the protocol have any. */
  public static Match.Builder withPorts(
      Match.Builder match, IpProtocol protocol, int src, int dst) {
    return protocol.equals(IpProtocol.TCP) || protocol.equals(IpProtocol.UDP)
        ? match
            .setExact(srcPort(protocol), TransportPort.of(src))
            .setExact(dstPort(protocol), TransportPort.of(dst))
        : match;
  }

  /**
   * Matches the packets of a VLAN only.
   *
   * @param vlan the VLAN; 0 for untagged packets
   */
  public static Match.Builder inVlan(Match.Builder match, int vlan) {
    return match.setExact(MatchField.VLAN_VID, vlanId(vlan));
  }

  /** Whether a rule is about the packets of a VLAN only; 0 for untagged ones. */
  public static boolean isInVlan(Match match, int vlan) {
    return vlanId(vlan).equals(match.get(MatchField.VLAN_VID));
  }

  private static OFVlanVidMatch vlanId(int vlan) {
    return vlan == 0 ? OFVlanVidMatch.UNTAGGED : OFVlanVidMatch.ofVlan(vlan);
  }

  /** Gives packets this source address. */
  public static OFOxm<?> newSource(OFFactory factory, IPAddress<?> address) {
    return address instanceof IPv4Address v4
        ? factory.oxms().ipv4Src(v4)
        : factory.oxms().ipv6Src((IPv6Address) address);
  }

  /** Gives packets this destination address. */
  public static OFOxm<?> newDestination(OFFactory factory, IPAddress<?> address) {
    return address instanceof IPv4Address v4
        ? factory.oxms().ipv4Dst(v4)
        : factory.oxms().ipv6Dst((IPv6Address) address);
  }
}
