package io.malob.openflow;

import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowDeleteStrict;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/**
 * What distinguishes a rule from all others of its switch.
 *
 * @param table its table
 * @param priority its priority
 * @param match the packets that it matches
 */
public record RuleKey(TableId table, int priority, Match match) {

  /** The key of a rule that is sent. */
  public static RuleKey of(OFFlowMod rule) {
    return new RuleKey(rule.getTableId(), rule.getPriority(), rule.getMatch());
  }

  /** The key of a rule that was read. */
  public static RuleKey of(OFFlowStatsEntry rule) {
    return new RuleKey(rule.getTableId(), rule.getPriority(), rule.getMatch());
  }

  /** Adds the rule, or replaces the one in its place. */
  public OFFlowAdd.Builder add(OFFactory factory, U64 cookie, OFInstruction... instructions) {
    return factory
        .buildFlowAdd()
        .setTableId(table)
        .setPriority(priority)
        .setMatch(match)
        .setCookie(cookie)
        .setInstructions(List.of(instructions));
  }

  /** Deletes the rule, whatever its cookie. */
  public OFFlowDeleteStrict delete(OFFactory factory) {
    return delete(factory, U64.ZERO, U64.ZERO);
  }

  /** Deletes the rule if it has this cookie, and no other that has replaced it meanwhile. */
  public OFFlowDeleteStrict delete(OFFactory factory, U64 cookie) {
    return delete(factory, cookie, U64.NO_MASK);
  }

  private OFFlowDeleteStrict delete(OFFactory factory, U64 cookie, U64 mask) {
    return factory
        .buildFlowDeleteStrict()
        .setTableId(table)
        .setPriority(priority)
        .setOutPort(OFPort.ANY)
        .setCookie(cookie)
        .setCookieMask(mask)
        .setMatch(match)
        .build();
  }
}
