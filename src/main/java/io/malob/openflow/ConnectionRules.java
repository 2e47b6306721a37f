package io.malob.openflow;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U64;

/**
 * Compiles one connection into the messages that carry it: a rule at each of its two edges, the
 * rules of its two hosts, and its packets that the controller forwards itself. Pure.
 */
public final class ConnectionRules {
  private ConnectionRules() {}

  /**
   * One direction of a connection: its packets on arrival at the edge switch, and their translation
   * there.
   *
   * @param incoming the packets as their sender makes them
   * @param outgoing the packets as their receiver is to see them
   * @param vlan the VLAN of the incoming packets; 0 if they are untagged
   * @param dstMac the MAC address that they are sent to; null for any
   * @param label the label to write, or null if the receiver is on the same switch
   * @param entry where the path of the label enters segments; 0 if it crosses none
   * @param receiver the next hop that they are for
   * @param out the port to the next switch or to the receiver; {@link OFPort#IN_PORT} if the
   *     packets go back to where they come from
   */
  public record Translation(
      FiveTuple incoming,
      FiveTuple outgoing,
      int vlan,
      @Nullable MacAddress dstMac,
      @Nullable Label label,
      int entry,
      Attachment receiver,
      OFPort out) {

    /** The translation of packets to any MAC address. */
    public Translation(
        FiveTuple incoming,
        FiveTuple outgoing,
        int vlan,
        @Nullable Label label,
        Attachment receiver,
        OFPort out) {
      this(incoming, outgoing, vlan, null, label, 0, receiver, out);
    }

    /** Whether the rule names its output port in this layout. */
    public boolean namesPort(TableLayout layout) {
      return layout.namesPort(label != null, out);
    }

    /** The source MAC address that the rule writes in this layout. */
    public MacAddress srcMac(TableLayout layout) {
      return label == null && namesPort(layout)
          ? EdgeMac.of(receiver.switchId())
          : NextHopMac.entering(receiver, entry);
    }
  }

  /**
   * The rule at the edge where packets of one direction come in. The one at the client's edge owns
   * the connection: its end must be told.
   *
   * @param cookie of a request or a reply
   * @param endIsTold whether the switch reports its end, with its counters
   */
  public static OFMessage add(
      OFFactory factory, Translation translation, U64 cookie, int idleSeconds, boolean endIsTold) {
    return new ConnectionRule(
        factory, translation, cookie, idleSeconds, endIsTold, false, TableLayout.FOUR_TABLES);
  }

  /**
   * Changes the label in such a rule, if the rule exists; its counters and timeouts continue.
   *
   * @param cookie the rule's
   */
  public static OFMessage relabel(OFFactory factory, Translation translation, U64 cookie) {
    return new ConnectionRule(
        factory, translation, cookie, 0, false, true, TableLayout.FOUR_TABLES);
  }

  /**
   * Deletes the rule of these packets at the client's edge.
   *
   * @param vlan their VLAN; 0 if they are untagged
   */
  public static OFMessage removeRequest(OFFactory factory, FiveTuple incoming, int vlan) {
    Match match = IpFamily.inVlan(match(factory, incoming), vlan).build();
    return new RuleKey(FlowLayout.REQUESTS, FlowLayout.PRIORITY_ENTRY, match).delete(factory);
  }

  /**
   * Deletes the rule of these packets at the member's edge.
   *
   * @param vlan their VLAN; 0 if they are untagged
   * @param dstMac the MAC address that they are sent to; null for any
   */
  public static OFMessage removeReply(
      OFFactory factory, FiveTuple incoming, int vlan, @Nullable MacAddress dstMac) {
    return replies(IpFamily.inVlan(replyMatch(factory, incoming), vlan), dstMac).delete(factory);
  }

  /** Deletes the rule of a closed connection at its member's edge. */
  public static OFMessage removeClosed(OFFactory factory, FiveTuple incoming, int vlan) {
    return closedKey(factory, incoming, vlan).delete(factory);
  }

  /** Deletes this very rule at the client's edge: not one of a later connection. */
  public static OFMessage remove(OFFactory factory, FoundRule.Request request) {
    FoundRule.Direction rule = request.direction();
    Match.Builder match = inVlanOf(rule, match(factory, rule.incoming()));
    return new RuleKey(FlowLayout.REQUESTS, FlowLayout.PRIORITY_ENTRY, match.build())
        .delete(factory, cookieOf(rule, CookieKind.REQUEST));
  }

