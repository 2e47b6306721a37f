package io.malob.openflow;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U64;

/** The rules that every switch has, independent of connections. Pure. */
public final class SwitchRules {
  /** Packets are sent to the controller whole: no current switch buffers them well. */
  private static final int WHOLE_PACKET = 0xffff;

  private static final U64 FIXED = Cookie.of(CookieKind.SWITCH, 0);
  private static final U64 VIP = Cookie.of(CookieKind.VIP, 0);
  private static final U16 SYN = U16.of(Packet.TCP_SYN);
  private static final U16 SYN_ACK = U16.of(Packet.TCP_SYN | Packet.TCP_ACK);
  private static final ImmutableList<U16> ENDING_FLAGS =
      ImmutableList.of(U16.of(Packet.TCP_FIN), U16.of(Packet.TCP_RST));

  private SwitchRules() {}

  /** Deletes all rules of the balancer. */
  public static List<OFMessage> removeAll(OFFactory factory) {
    return ImmutableList.of(
        CookieKind.Application.BALANCER.all().delete(factory), factory.barrierRequest());
  }

  /** Installs the fixed rules; no effect if they exist. */
  public static List<OFMessage> fixed(OFFactory factory) {
    return ImmutableList.of(
        labelled(factory),
        miss(factory, FlowLayout.REQUESTS),
        miss(factory, FlowLayout.LABELS),
        miss(factory, FlowLayout.HOSTS));
  }

  private static OFMessage labelled(OFFactory factory) {
    Match match =
        factory.buildMatch().setMasked(MatchField.ETH_DST, Label.PREFIX, Label.PREFIX_MASK).build();
    return new RuleKey(FlowLayout.CLASSIFY, FlowLayout.PRIORITY_LABELLED, match)
        .add(factory, FIXED, factory.instructions().gotoTable(FlowLayout.LABELS))
        .build();
  }

  private static OFMessage miss(OFFactory factory, TableId table) {
    return new RuleKey(table, FlowLayout.PRIORITY_MISS, factory.matchWildcardAll())
        .add(factory, FIXED, toController(factory))
        .build();
  }

  /**
   * Sends packets for a VIP address, ICMP errors among them, and neighbour messages for it to the
   * balancer.
   */
  public static List<OFMessage> addVip(OFFactory factory, VipPlace vip) {
    ImmutableList.Builder<OFMessage> rules = ImmutableList.builder();
    traffic(factory, vip)
        .map(
            rule ->
                rule.add(factory, VIP, factory.instructions().gotoTable(FlowLayout.REQUESTS))
                    .build())
        .forEach(rules::add);
    vipToController(factory, vip)
        .map(rule -> rule.add(factory, VIP, toController(factory)).build())
        .forEach(rules::add);
    return rules.build();
  }

  /** The same for all packets to an address. */
  public static List<OFMessage> addVip(OFFactory factory, IPAddress<?> address) {
    return addVip(factory, VipPlace.inAllVlans(address));
  }

  /**
   * Sends the SYN, and optionally copies of FIN and RST, of TCP connections to a VIP address to the
   * controller. A SYN goes only to the controller: a client that reuses a port at once starts a new
   * connection, although the old one's rule still exists. FIN and RST continue to the connection's
   * rule. Switches that cannot match TCP flags answer with an error.
   */
  public static List<OFMessage> addTcpFlags(OFFactory factory, VipPlace vip, boolean withEnds) {
    ImmutableList.Builder<OFMessage> rules = ImmutableList.builder();
    tcpFlagsRules(factory, vip, SYN, SYN_ACK)
        .map(rule -> rule.add(factory, VIP, toController(factory)).build())
        .forEach(rules::add);
    if (!withEnds) {
      return rules.addAll(removeEnds(factory, vip)).build();
    }
    for (U16 flag : ENDING_FLAGS) {
      tcpFlagsRules(factory, vip, flag, flag)
          .map(
              rule ->
                  rule.add(
                          factory,
                          Cookie.of(CookieKind.END, 0),
                          toController(factory),
                          factory.instructions().gotoTable(FlowLayout.REQUESTS))
                      .build())
          .forEach(rules::add);
    }
    return rules.build();
  }

  /** The same for all packets to an address. */
  public static List<OFMessage> addTcpFlags(
      OFFactory factory, IPAddress<?> address, boolean withEnds) {
    return addTcpFlags(factory, VipPlace.inAllVlans(address), withEnds);
  }

  /** Deletes these rules of a VIP address. */
  public static List<OFMessage> removeTcpFlags(OFFactory factory, VipPlace vip) {
    return Stream.concat(
            tcpFlagsRules(factory, vip, SYN, SYN_ACK).<OFMessage>map(rule -> rule.delete(factory)),
            removeEnds(factory, vip).stream())
        .toList();
  }

