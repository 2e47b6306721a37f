package io.malob.controller.network.forwarding;

import io.malob.openflow.CookieKind;
import io.malob.openflow.IpFamily;
import io.malob.openflow.MaskedCookie;
import io.malob.openflow.packet.Packet;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowDelete;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.OFVlanVidMatch;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * The rules by which switches forward more packets of a flow. Pure.
 *
 * <p>A rule matches all fields that identify a flow: port, addresses and, for TCP and UDP, ports.
 * With fewer fields, a rule for one flow between two hosts would match another flow that an
 * application must see, for example a load balancer's reply whose own rule is not installed yet.
 */
final class RouteRule {
  private static final TableId TABLE = TableId.of(0);

  /** Above the table-miss rule alone. */
  private static final int PRIORITY = 1;

  private static final int PROTOCOL_ICMP = 1;
  private static final int PROTOCOL_TCP = 6;
  private static final int PROTOCOL_UDP = 17;
  private static final int PROTOCOL_ICMPV6 = 58;

  /** The protocol of later fragments of IPv6 packets, as switches see them. */
  private static final IpProtocol IPV6_FRAGMENT = IpProtocol.of((short) 44);

  /** Smaller numbers in the place of the EtherType are lengths (IEEE 802.3). */
  private static final int MIN_ETHERTYPE = 0x600;

  /** The EtherType of LLC frames, as switches see them. */
  private static final EthType LLC = EthType.of(0x05ff);

  private RouteRule() {}

  /**
   * Whether rules are made for packets like this. Not for ARP and neighbour discovery, because
   * hosts' addresses are learned from them; not for later fragments of IPv4, which do not show
   * whether an application handles their first one; not for ICMP errors, because one about a load
   * balancer's packet matches the same fields; not for SNAP frames, because switches see the
   * EtherType within.
   */
  static boolean isFor(Packet packet) {
    return switch (packet.kind()) {
      case TCP, UDP -> true;
      case ICMP -> !packet.isNeighbourMessage() && !IpFamily.isIcmpError(packet);
      case OTHER_IP ->
          packet.isIpv6()
              || (packet.protocol() != PROTOCOL_TCP
                  && packet.protocol() != PROTOCOL_UDP
                  && packet.protocol() != PROTOCOL_ICMP);
      case OTHER -> packet.etherType() >= MIN_ETHERTYPE || !isSnap(packet);
      case ARP, MALFORMED -> false;
    };
  }

  private static boolean isSnap(Packet packet) {
    byte[] frame = packet.frame();
    int at = packet.networkOffset();
    return at + 1 < frame.length && frame[at] == (byte) 0xaa && frame[at + 1] == (byte) 0xaa;
  }

  /**
   * Forwards packets like this one from port to port. A fragment has rules for its whole packet's
   * flow and for further fragments: switches see port 0 at both ends of fragments, type 0 in those
   * of ICMP, and in later ones of IPv6 only that they are fragments.
   */
  static List<OFMessage> add(
      OFFactory of, OFPort from, OFPort to, Packet packet, U64 cookie, int idleSeconds) {
    OFPort out = from.equals(to) ? OFPort.IN_PORT : to;
    return matches(of, from, packet).stream()
        .<OFMessage>map(
            match ->
                of.buildFlowAdd()
                    .setTableId(TABLE)
                    .setPriority(PRIORITY)
                    .setCookie(cookie)
                    .setIdleTimeout(idleSeconds)
                    .setMatch(match)
                    .setInstructions(
                        List.of(
                            of.instructions().applyActions(List.of(of.actions().output(out, 0)))))
                    .build())
        .toList();
  }

  private static List<Match> matches(OFFactory of, OFPort from, Packet packet) {
    if (!packet.isIp()) {
      int type = packet.etherType();
      EthType shown = type >= MIN_ETHERTYPE ? EthType.of(type) : LLC;
      return List.of(frame(of, from, packet).setExact(MatchField.ETH_TYPE, shown).build());
    }
    IpProtocol protocol = IpProtocol.of((short) packet.protocol());
    Match.Builder flow = ip(of, from, packet, protocol);
    if (!packet.isFragment()) {
      return List.of(
          transport(flow, packet, packet.srcPort(), packet.dstPort(), packet.icmpType()).build());
    }
    Match fragments =
        transport(ip(of, from, packet, protocol), packet, /* srcPort= */ 0, 0, /* icmpType= */ 0)
            .build();
    return packet.isIpv6()
        ? List.of(fragments, ip(of, from, packet, IPV6_FRAGMENT).build())
        : List.of(
            transport(flow, packet, packet.srcPort(), packet.dstPort(), packet.icmpType()).build(),
            fragments);
  }

  private static Match.Builder frame(OFFactory of, OFPort from, Packet packet) {
    return of.buildMatch()
        .setExact(MatchField.IN_PORT, from)
        .setExact(MatchField.ETH_SRC, packet.srcMac())
        .setExact(MatchField.ETH_DST, packet.dstMac())
        .setExact(
            MatchField.VLAN_VID,
            packet.isTagged() ? OFVlanVidMatch.ofVlan(packet.vlan()) : OFVlanVidMatch.UNTAGGED);
  }

  private static Match.Builder ip(OFFactory of, OFPort from, Packet packet, IpProtocol protocol) {
    Match.Builder match = frame(of, from, packet);
    IpFamily.of(packet.version())
        .protocol(protocol)
        .andThen(IpFamily.from(packet.source()))
        .andThen(IpFamily.to(packet.destination()))
        .accept(match);
    return match;
  }

  private static Match.Builder transport(
      Match.Builder match, Packet packet, int srcPort, int dstPort, int icmpType) {
    int protocol = packet.protocol();
    if (protocol == PROTOCOL_TCP) {
      match
          .setExact(MatchField.TCP_SRC, TransportPort.of(srcPort))
          .setExact(MatchField.TCP_DST, TransportPort.of(dstPort));
    } else if (protocol == PROTOCOL_UDP) {
      match
          .setExact(MatchField.UDP_SRC, TransportPort.of(srcPort))
          .setExact(MatchField.UDP_DST, TransportPort.of(dstPort));
    } else if (protocol == (packet.isIpv6() ? PROTOCOL_ICMPV6 : PROTOCOL_ICMP)) {
      IpFamily.of(packet.version()).icmp(icmpType).accept(match);
    }
    return match;
  }

  /** Deletes the rules of one path. */
  static OFFlowDelete deletePath(OFFactory of, U64 cookie) {
    return delete(of, cookie, U64.NO_MASK, of.buildMatch().build());
  }

  /** Deletes all rules that lead to a host. */
  static OFFlowDelete deleteTo(OFFactory of, MacAddress host) {
    MaskedCookie all = CookieKind.Application.FORWARDING.all();
    return delete(
        of, all.cookie(), all.mask(), of.buildMatch().setExact(MatchField.ETH_DST, host).build());
  }

  private static OFFlowDelete delete(OFFactory of, U64 cookie, U64 mask, Match match) {
    return of.buildFlowDelete()
        .setTableId(TABLE)
        .setCookie(cookie)
        .setCookieMask(mask)
        .setMatch(match)
        .build();
  }
}
