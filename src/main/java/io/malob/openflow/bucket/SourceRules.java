package io.malob.openflow.bucket;

import static io.malob.openflow.bucket.ReplyRules.NOT_COUNTED;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import io.malob.openflow.Onward;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.ConntrackMatch;
import io.malob.openflow.tracked.Nat;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * The rules by which members see an address of the client's edge, its <em>source address</em>,
 * instead of the client's ({@code source_nat} of a pool). Their replies come back to this edge on
 * any route. Pure.
 *
 * <p>The rule of a member sends its packets through a second zone, which translates their source,
 * before another one leads them on their path. Members' edges lead replies to the edge by its
 * source address. There, table 3 has both zones translate them, the second one first, and table 1
 * finds their next hop by the sender of the first packet, which the bucket has kept.
 */
public final class SourceRules {
  /** The ports below are privileged: servers may trust them. */
  private static final int FIRST_PORT = 1_024;

  private static final int LAST_PORT = 65_535;

  /** In the marks of connections whose replies take the path to a source address. */
  private static final int NO_PATH = 0;

  /** The lowest bits of the cookies of the rules for packets without a port. */
  private static final int EXHAUSTED = 6;

  private static final U64 COOKIE = Cookie.of(CookieKind.PROACTIVE, 0, 0, NOT_COUNTED);

  private SourceRules() {}

  /**
   * The zone in which sources are translated.
   *
   * @param zone that of the connections to VIPs; the one between is that of members' edges
   */
  static int zoneBehind(int zone) {
    return zone + 2;
  }

  /** Translates the source of a member's packets; they come back to the table of requests. */
  static List<OFInstruction> translate(
      OFFactory factory, BucketTraffic traffic, Server member, IPAddress<?> source) {
    return apply(
        factory,
        ConntrackAction.inZone(factory, zoneBehind(traffic.zone()))
            .commit()
            .translate(Nat.source(source, source, FIRST_PORT, LAST_PORT))
            .setMark(TrackedMark.of(member.number(), NO_PATH))
            .continueIn(FlowLayout.REQUESTS));
  }

  /** Translates the source of ICMP errors to a member, and the packets that they quote. */
  static List<OFInstruction> translateErrors(OFFactory factory, int zone) {
    return TrackedRules.lookUp(factory, zoneBehind(zone), FlowLayout.REQUESTS);
  }

  /**
   * Leads the packets to a member on whose source was translated. Its edge remembers them, so that
   * it counts their replies.
   *
   * @param next where they leave the switch
   */
  public static OFFlowAdd toMember(
      SwitchTables tables, BucketTraffic traffic, Server member, Onward next) {
    List<OFAction> remember = new ArrayList<>();
    if (next.label() == null) {
      remember.add(
          ConntrackAction.inZone(tables.factory(), traffic.memberZone())
              .commit()
              .setMark(TrackedMark.of(member.number(), NO_PATH)));
    }
    return behind(tables.factory(), traffic, member, ConntrackMatch.SOURCE_TRANSLATED, NOT_COUNTED)
        .setInstructions(tables.onward(remember, remembered(next), traffic.vlan()))
        .build();
  }

  /** The same for ICMP errors. */
  static OFFlowAdd errorsToMember(
      SwitchTables tables, BucketTraffic traffic, Server member, Onward next) {
    Match.Builder match =
        TrackedMark.match(
            ConntrackMatch.zone(
                ConntrackMatch.state(
                    tables.factory().buildMatch(),
                    ConntrackMatch.TRACKED | ConntrackMatch.RELATED,
                    ConntrackMatch.REPLY),
                zoneBehind(traffic.zone())),
            member.number());
    traffic
        .family()
        .protocol(traffic.family().icmpProtocol())
        .andThen(IpFamily.to(AddressKey.toAddress(member.address())))
        .accept(match);
    return new RuleKey(FlowLayout.REQUESTS, FlowLayout.PRIORITY_SOURCE_TRANSLATED, match.build())
        .add(tables.factory(), TrackedRules.cookie(traffic, member))
        .setInstructions(tables.onward(List.of(), next, traffic.vlan()))
        .build();
  }

  private static Onward remembered(Onward next) {
    return next.label() == null ? next : next.answeredBy(1);
  }

  /**
   * Sends those to the controller as they came for which no port was left: the switch gives no
   * error, and leaves the source.
   */
  public static OFFlowAdd exhausted(OFFactory factory, BucketTraffic traffic, Server member) {
    return behind(factory, traffic, member, 0, EXHAUSTED)
        .setInstructions(TrackedRules.toController(factory, traffic))
        .build();
  }

  private static OFFlowAdd.Builder behind(
      OFFactory factory, BucketTraffic traffic, Server member, int set, int code) {
    int unset = ConntrackMatch.REPLY | (ConntrackMatch.SOURCE_TRANSLATED & ~set);
    Match.Builder match =
        ConntrackMatch.zone(
            ConntrackMatch.state(factory.buildMatch(), ConntrackMatch.TRACKED | set, unset),
            zoneBehind(traffic.zone()));
    traffic
        .family()
        .protocol(traffic.protocol())
        .andThen(IpFamily.to(AddressKey.toAddress(member.address())))
        .accept(match);
    match.setExact(
        BucketRules.dstPort(traffic), TransportPort.of(ReplyRules.portOf(traffic, member)));
    return new RuleKey(FlowLayout.REQUESTS, FlowLayout.PRIORITY_SOURCE_TRANSLATED, match.build())
        .add(factory, Cookie.of(CookieKind.PROACTIVE, traffic.vipNumber(), member.number(), code));
  }

