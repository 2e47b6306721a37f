package io.malob.openflow;

import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import java.util.List;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;

/**
 * Rules that drop packets that flood the controller, at their ingress port, for a short time. They
 * do not affect packets with rules of their own: connections, and forwarding of other applications,
 * continue. Pure.
 */
public final class FloodRules {
  /** Above the table-miss rule, below all others. */
  private static final int PRIORITY_MISSES = 1;

  private FloodRules() {}

  /**
   * The rule that drops packets like this one for the given time: SYNs to its address and port, ARP
   * or neighbour discovery for its target, ICMP errors to its address, or other packets without a
   * rule in the first table, each from its port only. Empty if the packet came by another rule: the
   * dropped packets would then be of different kinds.
   */
  public static Optional<OFMessage> against(OFFactory factory, OFPacketIn packetIn, int seconds) {
    OFPort port = packetIn.getMatch().get(MatchField.IN_PORT);
    if (port == null || !packetIn.getTableId().equals(FlowLayout.CLASSIFY)) {
      return Optional.empty();
    }
    Packet packet = Packet.parse(packetIn.getData());
    if (Cookie.is(packetIn.getCookie(), CookieKind.VIP)) {
      if (IpFamily.isIcmpError(packet)) {
        return Optional.of(errors(factory, port, packet, seconds));
      }
      return packet.kind() == Packet.Kind.TCP
          ? Optional.of(syns(factory, port, packet, seconds))
          : NeighbourMessage.of(packet).map(message -> neighbours(factory, port, message, seconds));
    }
    return Cookie.isOurs(packetIn.getCookie())
        ? Optional.empty()
        : Optional.of(
            drop(
                factory,
                PRIORITY_MISSES,
                factory.buildMatch().setExact(MatchField.IN_PORT, port).build(),
                seconds));
  }

  /**
   * The rule that drops what a server sends from the address and port of this packet of TCP or UDP,
   * and that has no rule. Empty if the packet came by a rule.
   */
  public static Optional<OFMessage> againstMember(
      OFFactory factory, OFPacketIn packetIn, int seconds) {
    if (!packetIn.getTableId().equals(FlowLayout.CLASSIFY) || Cookie.isOurs(packetIn.getCookie())) {
      return Optional.empty();
    }
    Packet packet = Packet.parse(packetIn.getData());
    Match match =
        sent(factory, IpProtocol.of((short) packet.protocol()), packet.source(), packet.srcPort())
            .setExact(MatchField.IN_PORT, packetIn.getMatch().get(MatchField.IN_PORT))
            .build();
    return Optional.of(drop(factory, PRIORITY_MISSES, match, seconds));
  }

  /**
   * The rule that drops the replies of a proactive VIP's members to clients that no rule leads to:
   * a flood of requests from forged addresses.
   */
  public static OFMessage againstReplies(OFFactory factory, OFPacketIn packetIn, int seconds) {
    Packet packet = Packet.parse(packetIn.getData());
    Match.Builder match = factory.buildMatch();
    IpFamily.of(packet.source()).any().andThen(IpFamily.from(packet.source())).accept(match);
    return drop(factory, FlowLayout.REQUESTS, PRIORITY_MISSES, match.build(), seconds);
  }

  /**
   * The same in one table, where the replies that come to the controller are those of one member.
   *
   * @param port the member's port
   */
  public static OFMessage againstReplies(
      OFFactory factory, IpProtocol protocol, IPAddress<?> member, int port, int seconds) {
    Match match = sent(factory, protocol, member, port).build();
    return drop(factory, FlowLayout.PRIORITY_MEMBER_REPLY + 1, match, seconds);
  }

  /** Matches what a server sends from a port. */
  private static Match.Builder sent(
      OFFactory factory, IpProtocol protocol, IPAddress<?> server, int port) {
    Match.Builder match = factory.buildMatch();
    IpFamily.of(server).protocol(protocol).andThen(IpFamily.from(server)).accept(match);
    return match.setExact(IpFamily.srcPort(protocol), TransportPort.of(port));
  }

  private static OFMessage syns(OFFactory factory, OFPort port, Packet packet, int seconds) {
    Match match =
        SwitchRules.beginnings(factory, packet.destination())
            .setExact(MatchField.IN_PORT, port)
            .setExact(MatchField.TCP_DST, TransportPort.of(packet.dstPort()))
            .build();
    return drop(factory, FlowLayout.PRIORITY_TCP_FLAGS + 1, match, seconds);
  }

  /** Those of one type. */
  private static OFMessage errors(OFFactory factory, OFPort port, Packet packet, int seconds) {
    IPAddress<?> vip = packet.destination();
    Match.Builder match = IpFamily.matchTo(factory, vip).setExact(MatchField.IN_PORT, port);
    IpFamily.of(vip).icmp(packet.icmpType()).accept(match);
    return drop(factory, FlowLayout.PRIORITY_VIP_ERRORS + 1, match.build(), seconds);
  }

  private static OFMessage neighbours(
      OFFactory factory, OFPort port, NeighbourMessage message, int seconds) {
    List<Match.Builder> kinds = IpFamily.matchNeighbours(factory, message.addressee());
    Match.Builder kind = kinds.get(message.isSolicitation() ? 0 : kinds.size() - 1);
    Match match = kind.setExact(MatchField.IN_PORT, port).build();
    return drop(factory, FlowLayout.PRIORITY_VIP_NEIGHBOURS + 1, match, seconds);
  }

  private static OFFlowAdd drop(OFFactory factory, int priority, Match match, int seconds) {
    return drop(factory, FlowLayout.CLASSIFY, priority, match, seconds);
  }

  private static OFFlowAdd drop(
      OFFactory factory, TableId table, int priority, Match match, int seconds) {
    return new RuleKey(table, priority, match)
        .add(factory, Cookie.of(CookieKind.FLOOD, 0))
        .setHardTimeout(seconds)
        .build();
  }
}
