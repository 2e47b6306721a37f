package io.malob.openflow;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
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

  /** Whether the switch translates addresses. */
  public boolean translates() {
    return layout.translates();
  }

  /** Whether all rules are in one table. */
  public boolean isOne() {
    return layout != TableLayout.FOUR_TABLES;
  }

  /** The table of clients' packets. */
  public TableId requests() {
    return isOne() ? FlowLayout.CLASSIFY : FlowLayout.REQUESTS;
  }

  /** The place of a rule that has this priority in the table of requests. */
  public RuleKey request(int priority, Match match) {
    return isOne()
        ? new RuleKey(FlowLayout.CLASSIFY, FlowLayout.PRIORITY_ONE_TABLE_BUCKETS + priority, match)
        : new RuleKey(FlowLayout.REQUESTS, priority, match);
  }

  /** The port that a rule must name to send packets on; empty if another rule or a group does. */
  public Optional<OFPort> namedPort(Onward next) {
    return layout.namesPort(next.label() != null, next.out())
        ? Optional.of(next.out())
        : Optional.empty();
  }

  /**
   * Applies actions, writes the label of the path if there is one, and the next hop, and sends
   * packets on.
   *
   * @param vlan the VLAN of the packets; 0 if they are untagged
   */
  public List<OFInstruction> onward(List<OFAction> actions, Onward next, int vlan) {
    List<OFAction> all = new ArrayList<>();
    if (vlan != 0) {
      all.add(factory.actions().popVlan());
    }
    all.addAll(actions);
    Optional<OFPort> port = namedPort(next);
    if (next.label() == null && port.isPresent()) {
      all.addAll(HostRules.toReceiver(factory, next.receiver()));
    } else {
      all.addAll(toReach(next));
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
    instructions.add(0, factory.instructions().applyActions(all));
    return instructions;
  }

  /** Writes the next hop, and the label of the path if there is one. */
  public List<OFAction> toReach(Onward next) {
    List<OFAction> actions = new ArrayList<>();
    MacAddress source = NextHopMac.entering(next.receiver(), next.entry(), next.replyPath());
    actions.add(factory.actions().setField(factory.oxms().ethSrc(source)));
    if (next.label() != null) {
      actions.add(factory.actions().setField(factory.oxms().ethDst(next.label().mac())));
    }
    return actions;
  }
}