  private static List<OFMessage> removeEnds(OFFactory factory, VipPlace vip) {
    return ENDING_FLAGS.stream()
        .flatMap(flag -> tcpFlagsRules(factory, vip, flag, flag))
        .<OFMessage>map(rule -> rule.delete(factory))
        .toList();
  }

  private static Stream<RuleKey> tcpFlagsRules(
      OFFactory factory, VipPlace vip, U16 flags, U16 mask) {
    return rules(
        FlowLayout.PRIORITY_TCP_FLAGS,
        vip,
        () -> List.of(tcpFlags(factory, vip.address(), flags, mask)));
  }

  /** Matches the first packets of TCP connections to an address. */
  static Match.Builder beginnings(OFFactory factory, IPAddress<?> address) {
    return tcpFlags(factory, address, SYN, SYN_ACK);
  }

  private static Match.Builder tcpFlags(
      OFFactory factory, IPAddress<?> address, U16 flags, U16 mask) {
    return IpFamily.matchTo(factory, address)
        .setExact(MatchField.IP_PROTO, IpProtocol.TCP)
        .setMasked(tcpFlagsField(factory), flags, mask);
  }

  /** A field of its own since OpenFlow 1.5, an extension before. */
  public static MatchField<U16> tcpFlagsField(OFFactory factory) {
    return factory.getVersion().compareTo(OFVersion.OF_15) >= 0
        ? MatchField.TCP_FLAGS
        : MatchField.OVS_TCP_FLAGS;
  }

  /** Deletes the rules of a VIP address. */
  public static List<OFMessage> removeVip(OFFactory factory, VipPlace vip) {
    return Stream.concat(traffic(factory, vip), vipToController(factory, vip))
        .<OFMessage>map(rule -> rule.delete(factory))
        .toList();
  }

  /** The same for all packets to an address. */
  public static List<OFMessage> removeVip(OFFactory factory, IPAddress<?> address) {
    return removeVip(factory, VipPlace.inAllVlans(address));
  }

  private static Stream<RuleKey> traffic(OFFactory factory, VipPlace vip) {
    return rules(
        FlowLayout.PRIORITY_VIP, vip, () -> List.of(IpFamily.matchTo(factory, vip.address())));
  }

  /**
   * Neighbour messages and ICMP errors. The rule of a ping would take errors, too, and not
   * translate their quotes.
   */
  private static Stream<RuleKey> vipToController(OFFactory factory, VipPlace vip) {
    IPAddress<?> address = vip.address();
    return Stream.concat(
        rules(
            FlowLayout.PRIORITY_VIP_NEIGHBOURS,
            vip,
            () -> IpFamily.matchNeighbours(factory, address)),
        rules(FlowLayout.PRIORITY_VIP_ERRORS, vip, () -> IpFamily.matchErrors(factory, address)));
  }

  private static Stream<RuleKey> rules(
      int priority, VipPlace vip, Supplier<List<Match.Builder>> matches) {
    Stream<Match.Builder> all =
        vip.vlans().isEmpty()
            ? matches.get().stream()
            : vip.vlans().stream()
                .flatMap(vlan -> matches.get().stream().map(match -> IpFamily.inVlan(match, vlan)));
    return all.map(match -> new RuleKey(FlowLayout.CLASSIFY, priority, match.build()));
  }

  /** Deletes the request rules of all connections to a VIP: packets of clients then miss. */
  public static OFMessage removeRequestsOfVip(OFFactory factory, int vipNumber) {
    return CookieKind.REQUEST.all().with(CookieField.VIP, vipNumber).delete(factory);
  }

  /** Deletes the request rules of all connections to a member. */
  public static OFMessage removeRequestsOfMember(OFFactory factory, int memberNumber) {
    return CookieKind.REQUEST.all().with(CookieField.MEMBER, memberNumber).delete(factory);
  }

  /** Sends whole packets to the controller. */
  public static OFInstruction toController(OFFactory factory) {
    return factory.instructions().applyActions(List.of(output(factory, OFPort.CONTROLLER)));
  }

  /** Forwards packets by a port. */
  public static OFInstruction forward(OFFactory factory, OFPort port) {
    return factory
        .instructions()
        .applyActions(List.of(factory.actions().output(port, Integer.MAX_VALUE)));
  }

  /** Sends whole packets out of a port; it equals the action as it is read back from a switch. */
  public static OFAction output(OFFactory factory, OFPort port) {
    return factory.actions().output(port, WHOLE_PACKET);
  }
}
