package io.malob.openflow.bucket;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Server;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import io.malob.openflow.Onward;
import io.malob.openflow.PacketOuts;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.ConntrackMatch;
import io.malob.openflow.tracked.Mark;
import io.malob.openflow.tracked.Nat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFMetadata;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U64;

/**
 * What the rules of a tracked VIP have besides those of a proactive one. Its clients' edges track
 * its connections: each has the number of its member as mark, and the switch translates both of its
 * directions. Pure.
 *
 * <p>Table 0 has the switch look a request up, and sends it to table 1. There, the first packet of
 * a connection meets its bucket, which commits it to a member and sends it to table 1 once more.
 * All packets of connections meet the rule of their member, which leads them on their path.
 * Members' edges label replies without translating them; the client's edge does that in table 3.
 */
public final class TrackedRules {
  /** The part of a mark that is the number of the member. */
  private static final int MEMBER_MASK = 0xffff;

  /** In the lowest bits of the cookies of rules that send first packets to the controller. */
  private static final int OPENING = 5;

  private TrackedRules() {}

  /** Looks a request up: if it is of an open connection, it has the member's address then. */
  static List<OFInstruction> lookUp(OFFactory factory, BucketTraffic traffic) {
    return apply(factory, lookUp(factory, traffic.zone(), FlowLayout.REQUESTS));
  }

  /** Opens a connection to a member. */
  static List<OFInstruction> commit(OFFactory factory, BucketTraffic traffic, Server member) {
    return apply(
        factory, UncommittedRule.tries(factory), commitTo(factory, traffic, member));
  }

  private static ConntrackAction commitTo(OFFactory factory, BucketTraffic traffic, Server member) {
    return ConntrackAction.inZone(factory, traffic.zone())
        .commit()
        .translate(
            Nat.destination(
                AddressKey.toAddress(member.address()), ReplyRules.portOf(traffic, member)))
        .setMark(new Mark(member.number()))
        .continueIn(FlowLayout.REQUESTS);
  }

  /**
   * Sends the first packets of connections to the controller, before they meet their buckets. The
   * rule ends by itself, so that buckets place them if the controller is lost.
   */
  public static OFFlowAdd opening(OFFactory factory, BucketTraffic traffic, int seconds) {
    return openingKey(factory, traffic)
        .add(factory, openingCookie(traffic), SwitchRules.toController(factory))
        .setHardTimeout(seconds)
        .build();
  }

  /** Leaves the first packets of connections to their buckets. */
  public static OFMessage endOpening(OFFactory factory, BucketTraffic traffic) {
    return openingKey(factory, traffic).delete(factory, openingCookie(traffic));
  }

  private static RuleKey openingKey(OFFactory factory, BucketTraffic traffic) {
    Match.Builder match = BucketRules.requests(factory, traffic);
    openingOnly(factory, traffic, match);
    return new RuleKey(FlowLayout.REQUESTS, FlowLayout.PRIORITY_OPENING, match.build());
  }

  private static U64 openingCookie(BucketTraffic traffic) {
    return Cookie.of(CookieKind.PROACTIVE, traffic.vipNumber(), 0, OPENING);
  }

  /** Whether a rule sends the first packets of connections to the controller. */
  public static boolean isOpening(U64 cookie) {
    return Cookie.is(cookie, CookieKind.PROACTIVE)
        && Cookie.memberNumber(cookie) == 0
        && Cookie.generation(cookie) == OPENING;
  }

  /** Opens the connection of a packet that came to the controller, and sends the packet on. */
  public static OFMessage open(
      OFFactory factory, BucketTraffic traffic, Server member, OFPort inPort, byte[] frame) {
    return PacketOuts.of(
        factory,
        inPort,
        frame,
        List.of(UncommittedRule.tries(factory), commitTo(factory, traffic, member)));
  }

  private static ConntrackAction lookUp(OFFactory factory, int zone, TableId next) {
    return ConntrackAction.inZone(factory, zone).translate(Nat.EXISTING).continueIn(next);
  }

  private static List<OFInstruction> apply(OFFactory factory, OFAction... actions) {
    return List.of(factory.instructions().applyActions(List.of(actions)));
  }

  /** Restricts a match to the first packets of connections. */
  static void openingOnly(OFFactory factory, BucketTraffic traffic, Match.Builder match) {
    ConntrackMatch.beginning(match);
    if (traffic.isTcp()) {
      // the controller answers packets from the middle of connections that the switch has lost
      match.setMasked(
          SwitchRules.tcpFlagsField(factory),
          U16.of(Packet.TCP_SYN),
          U16.of(Packet.TCP_SYN | Packet.TCP_ACK));
    }
  }

  /**
   * Leads the packets of connections to a member. If that is lost, the controller gets them as they
   * came, and ends TCP connections; it forwards datagrams to another member.
   */
  public static OFFlowAdd toMember(
      SwitchTables tables, BucketTraffic traffic, TrackedMember tracked) {
    OFFactory factory = tables.factory();
    @Nullable Onward next = tracked.next();
    return ofMember(
        factory,
        traffic,
        tracked.member(),
        traffic.protocol(),
        ConntrackMatch.TRACKED,
        next == null
            ? toController(factory, traffic)
            : tables.onward(List.of(), next, traffic.vlan()));
  }

