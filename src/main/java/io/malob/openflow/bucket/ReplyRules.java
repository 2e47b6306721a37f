package io.malob.openflow.bucket;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.FoundRules;
import io.malob.openflow.IpFamily;
import io.malob.openflow.Onward;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.packet.Packet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.ArpOpcode;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U64;

/**
 * The rules of a proactive VIP at its members' edges, and the answers to the ARP requests of its
 * IPv4 clients. Pure.
 *
 * <p>Table 0 gives the replies of a member's port the VIP's address. Table 1, which they then share
 * with requests, labels them by the next hop that the member has addressed them to. The controller
 * gets the replies to unknown next hops. In one table, each rule translates the replies of one
 * member to one next hop. Those of a tracked VIP are {@link TrackedReplies}.
 */
public final class ReplyRules {
  private ReplyRules() {}

  /** What the rules of replies differ in. */
  public enum Counted {
    /** All replies. */
    ALL(0, 0, 0),
    /** SYN-ACKs, whose number is about that of accepted connections. */
    OPENED(1, Packet.TCP_SYN | Packet.TCP_ACK, Packet.TCP_SYN | Packet.TCP_ACK),
    /** FINs of the member: about the number of connections that have ended regularly. */
    FINISHED(2, Packet.TCP_FIN, Packet.TCP_FIN),
    /** RSTs of the member. */
    RESET(3, Packet.TCP_RST, Packet.TCP_RST);

    /** Those that count replies with some flags. */
    public static final ImmutableList<Counted> OF_FLAGS = ImmutableList.of(OPENED, FINISHED, RESET);

    private final int code;
    private final int flags;
    private final int mask;

    Counted(int code, int flags, int mask) {
      this.code = code;
      this.flags = flags;
      this.mask = mask;
    }

    int code() {
      return code;
    }

    int priority() {
      return this == ALL ? FlowLayout.PRIORITY_MEMBER_REPLY : FlowLayout.PRIORITY_COUNTED_REPLY;
    }

    void restrict(OFFactory factory, Match.Builder match) {
      if (this != ALL) {
        match.setMasked(SwitchRules.tcpFlagsField(factory), U16.of(flags), U16.of(mask));
      }
    }
  }

  /** The lowest bits of the cookies of all other rules here. */
  static final int NOT_COUNTED = 4;

  /** Gives the replies of a member the address and the port of the VIP. */
  public static OFFlowAdd translate(
      OFFactory factory, BucketTraffic traffic, Server member, Counted counted) {
    Match.Builder match = replies(factory, traffic, member);
    counted.restrict(factory, match);
    return ofMember(
        factory,
        counted.priority(),
        traffic,
        member,
        counted.code,
        match,
        List.of(
            factory.instructions().applyActions(untagged(factory, traffic, member)),
            factory.instructions().gotoTable(FlowLayout.REQUESTS)));
  }

  private static List<OFAction> untagged(OFFactory factory, BucketTraffic traffic, Server member) {
    List<OFAction> actions = translation(factory, traffic, member);
    if (member.at().vlan() != 0) {
      actions.add(0, factory.actions().popVlan());
    }
    return actions;
  }

  private static List<OFAction> translation(
      OFFactory factory, BucketTraffic traffic, Server member) {
    List<OFAction> actions = new ArrayList<>();
    actions.add(factory.actions().setField(IpFamily.newSource(factory, traffic.address())));
    if (portOf(traffic, member) != traffic.port()) {
      TransportPort port = TransportPort.of(traffic.port());
      actions.add(
          factory
              .actions()
              .setField(
                  traffic.isTcp() ? factory.oxms().tcpSrc(port) : factory.oxms().udpSrc(port)));
    }
    return actions;
  }

  /** In one table: the same for the replies to a known next hop, which it also sends on. */
  public static OFFlowAdd translateTo(
      SwitchTables tables, BucketTraffic traffic, Server member, Onward next) {
    OFFactory factory = tables.factory();
    Match.Builder match =
        replies(factory, traffic, member).setExact(MatchField.ETH_DST, next.receiver().mac());
    return ofMember(
        factory,
        FlowLayout.PRIORITY_ONE_TABLE_CLIENT,
        traffic,
        member,
        NOT_COUNTED,
        match,
        tables.onward(
            translation(factory, traffic, member),
            next.from(member.at().port()),
            member.at().vlan()));
  }

