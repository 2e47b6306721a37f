package io.malob.openflow;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.label.Label;
import java.util.List;
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
import org.projectfloodlight.openflow.types.OFValueType;
import org.projectfloodlight.openflow.types.TableId;

/**
 * Compiles rules for four tables, which all other classes make, into those of a switch with fewer.
 * A rule that such a switch has no use for compiles to nothing. Thread-safe.
 */
public final class RuleCompiler {
  /** For four tables, whatever the switch. */
  public static final RuleCompiler FOUR_TABLES =
      new RuleCompiler(any -> TableLayout.FOUR_TABLES, new LabelGroups());

  private final Function<DatapathId, @Nullable TableLayout> layouts;
  private final LabelGroups groups;

  /**
   * A compiler.
   *
   * @param layouts the layouts of switches; null while unknown
   */
  public RuleCompiler(Function<DatapathId, @Nullable TableLayout> layouts, LabelGroups groups) {
    this.layouts = layouts;
    this.groups = groups;
  }

  /** The layout of a switch; null while unknown. Then no rules must be sent to it. */
  public @Nullable TableLayout layout(DatapathId switchId) {
    return layouts.apply(switchId);
  }

  /** The groups that it has made. */
  public LabelGroups groups() {
    return groups;
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
        compiled.add(rule.in(factory, layout, priorityOf(rule.table(), rule.priority())));
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
    if (table.equals(FlowLayout.LABELS)) {
      return label(switchId, factory, layout, rule);
    }
    if (table.equals(FlowLayout.REQUESTS)) {
      return layout.translates() && rule.getPriority() == FlowLayout.PRIORITY_ENTRY
          ? List.of(moved(rule).build())
          : List.of();
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
    return Cookie.is(rule.getCookie(), Cookie.Kind.SWITCH);
  }

  /** A core switch translates nothing, and may not match masks. */
  private static List<OFMessage> core(OFFlowMod rule) {
    boolean isDelete = rule instanceof OFFlowDeleteStrict;
    boolean isNeighbours =
        rule.getPriority() == FlowLayout.PRIORITY_VIP_NEIGHBOURS
            || rule.getPriority() == FlowLayout.PRIORITY_REPORT;
    // floods that come here: all that misses at a port, and ARP; no SYNs, which would need masks
    boolean matchesExactly =
        Cookie.is(rule.getCookie(), Cookie.Kind.ACCESS)
            || Cookie.is(rule.getCookie(), Cookie.Kind.FLOOD);
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
      return FlowLayout.PRIORITY_ONE_TABLE_REQUEST;
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
    // not match.createBuilder(), which forgets all fields when another is set
    Match.Builder labelled =
        factory.buildMatch().setMasked(MatchField.ETH_DST, Label.PREFIX, Label.PREFIX_MASK);
    match.getMatchFields().forEach(field -> copy(match, field, labelled));
    return labelled.build();
  }

  private static <F extends OFValueType<F>> void copy(
      Match from, MatchField<F> field, Match.Builder to) {
    to.setExact(field, from.get(field));
  }
}
