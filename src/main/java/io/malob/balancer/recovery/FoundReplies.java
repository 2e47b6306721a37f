package io.malob.balancer.recovery;

import com.google.common.collect.HashMultimap;
import com.google.common.collect.SetMultimap;
import io.malob.algorithm.FiveTuple;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.FoundRule;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Rules for replies that were found on switches, by the five-tuples that they match. Not
 * thread-safe.
 */
final class FoundReplies {
  private final Map<FiveTuple, FoundReply> byMatch = new HashMap<>();

  /** Reading one switch must not take time for the rules of all others. */
  private final SetMultimap<DatapathId, FiveTuple> bySwitch = HashMultimap.create();

  /** A reply rule at a member's edge switch. */
  record FoundReply(FoundRule.Direction rule, DatapathId at) {
    /** The message that deletes this very rule. */
    OFMessage remove(OFFactory factory) {
      return ConnectionRules.remove(factory, new FoundRule.Reply(rule));
    }
  }

  /** Adds a rule; it replaces another one with the same match. */
  void add(FoundReply reply) {
    FiveTuple match = reply.rule.incoming();
    remove(match);
    byMatch.put(match, reply);
    bySwitch.put(reply.at, match);
  }

  @Nullable FoundReply get(FiveTuple match) {
    return byMatch.get(match);
  }

  /** Removes the rule of a match, and returns it; null if there is none. */
  @Nullable FoundReply remove(FiveTuple match) {
    @Nullable FoundReply removed = byMatch.remove(match);
    if (removed != null) {
      bySwitch.remove(removed.at, match);
    }
    return removed;
  }

  /** Removes the rules of a switch except those of the matches. */
  void retainAt(DatapathId switchId, Set<FiveTuple> matches) {
    for (FiveTuple match : List.copyOf(bySwitch.get(switchId))) {
      if (!matches.contains(match)) {
        remove(match);
      }
    }
  }

  boolean isEmpty() {
    return byMatch.isEmpty();
  }

  /** A live view of all rules. */
  Collection<FoundReply> all() {
    return Collections.unmodifiableCollection(byMatch.values());
  }
}
