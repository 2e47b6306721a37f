package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.FoundRules;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchMessages;
import io.malob.openflow.label.Label;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * The rules of proactive VIPs on one switch, except buckets: what owners want there, what was sent,
 * and what was read back. Messages are collected, and sent together. For one thread at a time.
 */
final class ProgrammedSwitch {
  private final DatapathId switchId;
  private final Map<RuleKey, Sent> rules = new HashMap<>();
  private final Map<Object, Set<RuleKey>> ofOwner = new HashMap<>();

  /** Rules of an earlier run that no owner has wanted so far. */
  private final Map<RuleKey, OFFlowStatsEntry> orphans = new HashMap<>();

  private final List<OFMessage> outbox = new ArrayList<>();

  /** The messages that were sent and are not confirmed yet. */
  private int unconfirmed;

  /** A rule and the time when it was last sent. */
  private record Sent(OFFlowAdd rule, long atNanos) {}

  ProgrammedSwitch(DatapathId switchId) {
    this.switchId = switchId;
  }

  /** Makes these the rules of an owner. Rules that the switch has already do not change. */
  void set(Object owner, Collection<OFFlowAdd> wanted, OFFactory factory, long nowNanos) {
    Set<RuleKey> before = ofOwner.getOrDefault(owner, Set.of());
    Set<RuleKey> now = new HashSet<>();
    for (OFFlowAdd rule : wanted) {
      RuleKey key = RuleKey.of(rule);
      now.add(key);
      put(key, rule, factory, nowNanos);
    }
    for (RuleKey key : before) {
      @Nullable Sent sent = now.contains(key) ? null : rules.remove(key);
      if (sent != null) {
        outbox.add(delete(factory, key, sent.rule.getCookie()));
      }
    }
    if (now.isEmpty()) {
      ofOwner.remove(owner);
    } else {
      ofOwner.put(owner, now);
    }
  }

  /**
   * Drops the rules of an owner from what is wanted here. The switch is away: those that it still
   * has when it returns are removed when they are read.
   */
  void forget(Object owner) {
    ofOwner.getOrDefault(owner, Set.of()).forEach(rules::remove);
    ofOwner.remove(owner);
  }

  private void put(RuleKey key, OFFlowAdd rule, OFFactory factory, long nowNanos) {
    @Nullable Sent sent = rules.get(key);
    @Nullable OFFlowStatsEntry orphan = orphans.remove(key);
    U64 cookie =
        sent != null ? sent.rule.getCookie() : orphan != null ? orphan.getCookie() : U64.ZERO;
    boolean hasActions =
        sent != null
            ? sent.rule.getInstructions().equals(rule.getInstructions())
            : orphan != null && orphan.getInstructions().equals(rule.getInstructions());
    if (cookie.equals(rule.getCookie()) && hasActions) {
      if (sent == null) {
        rules.put(key, new Sent(rule, nowNanos));
      }
      return;
    }
    outbox.add(cookie.equals(rule.getCookie()) ? change(factory, rule) : rule);
    rules.put(key, new Sent(rule, nowNanos));
  }

  /** Adds a message that is sent after those before. */
  void then(OFMessage message) {
    outbox.add(message);
  }

  /** The same rule with other actions; its counters go on. */
  static OFMessage change(OFFactory factory, OFFlowAdd rule) {
    return factory
        .buildFlowModifyStrict()
        .setTableId(rule.getTableId())
        .setPriority(rule.getPriority())
        .setCookie(rule.getCookie())
        .setCookieMask(U64.NO_MASK)
        .setMatch(rule.getMatch())
        .setInstructions(rule.getInstructions())
        .build();
  }

  static OFMessage delete(OFFactory factory, RuleKey key, U64 cookie) {
    return factory
        .buildFlowDeleteStrict()
        .setTableId(key.table())
        .setPriority(key.priority())
        .setOutPort(OFPort.ANY)
        .setCookie(cookie)
        .setCookieMask(U64.NO_MASK)
        .setMatch(key.match())
        .build();
  }

  /**
   * Sends what was collected. If the switch is away, it gets its rules when it has been read again.
   */
  void flush(FlowProgrammer programmer, Executor serialExecutor) {
    if (outbox.isEmpty()) {
      return;
    }
    ImmutableList<OFMessage> messages = ImmutableList.copyOf(outbox);
    outbox.clear();
    unconfirmed += messages.size();
    programmer.sendInOrder(
        List.of(new SwitchMessages(switchId, messages)),
        done -> serialExecutor.execute(() -> unconfirmed -= messages.size()));
  }

  /** Whether the switch has confirmed all that was sent. */
  boolean isSettled() {
    return pending() == 0;
  }

  /** The number of messages that are collected or not confirmed. */
  int pending() {
    return unconfirmed + outbox.size();
  }

  /** The number of rules that owners want here. */
  int size() {
    return rules.size();
  }

  /**
   * The switch was found to have this rule; false if it is to be removed.
   *
   * @param mayBeNew whether it may be from an earlier run
   */
  boolean found(OFFlowStatsEntry entry, boolean mayBeNew, Set<RuleKey> seen) {
    RuleKey key = RuleKey.of(entry);
    @Nullable Sent sent = rules.get(key);
    if (sent != null) {
      if (sent.rule.getCookie().equals(entry.getCookie())
          && sent.rule.getInstructions().equals(entry.getInstructions())) {
        seen.add(key);
      }
      return true; // with other actions, it is sent again
    }
    if (mayBeNew) {
      orphans.put(key, entry);
      return true;
    }
    return orphans.containsKey(key);
  }

  /** Sends the rules again that the switch was found not to have. */
  void complete(Set<RuleKey> seen, long settledNanos, long nowNanos) {
    for (Map.Entry<RuleKey, Sent> each : rules.entrySet()) {
      Sent sent = each.getValue();
      if (!seen.contains(each.getKey()) && sent.atNanos <= settledNanos) {
        outbox.add(sent.rule);
        each.setValue(new Sent(sent.rule, nowNanos));
      }
    }
  }

  /** Removes the rules of an earlier run that nothing wanted. */
  void removeOrphans(OFFactory factory) {
    for (Iterator<OFFlowStatsEntry> each = orphans.values().iterator(); each.hasNext(); ) {
      OFFlowStatsEntry entry = each.next();
      outbox.add(delete(factory, RuleKey.of(entry), entry.getCookie()));
      each.remove();
    }
  }

  /** Whether a rule of an earlier run that is not replaced yet uses a label. */
  boolean usesFoundLabel(Label label) {
    return orphans.values().stream()
        .anyMatch(each -> FoundRules.labelOf(each).equals(Optional.of(label)));
  }

  /** The switch has lost all rules. */
  void reset(long longAgoNanos) {
    orphans.clear();
    complete(Set.of(), Long.MAX_VALUE, longAgoNanos);
  }
}
