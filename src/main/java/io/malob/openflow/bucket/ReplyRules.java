package io.malob.openflow.bucket;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.openflow.Cookie;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.FoundRules;
import io.malob.openflow.IpFamily;
import io.malob.openflow.Onward;
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
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.ArpOpcode;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPAddress;
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
 * with requests, labels them by their client. The controller gets the replies to unknown clients.
 * In one table, each rule translates the replies of one member to one client.
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

    private final int code;
    private final int flags;
    private final int mask;

    Counted(int code, int flags, int mask) {
      this.code = code;
      this.flags = flags;
      this.mask = mask;
    }
  }

  /** The lowest bits of the cookies of all other rules here. */
  static final int NOT_COUNTED = 4;

  /** Gives the replies of a member the address and the port of the VIP. */
  public static OFFlowAdd translate(
      OFFactory factory, BucketTraffic traffic, Server member, Counted counted) {
    Match.Builder match = replies(factory, traffic, member);
    if (counted != Counted.ALL) {
      match.setMasked(
          SwitchRules.tcpFlagsField(factory), U16.of(counted.flags), U16.of(counted.mask));
    }
    int priority =
        counted == Counted.ALL
            ? FlowLayout.PRIORITY_MEMBER_REPLY
            : FlowLayout.PRIORITY_COUNTED_REPLY;
    return ofMember(factory, priority, traffic, member, counted.code)
        .setMatch(match.build())
        .setInstructions(
            List.of(
                factory.instructions().applyActions(translation(factory, traffic, member)),
                factory.instructions().gotoTable(FlowLayout.REQUESTS)))
        .build();
  }

  private static List<OFAction> translation(
      OFFactory factory, BucketTraffic traffic, Server member) {
    List<OFAction> actions = new ArrayList<>();
    actions.add(factory.actions().setField(factory.oxms().ethSrc(traffic.mac())));
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

  /** In one table: the same for the replies to a known client, which it also sends on. */
  public static OFFlowAdd translateTo(
      SwitchTables tables, BucketTraffic traffic, Server member, IPAddress<?> client, Onward next) {
    OFFactory factory = tables.factory();
    Match.Builder match = replies(factory, traffic, member);
    IpFamily.to(client).accept(match);
    int priority = FlowLayout.PRIORITY_ONE_TABLE_CLIENT;
    return ofMember(factory, priority, traffic, member, NOT_COUNTED)
        .setMatch(match.build())
        .setInstructions(
            tables.onward(translation(factory, traffic, member), next.from(member.at().port())))
        .build();
  }

  /** In one table: the controller gets the replies to other clients, translated. */
  public static OFFlowAdd translateToController(
      OFFactory factory, BucketTraffic traffic, Server member) {
    List<OFAction> actions = translation(factory, traffic, member);
    actions.add(SwitchRules.output(factory, OFPort.CONTROLLER));
    return ofMember(factory, FlowLayout.PRIORITY_MEMBER_REPLY, traffic, member, NOT_COUNTED)
        .setMatch(replies(factory, traffic, member).build())
        .setInstructions(List.of(factory.instructions().applyActions(actions)))
        .build();
  }

  private static OFFlowAdd.Builder ofMember(
      OFFactory factory, int priority, BucketTraffic traffic, Server member, int code) {
    return factory
        .buildFlowAdd()
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(priority)
        .setCookie(Cookie.of(Cookie.Kind.PROACTIVE, traffic.vipNumber(), member.number(), code));
  }

  /** Keeps a member's answers to health checks, which come from the VIP's address, untranslated. */
  public static OFFlowAdd probeAnswers(OFFactory factory, BucketTraffic traffic, Server member) {
    Match.Builder match = replies(factory, traffic, member);
    IpFamily.to(traffic.address()).accept(match);
    return ofMember(factory, FlowLayout.PRIORITY_PROBE_ANSWER, traffic, member, NOT_COUNTED)
        .setMatch(match.build())
        .setInstructions(List.of(SwitchRules.toController(factory)))
        .build();
  }

  /**
   * Labels the translated replies to a client.
   *
   * @param next where they leave the switch
   */
  public static OFFlowAdd toClient(
      SwitchTables tables, BucketTraffic traffic, IPAddress<?> client, Onward next) {
    return toClient(
        tables, FlowLayout.PRIORITY_CLIENT, traffic, translated(tables, traffic, client), next);
  }

  /** The same for replies that come in at the port where the path to the client begins. */
  public static OFFlowAdd toClientFrom(
      SwitchTables tables, BucketTraffic traffic, IPAddress<?> client, Onward next, OFPort in) {
    Match.Builder match = translated(tables, traffic, client).setExact(MatchField.IN_PORT, in);
    return toClient(tables, FlowLayout.PRIORITY_CLIENT_BACK, traffic, match, next.from(in));
  }

  private static OFFlowAdd toClient(
      SwitchTables tables, int priority, BucketTraffic traffic, Match.Builder match, Onward next) {
    return tables
        .factory()
        .buildFlowAdd()
        .setTableId(FlowLayout.REQUESTS)
        .setPriority(priority)
        .setCookie(Cookie.of(Cookie.Kind.PROACTIVE, traffic.vipNumber(), 0, NOT_COUNTED))
        .setMatch(match.build())
        .setInstructions(tables.onward(List.of(), next))
        .build();
  }

  private static Match.Builder translated(
      SwitchTables tables, BucketTraffic traffic, IPAddress<?> client) {
    return IpFamily.matchBetween(tables.factory(), traffic.protocol(), traffic.address(), client)
        .setExact(BucketRules.srcPort(traffic), TransportPort.of(traffic.port()));
  }

  /**
   * Answers a client's ARP requests for the VIP's address on the client's own switch.
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
    return factory
        .buildFlowAdd()
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(FlowLayout.PRIORITY_VIP_ARP)
        .setCookie(Cookie.of(Cookie.Kind.PROACTIVE, 0, 0, NOT_COUNTED))
        .setMatch(
            factory
                .buildMatch()
                .setExact(MatchField.IN_PORT, at.port())
                .setExact(MatchField.ETH_TYPE, EthType.ARP)
                .setExact(MatchField.ARP_OP, ArpOpcode.REQUEST)
                .setExact(MatchField.ARP_SPA, IPv4Address.of(client))
                .setExact(MatchField.ARP_TPA, IPv4Address.of(vip))
                .build())
        .setInstructions(List.of(factory.instructions().applyActions(actions)))
        .build();
  }

  /**
   * A client of a VIP, as its ARP rule names it.
   *
   * @param vip the VIP's address
   * @param client the client's address
   * @param port its port
   * @param mac its MAC address
   */
  public record FoundClient(int vip, int client, OFPort port, MacAddress mac) {
    /** Where it is. */
    public Attachment at(DatapathId switchId) {
      return new Attachment(switchId, port, mac);
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
                    mac));
  }

  /** Asks for the counters of the rules of members' replies to a VIP's clients. */
  public static OFFlowStatsRequest requestCounters(OFFactory factory, int vipNumber) {
    return BucketRules.requestCounters(
        factory, FlowLayout.CLASSIFY, Cookie.Kind.PROACTIVE, vipNumber);
  }

  /** What a rule of a member's replies counts; empty for the other rules. */
  public static Optional<Counted> countedBy(U64 cookie) {
    int code = Cookie.generation(cookie);
    return Cookie.is(cookie, Cookie.Kind.PROACTIVE)
            && Cookie.memberNumber(cookie) != 0
            && code < NOT_COUNTED
        ? Optional.of(Counted.values()[code])
        : Optional.empty();
  }

  private static Match.Builder replies(OFFactory factory, BucketTraffic traffic, Server member) {
    Match.Builder match = factory.buildMatch();
    traffic
        .family()
        .protocol(traffic.protocol())
        .andThen(IpFamily.from(AddressKey.toAddress(member.address())))
        .accept(match);
    return match.setExact(BucketRules.srcPort(traffic), TransportPort.of(portOf(traffic, member)));
  }

  private static int portOf(BucketTraffic traffic, Server member) {
    return member.port() == 0 ? traffic.port() : member.port();
  }
}
