package io.malob.openflow.bucket;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Server;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.IpFamily;
import io.malob.openflow.Onward;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.ConntrackMatch;
import io.malob.openflow.tracked.Nat;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
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
 * Members' edges label replies without translating them ({@link TrackedReplies}); the client's edge
 * does that in table 3.
 */
public final class TrackedRules {
  private TrackedRules() {}

  /** Looks a request up: if it is of an open connection, it has the member's address then. */
  static List<OFInstruction> lookUp(OFFactory factory, BucketTraffic traffic) {
    return List.of(
        factory
            .instructions()
            .applyActions(
                List.of(
                    RequestMetadata.lookedUp(factory, traffic),
                    ConntrackAction.inZone(factory, traffic.zone())
                        .translate(Nat.EXISTING)
                        .continueIn(FlowLayout.REQUESTS))));
  }

  /**
   * Opens a connection to a member.
   *
   * @param replyPath the ordinal of the path of its replies; 0 if any will do
   */
  static List<OFInstruction> commit(
      OFFactory factory, BucketTraffic traffic, Server member, int replyPath) {
    return List.of(
        factory.instructions().applyActions(commitActions(factory, traffic, member, replyPath)));
  }

  /** The same as actions. */
  static List<OFAction> commitActions(
      OFFactory factory, BucketTraffic traffic, Server member, int replyPath) {
    ConntrackAction commit =
        ConntrackAction.inZone(factory, traffic.zone())
            .commit()
            .translate(
                Nat.destination(
                    AddressKey.toAddress(member.address()), ReplyRules.portOf(traffic, member)))
            .setMark(TrackedMark.of(member.number(), traffic.translatesSource() ? 0 : replyPath))
            .continueIn(FlowLayout.REQUESTS);
    return List.of(
        RequestMetadata.committed(factory, traffic),
        traffic.translatesSource() ? commit.keepSender() : commit);
  }

