package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import io.malob.balancer.reroute.RulePacer;
import io.malob.openflow.FoundRules;
import io.malob.openflow.MessageBatch;
import io.malob.openflow.RuleKey;
import io.malob.openflow.RuleSender;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.TableLayout;
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
import org.projectfloodlight.openflow.types.U64;

/**
 * The rules of proactive VIPs on one switch, except buckets: what owners want there, what was sent,
 * and what was read back. Messages are collected, and sent together. For one thread at a time.
 */
final class ProgrammedSwitch {
  private final DatapathId switchId;
  private final RulePacer pacer;
  private final Map<RuleKey, Sent> rules = new HashMap<>();
  private final Map<Object, Set<RuleKey>> ofOwner = new HashMap<>();

  /** Rules of an earlier run that no owner has wanted so far. */
  private final Map<RuleKey, OFFlowStatsEntry> orphans = new HashMap<>();

  /** Rules that wait for their turn to replace those that were sent. */
  private final Map<RuleKey, OFFlowAdd> waiting = new HashMap<>();

  private final List<OFMessage> outbox = new ArrayList<>();

  /** The messages that were sent and are not confirmed yet. */
  private int unconfirmed;

  /** A rule, the layout that it was made for, and the time when it was last sent. */
  private record Sent(OFFlowAdd rule, TableLayout layout, long atNanos) {}

  ProgrammedSwitch(DatapathId switchId, RulePacer pacer) {
    this.switchId = switchId;
    this.pacer = pacer;
  }

  DatapathId switchId() {
    return switchId;
  }

  /** Makes these the rules of an owner. Rules that the switch has already do not change. */
  void set(Object owner, Collection<OFFlowAdd> wanted, SwitchTables tables, long nowNanos) {
    set(owner, wanted, tables, nowNanos, false);
  }

  /** The same, but rules that the switch has with other actions change at a bounded rate. */
  void reroute(Object owner, Collection<OFFlowAdd> wanted, SwitchTables tables, long nowNanos) {
    set(owner, wanted, tables, nowNanos, true);
  }

  private void set(
      Object owner,
      Collection<OFFlowAdd> wanted,
      SwitchTables tables,
      long nowNanos,
      boolean isPaced) {
    Set<RuleKey> before = ofOwner.getOrDefault(owner, Set.of());
    Set<RuleKey> now = new HashSet<>();
    for (OFFlowAdd rule : wanted) {
      RuleKey key = RuleKey.of(rule);
      now.add(key);
      put(key, rule, tables, nowNanos, isPaced);
    }
    for (RuleKey key : before) {
      @Nullable Sent sent = now.contains(key) ? null : rules.remove(key);
      if (sent != null) {
        waiting.remove(key);
        outbox.add(key.delete(tables.factory(), sent.rule.getCookie()));
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
    for (RuleKey key : ofOwner.getOrDefault(owner, Set.of())) {
      rules.remove(key);
      waiting.remove(key);
    }
    ofOwner.remove(owner);
  }

  private void put(
      RuleKey key, OFFlowAdd rule, SwitchTables tables, long nowNanos, boolean isPaced) {
    @Nullable Sent latest = rules.get(key);
    // what the switch has kept from another layout is not known
    @Nullable Sent sent = latest == null || latest.layout != tables.layout() ? null : latest;
    @Nullable OFFlowStatsEntry orphan = orphans.remove(key);
    U64 cookie =
        sent != null ? sent.rule.getCookie() : orphan != null ? orphan.getCookie() : U64.ZERO;
    boolean hasActions =
        sent != null
            ? sent.rule.getInstructions().equals(rule.getInstructions())
            // actions that track are not read: they may be those of another zone
            : orphan != null && orphan.getInstructions().equals(rule.getInstructions());
    boolean keepsCookie = cookie.equals(rule.getCookie());
    if (isPaced && sent != null && keepsCookie && !hasActions) {
      if (waiting.put(key, rule) == null) {
        pace(now -> takeTurn(key, tables, now));
      }
      return;
    }
    waiting.remove(key);
    if (keepsCookie && hasActions) {
      if (sent == null) {
        rules.put(key, new Sent(rule, tables.layout(), nowNanos));
      }
      return;
    }
    outbox.add(keepsCookie ? change(tables.factory(), rule) : rule);
    rules.put(key, new Sent(rule, tables.layout(), nowNanos));
  }

  private Optional<OFMessage> takeTurn(RuleKey key, SwitchTables tables, long nowNanos) {
    @Nullable OFFlowAdd rule = waiting.remove(key);
    if (rule == null) {
      return Optional.empty();
    }
    rules.put(key, new Sent(rule, tables.layout(), nowNanos));
    return Optional.of(change(tables.factory(), rule));
  }

  /** Adds a change that is made at a bounded rate. */
  void pace(RulePacer.Change change) {
    pacer.add(switchId, change);
  }

  /** Whether rules of owners wait for their turn to change. */
  boolean isWaiting() {
    return !waiting.isEmpty();
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

  /**
   * Sends what was collected. If the switch is away, it gets its rules when it has been read again.
   */
  void flush(RuleSender ruleSender, Executor serialExecutor) {
    if (outbox.isEmpty()) {
      return;
    }
    ImmutableList<OFMessage> messages = ImmutableList.copyOf(outbox);
    outbox.clear();
    unconfirmed += messages.size();
    ruleSender.sendInOrder(
        List.of(new MessageBatch(switchId, messages)),
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
      if (sent.rule.getCookie().equals(entry.getCookie()) && FoundRules.does(entry, sent.rule)) {
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

  /** The switch is away. What waits for its turn is sent, as all others, when it is back. */
  void disconnected() {
    waiting.forEach(
        (key, rule) ->
            rules.computeIfPresent(key, (any, sent) -> new Sent(rule, sent.layout, sent.atNanos)));
    waiting.clear();
  }

  /**
   * Sends the rules again that the switch was found not to have. Owners replace those for another
   * layout.
   *
   * @return whether it had all
   */
  boolean complete(
      Set<RuleKey> seen, long settledNanos, @Nullable TableLayout layout, long nowNanos) {
    boolean hasAll = true;
    for (Map.Entry<RuleKey, Sent> each : rules.entrySet()) {
      Sent sent = each.getValue();
      if (!seen.contains(each.getKey()) && sent.layout == layout && sent.atNanos <= settledNanos) {
        @Nullable OFFlowAdd next = waiting.remove(each.getKey());
        OFFlowAdd rule = next == null ? sent.rule : next;
        outbox.add(rule);
        each.setValue(new Sent(rule, sent.layout, nowNanos));
        hasAll = false;
      }
    }
    return hasAll;
  }

  /** Removes the rules of an earlier run that nothing wanted. */
  void removeOrphans(OFFactory factory) {
    for (Iterator<OFFlowStatsEntry> each = orphans.values().iterator(); each.hasNext(); ) {
      OFFlowStatsEntry entry = each.next();
      outbox.add(RuleKey.of(entry).delete(factory, entry.getCookie()));
      each.remove();
    }
  }

  /** Whether a rule of an earlier run that is not replaced yet uses a label. */
  boolean usesFoundLabel(Label label) {
    return orphans.values().stream()
        .anyMatch(each -> FoundRules.labelOf(each).equals(Optional.of(label)));
  }

  /** The switch has lost all rules. */
  void reset(@Nullable TableLayout layout, long nowNanos) {
    orphans.clear();
    boolean unusedHadAll = complete(Set.of(), Long.MAX_VALUE, layout, nowNanos);
  }
}
