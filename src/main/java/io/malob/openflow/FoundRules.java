package io.malob.openflow;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.FiveTuple;
import io.malob.openflow.label.Label;
import io.malob.openflow.tracked.ConntrackAction;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFMatchV3;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFOxmList;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.action.OFActionGroup;
import org.projectfloodlight.openflow.protocol.action.OFActionSetField;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionApplyActions;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.oxm.OFOxm;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.OFValueType;
import org.projectfloodlight.openflow.types.OFVlanVidMatch;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * Parses the balancer's rules from the statistics of a switch: the reverse of {@link
 * ConnectionRules}, {@link HostRules}, {@link SwitchRules} and the rules of labels, after {@link
 * RuleCompiler}. Pure.
 *
 * @param layout that of the switch
 * @param groups the ports of the groups of labels, by label; empty in a layout without groups
 */
public record FoundRules(TableLayout layout, Map<Integer, OFPort> groups) {
  private static final int ICMP = 1;
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int ICMPV6 = 58;

  /** The same with the ports of the groups of labels, by label. */
  public FoundRules withGroups(Map<Integer, OFPort> found) {
    return new FoundRules(layout, found);
  }

  /**
   * Requests the balancer's rules in all tables, slice by slice: each rule is in one slice.
   *
   * @param slice from 0 to slices - 1
   * @param slices a power of two, at most 2^20
   */
  public static OFFlowStatsRequest request(OFFactory factory, int slice, int slices) {
    return Cookie.slice(slice, slices).request(factory, TableId.ALL);
  }

  /** Requests the rules of connections, in both directions, with their counters. */
  public static OFFlowStatsRequest requestConnections(OFFactory factory) {
    return Cookie.connections().request(factory, TableId.ALL);
  }

  /** Deletes the rule that was found, but no other rule that has replaced it meanwhile. */
  public static OFMessage remove(OFFactory factory, OFFlowStatsEntry entry) {
    return RuleKey.of(entry).delete(factory, entry.getCookie());
  }

  /** The content of a rule with the balancer's cookie. */
  public FoundRule parse(OFFlowStatsEntry entry) {
    @Nullable CookieKind kind = Cookie.kind(entry.getCookie()).orElse(null);
    if (kind == null) {
      return new FoundRule.Unowned();
    }
    if (layout != TableLayout.FOUR_TABLES && !entry.getTableId().equals(FlowLayout.CLASSIFY)) {
      return new FoundRule.Unreadable();
    }
    OFOxmList match = ((OFMatchV3) entry.getMatch()).getOxmList();
    Optional<? extends FoundRule> rule =
        switch (kind) {
          case SWITCH -> fixed(entry);
          case VIP, END -> vip(match);
          case REQUEST -> direction(entry, match).map(FoundRule.Request::new);
          case REPLY ->
              isReply(match) ? direction(entry, match).map(FoundRule.Reply::new) : Optional.empty();
          case LABEL -> hop(entry, match);
          case HOST -> host(entry, match);
          case FTP_DATA -> ftpData(entry, match);
          case REPORT -> vip(match).map(address -> new FoundRule.Unowned());
          case DENIAL -> source(match).map(any -> new FoundRule.Unowned());
          case BUCKET -> isInPlace(entry) ? proactive(entry, match) : Optional.empty();
          case PROACTIVE -> proactive(entry, match);
          case ACCESS -> outOf(entry).map(out -> new FoundRule.Access(entry, out));
          case SEGMENT ->
              value(match, MatchField.IN_PORT).map(any -> new FoundRule.OfSegment(entry));
          case PROBE, FLOOD -> Optional.of(new FoundRule.Unowned());
          case CLOSED ->
              isFiveTuple(match) ? Optional.of(new FoundRule.Closed()) : Optional.empty();
          default -> Optional.of(new FoundRule.Unowned()); // Cookie.kind gives no other
        };
    return rule.isPresent() ? rule.get() : new FoundRule.Unreadable();
  }

