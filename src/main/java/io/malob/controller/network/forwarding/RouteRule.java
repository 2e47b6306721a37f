package io.malob.controller.network.forwarding;

import io.malob.openflow.IpFamily;
import io.malob.openflow.packet.Packet;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowDelete;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFGroup;
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

  private static final int PROTOCOL_TCP = 6;
  private static final int PROTOCOL_UDP = 17;

  private RouteRule() {}

  /**
   * Whether rules are made for packets like this. Not for ARP and neighbour discovery, because
   * hosts' addresses are learned from them; not for later fragments, which do not show the ports;
   * not for ICMP errors, because one about a load balancer's packet matches the same fields.
   */
  static boolean isFor(Packet packet) {
    return switch (packet.kind()) {
      case TCP, UDP, OTHER -> true;
      case ICMP -> !packet.isNeighbourMessage() && !isError(packet);
      case OTHER_IP -> packet.protocol() != PROTOCOL_TCP && packet.protocol() != PROTOCOL_UDP;
      case ARP, MALFORMED -> false;
    };
  }

  private static boolean isError(Packet packet) {
    return IpFamily.of(packet.version()).icmpErrors.contains(packet.icmpType());
  }

  /** Forwards packets like this one from port to port. */
  static OFFlowAdd add(
      OFFactory of, OFPort from, OFPort to, Packet packet, U64 cookie, int idleSeconds) {
    OFPort out = from.equals(to) ? OFPort.IN_PORT : to;
    return of.buildFlowAdd()
        .setTableId(TABLE)
        .setPriority(PRIORITY)
        .setCookie(cookie)
        .setIdleTimeout(idleSeconds)
        .setMatch(match(of, from, packet))
        .setInstructions(
            List.of(of.instructions().applyActions(List.of(of.actions().output(out, 0)))))
        .build();
  }

  private static Match match(OFFactory of, OFPort from, Packet packet) {
    Match.Builder match =
        of.buildMatch()
            .setExact(MatchField.IN_PORT, from)
            .setExact(MatchField.ETH_SRC, packet.srcMac())
            .setExact(MatchField.ETH_DST, packet.dstMac())
            .setExact(MatchField.ETH_TYPE, EthType.of(packet.etherType()))
            .setExact(
                MatchField.VLAN_VID,
                packet.isTagged() ? OFVlanVidMatch.ofVlan(packet.vlan()) : OFVlanVidMatch.UNTAGGED);
    if (packet.isIp()) {
      matchIp(match, packet);
    }
    return match.build();
  }

  private static void matchIp(Match.Builder match, Packet packet) {
    IpFamily family = IpFamily.of(packet.version());
    family
        .protocol(IpProtocol.of((short) packet.protocol()))
        .andThen(IpFamily.from(packet.source()))
        .andThen(IpFamily.to(packet.destination()))
        .accept(match);
    switch (packet.kind()) {
      case TCP ->
          match
              .setExact(MatchField.TCP_SRC, TransportPort.of(packet.srcPort()))
              .setExact(MatchField.TCP_DST, TransportPort.of(packet.dstPort()));
      case UDP ->
          match
              .setExact(MatchField.UDP_SRC, TransportPort.of(packet.srcPort()))
              .setExact(MatchField.UDP_DST, TransportPort.of(packet.dstPort()));
      case ICMP -> family.icmp(packet.icmpType()).accept(match);
      default -> {
        // nothing more to match
      }
    }
  }

  /** Deletes the rules of one path. */
  static OFFlowDelete deletePath(OFFactory of, U64 cookie) {
    return delete(of, cookie, U64.NO_MASK, of.buildMatch().build());
  }

  /** Deletes all rules that lead to a host. */
  static OFFlowDelete deleteTo(OFFactory of, MacAddress host) {
    return delete(
        of,
        RouteCookies.any(),
        RouteCookies.APPLICATION_MASK,
        of.buildMatch().setExact(MatchField.ETH_DST, host).build());
  }

  private static OFFlowDelete delete(OFFactory of, U64 cookie, U64 mask, Match match) {
    return of.buildFlowDelete()
        .setTableId(TABLE)
        .setCookie(cookie)
        .setCookieMask(mask)
        .setMatch(match)
        .setOutPort(OFPort.ANY)
        .setOutGroup(OFGroup.ANY)
        .build();
  }
}