  /** In one table: the controller gets the replies to other next hops, translated. */
  public static OFFlowAdd translateToController(
      OFFactory factory, BucketTraffic traffic, Server member) {
    List<OFAction> actions = translation(factory, traffic, member);
    actions.add(SwitchRules.output(factory, OFPort.CONTROLLER));
    return ofMember(
        factory,
        FlowLayout.PRIORITY_MEMBER_REPLY,
        traffic,
        member,
        NOT_COUNTED,
        replies(factory, traffic, member),
        List.of(factory.instructions().applyActions(actions)));
  }

  private static OFFlowAdd ofMember(
      OFFactory factory,
      int priority,
      BucketTraffic traffic,
      Server member,
      int code,
      Match.Builder match,
      List<OFInstruction> instructions) {
    return new RuleKey(FlowLayout.CLASSIFY, priority, match.build())
        .add(factory, cookie(traffic, member.number(), code))
        .setInstructions(instructions)
        .build();
  }

  static U64 cookie(BucketTraffic traffic, int memberNumber, int code) {
    return Cookie.of(CookieKind.PROACTIVE, traffic.vipNumber(), memberNumber, code);
  }

  /** Keeps a member's answers to health checks, which come from the VIP's address, untranslated. */
  public static OFFlowAdd probeAnswers(OFFactory factory, BucketTraffic traffic, Server member) {
    Match.Builder match = replies(factory, traffic, member);
    IpFamily.to(traffic.address()).accept(match);
    return ofMember(
        factory,
        FlowLayout.PRIORITY_PROBE_ANSWER,
        traffic,
        member,
        NOT_COUNTED,
        match,
        List.of(SwitchRules.toController(factory)));
  }

  /**
   * Labels the translated replies that a member has addressed to a next hop.
   *
   * @param next where they leave the switch
   */
  public static OFFlowAdd toNextHop(SwitchTables tables, BucketTraffic traffic, Onward next) {
    Match.Builder match = translated(tables, traffic, next);
    return toNextHop(tables, FlowLayout.PRIORITY_CLIENT, traffic, match, next);
  }

  /** The same for replies that come in at the port where the path to the next hop begins. */
  public static OFFlowAdd toNextHopFrom(
      SwitchTables tables, BucketTraffic traffic, Onward next, OFPort in) {
    Match.Builder match = translated(tables, traffic, next).setExact(MatchField.IN_PORT, in);
    return toNextHop(tables, FlowLayout.PRIORITY_CLIENT_BACK, traffic, match, next.from(in));
  }

  private static OFFlowAdd toNextHop(
      SwitchTables tables, int priority, BucketTraffic traffic, Match.Builder match, Onward next) {
    return new RuleKey(FlowLayout.REQUESTS, priority, match.build())
        .add(tables.factory(), cookie(traffic, 0, NOT_COUNTED))
        .setInstructions(tables.onward(List.of(), next, 0))
        .build();
  }

  private static Match.Builder translated(SwitchTables tables, BucketTraffic traffic, Onward next) {
    Match.Builder match =
        tables.factory().buildMatch().setExact(MatchField.ETH_DST, next.receiver().mac());
    traffic
        .family()
        .protocol(traffic.protocol())
        .andThen(IpFamily.from(traffic.address()))
        .accept(match);
    return match.setExact(BucketRules.srcPort(traffic), TransportPort.of(traffic.port()));
  }