  /** The label that a rule gives its packets; empty for none. */
  public static Optional<Label> labelOf(OFFlowStatsEntry entry) {
    return newDestination(entry).flatMap(Label::of);
  }

  /** The destination MAC address that a rule gives its packets; empty if it leaves it. */
  public static Optional<MacAddress> newDestination(OFFlowStatsEntry entry) {
    return newMac(entry, MatchField.ETH_DST);
  }

  private static Optional<MacAddress> newMac(OFFlowStatsEntry entry, MatchField<MacAddress> field) {
    for (OFAction action : actions(entry)) {
      if (action instanceof OFActionSetField set
          && set.getField().getMatchField().id == field.id
          && set.getField().getValue() instanceof MacAddress mac) {
        return Optional.of(mac);
      }
    }
    return Optional.empty();
  }

  /** The port that a rule sends its packets to; empty if it names none. */
  public static Optional<OFPort> outOf(OFFlowStatsEntry entry) {
    return Steps.output(actions(entry));
  }

  private Optional<FoundRule> fixed(OFFlowStatsEntry entry) {
    boolean isMiss = entry.getPriority() == FlowLayout.PRIORITY_MISS;
    boolean inClassify = entry.getTableId().equals(FlowLayout.CLASSIFY);
    int labelled =
        layout == TableLayout.FOUR_TABLES
            ? FlowLayout.PRIORITY_LABELLED
            : FlowLayout.PRIORITY_UNKNOWN_LABEL;
    boolean isFixed = inClassify ? entry.getPriority() == labelled : isMiss;
    return isFixed ? Optional.of(new FoundRule.Fixed()) : Optional.empty();
  }

  /** Whether a bucket is in the table of its layout. */
  private boolean isInPlace(OFFlowStatsEntry entry) {
    TableId table = layout == TableLayout.FOUR_TABLES ? FlowLayout.REQUESTS : FlowLayout.CLASSIFY;
    return entry.getTableId().equals(table);
  }

  private static Optional<FoundRule> proactive(OFFlowStatsEntry entry, OFOxmList match) {
    return destination(match).isPresent()
            || value(match, MatchField.ARP_TPA).isPresent()
            || source(match).isPresent()
            || value(match, MatchField.METADATA).isPresent()
            || value(match, MatchField.CONN_TRACKING_STATE).isPresent()
        ? Optional.of(new FoundRule.Proactive(entry))
        : Optional.empty();
  }

  private static Optional<FoundRule> vip(OFOxmList match) {
    return destination(match)
        .or(() -> value(match, MatchField.ARP_TPA))
        .or(() -> value(match, MatchField.IPV6_ND_TARGET))
        .map(FoundRule.Vip::new);
  }

  private static Optional<IPAddress<?>> source(OFOxmList match) {
    Optional<IPAddress<?>> ipv4 = value(match, MatchField.IPV4_SRC).map(found -> found);
    return ipv4.or(() -> value(match, MatchField.IPV6_SRC));
  }

  private static Optional<IPAddress<?>> destination(OFOxmList match) {
    Optional<IPAddress<?>> ipv4 = value(match, MatchField.IPV4_DST).map(found -> found);
    return ipv4.or(() -> value(match, MatchField.IPV6_DST));
  }

  private Optional<FoundRule.Direction> direction(OFFlowStatsEntry entry, OFOxmList match) {
    if (!isFiveTuple(match)) {
      return Optional.empty();
    }
    FiveTuple incoming = ConnectionRules.tupleOf(entry.getMatch());
    FiveTuple outgoing = incoming;
    for (OFAction action : actions(entry)) {
      if (action instanceof OFActionSetField set) {
        outgoing = rewritten(outgoing, set.getField());
      }
    }
    Optional<Label> label = labelOf(entry);
    Optional<OFPort> out = outOf(entry);
    if (out.isEmpty() && !leadsOn(entry, label)) {
      return Optional.empty();
    }
    U64 cookie = entry.getCookie();
    return Optional.of(
        new FoundRule.Direction(
            incoming,
            outgoing,
            vlanOf(match),
            value(match, MatchField.VLAN_VID).isEmpty(),
            value(match, MatchField.ETH_DST).orElse(null),
            nextHop(entry, label),
            label,
            out,
            Cookie.vipNumber(cookie),
            Cookie.memberNumber(cookie),
            Cookie.generation(cookie)));
  }

