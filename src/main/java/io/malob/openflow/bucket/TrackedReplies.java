package io.malob.openflow.bucket;

import io.malob.algorithm.Server;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import io.malob.openflow.NextHopMac;
import io.malob.openflow.Onward;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.bucket.ReplyRules.Counted;
import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.ConntrackMatch;
import io.malob.openflow.tracked.Nat;
import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFMetadata;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * The rules of a tracked VIP at its members' edges, where two kinds of connections end: those of
 * the VIP, and those that clients open to a member itself. Pure.
 *
 * <p>A request from another edge says the ordinal of the path of its replies. The member's edge
 * remembers it, in a zone of its own ({@link BucketTraffic#memberZone}): table 2. A reply is looked
 * up there or, if its next hop is at this switch, in the zone of clients' edges, which translates
 * it. What is found in neither is of a connection to the member itself, and falls through table 0
 * as all other packets do. So table 0 is passed once more after each look-up; the metadata say
 * whose VIP the packet may be of, and whether one zone was searched without success. {@link
 * DirectConnections} see to ports that both kinds use one after the other.
 */
public final class TrackedReplies {
  /** In the metadata, beside the number of the VIP: one zone does not have the connection. */
  static final long MISSED = 1L << 32;

  private static final long VIP_NUMBER = MISSED - 1;

  /** Instead of the ordinal of a path of replies: all that have no rule of their own. */
  public static final int ALL_PATHS = 0;

  /** In the mark of a connection whose requests come in at the switch of its member. */
  private static final int NO_PATH = 0;

  private TrackedReplies() {}

  /**
   * The rules for what comes from a member's service port, and for requests to it.
   *
   * @param countsTcpFlags whether rules are to count the ends of connections
   */
  public static List<OFFlowAdd> ofMember(
      OFFactory factory, BucketTraffic traffic, Server member, boolean countsTcpFlags) {
    List<OFFlowAdd> rules = new ArrayList<>();
    for (int path = 1; path <= TrackedMark.MAX_PATHS; path++) {
      rules.add(
          remember(
              factory,
              traffic,
              member,
              path,
              ReplyRules.toService(factory.buildMatch(), traffic, member)));
    }
    rules.add(found(factory, traffic, member, Counted.ALL));
    if (traffic.isTcp() && countsTcpFlags) {
      for (Counted counted : Counted.OF_FLAGS) {
        rules.add(found(factory, traffic, member, counted));
      }
    }
    rules.add(begin(factory, traffic, member, ReplyRules.replies(factory, traffic, member)));
    if (traffic.isTcp() && countsTcpFlags) {
      rules.addAll(DirectConnections.toMember(factory, traffic, member));
    }
    return rules;
  }

  /**
   * Remembers the connection of a request that has arrived. All of its packets pass, so that the
   * switch knows its state; this costs no second look-up.
   */
  static OFFlowAdd remember(
      OFFactory factory,
      BucketTraffic traffic,
      Server member,
      int replyPath,
      Match.Builder requests) {
    Match match = NextHopMac.match(requests, member.at(), replyPath).build();
    ConntrackAction commit =
        ConntrackAction.inZone(factory, traffic.memberZone())
            .commit()
            .setMark(TrackedMark.of(member.number(), replyPath));
    return rule(
        new RuleKey(FlowLayout.LABELS, FlowLayout.PRIORITY_REMEMBER, match),
        factory,
        ReplyRules.cookie(traffic, member.number(), ReplyRules.NOT_COUNTED),
        factory.instructions().applyActions(List.of(commit)),
        factory.instructions().gotoTable(FlowLayout.HOSTS));
  }

  static OFFlowAdd missed(
      OFFactory factory, BucketTraffic traffic, int priority, Match.Builder match) {
    return rule(
        new RuleKey(FlowLayout.CLASSIFY, priority, match.build()),
        factory,
        ReplyRules.cookie(traffic, 0, ReplyRules.NOT_COUNTED),
        write(factory, MISSED | traffic.vipNumber()),
        factory.instructions().gotoTable(FlowLayout.REQUESTS));
  }

  /** Names the VIP whose connection a packet may be of. */
  static OFFlowAdd begin(
      OFFactory factory, BucketTraffic traffic, Server member, Match.Builder replies) {
    Match match = ConntrackMatch.untracked(replies).build();
    return rule(
        new RuleKey(FlowLayout.CLASSIFY, FlowLayout.PRIORITY_MEMBER_REPLY, match),
        factory,
        ReplyRules.cookie(traffic, member.number(), ReplyRules.NOT_COUNTED),
        write(factory, traffic.vipNumber()),
        factory.instructions().gotoTable(FlowLayout.REQUESTS));
  }

  /** A reply of the VIP's, by whichever zone: counts it. */
  private static OFFlowAdd found(
      OFFactory factory, BucketTraffic traffic, Server member, Counted counted) {
    Match.Builder match =
        TrackedMark.matchCurrent(tracked(factory, traffic, traffic.vipNumber()), member.number())
            .setMasked(
                MatchField.METADATA,
                OFMetadata.ofRaw(traffic.vipNumber()),
                OFMetadata.ofRaw(VIP_NUMBER));
    counted.restrict(factory, match);
    List<OFInstruction> instructions = new ArrayList<>();
    if (member.at().vlan() != 0) {
      instructions.add(factory.instructions().applyActions(List.of(factory.actions().popVlan())));
    }
    instructions.add(write(factory, traffic.vipNumber()));
    instructions.add(factory.instructions().gotoTable(FlowLayout.REQUESTS));
    return rule(
        new RuleKey(FlowLayout.CLASSIFY, counted.priority(), match.build()),
        factory,
        ReplyRules.cookie(traffic, member.number(), counted.code()),
        instructions.toArray(OFInstruction[]::new));
  }

  /**
   * The look-ups of what comes from the service ports of the VIP's members at this switch. Answers
   * to SYNs are looked up first where SYNs are remembered, as these tell for certain whether the
   * connection is the VIP's.
   *
   * @param matchesTcpFlags whether rules can tell these answers
   */
  public static List<OFFlowAdd> lookUps(
      OFFactory factory, BucketTraffic traffic, boolean matchesTcpFlags) {
    List<OFFlowAdd> rules = new ArrayList<>();
    rules.add(lookUpAfter(factory, traffic, traffic.zone(), inMemberZone(factory, traffic)));
    rules.add(lookUpAfter(factory, traffic, traffic.memberZone(), inClientZone(factory, traffic)));
    rules.add(
        lookUp(
            factory,
            traffic,
            FlowLayout.PRIORITY_LOOK_UP,
            untracked(factory, traffic),
            inClientZone(factory, traffic)));
    rules.add(
        missed(
            factory,
            traffic,
            FlowLayout.PRIORITY_UNKNOWN_REPLY,
            TrackedMark.matchNotDirect(tracked(factory, traffic, traffic.vipNumber()))));
    if (traffic.isTcp() && matchesTcpFlags) {
      Match.Builder answer = untracked(factory, traffic);
      Counted.OPENED.restrict(factory, answer);
      rules.add(
          lookUp(
              factory,
              traffic,
              FlowLayout.PRIORITY_LOOK_UP_ANSWER,
              answer,
              inMemberZone(factory, traffic)));
      rules.addAll(DirectConnections.toAll(factory, traffic));
    }
    return rules;
  }

  /** In one zone after the other. */
  private static OFFlowAdd lookUpAfter(
      OFFactory factory, BucketTraffic traffic, int zoneBefore, ConntrackAction lookUp) {
    Match.Builder match =
        ConntrackMatch.zone(tracked(factory, traffic, MISSED | traffic.vipNumber()), zoneBefore);
    return lookUp(factory, traffic, FlowLayout.PRIORITY_LOOK_UP, match, lookUp);
  }

  /** Looks what is for a next hop at another switch up where requests from there are remembered. */
  public static OFFlowAdd lookUpFor(OFFactory factory, BucketTraffic traffic, Onward next) {
    return lookUp(
        factory,
        traffic,
        FlowLayout.PRIORITY_CLIENT,
        untracked(factory, traffic).setExact(MatchField.ETH_DST, next.receiver().mac()),
        inMemberZone(factory, traffic));
  }

  static OFFlowAdd lookUp(
      OFFactory factory,
      BucketTraffic traffic,
      int priority,
      Match.Builder match,
      ConntrackAction lookUp) {
    return rule(
        new RuleKey(FlowLayout.REQUESTS, priority, match.build()),
        factory,
        ReplyRules.cookie(traffic, 0, ReplyRules.NOT_COUNTED),
        factory.instructions().applyActions(List.of(lookUp)));
  }

  static ConntrackAction inMemberZone(OFFactory factory, BucketTraffic traffic) {
    return ConntrackAction.inZone(factory, traffic.memberZone()).continueIn(FlowLayout.CLASSIFY);
  }

  private static ConntrackAction inClientZone(OFFactory factory, BucketTraffic traffic) {
    return ConntrackAction.inZone(factory, traffic.zone())
        .translate(Nat.EXISTING)
        .continueIn(FlowLayout.CLASSIFY);
  }

  /**
   * Leads the VIP's replies that a member has addressed to a next hop.
   *
   * @param next where they leave the switch
   * @param replyPath the ordinal of those that do, or {@link #ALL_PATHS}
   */
  public static OFFlowAdd toNextHop(
      SwitchTables tables, BucketTraffic traffic, Onward next, int replyPath) {
    return toNextHop(
        tables,
        replyPath == ALL_PATHS ? FlowLayout.PRIORITY_CLIENT : FlowLayout.PRIORITY_REPLY_PATH,
        traffic,
        replies(tables, traffic, next, replyPath),
        next);
  }

  /** The same for replies that come in at the port where the path to the next hop begins. */
  public static OFFlowAdd toNextHopFrom(
      SwitchTables tables, BucketTraffic traffic, Onward next, int replyPath, OFPort in) {
    return toNextHop(
        tables,
        replyPath == ALL_PATHS
            ? FlowLayout.PRIORITY_CLIENT_BACK
            : FlowLayout.PRIORITY_REPLY_PATH_BACK,
        traffic,
        replies(tables, traffic, next, replyPath).setExact(MatchField.IN_PORT, in),
        next.from(in));
  }

  /**
   * The VIP's replies to a next hop that were found where requests are remembered, and that the
   * zone of clients' edges is to translate here: those to next hops at this switch, and those whose
   * requests have come in here. If that zone lacks their connection, table 3 sends them to the
   * controller.
   */
  public static OFFlowAdd translateTo(SwitchTables tables, BucketTraffic traffic, Onward next) {
    OFFactory factory = tables.factory();
    Match.Builder match =
        ConntrackMatch.zone(replies(tables, traffic, next, ALL_PATHS), traffic.memberZone());
    boolean isHere = next.label() == null;
    if (!isHere) {
      TrackedMark.matchPath(match, NO_PATH);
    }
    List<OFAction> actions = new ArrayList<>(tables.toReach(next));
    actions.add(
        inClientZone(factory, traffic).continueIn(isHere ? FlowLayout.HOSTS : FlowLayout.LABELS));
    return rule(
        new RuleKey(FlowLayout.REQUESTS, FlowLayout.PRIORITY_REPLY_PATH, match.build()),
        factory,
        ReplyRules.cookie(traffic, 0, ReplyRules.NOT_COUNTED),
        factory.instructions().applyActions(actions));
  }

  private static OFFlowAdd toNextHop(
      SwitchTables tables, int priority, BucketTraffic traffic, Match.Builder match, Onward next) {
    return rule(
        new RuleKey(FlowLayout.REQUESTS, priority, match.build()),
        tables.factory(),
        ReplyRules.cookie(traffic, 0, ReplyRules.NOT_COUNTED),
        tables.onward(List.of(), next, 0).toArray(OFInstruction[]::new));
  }

  private static Match.Builder replies(
      SwitchTables tables, BucketTraffic traffic, Onward next, int replyPath) {
    Match.Builder match =
        tracked(tables.factory(), traffic, traffic.vipNumber())
            .setExact(MatchField.ETH_DST, next.receiver().mac());
    return replyPath == ALL_PATHS ? match : TrackedMark.matchPath(match, replyPath);
  }

  static Match.Builder untracked(OFFactory factory, BucketTraffic traffic) {
    return ConntrackMatch.untracked(packets(factory, traffic, traffic.vipNumber()));
  }

  static Match.Builder tracked(OFFactory factory, BucketTraffic traffic, long metadata) {
    return ConntrackMatch.state(
        packets(factory, traffic, metadata), ConntrackMatch.TRACKED, /* unset= */ 0);
  }

  /** Matches by the metadata; of datagrams also the fragments, which may not say what they are. */
  private static Match.Builder packets(OFFactory factory, BucketTraffic traffic, long metadata) {
    Match.Builder match = factory.buildMatch();
    IpFamily family = traffic.family();
    (traffic.isTcp() ? family.protocol(traffic.protocol()) : family.any()).accept(match);
    return match.setExact(MatchField.METADATA, OFMetadata.ofRaw(metadata));
  }

  static OFInstruction write(OFFactory factory, long metadata) {
    return factory.instructions().writeMetadata(U64.of(metadata), U64.NO_MASK);
  }

  static OFFlowAdd rule(RuleKey key, OFFactory factory, U64 cookie, OFInstruction... instructions) {
    return key.add(factory, cookie, instructions).build();
  }
}