  /**
   * Answers a client's ARP requests for the VIP's address on the client's own switch; the answer
   * keeps the tag of the request.
   *
   * @param vip the VIP's IPv4 address
   * @param client the client's address
   */
  public static OFFlowAdd arpAnswer(
      OFFactory factory, int vip, MacAddress vipMac, int client, Attachment at) {
    List<OFAction> actions = new ArrayList<>();
    actions.add(factory.actions().setField(factory.oxms().ethSrc(vipMac)));
    actions.add(factory.actions().setField(factory.oxms().ethDst(at.mac())));
    actions.add(factory.actions().setField(factory.oxms().arpOp(ArpOpcode.REPLY)));
    actions.add(factory.actions().setField(factory.oxms().arpSha(vipMac)));
    actions.add(factory.actions().setField(factory.oxms().arpSpa(IPv4Address.of(vip))));
    actions.add(factory.actions().setField(factory.oxms().arpTha(at.mac())));
    actions.add(factory.actions().setField(factory.oxms().arpTpa(IPv4Address.of(client))));
    actions.add(SwitchRules.output(factory, OFPort.IN_PORT));
    Match.Builder match =
        IpFamily.inVlan(factory.buildMatch(), at.vlan())
            .setExact(MatchField.IN_PORT, at.port())
            .setExact(MatchField.ETH_TYPE, EthType.ARP)
            .setExact(MatchField.ARP_OP, ArpOpcode.REQUEST)
            .setExact(MatchField.ARP_SPA, IPv4Address.of(client))
            .setExact(MatchField.ARP_TPA, IPv4Address.of(vip));
    return new RuleKey(FlowLayout.CLASSIFY, FlowLayout.PRIORITY_VIP_ARP, match.build())
        .add(
            factory,
            Cookie.of(CookieKind.PROACTIVE, 0, 0, NOT_COUNTED),
            factory.instructions().applyActions(actions))
        .build();
  }

  /**
   * A host that asks for a VIP's MAC address, as its ARP rule names it.
   *
   * @param vip the VIP's address
   * @param client the client's address
   * @param port its port
   * @param mac its MAC address
   * @param vlan its VLAN; 0 if its frames are untagged
   */
  public record FoundClient(int vip, int client, OFPort port, MacAddress mac, int vlan) {
    /** Where it is. */
    public Attachment at(DatapathId switchId) {
      return new Attachment(switchId, port, mac, vlan);
    }
  }

  /** The client that a rule answers ARP requests of; empty if it is another rule. */
  public static Optional<FoundClient> clientOf(OFFlowStatsEntry rule) {
    Match match = rule.getMatch();
    if (rule.getPriority() != FlowLayout.PRIORITY_VIP_ARP
        || !match.isExact(MatchField.ARP_SPA)
        || !match.isExact(MatchField.IN_PORT)) {
      return Optional.empty();
    }
    return FoundRules.newDestination(rule)
        .map(
            mac ->
                new FoundClient(
                    match.get(MatchField.ARP_TPA).getInt(),
                    match.get(MatchField.ARP_SPA).getInt(),
                    match.get(MatchField.IN_PORT),
                    mac,
                    match.isExact(MatchField.VLAN_VID)
                        ? match.get(MatchField.VLAN_VID).getVlan()
                        : 0));
  }

  /** Asks for the counters of the rules of members' replies to a VIP's clients. */
  public static OFFlowStatsRequest requestCounters(OFFactory factory, int vipNumber) {
    return BucketRules.requestCounters(
        factory, FlowLayout.CLASSIFY, CookieKind.PROACTIVE, vipNumber);
  }

  /** What a rule of a member's replies counts; empty for the other rules. */
  public static Optional<Counted> countedBy(U64 cookie) {
    int code = Cookie.generation(cookie);
    return Cookie.is(cookie, CookieKind.PROACTIVE)
            && Cookie.memberNumber(cookie) != 0
            && code < NOT_COUNTED
        ? Optional.of(Counted.values()[code])
        : Optional.empty();
  }

  /** Matches what comes from the service port of a member. */
  static Match.Builder replies(OFFactory factory, BucketTraffic traffic, Server member) {
    return fromService(IpFamily.inVlan(factory.buildMatch(), member.at().vlan()), traffic, member);
  }

  /** Restricts a match to what comes from the service port of a member. */
  static Match.Builder fromService(Match.Builder match, BucketTraffic traffic, Server member) {
    traffic
        .family()
        .protocol(traffic.protocol())
        .andThen(IpFamily.from(AddressKey.toAddress(member.address())))
        .accept(match);
    return match.setExact(BucketRules.srcPort(traffic), TransportPort.of(portOf(traffic, member)));
  }

  /** Restricts a match to what goes to the service port of a member. */
  static Match.Builder toService(Match.Builder match, BucketTraffic traffic, Server member) {
    traffic
        .family()
        .protocol(traffic.protocol())
        .andThen(IpFamily.to(AddressKey.toAddress(member.address())))
        .accept(match);
    return match.setExact(BucketRules.dstPort(traffic), TransportPort.of(portOf(traffic, member)));
  }

  static int portOf(BucketTraffic traffic, Server member) {
    return member.port() == 0 ? traffic.port() : member.port();
  }
}
