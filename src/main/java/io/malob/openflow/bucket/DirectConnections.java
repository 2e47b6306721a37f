package io.malob.openflow.bucket;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Server;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.bucket.ReplyRules.Counted;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.ConntrackMatch;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFMetadata;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U16;

/**
 * The rules by which members' edges remember the TCP connections that clients open to a member
 * itself. Clients use ports again: for as long as a switch remembers an ended connection of the
 * VIP, the next one to the member would be taken for it. Pure.
 *
 * <p>The member's zone knows which kind was opened last. The clients' zone, which is searched first
 * for next hops at this switch, learns it from the answer to a SYN.
 */
final class DirectConnections {
  /** In the metadata, beside the number of the VIP: the packet opens such a connection. */
  private static final long OPENS = 1L << 33;

  private static final int FIN = Packet.TCP_FIN;
  private static final int RST = Packet.TCP_RST;

  private DirectConnections() {}

  /** The rules of one member. */
  static List<OFFlowAdd> toMember(OFFactory factory, BucketTraffic traffic, Server member) {
    Match.Builder known =
        TrackedMark.matchReplaceable(
            ConntrackMatch.zone(
                ConntrackMatch.state(
                    opening(factory, traffic, member), ConntrackMatch.TRACKED, /* unset= */ 0),
                traffic.memberZone()));
    return List.of(
        TrackedReplies.rule(
            key(FlowLayout.PRIORITY_UNKNOWN_REPLY, known),
            factory,
            ReplyRules.cookie(traffic, member.number(), ReplyRules.NOT_COUNTED),
            TrackedReplies.write(factory, OPENS | traffic.vipNumber()),
            factory.instructions().gotoTable(FlowLayout.REQUESTS)),
        lookUp(factory, traffic, member, opening(factory, traffic, member)),
        // so that the zone knows that the connection has ended
        lookUp(factory, traffic, member, with(factory, traffic, member, FIN, FIN)),
        lookUp(factory, traffic, member, with(factory, traffic, member, RST, RST)),
        overtaken(factory, traffic, member));
  }

  private static OFFlowAdd lookUp(
      OFFactory factory, BucketTraffic traffic, Server member, Match.Builder match) {
    return TrackedReplies.rule(
        key(FlowLayout.PRIORITY_UNKNOWN_REPLY, ConntrackMatch.untracked(match)),
        factory,
        ReplyRules.cookie(traffic, member.number(), ReplyRules.NOT_COUNTED),
        factory
            .instructions()
            .applyActions(List.of(TrackedReplies.inMemberZone(factory, traffic))));
  }

  /** Matches the segments that open a connection to a member itself. */
  private static Match.Builder opening(OFFactory factory, BucketTraffic traffic, Server member) {
    return with(factory, traffic, member, Packet.TCP_SYN, Packet.TCP_SYN | Packet.TCP_ACK);
  }

  private static Match.Builder with(
      OFFactory factory, BucketTraffic traffic, Server member, int flags, int mask) {
    return ReplyRules.toService(factory.buildMatch(), traffic, member)
        .setExact(MatchField.METADATA, OFMetadata.ofRaw(0))
        .setMasked(SwitchRules.tcpFlagsField(factory), U16.of(flags), U16.of(mask));
  }

  /**
   * A packet that the clients' zone has translated for an ended connection of the VIP, and that is
   * of the one to the member that has overtaken it: undoes that.
   */
  private static OFFlowAdd overtaken(OFFactory factory, BucketTraffic traffic, Server member) {
    Match.Builder match =
        TrackedMark.matchOvertaken(
            ConntrackMatch.zone(
                TrackedReplies.tracked(factory, traffic, traffic.vipNumber()), traffic.zone()),
            member.number());
    TransportPort port = TransportPort.of(ReplyRules.portOf(traffic, member));
    return TrackedReplies.rule(
        key(FlowLayout.PRIORITY_OVERTAKEN_REPLY, match),
        factory,
        ReplyRules.cookie(traffic, member.number(), ReplyRules.NOT_COUNTED),
        factory
            .instructions()
            .applyActions(
                List.of(
                    factory
                        .actions()
                        .setField(
                            IpFamily.newSource(factory, AddressKey.toAddress(member.address()))),
                    factory.actions().setField(factory.oxms().tcpSrc(port)),
                    TrackedReplies.inMemberZone(factory, traffic))));
  }

  /** The rules of all members at a switch. */
  static List<OFFlowAdd> toAll(OFFactory factory, BucketTraffic traffic) {
    ConntrackAction remember =
        ConntrackAction.inZone(factory, traffic.memberZone())
            .commit()
            .setMark(TrackedMark.ofDirect())
            .continueIn(FlowLayout.CLASSIFY);
    ConntrackAction overtake =
        ConntrackAction.inZone(factory, traffic.zone())
            .commit()
            .setMark(TrackedMark.ofOvertaken())
            .continueIn(FlowLayout.CLASSIFY);
    return List.of(
        TrackedReplies.lookUp(
            factory,
            traffic,
            FlowLayout.PRIORITY_DIRECT,
            TrackedReplies.tracked(factory, traffic, OPENS | traffic.vipNumber()),
            remember),
        TrackedReplies.lookUp(
            factory,
            traffic,
            FlowLayout.PRIORITY_LOOK_UP_ANSWER,
            answer(factory, traffic, TrackedReplies.MISSED | traffic.vipNumber()),
            overtake),
        TrackedReplies.missed(
            factory,
            traffic,
            FlowLayout.PRIORITY_OVERTAKEN_REPLY,
            answer(factory, traffic, traffic.vipNumber())));
  }

  /** Matches the answer to a SYN of such a connection. */
  private static Match.Builder answer(OFFactory factory, BucketTraffic traffic, long metadata) {
    Match.Builder match =
        TrackedMark.matchDirect(
            ConntrackMatch.zone(
                TrackedReplies.tracked(factory, traffic, metadata), traffic.memberZone()));
    Counted.OPENED.restrict(factory, match);
    return match;
  }

  private static RuleKey key(int priority, Match.Builder match) {
    return new RuleKey(FlowLayout.CLASSIFY, priority, match.build());
  }
}