  /** Leads the ICMP errors about packets of a member to it. */
  public static OFFlowAdd errorsToMember(
      SwitchTables tables, BucketTraffic traffic, Server member, Onward next) {
    return ofMember(
        tables.factory(),
        traffic,
        member,
        traffic.family().icmpProtocol(),
        ConntrackMatch.TRACKED | ConntrackMatch.RELATED,
        tables.onward(List.of(), next, traffic.vlan()));
  }

  private static OFFlowAdd ofMember(
      OFFactory factory,
      BucketTraffic traffic,
      Server member,
      IpProtocol protocol,
      int state,
      List<OFInstruction> instructions) {
    Match.Builder match = factory.buildMatch();
    traffic
        .family()
        .protocol(protocol)
        .andThen(IpFamily.to(AddressKey.toAddress(member.address())))
        .accept(match);
    ConntrackMatch.mark(ConntrackMatch.state(match, state, 0), member.number(), MEMBER_MASK);
    return new RuleKey(FlowLayout.REQUESTS, FlowLayout.PRIORITY_TRACKED, match.build())
        .add(factory, cookie(traffic, member))
        .setInstructions(instructions)
        .build();
  }

  /**
   * Looks up the connections of the packets that ICMP errors to a VIP's address quote; the
   * controller gets those of none.
   *
   * @param vlan of the clients; 0 if their frames are untagged
   */
  public static Stream<OFFlowAdd> errors(OFFactory factory, IPAddress<?> vip, int vlan, int zone) {
    U64 cookie = Cookie.of(CookieKind.PROACTIVE, 0, 0, ReplyRules.NOT_COUNTED);
    return IpFamily.matchErrors(factory, vip).stream()
        .map(match -> IpFamily.inVlan(match, vlan))
        .flatMap(
            match ->
                Stream.of(
                    new RuleKey(
                            FlowLayout.CLASSIFY, FlowLayout.PRIORITY_TRACKED_ERRORS, match.build())
                        .add(factory, cookie)
                        .setInstructions(apply(factory, lookUp(factory, zone, FlowLayout.REQUESTS)))
                        .build(),
                    new RuleKey(FlowLayout.REQUESTS, FlowLayout.PRIORITY_TRACKED, match.build())
                        .add(factory, cookie, SwitchRules.toController(factory))
                        .build()));
  }

  /** Restricts a match to packets of the connections of a member. */
  static void ofMember(Match.Builder match, int memberNumber) {
    ConntrackMatch.mark(
        ConntrackMatch.state(match, ConntrackMatch.TRACKED, 0), memberNumber, MEMBER_MASK);
  }

  private static List<OFInstruction> toController(OFFactory factory, BucketTraffic traffic) {
    return List.of(
        factory
            .instructions()
            .applyActions(
                List.of(
                    factory.actions().setField(IpFamily.newDestination(factory, traffic.address())),
                    factory
                        .actions()
                        .setField(BucketRules.newDstPort(factory, traffic, traffic.port())),
                    SwitchRules.output(factory, OFPort.CONTROLLER))));
  }

  /**
   * Translates the replies of a member where their path ends, before they are delivered. Those of
   * no known connection do not reach its client, which would reset it.
   */
  public static List<OFFlowAdd> replies(OFFactory factory, BucketTraffic traffic, Server member) {
    Match.Builder match = ReplyRules.fromService(factory.buildMatch(), traffic, member);
    Match.Builder untracked =
        ConntrackMatch.untracked(ReplyRules.fromService(factory.buildMatch(), traffic, member));
    return List.of(
        new RuleKey(FlowLayout.HOSTS, FlowLayout.PRIORITY_TRACKED_REPLY, untracked.build())
            .add(factory, cookie(traffic, member))
            .setInstructions(apply(factory, lookUp(factory, traffic.zone(), FlowLayout.HOSTS)))
            .build(),
        new RuleKey(FlowLayout.HOSTS, FlowLayout.PRIORITY_UNTRANSLATED_REPLY, match.build())
            .add(factory, cookie(traffic, member))
            .build());
  }

  private static U64 cookie(BucketTraffic traffic, Server member) {
    return Cookie.of(
        CookieKind.PROACTIVE, traffic.vipNumber(), member.number(), ReplyRules.NOT_COUNTED);
  }

  /** Says of whose VIP replies are, for the rules of next hops in table 1. */
  static OFInstruction write(OFFactory factory, BucketTraffic traffic) {
    return factory.instructions().writeMetadata(U64.of(traffic.vipNumber()), U64.NO_MASK);
  }

  /** Restricts a match to the replies of a VIP's members. */
  static Match.Builder repliesOnly(Match.Builder match, BucketTraffic traffic) {
    return match.setExact(MatchField.METADATA, OFMetadata.ofRaw(traffic.vipNumber()));
  }
}
