package io.malob.mptcp;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.malob.openflow.Rule;
import io.malob.openflow.RuleBook;
import io.malob.openflow.RuleCompiler;
import io.malob.openflow.RuleSender;
import io.malob.openflow.subflow.SubflowMessages;
import io.malob.openflow.subflow.SubflowRule;
import java.util.ArrayList;
import java.util.Comparator;
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
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
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

  private final Executor serialExecutor;
  private final Consumer<Runnable> later;
  private final IntUnaryOperator random;
  private final RuleCompiler compiler;

  /** The rules of each switch by the current or last change, as if all had four tables. */
  private ImmutableSetMultimap<DatapathId, SubflowRule> wanted = ImmutableSetMultimap.of();

  /** The same by the latest change, which may wait for the current one. */
  private ImmutableSetMultimap<DatapathId, SubflowRule> latest = wanted;

  /** Called when the latest change is complete. */
  private final List<Runnable> waiting = new ArrayList<>();

  /** The active switches with what they are to have. */
  private final Map<DatapathId, Target> targets = new HashMap<>();

  /** What they were sent. */
  private final RuleBook<EpochRule> book;

  /** Active switches whose rules may differ for other reasons than those that the book knows. */
  private final Set<DatapathId> unsure = new HashSet<>();

  private final Set<DatapathId> syncing = new HashSet<>();
  private final Set<DatapathId> refusing = ConcurrentHashMap.newKeySet();
  private volatile Condition condition = new Condition(ImmutableSet.of(), ImmutableSet.of());
  private boolean changing;

  /** The number of completed changes. */
  private long changes;

  /** A rule on a switch whose rules all have one epoch. */
  private record EpochRule(SubflowRule rule, int epoch) implements Rule {
    @Override
    public Object key() {
      return rule.key();
    }

    @Override
    public List<OFMessage> add(OFFactory factory) {
      return List.of(rule.add(factory, epoch));
    }

    @Override
    public List<OFMessage> remove(OFFactory factory) {
      return List.of(rule.delete(factory));
    }
  }

  /** The rules that a switch is to have, those that packets meet first last. */
  private final class Target {
    private final DatapathId switchId;
    private final int epoch;
    private ImmutableMap<Object, EpochRule> rules = ImmutableMap.of();

    /** The changes that made rules unnecessary; packets in transit may need the rules. */
    private final Map<Object, Long> retired = new HashMap<>();

    Target(DatapathId switchId, int epoch, ImmutableSet<SubflowRule> wanted) {
      this.switchId = switchId;
      this.epoch = epoch;
      want(wanted);
    }

    void want(ImmutableSet<SubflowRule> wanted) {
      rules =
          RuleBook.byKey(
              compiler.compile(switchId, wanted).stream()
                  .sorted(Comparator.comparing(SubflowRule::step))
                  .map(rule -> new EpochRule(rule, epoch))
                  .toList());
      retired.keySet().removeAll(rules.keySet());
    }

    boolean isRetired(EpochRule rule, long change) {
      return retired.getOrDefault(rule.key(), Long.MAX_VALUE) <= change;
    }
  }

  /**
   * No switch is known yet.
   *
   * @param serialExecutor the thread that everything here runs on
   * @param later runs a task there after packets in transit have arrived
   * @param random returns a number from 0 (inclusive) to its argument (exclusive)
   * @param compiler a switch that it does not know gets no rules
   */
  RuleInstaller(
      RuleSender ruleSender,
      Executor serialExecutor,
      Consumer<Runnable> later,
      IntUnaryOperator random,
      RuleCompiler compiler) {
    this.book = new RuleBook<>(ruleSender, serialExecutor, this::refused);
    this.serialExecutor = serialExecutor;
    this.later = later;
    this.random = random;
    this.compiler = compiler;
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
    targets.forEach((switchId, target) -> target.want(wanted.get(switchId)));
    publish();
    List<Runnable> completed = List.copyOf(waiting);
    waiting.clear();
    add(
        SubflowRule.Step.AHEAD,
        () -> add(SubflowRule.Step.TURN, () -> removeTurns(() -> finish(completed))));
  }

  private void finish(List<Runnable> completed) {
    long change = ++changes;
    targets.forEach(
        (switchId, target) ->
            // no packet enters by the rules without a target any more
            Sets.difference(book.rules(switchId).keySet(), target.rules.keySet())
                .forEach(key -> target.retired.putIfAbsent(key, change)));
    later.accept(() -> remove((target, rule) -> target.isRetired(rule, change), () -> {}));
    changing = false;
    completed.forEach(Runnable::run);
    if (!waiting.isEmpty() && !changing) {
      change();
    }
  }

  /** Adds the missing rules of one step, and waits until all switches have confirmed. */
  private void add(SubflowRule.Step step, Runnable then) {
    setAll(
        (target, present) -> {
          Map<Object, EpochRule> all = new LinkedHashMap<>(present);
          all.putAll(Maps.filterValues(target.rules, each -> each.rule.step() == step));
          return ImmutableMap.copyOf(all);
        },
        then);
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
        (target, each) ->
            each.rule.step() == SubflowRule.Step.TURN
                || each.rule.delivered().filter(delivered::contains).isPresent(),
        then);
  }

  private void remove(BiPredicate<Target, EpochRule> which, Runnable then) {
    setAll(
        (target, present) ->
            ImmutableMap.copyOf(
                Maps.filterValues(
                    present,
                    rule -> target.rules.containsKey(rule.key()) || !which.test(target, rule))),
        then);
  }

  /**
   * Changes the rules of all active switches, and waits until all have confirmed, except those that
   * get all rules later, in {@link #retry}.
   */
  private void setAll(
      BiFunction<Target, ImmutableMap<Object, EpochRule>, ImmutableMap<Object, EpochRule>> next,
      Runnable then) {
    Map<DatapathId, Target> settled = new HashMap<>(targets);
    settled.keySet().removeAll(book.unsettled());
    AtomicInteger open = new AtomicInteger(1 + settled.size());
    Runnable confirmed =
        () -> {
          publish();
          if (open.decrementAndGet() == 0) {
            then.run();
          }
        };
    settled.forEach(
        (switchId, target) ->
            book.set(switchId, next.apply(target, book.rules(switchId)), confirmed));
    confirmed.run();
  }

  /** This controller is now master of a switch, which may have any rules. */
  void switchActive(DatapathId switchId) {
    unsure.add(switchId);
    retry();
  }

  /** A switch is no longer controlled. It continues to forward by its rules. */
  void switchGone(DatapathId switchId) {
    targets.remove(switchId);
    book.forget(switchId);
    unsure.remove(switchId);
    syncing.remove(switchId);
    refusing.remove(switchId);
    publish();
  }

  /** A switch has rejected a message, or lacks rules: it gets all of them. */
  void doubt(DatapathId switchId) {
    if (targets.containsKey(switchId)) {
      unsure.add(switchId);
    }
  }

  /** To be called regularly: updates switches whose rules may differ from the target. */
  void retry() {
    for (DatapathId switchId : ImmutableSet.copyOf(Sets.union(unsure, book.unsettled()))) {
      if (compiler.knows(switchId) && syncing.add(switchId)) {
        sync(switchId);
      }
    }
  }

  private void sync(DatapathId switchId) {
    Target target =
        new Target(switchId, random.applyAsInt(SubflowMessages.EPOCHS), wanted.get(switchId));
    unsure.remove(switchId);
    refusing.remove(switchId);
    targets.put(switchId, target);
    book.setAll(
        switchId,
        target.rules,
        factory -> SubflowMessages.removeOthers(factory, target.epoch),
        () -> {
          publish();
          syncing.remove(switchId);
        });
  }

  /** The target number of rules of a switch. */
  int expected(DatapathId switchId) {
    return targets.containsKey(switchId) ? book.rules(switchId).size() : 0;
  }

  /** Whether a switch has no pending messages. */
  boolean isAtRest(DatapathId switchId) {
    return !changing && targets.containsKey(switchId) && !syncing.contains(switchId);
  }

  /** Switches without pending messages. */
  List<DatapathId> atRest() {
    return targets.keySet().stream().filter(this::isAtRest).toList();
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
    missing.removeAll(targets.keySet());
    missing.addAll(unsure);
    missing.addAll(book.unsettled());
    condition =
        new Condition(ImmutableSet.copyOf(missing), ImmutableSet.copyOf(new TreeSet<>(refusing)));
  }

  /**
   * A switch has rejected a message; false if the message was not from here. For any thread.
   *
   * @param transaction of the message
   */
  boolean refused(DatapathId switchId, long transaction) {
    return book.refused(switchId, transaction);
  }

  private void refused(DatapathId switchId, EpochRule rule) {
    if (refusing.add(switchId)) {
      LOG.warn("mptcp_rule_refused switch={} - its table may be full", switchId);
      serialExecutor.execute(this::publish);
    }
  }
}