  /** The next hop that a rule writes, or leads to itself. */
  private static MacAddress nextHop(OFFlowStatsEntry entry, Optional<Label> label) {
    Optional<MacAddress> receiver = label.isPresent() ? Optional.empty() : newDestination(entry);
    return receiver
        .map(mac -> NextHopMac.of(mac, newVlan(entry)))
        .or(() -> newMac(entry, MatchField.ETH_SRC).map(NextHopMac::numberIn))
        .orElse(MacAddress.NONE);
  }

  /** Whether another rule or a group leads the packets on. */
  private boolean leadsOn(OFFlowStatsEntry entry, Optional<Label> label) {
    return switch (layout) {
      case FOUR_TABLES -> goesTo(entry, label.isPresent() ? FlowLayout.LABELS : FlowLayout.HOSTS);
      case ONE_TABLE_WITH_GROUPS ->
          label.isPresent() && goesTo(entry, LabelGroups.idOf(label.get().id()));
      case ONE_TABLE, LABELS_ONLY -> false;
    };
  }

  private static boolean isFiveTuple(OFOxmList match) {
    int protocol = protocol(match);
    boolean hasPorts =
        switch (protocol) {
          case TCP ->
              value(match, MatchField.TCP_SRC).isPresent()
                  && value(match, MatchField.TCP_DST).isPresent();
          case UDP ->
              value(match, MatchField.UDP_SRC).isPresent()
                  && value(match, MatchField.UDP_DST).isPresent();
          default -> protocol == ICMP || protocol == ICMPV6;
        };
    return hasPorts && source(match).isPresent() && destination(match).isPresent();
  }

  /** A rule for replies to pings has their type; earlier versions made it without. */
  private static boolean isReply(OFOxmList match) {
    return switch (protocol(match)) {
      case ICMP -> value(match, MatchField.ICMPV4_TYPE).isPresent();
      case ICMPV6 -> value(match, MatchField.ICMPV6_TYPE).isPresent();
      default -> true;
    };
  }

  private static int protocol(OFOxmList match) {
    return value(match, MatchField.IP_PROTO).map(any -> (int) any.getIpProtocolNumber()).orElse(-1);
  }

  private static FiveTuple rewritten(FiveTuple tuple, OFOxm<?> field) {
    int srcAddress = tuple.srcAddress();
    int srcPort = tuple.srcPort();
    int dstAddress = tuple.dstAddress();
    int dstPort = tuple.dstPort();
    switch (field.getMatchField().id) {
      case IPV4_SRC, IPV6_SRC -> srcAddress = AddressKey.of((IPAddress<?>) field.getValue());
      case IPV4_DST, IPV6_DST -> dstAddress = AddressKey.of((IPAddress<?>) field.getValue());
      case TCP_SRC, UDP_SRC -> srcPort = ((TransportPort) field.getValue()).getPort();
      case TCP_DST, UDP_DST -> dstPort = ((TransportPort) field.getValue()).getPort();
      default -> {}
    }
    return FiveTuple.of(tuple.protocol(), srcAddress, srcPort, dstAddress, dstPort);
  }

  private Optional<FoundRule> hop(OFFlowStatsEntry entry, OFOxmList match) {
    Optional<Label> label = value(match, MatchField.ETH_DST).flatMap(Label::of);
    if (label.isEmpty()) {
      return Optional.empty();
    }
    Label known = label.get();
    Optional<OFPort> out = outOf(entry);
    if (layout == TableLayout.FOUR_TABLES) {
      return out.isPresent() || goesTo(entry, FlowLayout.HOSTS)
          ? Optional.of(new FoundRule.Hop(known, out))
          : Optional.empty();
    }
    if (out.equals(Optional.of(OFPort.CONTROLLER))) {
      return Optional.of(new FoundRule.Hop(known, Optional.empty()));
    }
    if (layout == TableLayout.ONE_TABLE_WITH_GROUPS) {
      out =
          goesTo(entry, LabelGroups.idOf(known.id()))
              ? Optional.ofNullable(groups.get(known.id()))
              : Optional.empty();
    }
    return out.map(port -> new FoundRule.Hop(known, Optional.of(port)));
  }

