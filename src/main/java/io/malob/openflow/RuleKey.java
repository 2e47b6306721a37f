package io.malob.openflow;

import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.types.TableId;

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
}
