package io.malob.openflow;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
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
   * @param srcMac the source address to write, or null to leave it
   * @param label the label to write, or null if the receiver is on the same switch
   * @param receiver where the receiver is attached
   * @param out the port to the next switch or to the receiver; {@link OFPort#IN_PORT} if the
   *     packets go back to where they come from
   */
  public record Translation(
      FiveTuple incoming,
      FiveTuple outgoing,
      @Nullable MacAddress srcMac,
      @Nullable Label label,
      Attachment receiver,
      OFPort out) {

    /** Whether the rule names its output port in this layout. */
    public boolean namesPort(TableLayout layout) {
      return layout.namesPort(label != null, out);
    }
  }

  /**
   * The rule at the client's edge. It owns the connection: the switch reports its end.
   *
   * @param idleSeconds the idle timeout
   */
  public static OFMessage request(
      OFFactory factory,
      Translation translation,
      int vipNumber,
      int memberNumber,
      int generation,
      int idleSeconds) {
    return new ConnectionRule(
        factory,
        FlowLayout.REQUESTS,
        FlowLayout.PRIORITY_ENTRY,
        translation,
        Cookie.of(Cookie.Kind.REQUEST, vipNumber, memberNumber, generation),
        idleSeconds,
        true);
  }

  /**
   * The rule at the member's edge.
   *
   * @param endIsTold whether the switch reports its end, with its counters
   */
  public static OFMessage reply(
      OFFactory factory,
      Translation translation,
      int vipNumber,
      int memberNumber,
      int generation,
      int idleSeconds,
      boolean endIsTold) {
    return new ConnectionRule(
        factory,
        FlowLayout.CLASSIFY,
        FlowLayout.PRIORITY_REPLY,
        translation,
        Cookie.of(Cookie.Kind.REPLY, vipNumber, memberNumber, generation),
        idleSeconds,
        endIsTold);
  }

  /**
   * Changes the label in the rule at the client's edge, if the rule exists; its counters and
   * timeouts continue.
   */
  public static OFMessage relabelRequest(
      OFFactory factory, Translation translation, int vipNumber, int memberNumber, int generation) {
    return ConnectionRule.change(
        factory,
        FlowLayout.REQUESTS,
        FlowLayout.PRIORITY_ENTRY,
        translation,
        Cookie.of(Cookie.Kind.REQUEST, vipNumber, memberNumber, generation));
  }

  /** The same at the member's edge. */
  public static OFMessage relabelReply(
      OFFactory factory, Translation translation, int vipNumber, int memberNumber, int generation) {
    return ConnectionRule.change(
        factory,
        FlowLayout.CLASSIFY,
        FlowLayout.PRIORITY_REPLY,
        translation,
        Cookie.of(Cookie.Kind.REPLY, vipNumber, memberNumber, generation));
  }

  /** Deletes the rule of these packets at the client's edge. */
  public static OFMessage removeRequest(OFFactory factory, FiveTuple incoming) {
    return remove(
        factory, FlowLayout.REQUESTS, FlowLayout.PRIORITY_ENTRY, match(factory, incoming).build());
  }

  /** Deletes the rule of these packets at the member's edge. */
  public static OFMessage removeReply(OFFactory factory, FiveTuple incoming) {
    return remove(
        factory, FlowLayout.CLASSIFY, FlowLayout.PRIORITY_REPLY, replyMatch(factory, incoming));
  }

  /** Deletes this very rule at the member's edge: not one of a later connection. */
  public static OFMessage removeReply(OFFactory factory, FoundRule.Direction rule) {
    return factory
        .buildFlowDeleteStrict()
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(FlowLayout.PRIORITY_REPLY)
        .setOutPort(OFPort.ANY)
        .setCookie(
            Cookie.of(Cookie.Kind.REPLY, rule.vipNumber(), rule.memberNumber(), rule.generation()))
        .setCookieMask(U64.NO_MASK)
        .setMatch(replyMatch(factory, rule.incoming()))
        .build();
  }

  /**
   * The rule at the member's edge that sends the controller packets from an FTP server's data port
   * to the client of one of its control connections. It has no timeout, because the control
   * connection may be silent for long.
   *
   * @param control the control connection's packets from the member to the client
   * @param dataPort the port that the server opens data connections from
   */
  public static OFMessage ftpData(
      OFFactory factory,
      FiveTuple control,
      int dataPort,
      int vipNumber,
      int memberNumber,
      int generation) {
    return factory
        .buildFlowAdd()
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(FlowLayout.PRIORITY_FTP_DATA)
        .setMatch(ftpDataMatch(factory, control, dataPort))
        .setCookie(Cookie.of(Cookie.Kind.FTP_DATA, vipNumber, memberNumber, generation))
        .setInstructions(List.of(SwitchRules.toController(factory)))
        .build();
  }

  /**
   * Takes that rule away, but not the same rule of a later control connection between the two.
   *
   * @param cookie that of the rule that was added
   */
  public static OFMessage removeFtpData(
      OFFactory factory, FiveTuple control, int dataPort, U64 cookie) {
    return factory
        .buildFlowDeleteStrict()
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(FlowLayout.PRIORITY_FTP_DATA)
        .setOutPort(OFPort.ANY)
        .setMatch(ftpDataMatch(factory, control, dataPort))
        .setCookie(cookie)
        .setCookieMask(U64.NO_MASK)
        .build();
  }

  /**
   * The rule that replaces a rule of a closed TCP connection: further packets of its sender go to
   * the controller instead of to a host that does not know the connection.
   *
   * @param incoming the packets as their sender makes them
   */
  public static OFMessage closed(OFFactory factory, FiveTuple incoming, int seconds) {
    return factory
        .buildFlowAdd()
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(FlowLayout.PRIORITY_REPLY)
        .setMatch(match(factory, incoming).build())
        .setCookie(Cookie.of(Cookie.Kind.CLOSED, 0))
        .setHardTimeout(seconds)
        .setInstructions(List.of(SwitchRules.toController(factory)))
        .build();
  }

  /**
   * Sends SYNs on the five-tuple of a connection to the controller, before the rules that lead SYNs
   * to buckets: the connection's own rule would lead a new connection past its bucket. The switch
   * reports its end, because packets of the connection do not renew its timeout.
   *
   * @param request the packets from client to VIP
   * @param idleSeconds the idle timeout
   */
  public static OFMessage pinnedSyn(
      OFFactory factory,
      FiveTuple request,
      int vipNumber,
      int memberNumber,
      int generation,
      int idleSeconds) {
    return factory
        .buildFlowAdd()
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(FlowLayout.PRIORITY_PINNED_SYN)
        .setMatch(
            match(factory, request)
                .setMasked(
                    SwitchRules.tcpFlagsField(factory),
                    U16.of(Packet.TCP_SYN),
                    U16.of(Packet.TCP_SYN | Packet.TCP_ACK))
                .build())
        .setCookie(Cookie.of(Cookie.Kind.VIP, vipNumber, memberNumber, generation))
        .setIdleTimeout(idleSeconds)
        .setFlags(ImmutableSet.of(OFFlowModFlags.SEND_FLOW_REM))
        .setInstructions(List.of(SwitchRules.toController(factory)))
        .build();
  }

  /** Whether a cookie is that of such a rule. */
  public static boolean isPinnedSyn(U64 cookie) {
    return Cookie.is(cookie, Cookie.Kind.VIP) && Cookie.memberNumber(cookie) != 0;
  }

  private static Match ftpDataMatch(OFFactory factory, FiveTuple control, int dataPort) {
    return IpFamily.matchBetween(factory, IpProtocol.TCP, control.source(), control.destination())
        .setExact(MatchField.TCP_SRC, TransportPort.of(dataPort))
        .build();
  }

  /**
   * Requests the counters of the rule of a connection's replies.
   *
   * @param incoming the packets that it matches
   */
  public static OFFlowStatsRequest requestReply(
      OFFactory factory, FiveTuple incoming, int vipNumber, int memberNumber, int generation) {
    return factory
        .buildFlowStatsRequest()
        .setTableId(FlowLayout.CLASSIFY)
        .setOutPort(OFPort.ANY)
        .setOutGroup(OFGroup.ANY)
        .setCookie(Cookie.of(Cookie.Kind.REPLY, vipNumber, memberNumber, generation))
        .setCookieMask(U64.NO_MASK)
        .setMatch(replyMatch(factory, incoming))
        .build();
  }

  private static OFMessage remove(OFFactory factory, TableId table, int priority, Match match) {
    return factory
        .buildFlowDeleteStrict()
        .setTableId(table)
        .setPriority(priority)
        .setOutPort(OFPort.ANY)
        .setMatch(match)
        .build();
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
    Match.Builder match =
        IpFamily.matchBetween(factory, protocolOf(tuple), tuple.source(), tuple.destination());
    if (tuple.protocol() != IpProtocol.ICMP.getIpProtocolNumber()) {
      boolean tcp = tuple.protocol() == IpProtocol.TCP.getIpProtocolNumber();
      match
          .setExact(
              tcp ? MatchField.TCP_SRC : MatchField.UDP_SRC, TransportPort.of(tuple.srcPort()))
          .setExact(
              tcp ? MatchField.TCP_DST : MatchField.UDP_DST, TransportPort.of(tuple.dstPort()));
    }
    return match;
  }

  private static Match replyMatch(OFFactory factory, FiveTuple tuple) {
    Match.Builder match = match(factory, tuple);
    if (tuple.protocol() == IpProtocol.ICMP.getIpProtocolNumber()) {
      IpFamily family = tuple.isIpv6() ? IpFamily.IPV6 : IpFamily.IPV4;
      family.icmp(family.icmpEchoReply).accept(match);
    }
    return match.build();
  }

  /** The connection of one of these matches; the reverse of the matches here. */
  public static FiveTuple tupleOf(Match match) {
    IpProtocol of = match.get(MatchField.IP_PROTO);
    int protocol = of.getIpProtocolNumber();
    IPAddress<?> src = IpFamily.source(match);
    IPAddress<?> dst = IpFamily.destination(match);
    if (of.equals(IpProtocol.ICMP) || of.equals(IpProtocol.IPv6_ICMP)) {
      return FiveTuple.of(IpProtocol.ICMP.getIpProtocolNumber(), src, 0, dst, 0);
    }
    boolean tcp = protocol == IpProtocol.TCP.getIpProtocolNumber();
    return FiveTuple.of(
        protocol,
        src,
        match.get(tcp ? MatchField.TCP_SRC : MatchField.UDP_SRC).getPort(),
        dst,
        match.get(tcp ? MatchField.TCP_DST : MatchField.UDP_DST).getPort());
  }
}
