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
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U16;

/**
 * The rules by which members' edges remember the TCP connections that clients open to a member
 * itself. Clients use ports again: for as long as a switch remembers an ended connection of the
 * VIP, the next one to the member would be taken for it. Pure.
 *
 * <p>A SYN to the member leaves a bit in the member's zone, which the next one to the VIP removes.
 * If the member accepts it, which it does not while it has a connection with the same addresses and
 * ports, what both zones know of such a connection is of no use any more.
 */
final class DirectConnections {
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;
  private static final int FIN = Packet.TCP_FIN;
  private static final int RST = Packet.TCP_RST;

  private DirectConnections() {}

  /** The rules of one member. */
  static List<OFFlowAdd> toMember(OFFactory factory, BucketTraffic traffic, Server member) {
    ConntrackAction ask =
        ConntrackAction.inZone(factory, traffic.memberZone())
            .commit()
            .setMark(TrackedMark.ofAsked())
            .continueIn(FlowLayout.CLASSIFY);
    ConntrackAction lookUp = TrackedReplies.inMemberZone(factory, traffic);
    return List.of(
        request(factory, traffic, member, SYN, SYN | ACK, ask),
        // so that the zone knows that the connection has ended
        request(factory, traffic, member, FIN, FIN, lookUp),
        request(factory, traffic, member, RST, RST, lookUp),
        overtaken(factory, traffic, member));
  }

  /** Segments of clients to the member with some flags. */
  private static OFFlowAdd request(
      OFFactory factory,
      BucketTraffic traffic,
      Server member,
      int flags,
      int mask,
      ConntrackAction action) {
    Match.Builder match =
        ConntrackMatch.untracked(
            ReplyRules.toService(factory.buildMatch(), traffic, member)
                .setMasked(SwitchRules.tcpFlagsField(factory), U16.of(flags), U16.of(mask)));
    return TrackedReplies.rule(
        key(FlowLayout.PRIORITY_UNKNOWN_REPLY, match),
        factory,
        ReplyRules.cookie(traffic, member.number(), ReplyRules.NOT_COUNTED),
        factory.instructions().applyActions(List.of(action)));
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
            .setMark(TrackedMark.ofDirect());
    ConntrackAction overtake =
        ConntrackAction.inZone(factory, traffic.zone())
            .commit()
            .setMark(TrackedMark.ofOvertaken())
            .continueIn(FlowLayout.CLASSIFY);
    return List.of(
        TrackedReplies.rule(
            new RuleKey(
                FlowLayout.REQUESTS,
                FlowLayout.PRIORITY_LOOK_UP_ANSWER,
                answer(factory, traffic, TrackedReplies.MISSED | traffic.vipNumber()).build()),
            factory,
            ReplyRules.cookie(traffic, 0, ReplyRules.NOT_COUNTED),
            factory.instructions().applyActions(List.of(remember, overtake))),
        TrackedReplies.missed(
            factory,
            traffic,
            FlowLayout.PRIORITY_OVERTAKEN_REPLY,
            answer(factory, traffic, traffic.vipNumber())));
  }

  /** Matches the answer to a SYN of such a connection. */
  private static Match.Builder answer(OFFactory factory, BucketTraffic traffic, long metadata) {
    Match.Builder match =
        TrackedMark.matchAsked(
            ConntrackMatch.zone(
                TrackedReplies.tracked(factory, traffic, metadata), traffic.memberZone()));
    Counted.OPENED.restrict(factory, match);
    return match;
  }

  private static RuleKey key(int priority, Match.Builder match) {
    return new RuleKey(FlowLayout.CLASSIFY, priority, match.build());
  }
}