  /** Deletes this very rule at the member's edge: not one of a later connection. */
  public static OFMessage remove(OFFactory factory, FoundRule.Reply reply) {
    FoundRule.Direction rule = reply.direction();
    Match.Builder match = inVlanOf(rule, replyMatch(factory, rule.incoming()));
    return replies(match, rule.dstMac()).delete(factory, cookieOf(rule, CookieKind.REPLY));
  }

  private static U64 cookieOf(FoundRule.Direction rule, CookieKind kind) {
    return Cookie.of(kind, rule.vipNumber(), rule.memberNumber(), rule.generation());
  }

  private static Match.Builder inVlanOf(FoundRule.Direction rule, Match.Builder match) {
    return rule.isOfAnyVlan() ? match : IpFamily.inVlan(match, rule.vlan());
  }

  /**
   * The rule at the member's edge that sends the controller packets from an FTP server's data port
   * to the client of one of its control connections. It has no timeout, because the control
   * connection may be silent for long.
   *
   * @param control the control connection's packets from the member to the client
   * @param dataPort the port that the server opens data connections from
   * @param cookie with the numbers of the control connection
   */
  public static OFMessage ftpData(OFFactory factory, FiveTuple control, int dataPort, U64 cookie) {
    return ftpDataRule(factory, control, dataPort)
        .add(factory, cookie, SwitchRules.toController(factory))
        .build();
  }

  /**
   * Takes that rule away, but not the same rule of a later control connection between the two.
   *
   * @param cookie that of the rule that was added
   */
  public static OFMessage removeFtpData(
      OFFactory factory, FiveTuple control, int dataPort, U64 cookie) {
    return ftpDataRule(factory, control, dataPort).delete(factory, cookie);
  }

  /**
   * The rule before that of a closed TCP connection: further packets of its sender go to the
   * controller instead of to a host that does not know the connection.
   *
   * @param incoming the packets as their sender makes them
   * @param vlan their VLAN; 0 if they are untagged
   */
  public static OFMessage closed(OFFactory factory, FiveTuple incoming, int vlan, int seconds) {
    return closedKey(factory, incoming, vlan)
        .add(factory, Cookie.of(CookieKind.CLOSED, 0), SwitchRules.toController(factory))
        .setHardTimeout(seconds)
        .build();
  }

  /**
   * Sends SYNs on the five-tuple of a connection to the controller, before the rules that lead SYNs
   * to buckets: the connection's own rule would lead a new connection past its bucket. The switch
   * reports its end, because packets of the connection do not renew its timeout.
   *
   * @param request the packets from client to VIP
   * @param vlan their VLAN; 0 if they are untagged
   * @param cookie that of a rule of the VIP with the connection's numbers
   * @param idleSeconds the idle timeout
   */
  public static OFMessage pinnedSyn(
      OFFactory factory, FiveTuple request, int vlan, U64 cookie, int idleSeconds) {
    Match match =
        IpFamily.inVlan(match(factory, request), vlan)
            .setMasked(
                SwitchRules.tcpFlagsField(factory),
                U16.of(Packet.TCP_SYN),
                U16.of(Packet.TCP_SYN | Packet.TCP_ACK))
            .build();
    return new RuleKey(FlowLayout.CLASSIFY, FlowLayout.PRIORITY_PINNED_SYN, match)
        .add(factory, cookie, SwitchRules.toController(factory))
        .setIdleTimeout(idleSeconds)
        .setFlags(ImmutableSet.of(OFFlowModFlags.SEND_FLOW_REM))
        .build();
  }

  /**
   * Sends packets of a connection to the controller at an edge where they may come in instead of
   * the one with its rules, before the rules of buckets. The switch reports its end likewise.
   *
   * @param request the packets from client to VIP
   * @param cookie that of a rule of the VIP with the connection's numbers
   * @param idleSeconds the idle timeout
   */
  public static OFMessage pinnedElsewhere(
      OFFactory factory, FiveTuple request, U64 cookie, int idleSeconds) {
    return new RuleKey(
            FlowLayout.REQUESTS,
            FlowLayout.PRIORITY_PINNED_ELSEWHERE,
            match(factory, request).build())
        .add(factory, cookie, SwitchRules.toController(factory))
        .setIdleTimeout(idleSeconds)
        .setFlags(ImmutableSet.of(OFFlowModFlags.SEND_FLOW_REM))
        .build();
  }

