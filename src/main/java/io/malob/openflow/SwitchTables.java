package io.malob.openflow;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/**
 * The places of a proactive VIP's rules on a switch, and their ends. These rules are made for the
 * layout, because in one table their number differs; {@link RuleCompiler} leaves them as they are.
 * Pure.
 *
 * @param factory makes messages of the switch's OpenFlow version
 * @param layout the layout of its tables
 */
public record SwitchTables(OFFactory factory, TableLayout layout) {

  /** Whether all rules are in one table. */
  public boolean isOne() {
    return layout != TableLayout.FOUR_TABLES;
  }

  /** The table of clients' packets. */
  public TableId requests() {
    return isOne() ? FlowLayout.CLASSIFY : FlowLayout.REQUESTS;
  }

  /** The priority of a rule that has this one in the table of requests. */
  public int priority(int inRequests) {
    return isOne() ? FlowLayout.PRIORITY_ONE_TABLE_BUCKETS + inRequests : inRequests;
  }

  /** The port that a rule must name to send packets on; empty if another rule or a group does. */
  public Optional<OFPort> namedPort(Onward next) {
    return layout.namesPort(next.label() != null, next.out())
        ? Optional.of(next.out())
        : Optional.empty();
  }

  /** Applies actions, writes the label of the path if there is one, and sends packets on. */
  public List<OFInstruction> onward(List<OFAction> actions, Onward next) {
    List<OFAction> all = new ArrayList<>(actions);
    Optional<OFPort> port = namedPort(next);
    @Nullable MacAddress mac =
        next.label() != null ? next.label().mac() : port.isPresent() ? next.receiver() : null;
    if (mac != null) {
      all.add(factory.actions().setField(factory.oxms().ethDst(mac)));
    }
    List<OFInstruction> instructions = new ArrayList<>();
    if (port.isPresent()) {
      all.add(SwitchRules.output(factory, port.get()));
    } else if (isOne() && next.label() != null) {
      all.add(factory.actions().group(LabelGroups.idOf(next.label().id())));
    } else {
      TableId table = next.label() == null ? FlowLayout.HOSTS : FlowLayout.LABELS;
      instructions.add(factory.instructions().gotoTable(table));
    }
    if (!all.isEmpty()) {
      instructions.add(0, factory.instructions().applyActions(all));
    }
    return instructions;
  }
}
