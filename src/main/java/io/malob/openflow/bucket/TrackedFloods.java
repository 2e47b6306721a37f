package io.malob.openflow.bucket;

import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RuleKey;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.tracked.ConntrackMatch;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U32;

/**
 * Rules that drop packets of tracked VIPs that flood the controller, at their ingress port, for a
 * short time: those of connections to a lost member, those that a full table has no room for, and
 * replies of connections that the switch does not know. All other packets of the VIP go on. Pure.
 */
public final class TrackedFloods {
  private TrackedFloods() {}

  /** The rule that drops packets like this one; empty if it is of another kind. */
  public static Optional<OFMessage> against(OFFactory factory, OFPacketIn packetIn, int seconds) {
    @Nullable OFPort port = packetIn.getMatch().get(MatchField.IN_PORT);
    if (port == null || !Cookie.is(packetIn.getCookie(), CookieKind.PROACTIVE)) {
      return Optional.empty();
    }
    Match.Builder match = factory.buildMatch().setExact(MatchField.IN_PORT, port);
    if (packetIn.getTableId().equals(FlowLayout.HOSTS)) {
      return Optional.of(dropReplies(factory, match, Packet.parse(packetIn.getData()), seconds));
    }
    if (!packetIn.getTableId().equals(FlowLayout.REQUESTS)) {
      return Optional.empty();
    }
    if (UncommittedRule.is(packetIn.getCookie())) {
      UncommittedRule.match(
          match, Cookie.vipNumber(packetIn.getCookie()), Packet.parse(packetIn.getData()));
      return Optional.of(
          drop(factory, FlowLayout.REQUESTS, FlowLayout.PRIORITY_UNCOMMITTED, match, seconds));
    }
    @Nullable U32 mark = packetIn.getMatch().get(MatchField.CONN_TRACKING_MARK);
    if (mark == null || mark.equals(U32.ZERO)) {
      return Optional.empty();
    }
    Packet packet = Packet.parse(packetIn.getData());
    IpFamily.of(packet.destination())
        .protocol(IpProtocol.of((short) packet.protocol()))
        .accept(match);
    TrackedMark.match(
        ConntrackMatch.state(match, ConntrackMatch.TRACKED, 0), TrackedMark.memberIn(mark));
    return Optional.of(
        drop(factory, FlowLayout.REQUESTS, FlowLayout.PRIORITY_TRACKED, match, seconds));
  }

  /** What a member sends from its service port, and the switch has looked up in vain. */
  private static OFMessage dropReplies(
      OFFactory factory, Match.Builder match, Packet reply, int seconds) {
    IpProtocol protocol = IpProtocol.of((short) reply.protocol());
    IpFamily.of(reply.source())
        .protocol(protocol)
        .andThen(IpFamily.from(reply.source()))
        .accept(match);
    ConntrackMatch.state(match, ConntrackMatch.TRACKED, 0)
        .setExact(IpFamily.srcPort(protocol), TransportPort.of(reply.srcPort()));
    return drop(factory, FlowLayout.HOSTS, FlowLayout.PRIORITY_TRACKED_REPLY, match, seconds);
  }

  private static OFMessage drop(
      OFFactory factory, TableId table, int instead, Match.Builder match, int seconds) {
    return new RuleKey(table, instead + 1, match.build())
        .add(factory, Cookie.of(CookieKind.FLOOD, 0))
        .setHardTimeout(seconds)
        .build();
  }
}
