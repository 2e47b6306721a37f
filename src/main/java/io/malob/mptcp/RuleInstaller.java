package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.SwitchMessages;
import io.malob.openflow.TableLayout;
import io.malob.openflow.subflow.SubflowCompiler;
import io.malob.openflow.subflow.SubflowMessages;
import io.malob.openflow.subflow.SubflowRule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Updates the rules of switches to those of a plan, with as few changes as possible, and so that no
 * packet meets only a part of them: first it adds rules that no packet reaches yet, on all switches
 * at once; after their confirmation, the rules that lead to these; after that confirmation, it
 * removes the entry rules that are no longer needed; and a while after that confirmation, the rules
 * that packets in transit may still need. For one thread at a time, on which the callbacks run,
 * too.
 */
final class RuleInstaller {
  private static final Logger LOG = LoggerFactory.getLogger(RuleInstaller.class);

  private final FlowProgrammer programmer;
  private final Executor serialExecutor;
  private final Consumer<Runnable> later;
  private final IntUnaryOperator random;
  private final Function<DatapathId, @Nullable TableLayout> layouts;

  /** The rules of each switch by the current or last change, as if all had four tables. */
  private ImmutableSetMultimap<DatapathId, SubflowRule> wanted = ImmutableSetMultimap.of();

  /** The same by the latest change, which may wait for the current one. */
  private ImmutableSetMultimap<DatapathId, SubflowRule> latest = wanted;

  /** Called when the latest change is complete. */
  private final List<Runnable> waiting = new ArrayList<>();

  /** The rules of each active switch: the confirmed ones, and the pending ones. */
  private final Map<DatapathId, Known> known = new HashMap<>();

  /** Active switches whose rules may differ from the target. */
  private final Set<DatapathId> unsure = new HashSet<>();

  private final Set<DatapathId> syncing = new HashSet<>();

  /** Switches by the transactions that they have not confirmed. */
  private final Map<Long, DatapathId> underWay = new ConcurrentHashMap<>();

  private final Set<DatapathId> refusing = ConcurrentHashMap.newKeySet();
  private volatile Condition condition = new Condition(ImmutableSet.of(), ImmutableSet.of());
  private boolean changing;

  /** The number of completed changes. */
  private long changes;

  private static final class Known {
    private final TableLayout layout;
    private final int epoch;
    private final Map<SubflowRule.Key, SubflowRule> rules;

    /** The changes that made rules unnecessary; packets in transit may need the rules. */
    private final Map<SubflowRule.Key, Long> retired = new HashMap<>();

    private ImmutableMap<SubflowRule.Key, SubflowRule> target;

    Known(TableLayout layout, int epoch, ImmutableSet<SubflowRule> wanted) {
      this.layout = layout;
      this.epoch = epoch;
      target = compiled(layout, wanted);
      rules = new LinkedHashMap<>(target);
    }

    void want(ImmutableSet<SubflowRule> wanted) {
      target = compiled(layout, wanted);
      retired.keySet().removeAll(target.keySet());
    }

    /** No packet enters by the rules without a target any more. */
    void retireRest(long change) {
      rules.keySet().stream()
          .filter(key -> !target.containsKey(key))
          .forEach(key -> retired.putIfAbsent(key, change));
    }

    boolean isRetired(SubflowRule rule, long change) {
      return retired.getOrDefault(rule.key(), Long.MAX_VALUE) <= change;
    }

    void forget(SubflowRule rule) {
      rules.remove(rule.key());
      retired.remove(rule.key());
    }

    private static ImmutableMap<SubflowRule.Key, SubflowRule> compiled(
        TableLayout layout, ImmutableSet<SubflowRule> wanted) {
      Map<SubflowRule.Key, SubflowRule> byKey = new LinkedHashMap<>();
      SubflowCompiler.compile(layout, wanted).forEach(rule -> byKey.put(rule.key(), rule));
      return ImmutableMap.copyOf(byKey);
    }
  }

