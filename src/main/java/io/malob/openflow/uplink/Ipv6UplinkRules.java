package io.malob.openflow.uplink;

import static io.malob.openflow.uplink.RuleList.protocol;
import static io.malob.openflow.uplink.RuleList.type;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.packet.NeighbourMessage;
import java.util.Collection;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U8;

/** What {@link UplinkRules} has for IPv6: the same decisions, with ICMPv6 in the place of ARP. */
final class Ipv6UplinkRules {
  private static final short ICMP_UNREACHABLE = 1;
  private static final short ICMP_ECHO_REPLY = 129;

  /** Unreachable, packet too big, time exceeded, parameter problem. */
  private static final ImmutableList<Integer> ICMP_ERRORS = ImmutableList.of(1, 2, 3, 4);

  /** Later parts of packets have this in the place of their protocol. */
  private static final IpProtocol FRAGMENT = IpProtocol.of((short) 44);

  private static final TransportPort DHCP_CLIENT = TransportPort.of(546);

  private Ipv6UplinkRules() {}

  /**
   * Adds all of them.
   *
   * @param address of the inside
   */
  static void add(
      RuleList rules, InsideEnd inside, IPv6Address address, Collection<UplinkEnd> uplinks) {
    ofInside(rules, inside.port(), address);
    for (UplinkEnd uplink : uplinks) {
      uplink.ipv6().ifPresent(own -> ofUplink(rules, uplink, own));
    }
  }

  private static void ofInside(RuleList rules, OFPort port, IPv6Address address) {
    rules.toController(
        port, UplinkLayout.PRIORITY_NEIGHBOURS, icmp((short) NeighbourMessage.SOLICITATION));
    // what the inside says of itself, and what it would tell its peers about
    rules.drop(port, UplinkLayout.PRIORITY_NOT_OURS, icmp((short) NeighbourMessage.ADVERTISEMENT));
    rules.drop(port, UplinkLayout.PRIORITY_NOT_OURS, icmp(ICMP_UNREACHABLE));
    rules.toFlows(
        port,
        UplinkLayout.PRIORITY_PORT,
        type(EthType.IPv6).andThen(match -> match.setExact(MatchField.IPV6_SRC, address)));
    // first parts come to the controller, which counts them: one for each packet
    rules.add(
        UplinkLayout.FLOWS,
        UplinkLayout.PRIORITY_FRAGMENT,
        rules.at(port, type(EthType.IPv6).andThen(protocol(FRAGMENT))));
  }

  private static void ofUplink(RuleList rules, UplinkEnd uplink, IPv6Address address) {
    OFPort port = uplink.port();
    rules.unknown(port, type(EthType.IPv6).andThen(protocol(IpProtocol.UDP)));
    rules.unknown(port, icmp(ICMP_ECHO_REPLY));
    uplink
        .gatewayIpv6()
        .ifPresent(
            gateway ->
                rules.toController(
                    port, UplinkLayout.PRIORITY_NEIGHBOURS, advertisementOf(gateway)));
    // what neighbours say to the host is never a flow's
    rules.drop(port, UplinkLayout.PRIORITY_NOT_OURS, icmp((short) NeighbourMessage.SOLICITATION));
    rules.drop(port, UplinkLayout.PRIORITY_NOT_OURS, icmp((short) NeighbourMessage.ADVERTISEMENT));
    Consumer<Match.Builder> forHost = match -> match.setExact(MatchField.IPV6_DST, address);
    rules.drop(
        port,
        UplinkLayout.PRIORITY_NOT_OURS,
        type(EthType.IPv6)
            .andThen(forHost)
            .andThen(protocol(IpProtocol.UDP))
            .andThen(match -> match.setExact(MatchField.UDP_DST, DHCP_CLIENT)));
    for (int error : ICMP_ERRORS) {
      rules.toController(
          port, UplinkLayout.PRIORITY_ICMP_ERROR, icmp((short) error).andThen(forHost));
    }
    rules.toFlows(port, UplinkLayout.PRIORITY_FOR_HOST, type(EthType.IPv6).andThen(forHost));
  }

  private static Consumer<Match.Builder> icmp(short type) {
    return type(EthType.IPv6)
        .andThen(protocol(IpProtocol.IPv6_ICMP))
        .andThen(match -> match.setExact(MatchField.ICMPV6_TYPE, U8.of(type)));
  }

  private static Consumer<Match.Builder> advertisementOf(IPv6Address router) {
    return icmp((short) NeighbourMessage.ADVERTISEMENT)
        .andThen(
            match ->
                match
                    .setExact(MatchField.ICMPV6_CODE, U8.ZERO) // Open vSwitch asks for it
                    .setExact(MatchField.IPV6_ND_TARGET, router));
  }
}