  /** Whether a cookie is that of one of these two rules. */
  public static boolean isPinnedSyn(U64 cookie) {
    return Cookie.is(cookie, CookieKind.VIP) && Cookie.memberNumber(cookie) != 0;
  }

  private static RuleKey ftpDataRule(OFFactory factory, FiveTuple control, int dataPort) {
    return new RuleKey(
        FlowLayout.CLASSIFY,
        FlowLayout.PRIORITY_FTP_DATA,
        IpFamily.matchBetween(factory, IpProtocol.TCP, control.source(), control.destination())
            .setExact(MatchField.TCP_SRC, TransportPort.of(dataPort))
            .build());
  }

  /**
   * Requests the counters of the rule of a connection's replies.
   *
   * @param incoming the packets that it matches
   */
  public static OFFlowStatsRequest requestReply(OFFactory factory, FiveTuple incoming, U64 cookie) {
    return factory
        .buildFlowStatsRequest()
        .setTableId(FlowLayout.CLASSIFY)
        .setOutPort(OFPort.ANY)
        .setOutGroup(OFGroup.ANY)
        .setCookie(cookie)
        .setCookieMask(U64.NO_MASK)
        .setMatch(replyMatch(factory, incoming).build())
        .build();
  }

  private static RuleKey closedKey(OFFactory factory, FiveTuple incoming, int vlan) {
    Match match = IpFamily.inVlan(match(factory, incoming), vlan).build();
    return new RuleKey(FlowLayout.CLASSIFY, FlowLayout.PRIORITY_CLOSED, match);
  }

  private static RuleKey replies(Match.Builder match, @Nullable MacAddress dstMac) {
    if (dstMac != null) {
      match.setExact(MatchField.ETH_DST, dstMac);
    }
    return new RuleKey(FlowLayout.CLASSIFY, FlowLayout.PRIORITY_REPLY, match.build());
  }

  /** Delivers one packet of a connection from its receiver's edge switch, translated. */
  public static OFMessage deliver(OFFactory factory, Translation translation, byte[] frame) {
    return new TranslatedPacketOut(factory, translation, frame);
  }

  /** The protocol that packets of a connection have. */
  static IpProtocol protocolOf(FiveTuple tuple) {
    IpProtocol protocol = IpProtocol.of((short) tuple.protocol());
    return protocol.equals(IpProtocol.ICMP) && tuple.isIpv6() ? IpProtocol.IPv6_ICMP : protocol;
  }

  /** The same as {@link WireFormat#match}, for messages that are rare. */
  private static Match.Builder match(OFFactory factory, FiveTuple tuple) {
    IpProtocol protocol = protocolOf(tuple);
    Match.Builder match =
        IpFamily.matchBetween(factory, protocol, tuple.source(), tuple.destination());
    return IpFamily.withPorts(match, protocol, tuple.srcPort(), tuple.dstPort());
  }

  private static Match.Builder replyMatch(OFFactory factory, FiveTuple tuple) {
    Match.Builder match = match(factory, tuple);
    if (tuple.protocol() == IpProtocol.ICMP.getIpProtocolNumber()) {
      IpFamily family = tuple.isIpv6() ? IpFamily.IPV6 : IpFamily.IPV4;
      family.icmp(family.icmpEchoReply).accept(match);
    }
    return match;
  }

  /** The connection of one of these matches; the reverse of the matches here. */
  public static FiveTuple tupleOf(Match match) {
    IpProtocol of = match.get(MatchField.IP_PROTO);
    boolean isIcmp = of.equals(IpProtocol.ICMP) || of.equals(IpProtocol.IPv6_ICMP);
    return FiveTuple.of(
        (isIcmp ? IpProtocol.ICMP : of).getIpProtocolNumber(),
        IpFamily.source(match),
        IpFamily.sourcePort(match),
        IpFamily.destination(match),
        IpFamily.destinationPort(match));
  }
}