  /** Whether a packet came to the controller because no port was left. */
  public static boolean isExhausted(U64 cookie) {
    return Cookie.is(cookie, CookieKind.PROACTIVE) && Cookie.generation(cookie) == EXHAUSTED;
  }

  /** Translates replies of a family further that the second zone has translated. */
  public static OFFlowAdd ofFamily(OFFactory factory, IpFamily family, int zone) {
    Match.Builder match =
        ConntrackMatch.state(
            match(factory, family), ConntrackMatch.TRACKED | ConntrackMatch.REPLY, 0);
    return rule(
        factory,
        FlowLayout.HOSTS,
        FlowLayout.PRIORITY_SOURCE,
        ConntrackMatch.zone(match, zoneBehind(zone)),
        TrackedRules.lookUp(factory, zone, FlowLayout.REQUESTS));
  }

  /**
   * Translates what comes back to a source address of the switch, also if it was looked up as a
   * member's reply; no other host has the address.
   */
  public static List<OFFlowAdd> ofAddress(OFFactory factory, IPAddress<?> source, int zone) {
    return List.of(
        rule(
            factory,
            FlowLayout.HOSTS,
            FlowLayout.PRIORITY_SOURCE,
            IpFamily.matchTo(factory, source),
            TrackedRules.lookUp(factory, zoneBehind(zone), FlowLayout.HOSTS)),
        rule(
            factory,
            FlowLayout.HOSTS,
            FlowLayout.PRIORITY_UNTRANSLATED_SOURCE,
            ConntrackMatch.zone(IpFamily.matchTo(factory, source), zoneBehind(zone)),
            List.of()));
  }

  /** Leads translated replies to a next hop of the switch, from which their requests have come. */
  public static OFFlowAdd toNextHop(
      SwitchTables tables, IpFamily family, Attachment nextHop, int zone) {
    OFFactory factory = tables.factory();
    Match.Builder match =
        ConntrackMatch.zone(
            ConntrackMatch.state(
                match(factory, family), ConntrackMatch.TRACKED | ConntrackMatch.REPLY, 0),
            zone);
    return rule(
        factory,
        FlowLayout.REQUESTS,
        FlowLayout.PRIORITY_SOURCE_BACK,
        ConntrackMatch.sender(match, nextHop.mac(), nextHop.vlan()),
        tables.onward(List.of(), Onward.to(nextHop), 0));
  }

  /**
   * At a member's edge: looks the replies of a VIP to a source address up where requests are
   * remembered, and leads them to the edge that has it.
   *
   * @param next where they leave the switch
   */
  public static List<OFFlowAdd> toEdge(
      SwitchTables tables, BucketTraffic traffic, IPAddress<?> source, Onward next) {
    OFFactory factory = tables.factory();
    Match.Builder untracked = TrackedReplies.untracked(factory, traffic);
    Match.Builder found = TrackedReplies.tracked(factory, traffic, traffic.vipNumber());
    IpFamily.to(source).accept(untracked);
    IpFamily.to(source).accept(found);
    return List.of(
        TrackedReplies.lookUp(
            factory,
            traffic,
            FlowLayout.PRIORITY_TO_SOURCE,
            untracked,
            TrackedReplies.inMemberZone(factory, traffic)),
        new RuleKey(FlowLayout.REQUESTS, FlowLayout.PRIORITY_TO_SOURCE, found.build())
            .add(factory, ReplyRules.cookie(traffic, 0, NOT_COUNTED))
            .setInstructions(tables.onward(List.of(), next, 0))
            .build());
  }

  /**
   * At any switch: leads what comes to a source address to its edge, such as ICMP errors, and
   * replies that a member's router has sent another way.
   *
   * @param vlan the VLAN of its subnet; 0 if packets there are untagged
   * @param next where it leaves the switch
   */
  public static OFFlowAdd toEdge(SwitchTables tables, IPAddress<?> source, int vlan, Onward next) {
    return new RuleKey(
            FlowLayout.CLASSIFY,
            tables.isOne()
                ? FlowLayout.PRIORITY_ONE_TABLE_SOURCE_ADDRESS
                : FlowLayout.PRIORITY_SOURCE_ADDRESS,
            IpFamily.inVlan(IpFamily.matchTo(tables.factory(), source), vlan).build())
        .add(tables.factory(), COOKIE)
        .setInstructions(tables.onward(List.of(), next, vlan))
        .build();
  }

  /** An edge as the receiver of replies. */
  public static Attachment edge(DatapathId switchId) {
    return new Attachment(switchId, OFPort.LOCAL, EdgeMac.of(switchId));
  }

  /** The source address that a switch has by a rule of an earlier run; empty for other rules. */
  public static Optional<IPAddress<?>> addressIn(OFFlowStatsEntry rule) {
    Match match = rule.getMatch();
    boolean isOfAddress =
        rule.getTableId().equals(FlowLayout.HOSTS)
            && rule.getPriority() == FlowLayout.PRIORITY_SOURCE
            && (match.isExact(MatchField.IPV4_DST) || match.isExact(MatchField.IPV6_DST));
    return isOfAddress ? Optional.of(IpFamily.destination(match)) : Optional.empty();
  }

  private static Match.Builder match(OFFactory factory, IpFamily family) {
    Match.Builder match = factory.buildMatch();
    family.any().accept(match);
    return match;
  }

  private static List<OFInstruction> apply(OFFactory factory, OFAction action) {
    return List.of(factory.instructions().applyActions(List.of(action)));
  }

  private static OFFlowAdd rule(
      OFFactory factory,
      TableId table,
      int priority,
      Match.Builder match,
      List<OFInstruction> instructions) {
    return new RuleKey(table, priority, match.build())
        .add(factory, COOKIE)
        .setInstructions(instructions)
        .build();
  }
}