  static List<OFInstruction> lookUp(OFFactory factory, int zone, TableId next) {
    return List.of(
        factory
            .instructions()
            .applyActions(
                List.of(
                    ConntrackAction.inZone(factory, zone)
                        .translate(Nat.EXISTING)
                        .continueIn(next))));
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
   * Leads the packets of connections to a member, or has their source translated before ({@link
   * SourceRules}). Those to another switch say the path of their replies. If the member is lost,
   * the controller gets them as they came, and ends TCP connections; it forwards datagrams to
   * another member.
   */
  public static List<OFFlowAdd> toMember(
      SwitchTables tables, BucketTraffic traffic, TrackedMember tracked) {
    OFFactory factory = tables.factory();
    Server member = tracked.member();
    @Nullable Onward next = tracked.next();
    @Nullable IPAddress<?> source = tracked.source();
    if (next == null || source != null) {
      return List.of(
          toMember(
              factory,
              traffic,
              member,
              FlowLayout.PRIORITY_TRACKED,
              TrackedMark.match(
                  connections(factory, traffic, traffic.protocol(), member), member.number()),
              next == null || source == null
                  ? toController(factory, traffic)
                  : SourceRules.translate(factory, traffic, member, source)));
    }
    return FragmentRules.protocols(traffic)
        .flatMap(protocol -> toMember(tables, traffic, protocol, member, next).stream())
        .toList();
  }

  private static List<OFFlowAdd> toMember(
      SwitchTables tables, BucketTraffic traffic, IpProtocol protocol, Server member, Onward next) {
    OFFactory factory = tables.factory();
    List<OFFlowAdd> rules = new ArrayList<>();
    if (next.label() != null) {
      for (int path = 2; path <= TrackedMark.MAX_PATHS; path++) {
        rules.add(
            toMember(
                factory,
                traffic,
                member,
                FlowLayout.PRIORITY_TRACKED_PATH,
                TrackedMark.match(
                    connections(factory, traffic, protocol, member), member.number(), path),
                tables.onward(List.of(), next.answeredBy(path), traffic.vlan())));
      }
    }
    if (next.label() == null && traffic.isTcp()) {
      rules.add(openHere(tables, traffic, member, next));
    }
    Onward first = next.label() == null ? next : next.answeredBy(1);
    rules.add(
        toMember(
            factory,
            traffic,
            member,
            FlowLayout.PRIORITY_TRACKED,
            TrackedMark.match(connections(factory, traffic, protocol, member), member.number()),
            tables.onward(List.of(), first, traffic.vlan())));
    return rules;
  }

  /**
   * The first packets of connections to a member of this switch: remembered as at members' edges,
   * so that their answers are not taken for those of connections to the member itself.
   */
  private static OFFlowAdd openHere(
      SwitchTables tables, BucketTraffic traffic, Server member, Onward next) {
    OFFactory factory = tables.factory();
    Match.Builder match =
        TrackedMark.match(
                connections(factory, traffic, traffic.protocol(), member), member.number())
            .setMasked(
                SwitchRules.tcpFlagsField(factory),
                U16.of(Packet.TCP_SYN),
                U16.of(Packet.TCP_SYN | Packet.TCP_ACK));
    ConntrackAction commit =
        ConntrackAction.inZone(factory, traffic.memberZone())
            .commit()
            .setMark(TrackedMark.of(member.number(), /* replyPath= */ 0));
    return toMember(
        factory,
        traffic,
        member,
        FlowLayout.PRIORITY_TRACKED_PATH,
        match,
        tables.onward(List.of(commit), next, traffic.vlan()));
  }

  private static Match.Builder connections(
      OFFactory factory, BucketTraffic traffic, IpProtocol protocol, Server member) {
    Match.Builder match = factory.buildMatch();
    traffic
        .family()
        .protocol(protocol)
        .andThen(IpFamily.to(AddressKey.toAddress(member.address())))
        .accept(match);
    return ConntrackMatch.state(match, ConntrackMatch.TRACKED, 0);
  }

  private static OFFlowAdd toMember(
      OFFactory factory,
      BucketTraffic traffic,
      Server member,
      int priority,
      Match.Builder match,
      List<OFInstruction> instructions) {
    return new RuleKey(FlowLayout.REQUESTS, priority, match.build())
        .add(factory, cookie(traffic, member))
        .setInstructions(instructions)
        .build();
  }

  /**
   * Sends the packets of connections whose member has no rule to the controller, like those of lost
   * members: the switch still knows them from a VIP that had this address and port before.
   */
  public static OFFlowAdd toUnknownMembers(OFFactory factory, BucketTraffic traffic) {
    Match.Builder match = factory.buildMatch();
    traffic.family().protocol(traffic.protocol()).accept(match);
    RequestMetadata.match(match, traffic);
    return new RuleKey(
            FlowLayout.REQUESTS,
            FlowLayout.PRIORITY_UNKNOWN_MEMBER,
            ConntrackMatch.state(
                    match, ConntrackMatch.TRACKED | ConntrackMatch.DESTINATION_TRANSLATED, 0)
                .build())
        .add(factory, ReplyRules.cookie(traffic, 0, ReplyRules.NOT_COUNTED))
        .setInstructions(toController(factory, traffic))
        .build();
  }

  /** To the controller, with the destination that the client has sent to. */
  static List<OFInstruction> toController(OFFactory factory, BucketTraffic traffic) {
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
   * no known connection would be reset by its client: the controller delivers them.
   */
  public static List<OFFlowAdd> replies(OFFactory factory, BucketTraffic traffic, Server member) {
    Match.Builder match = ReplyRules.fromService(factory.buildMatch(), traffic, member);
    Match.Builder untracked =
        ConntrackMatch.untracked(ReplyRules.fromService(factory.buildMatch(), traffic, member));
    return List.of(
        new RuleKey(FlowLayout.HOSTS, FlowLayout.PRIORITY_TRACKED_REPLY, untracked.build())
            .add(factory, cookie(traffic, member))
            .setInstructions(lookUp(factory, traffic.zone(), FlowLayout.HOSTS))
            .build(),
        new RuleKey(FlowLayout.HOSTS, FlowLayout.PRIORITY_UNTRANSLATED_REPLY, match.build())
            .add(factory, cookie(traffic, member), SwitchRules.toController(factory))
            .build());
  }

  static U64 cookie(BucketTraffic traffic, Server member) {
    return ReplyRules.cookie(traffic, member.number(), ReplyRules.NOT_COUNTED);
  }
}