  /**
   * No switch is known yet.
   *
   * @param serialExecutor the thread that everything here runs on
   * @param later runs a task there after packets in transit have arrived
   * @param random returns a number from 0 (inclusive) to its argument (exclusive)
   * @param layouts of switches; null while unknown, when a switch gets no rules
   */
  RuleInstaller(
      FlowProgrammer programmer,
      Executor serialExecutor,
      Consumer<Runnable> later,
      IntUnaryOperator random,
      Function<DatapathId, @Nullable TableLayout> layouts) {
    this.programmer = programmer;
    this.serialExecutor = serialExecutor;
    this.later = later;
    this.random = random;
    this.layouts = layouts;
  }

  /**
   * Changes the rules of switches. A change during another one waits for its end; of several
   * waiting changes, only the latest is made.
   *
   * @param rules as if all switches had four tables
   * @param done called when all active switches have the rules of this or a later change, or when
   *     that failed for some
   */
  void install(ImmutableSetMultimap<DatapathId, SubflowRule> rules, Runnable done) {
    latest = rules;
    waiting.add(done);
    if (!changing) {
      change();
    }
  }

  private void change() {
    changing = true;
    wanted = latest;
    known.forEach((switchId, has) -> has.want(wanted.get(switchId)));
    publish();
    List<Runnable> told = List.copyOf(waiting);
    waiting.clear();
    add(
        SubflowRule.Step.AHEAD,
        () -> add(SubflowRule.Step.TURN, () -> removeTurns(() -> finish(told))));
  }

  private void finish(List<Runnable> told) {
    long change = ++changes;
    known.values().forEach(has -> has.retireRest(change));
    later.accept(() -> remove((has, rule) -> has.isRetired(rule, change), () -> {}));
    changing = false;
    told.forEach(Runnable::run);
    if (!waiting.isEmpty() && !changing) {
      change();
    }
  }

  /** Adds the missing rules of one step, and waits until all switches have confirmed. */
  private void add(SubflowRule.Step step, Runnable then) {
    Map<DatapathId, List<SubflowRule>> missing = new HashMap<>();
    known.forEach(
        (switchId, has) -> {
          List<SubflowRule> rules =
              has.target.values().stream()
                  .filter(rule -> rule.step() == step && !rule.equals(has.rules.get(rule.key())))
                  .toList();
          if (!rules.isEmpty()) {
            missing.put(switchId, rules);
          }
        });
    Runnable confirmed = lastOf(missing.size(), then);
    missing.forEach(
        (switchId, rules) -> {
          @Nullable Known has = known.get(switchId);
          int epoch = has == null ? 0 : has.epoch;
          rules.forEach(rule -> remember(switchId, rule));
          send(
              switchId,
              factory -> rules.stream().map(rule -> rule.add(factory, epoch)).toList(),
              confirmed);
        });
  }

  /** Continues after the given number of calls; at once for 0. */
  private static Runnable lastOf(int times, Runnable then) {
    if (times == 0) {
      then.run();
    }
    AtomicInteger open = new AtomicInteger(times);
    return () -> {
      if (open.decrementAndGet() == 0) {
        then.run();
      }
    };
  }

  private void remember(DatapathId switchId, SubflowRule rule) {
    @Nullable Known has = known.get(switchId);
    if (has != null) {
      has.rules.put(rule.key(), rule);
    }
  }

  /**
   * Also the rules that deliver packets to a host that has moved.
   *
   * @param then called when switches have confirmed
   */
  private void removeTurns(Runnable then) {
    Set<IPAddress<?>> delivered = new HashSet<>();
    wanted.values().forEach(rule -> rule.delivered().ifPresent(delivered::add));
    remove(
        (has, rule) ->
            rule.step() == SubflowRule.Step.TURN
                || rule.delivered().filter(delivered::contains).isPresent(),
        then);
  }

  private void remove(BiPredicate<Known, SubflowRule> which, Runnable then) {
    Map<DatapathId, List<SubflowRule>> unwanted = new HashMap<>();
    known.forEach(
        (switchId, has) -> {
          List<SubflowRule> rules =
              has.rules.values().stream()
                  .filter(rule -> which.test(has, rule) && !has.target.containsKey(rule.key()))
                  .toList();
          if (!rules.isEmpty()) {
            rules.forEach(has::forget);
            unwanted.put(switchId, rules);
          }
        });
    Runnable confirmed = lastOf(unwanted.size(), then);
    unwanted.forEach(
        (switchId, rules) ->
            send(
                switchId,
                factory -> rules.stream().map(rule -> rule.delete(factory)).toList(),
                confirmed));
  }

