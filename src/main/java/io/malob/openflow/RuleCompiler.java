package io.malob.openflow;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import io.malob.openflow.label.Label;
import io.malob.openflow.subflow.OneTable;
import io.malob.openflow.subflow.SubflowRule;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowDeleteStrict;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/**
 * Compiles rules for four tables, which all other classes make, into those of a switch with fewer:
 * messages one by one, when they are sent, and rules for sub-flows all at once. A rule that such a
 * switch has no use for compiles to nothing. Thread-safe.
 *
 * @param layouts the layouts of switches; null while unknown
 * @param groups the groups that it makes
 */
public record RuleCompiler(
    Function<DatapathId, @Nullable TableLayout> layouts, LabelGroups groups) {
  /** For four tables, whatever the switch. */
  public static final RuleCompiler FOUR_TABLES =
      new RuleCompiler(any -> TableLayout.FOUR_TABLES, new LabelGroups());

  /** The layout of a switch, to notice when it is another; null while unknown. */
  public @Nullable TableLayout layout(DatapathId switchId) {
    return layouts.apply(switchId);
  }

  /** Whether it can compile for a switch; while it cannot, no rules must be sent there. */
  public boolean knows(DatapathId switchId) {
    return layout(switchId) != null;
  }

  /** Whether a switch is known to translate no addresses: hosts behind it have another edge. */
  public boolean isCore(DatapathId switchId) {
    @Nullable TableLayout layout = layout(switchId);
    return layout != null && !layout.translates();
  }

  /** Whether a switch is known to translate addresses by rules that are all in one table. */
  public boolean isOneTableEdge(DatapathId switchId) {
    @Nullable TableLayout layout = layout(switchId);
    return layout != null && layout.translatesInOneTable();
  }

  /** Whether the labels of a switch have groups. */
  public boolean hasGroups(DatapathId switchId) {
    return layout(switchId) == TableLayout.ONE_TABLE_WITH_GROUPS;
  }

  /** Whether a connection's rule on a switch changes when its path leaves by another port. */
  public boolean namesPort(DatapathId switchId, ConnectionRules.Translation translation) {
    @Nullable TableLayout layout = layout(switchId);
    return layout != null && translation.namesPort(layout);
  }

  /** Parses what a switch reports, back to rules for four tables; without groups so far. */
  public FoundRules parser(DatapathId switchId) {
    return new FoundRules(
        Objects.requireNonNullElse(layout(switchId), TableLayout.FOUR_TABLES), Map.of());
  }

  /** The same for all switches. */
  public ImmutableSetMultimap<DatapathId, SubflowRule> compile(
      ImmutableSetMultimap<DatapathId, SubflowRule> rules) {
    ImmutableSetMultimap.Builder<DatapathId, SubflowRule> compiled = ImmutableSetMultimap.builder();
    rules
        .keySet()
        .forEach(switchId -> compiled.putAll(switchId, compile(switchId, rules.get(switchId))));
    return compiled.build();
  }

  /**
   * The rules for sub-flows to send to a switch instead of these, which are all of the switch: in
   * one table, a rule depends on others. While the layout is unknown, they stay as they are.
   */
  public ImmutableSet<SubflowRule> compile(
      DatapathId switchId, ImmutableSet<SubflowRule> allRules) {
    return switch (Objects.requireNonNullElse(layout(switchId), TableLayout.FOUR_TABLES)) {
      case FOUR_TABLES -> allRules;
      case ONE_TABLE, ONE_TABLE_WITH_GROUPS -> OneTable.ofEdge(allRules);
      case LABELS_ONLY -> OneTable.ofCore(allRules);
    };
  }

  /** The messages to send to a switch of that layout instead of these. */
  List<OFMessage> compile(
      DatapathId switchId, TableLayout layout, OFFactory factory, List<OFMessage> messages) {
    if (layout == TableLayout.FOUR_TABLES) {
      return messages;
    }
    ImmutableList.Builder<OFMessage> compiled = ImmutableList.builder();
    for (OFMessage message : messages) {
      if (message instanceof ConnectionRule rule) {
        compiled.add(rule.in(factory, layout));
      } else if (message instanceof OFFlowMod rule && !rule.getTableId().equals(TableId.ALL)) {
        compiled.addAll(compile(switchId, factory, layout, rule));
      } else {
        compiled.add(message);
      }
    }
    return compiled.build();
  }

  private List<OFMessage> compile(
      DatapathId switchId, OFFactory factory, TableLayout layout, OFFlowMod rule) {
    TableId table = rule.getTableId();
    if (Cookie.is(rule.getCookie(), CookieKind.SEGMENT)) {
      return List.of(rule); // made for the layout
    }
    if (table.equals(FlowLayout.LABELS)) {
      return label(switchId, factory, layout, rule);
    }
    if (table.equals(FlowLayout.REQUESTS)) {
      boolean isOfConnection =
          rule.getPriority() == FlowLayout.PRIORITY_ENTRY
              || rule.getPriority() == FlowLayout.PRIORITY_PINNED_ELSEWHERE;
      return layout.translates() && isOfConnection ? List.of(moved(rule).build()) : List.of();
    }
    if (table.equals(FlowLayout.HOSTS)) {
      boolean isOfHost = layout.translates() && rule.getPriority() != FlowLayout.PRIORITY_MISS;
      return isOfHost
          ? List.of(moved(rule).setMatch(labelled(factory, rule.getMatch())).build())
          : List.of();
    }
    return layout.translates() ? classify(factory, rule) : core(rule);
  }

  /** Table 0: what leads to another table goes to the controller, as a miss there would. */
  private static List<OFMessage> classify(OFFactory factory, OFFlowMod rule) {
    Optional<TableId> next = Steps.next(rule.getInstructions());
    if (next.isEmpty()) {
      return List.of(rule);
    }
    boolean isVip = next.get().equals(FlowLayout.REQUESTS) && rule.getInstructions().size() == 1;
    boolean isLabelled = next.get().equals(FlowLayout.LABELS) && isFixed(rule);
    if (!isVip && !isLabelled) {
      return List.of(); // copies of ends, proactive VIPs, sub-flows: they need the other tables
    }
    OFFlowMod.Builder toController =
        rule.createBuilder().setInstructions(List.of(SwitchRules.toController(factory)));
    return List.of(
        isVip
            ? toController.build()
            : toController.setPriority(FlowLayout.PRIORITY_UNKNOWN_LABEL).build());
  }

  private static boolean isFixed(OFFlowMod rule) {
    return Cookie.is(rule.getCookie(), CookieKind.SWITCH);
  }

  /** A core switch translates nothing, and may not match masks. */
  private static List<OFMessage> core(OFFlowMod rule) {
    boolean isDelete = rule instanceof OFFlowDeleteStrict;
    boolean isNeighbours =
        rule.getPriority() == FlowLayout.PRIORITY_VIP_NEIGHBOURS
            || rule.getPriority() == FlowLayout.PRIORITY_REPORT;
    // floods that come here: all that misses at a port, and ARP; no SYNs, which would need masks
    boolean matchesExactly =
        Cookie.is(rule.getCookie(), CookieKind.ACCESS)
            || Cookie.is(rule.getCookie(), CookieKind.FLOOD);
    return isDelete || isNeighbours || matchesExactly ? List.of(rule) : List.of();
  }

  private List<OFMessage> label(
      DatapathId switchId, OFFactory factory, TableLayout layout, OFFlowMod rule) {
    @Nullable MacAddress mac = rule.getMatch().get(MatchField.ETH_DST);
    boolean isHop = rule.getPriority() == FlowLayout.PRIORITY_ENTRY && mac != null;
    Optional<Label> label = isHop ? Label.of(mac) : Optional.empty();
    if (label.isEmpty() || Label.isOfSubflow(label.get().mac())) {
      return List.of();
    }
    boolean hasGroups = layout == TableLayout.ONE_TABLE_WITH_GROUPS;
    OFFlowMod.Builder moved = moved(rule);
    int id = label.get().id();
    if (rule instanceof OFFlowDeleteStrict) {
      return hasGroups
          ? List.of(moved.build(), groups.remove(factory, switchId, id))
          : List.of(moved.build());
    }
    Optional<OFPort> out = Steps.output(Steps.actions(rule.getInstructions()));
    if (out.isEmpty()) { // the end of the path, where rules of hosts come first
      return List.of(moved.setInstructions(List.of(SwitchRules.toController(factory))).build());
    }
    if (!hasGroups) {
      return List.of(moved.build());
    }
    OFAction toGroup = factory.actions().group(LabelGroups.idOf(id));
    OFInstruction apply = factory.instructions().applyActions(List.of(toGroup));
    return groups.lead(
        factory, switchId, id, out.get(), moved.setInstructions(List.of(apply)).build());
  }

  private static OFFlowMod.Builder moved(OFFlowMod rule) {
    return rule.createBuilder()
        .setTableId(FlowLayout.CLASSIFY)
        .setPriority(priorityOf(rule.getTableId(), rule.getPriority()));
  }

  /** The priority in one table of a rule of one of four. */
  private static int priorityOf(TableId table, int priority) {
    if (table.equals(FlowLayout.REQUESTS)) {
      return priority == FlowLayout.PRIORITY_ENTRY
          ? FlowLayout.PRIORITY_ONE_TABLE_REQUEST
          : FlowLayout.PRIORITY_ONE_TABLE_BUCKETS + priority;
    }
    if (table.equals(FlowLayout.LABELS)) {
      return FlowLayout.PRIORITY_LABELLED;
    }
    if (table.equals(FlowLayout.HOSTS)) {
      return priority == FlowLayout.PRIORITY_SAME_PORT
          ? FlowLayout.PRIORITY_ONE_TABLE_SAME_PORT
          : FlowLayout.PRIORITY_ONE_TABLE_HOST;
    }
    return priority;
  }

  /** The same packets, if they have a label. */
  private static Match labelled(OFFactory factory, Match match) {
    return Matches.builderOf(factory, match)
        .setMasked(MatchField.ETH_DST, Label.PREFIX, Label.PREFIX_MASK)
        .build();
  }
}