  private static Optional<FoundRule> host(OFFlowStatsEntry entry, OFOxmList match) {
    @Nullable OFOxm<MacAddress> source = match.get(MatchField.ETH_SRC);
    if (source == null || !source.isMasked() || !NextHopMac.isAnyReplyPath(source.getMask())) {
      return Optional.empty(); // of an earlier version: it does not match all paths
    }
    if (entry.getPriority() == FlowLayout.PRIORITY_SAME_PORT
        || entry.getPriority() == FlowLayout.PRIORITY_ONE_TABLE_SAME_PORT) {
      return Optional.of(new FoundRule.HostOnSamePort());
    }
    Optional<OFPort> out = outOf(entry);
    MacAddress number = NextHopMac.numberIn(source.getValue());
    return out.isEmpty()
        ? Optional.empty()
        : newDestination(entry)
            .map(mac -> new FoundRule.Host(number, out.get(), mac, newVlan(entry)));
  }

  private static int vlanOf(OFOxmList match) {
    return value(match, MatchField.VLAN_VID).map(OFVlanVidMatch::getVlan).orElse((short) 0);
  }

  /** The VLAN whose tag a rule gives its packets; 0 for none. */
  private static int newVlan(OFFlowStatsEntry entry) {
    for (OFAction action : actions(entry)) {
      if (action instanceof OFActionSetField set
          && set.getField().getValue() instanceof OFVlanVidMatch vlan) {
        return vlan.getVlan();
      }
    }
    return 0;
  }

  private static Optional<FoundRule> ftpData(OFFlowStatsEntry entry, OFOxmList match) {
    int generation = Cookie.generation(entry.getCookie());
    return source(match)
        .flatMap(
            member ->
                destination(match)
                    .map(
                        client ->
                            new FoundRule.FtpData(
                                AddressKey.of(member), AddressKey.of(client), generation)));
  }

  private static List<OFAction> actions(OFFlowStatsEntry entry) {
    return Steps.actions(entry.getInstructions());
  }

  private static boolean goesTo(OFFlowStatsEntry entry, TableId table) {
    return Steps.next(entry.getInstructions()).equals(Optional.of(table));
  }

  private static boolean goesTo(OFFlowStatsEntry entry, OFGroup group) {
    return actions(entry).stream()
        .anyMatch(action -> action instanceof OFActionGroup to && to.getGroup().equals(group));
  }

  private static <T extends OFValueType<T>> Optional<T> value(
      OFOxmList match, MatchField<T> field) {
    @Nullable OFOxm<T> oxm = match.get(field);
    return Optional.ofNullable(oxm).map(OFOxm::getValue);
  }

  /**
   * Whether a rule does what was sent. Actions of connection tracking are not compared: they are
   * not read.
   */
  public static boolean does(OFFlowStatsEntry found, OFFlowAdd sent) {
    return read(found.getInstructions()).equals(read(sent.getInstructions()));
  }

  /** Whether a rule does nothing but what is not read: actions of connection tracking. */
  public static boolean onlyTracks(OFFlowStatsEntry found) {
    return read(found.getInstructions()).isEmpty();
  }

  private static List<Object> read(List<OFInstruction> instructions) {
    return instructions.stream()
        .map(
            each ->
                each instanceof OFInstructionApplyActions apply
                    ? apply.getActions().stream()
                        .filter(action -> !(action instanceof ConntrackAction))
                        .toList()
                    : each)
        .filter(each -> !each.equals(List.of()))
        .toList();
  }
}