  private void send(
      DatapathId switchId, Function<OFFactory, List<OFMessage>> messages, Runnable confirmed) {
    List<SwitchMessages> batch = new ArrayList<>();
    programmer
        .factory(switchId)
        .ifPresent(
            factory ->
                batch.add(
                    new SwitchMessages(switchId, ImmutableList.copyOf(messages.apply(factory)))));
    if (batch.isEmpty()) {
      // it has just disconnected, and gets all rules when it reconnects
      unsure.add(switchId);
      publish();
      confirmed.run();
      return;
    }
    ImmutableList<OFMessage> sent = batch.get(0).messages();
    sent.forEach(message -> underWay.put(message.getXid(), switchId));
    programmer.sendInOrder(
        batch,
        done ->
            serialExecutor.execute(
                () -> {
                  sent.forEach(message -> underWay.remove(message.getXid()));
                  if (!done) {
                    unsure.add(switchId);
                  }
                  publish();
                  confirmed.run();
                }));
  }

  /** This controller is now master of a switch, which may have any rules. */
  void switchActive(DatapathId switchId) {
    unsure.add(switchId);
    retry();
  }

  /** A switch is no longer controlled. It continues to forward by its rules. */
  void switchGone(DatapathId switchId) {
    known.remove(switchId);
    unsure.remove(switchId);
    syncing.remove(switchId);
    refusing.remove(switchId);
    publish();
  }

  /** A switch has rejected a message, or lacks rules: it gets all of them. */
  void doubt(DatapathId switchId) {
    if (known.containsKey(switchId)) {
      unsure.add(switchId);
    }
  }

  /** To be called regularly: updates switches whose rules may differ from the target. */
  void retry() {
    for (DatapathId switchId : List.copyOf(unsure)) {
      @Nullable TableLayout layout = layouts.apply(switchId);
      if (layout != null && syncing.add(switchId)) {
        sync(switchId, layout);
      }
    }
  }

  private void sync(DatapathId switchId, TableLayout layout) {
    Known has = new Known(layout, random.applyAsInt(SubflowMessages.EPOCHS), wanted.get(switchId));
    ImmutableMap<SubflowRule.Key, SubflowRule> rules = has.target;
    unsure.remove(switchId);
    refusing.remove(switchId);
    known.put(switchId, has);
    send(
        switchId,
        factory -> SubflowMessages.exactly(factory, rules.values(), has.epoch),
        () -> syncing.remove(switchId));
  }

  /** The target number of rules of a switch. */
  int expected(DatapathId switchId) {
    @Nullable Known has = known.get(switchId);
    return has == null ? 0 : has.rules.size();
  }

  /** Whether a switch has no pending messages. */
  boolean isAtRest(DatapathId switchId) {
    return !changing && known.containsKey(switchId) && !syncing.contains(switchId);
  }

  /** Switches without pending messages. */
  List<DatapathId> atRest() {
    return known.keySet().stream().filter(this::isAtRest).toList();
  }

  /**
   * The progress; for any thread.
   *
   * @param missing switches with target rules that are not connected, or have not confirmed
   * @param refusing switches that have rejected a rule
   */
  record Condition(ImmutableSet<DatapathId> missing, ImmutableSet<DatapathId> refusing) {}

  Condition condition() {
    return condition;
  }

  private void publish() {
    Set<DatapathId> missing = new TreeSet<>(wanted.keySet());
    missing.removeAll(known.keySet());
    missing.addAll(unsure);
    condition =
        new Condition(ImmutableSet.copyOf(missing), ImmutableSet.copyOf(new TreeSet<>(refusing)));
  }

  /**
   * A switch has rejected a message; false if the message was not from here. For any thread.
   *
   * @param transaction of the message
   */
  boolean refused(DatapathId switchId, long transaction) {
    if (!switchId.equals(underWay.get(transaction))) {
      return false;
    }
    if (refusing.add(switchId)) {
      LOG.warn("mptcp_rule_refused switch={} - its table may be full", switchId);
      serialExecutor.execute(this::publish);
    }
    return true;
  }
}
