package io.malob.openflow.bucket;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.openflow.Cookie;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.FoundRules;
import io.malob.openflow.IpFamily;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
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
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U64;

/**
 * The rules of a proactive VIP at its members' edges, and the answers to the ARP requests of its
 * IPv4 clients. Pure.
 *
 * <p>Table 0 gives the replies of a member's port the VIP's address. Table 1, which they then share
 * with requests, labels them by their client. The controller gets the replies to unknown clients.
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
    return factory
        .buildFlowAdd()
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(
            counted == Counted.ALL
                ? FlowLayout.PRIORITY_MEMBER_REPLY
                : FlowLayout.PRIORITY_COUNTED_REPLY)
        .setCookie(
            Cookie.of(Cookie.Kind.PROACTIVE, traffic.vipNumber(), member.number(), counted.code))
        .setMatch(match.build())
        .setInstructions(
            List.of(
                factory.instructions().applyActions(actions),
                factory.instructions().gotoTable(FlowLayout.REQUESTS)))
        .build();
  }

  /** Keeps a member's answers to health checks, which come from the VIP's address, untranslated. */
  public static OFFlowAdd probeAnswers(OFFactory factory, BucketTraffic traffic, Server member) {
    Match.Builder match = replies(factory, traffic, member);
    IpFamily.to(traffic.address()).accept(match);
    return rule(factory, FlowLayout.CLASSIFY, FlowLayout.PRIORITY_PROBE_ANSWER, traffic)
        .setCookie(
            Cookie.of(Cookie.Kind.PROACTIVE, traffic.vipNumber(), member.number(), NOT_COUNTED))
        .setMatch(match.build())
        .setInstructions(List.of(SwitchRules.toController(factory)))
        .build();
  }

  /**
   * Labels the replies to a client.
   *
   * @param label the label of the path to the client's edge; null if the client is on this switch
   */
  public static OFFlowAdd toClient(
      OFFactory factory, BucketTraffic traffic, IPAddress<?> client, @Nullable Label label) {
    return rule(factory, FlowLayout.REQUESTS, FlowLayout.PRIORITY_CLIENT, traffic)
        .setMatch(
            IpFamily.matchBetween(factory, traffic.protocol(), traffic.address(), client)
                .setExact(BucketRules.srcPort(traffic), TransportPort.of(traffic.port()))
                .build())
        .setInstructions(BucketRules.onward(factory, List.of(), label))
        .build();
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
    actions.add(factory.actions().output(OFPort.IN_PORT, Integer.MAX_VALUE));
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

  private static OFFlowAdd.Builder rule(
      OFFactory factory, TableId table, int priority, BucketTraffic traffic) {
    return factory
        .buildFlowAdd()
        .setTableId(table)
        .setPriority(priority)
        .setCookie(Cookie.of(Cookie.Kind.PROACTIVE, traffic.vipNumber(), 0, NOT_COUNTED));
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
