package io.malob.openflow;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The rules that one owner wants on switches, and those that were sent. The owner states all rules
 * of a switch, even if the switch is away. The book sends the difference: first the new and changed
 * rules, in the owner's order, then the deletions. For one thread at a time, except {@link
 * #refused}.
 *
 * <p>If switches share a map of rules, the book needs no memory per rule and switch.
 */
public final class RuleBook<R extends Rule> {
  /** The max number of unwanted rules that are remembered for a switch that does not confirm. */
  static final int MAX_STALE = 10_000;

  private final RuleSender ruleSender;
  private final Executor serialExecutor;
  private final @Nullable BiConsumer<DatapathId, R> whenRefused;
  private final Map<DatapathId, Page<R>> pages = new HashMap<>();

  /** The rules in messages that switches have neither confirmed nor rejected. */
  private final Map<Transaction, Sent<R>> unconfirmed = new ConcurrentHashMap<>();

  /** The latest difference: after a change, many switches need the same. */
  private Difference<R> latest = Difference.between(Known.nothing(), ImmutableMap.of());

  private record Transaction(DatapathId switchId, long id) {}

  private record Sent<R>(R rule, AtomicBoolean isRefused) {}

  /** A book that neither asks switches to confirm nor learns of rejected rules. */
  public RuleBook(RuleSender ruleSender) {
    this(ruleSender, Runnable::run, null);
  }

  /**
   * A book that asks switches to confirm.
   *
   * @param serialExecutor the thread of this book
   * @param whenRefused called for each rule that a switch has rejected, once per sending, by the
   *     thread that reads from the switch
   */
  public RuleBook(
      RuleSender ruleSender,
      Executor serialExecutor,
      @Nullable BiConsumer<DatapathId, R> whenRefused) {
    this.ruleSender = ruleSender;
    this.serialExecutor = serialExecutor;
    this.whenRefused = whenRefused;
  }

  /** Rules by their keys, in their order; of several with one key, the last. */
  public static <R extends Rule> ImmutableMap<Object, R> byKey(Collection<? extends R> rules) {
    Map<Object, R> byKey = new LinkedHashMap<>();
    rules.forEach(rule -> byKey.put(rule.key(), rule));
    return ImmutableMap.copyOf(byKey);
  }

  /** The rules that the owner wants on a switch. */
  public ImmutableMap<Object, R> rules(DatapathId switchId) {
    @Nullable Page<R> page = pages.get(switchId);
    return page == null ? ImmutableMap.of() : page.wanted;
  }

  /** The switches with rules of the owner. */
  public ImmutableSet<DatapathId> switches() {
    return ImmutableSet.copyOf(pages.keySet());
  }

  /** The switches that may lack rules, or may have others. */
  public ImmutableSet<DatapathId> unsettled() {
    return ImmutableSet.copyOf(Maps.filterValues(pages, page -> !page.isSettled()).keySet());
  }

  /** Makes these the rules of the owner on a switch. */
  public void set(DatapathId switchId, ImmutableMap<Object, R> rules) {
    send(switchId, rules, false, factory -> List.of(), null);
  }

  /**
   * The same.
   *
   * @param done called when the switch has confirmed, failed to, or proved to be away; at once if
   *     it has the rules
   */
  public void set(DatapathId switchId, ImmutableMap<Object, R> rules, Runnable done) {
    send(switchId, rules, false, factory -> List.of(), done);
  }

  /**
   * The same for a switch that may have lost rules, or whose rules would expire: it gets all of
   * these.
   */
  public void setAll(DatapathId switchId, ImmutableMap<Object, R> rules) {
    send(switchId, rules, true, factory -> List.of(), null);
  }

  /**
   * The same for a switch that may also have other rules of the owner.
   *
   * @param sweep makes the messages that delete these; they follow a barrier
   */
  public void setAll(
      DatapathId switchId,
      ImmutableMap<Object, R> rules,
      Function<OFFactory, List<OFMessage>> sweep,
      Runnable done) {
    send(switchId, rules, true, sweep, done);
  }

  /** To be called regularly: sends what switches have not accepted or confirmed. */
  public void retry() {
    unsettled().forEach(switchId -> set(switchId, rules(switchId)));
  }

  /** A switch has disconnected, and the owner states all rules again when it is back. */
  public void forget(DatapathId switchId) {
    pages.remove(switchId);
  }

  /** A switch has rejected a message; false if this book did not send it. For any thread. */
  public boolean refused(DatapathId switchId, long transaction) {
    @Nullable Sent<R> sent = unconfirmed.remove(new Transaction(switchId, transaction));
    if (sent != null && whenRefused != null && sent.isRefused.compareAndSet(false, true)) {
      whenRefused.accept(switchId, sent.rule);
    }
    return sent != null;
  }

  private void send(
      DatapathId switchId,
      ImmutableMap<Object, R> rules,
      boolean mayLackAll,
      Function<OFFactory, List<OFMessage>> sweep,
      @Nullable Runnable done) {
    Page<R> page = pages.computeIfAbsent(switchId, any -> new Page<>());
    page.wanted = rules;
    if (mayLackAll) {
      page.known = page.known.doubted();
    }
    Optional<OFFactory> factory = ruleSender.factory(switchId);
    if (factory.isEmpty()) {
      if (page.wanted.isEmpty()) {
        pages.remove(switchId);
      }
      run(done);
      return;
    }
    Known<R> before = page.known;
    prepare(before, page.wanted);
    page.known = latest.known;
    Map<Transaction, Sent<R>> transactions = new HashMap<>();
    ImmutableList<OFMessage> messages = messages(switchId, factory.get(), sweep, transactions);
    if (messages.isEmpty()) {
      finish(switchId, page, before, true);
      run(done);
    } else if (whenRefused == null && done == null) {
      finish(switchId, page, before, ruleSender.send(switchId, messages));
    } else {
      unconfirmed.putAll(transactions);
      ruleSender.sendInOrder(
          List.of(new MessageBatch(switchId, messages)),
          isConfirmed ->
              serialExecutor.execute(
                  () -> {
                    unconfirmed.keySet().removeAll(transactions.keySet());
                    finish(switchId, page, before, isConfirmed);
                    run(done);
                  }));
    }
  }

  private static void run(@Nullable Runnable done) {
    if (done != null) {
      done.run();
    }
  }

  @SuppressWarnings("ReferenceEquality") // only shared rules are worth it
  private void prepare(Known<R> before, ImmutableMap<Object, R> after) {
    if (latest.before != before || latest.after != after) {
      latest = Difference.between(before, after);
    }
  }

  /** The messages of the latest difference. */
  private ImmutableList<OFMessage> messages(
      DatapathId switchId,
      OFFactory factory,
      Function<OFFactory, List<OFMessage>> sweep,
      Map<Transaction, Sent<R>> transactions) {
    ImmutableList.Builder<OFMessage> messages = ImmutableList.builder();
    for (R rule : latest.added) {
      List<OFMessage> added = rule.add(factory);
      messages.addAll(added);
      if (whenRefused != null) {
        Sent<R> sent = new Sent<>(rule, new AtomicBoolean());
        added.forEach(each -> transactions.put(new Transaction(switchId, each.getXid()), sent));
      }
    }
    latest.removed.forEach(rule -> messages.addAll(rule.remove(factory)));
    List<OFMessage> last = sweep.apply(factory);
    if (!last.isEmpty()) {
      // the rules and their sweep must not meet in a switch that changes the order of messages
      messages.add(factory.barrierRequest()).addAll(last);
    }
    return messages.build();
  }

  private void finish(DatapathId switchId, Page<R> page, Known<R> before, boolean isDone) {
    if (!isDone) {
      page.known = page.known.with(before).doubted();
    } else if (page.wanted.isEmpty() && page.isSettled()) {
      pages.remove(switchId, page);
    }
  }

  /** Begins to compare the rules that a switch reports with those that the owner wants there. */
  public Reading read(DatapathId switchId) {
    return new Reading(switchId);
  }

  /** The comparison of the rules of one switch; they must be as they are stated, not compiled. */
  public final class Reading {
    private final DatapathId switchId;
    private final Map<RuleKey, R> wanted = new HashMap<>();
    private final Map<RuleKey, OFFlowAdd> missing = new HashMap<>();

    /** The places of the rules that the owner has stated last, and these rules. */
    private Set<RuleKey> places = Set.of();

    private ImmutableMap<Object, R> stated = ImmutableMap.of();

    private Reading(DatapathId switchId) {
      this.switchId = switchId;
      ruleSender
          .factory(switchId)
          .ifPresent(factory -> rules(switchId).values().forEach(rule -> expect(factory, rule)));
    }

    private void expect(OFFactory factory, R rule) {
      for (OFMessage message : rule.add(factory)) {
        if (message instanceof OFFlowAdd add) {
          wanted.put(RuleKey.of(add), rule);
          missing.put(RuleKey.of(add), add);
        }
      }
    }

    /** The switch reports a rule; false if the owner does not want it, and it is to be deleted. */
    public boolean found(OFFlowStatsEntry entry) {
      RuleKey key = RuleKey.of(entry);
      @Nullable OFFlowAdd add = missing.get(key);
      if (add != null && add.getInstructions().equals(entry.getInstructions())) {
        missing.remove(key);
      }
      return isWanted(key);
    }

    /** The owner may have stated other rules since this began, and the switch may have them. */
    @SuppressWarnings("ReferenceEquality") // equal rules have equal places
    private boolean isWanted(RuleKey key) {
      ImmutableMap<Object, R> now = rules(switchId);
      if (now != stated) {
        stated = now;
        places =
            ruleSender.factory(switchId).stream()
                .flatMap(factory -> now.values().stream().flatMap(rule -> places(factory, rule)))
                .collect(Collectors.toSet());
      }
      return places.contains(key);
    }

    private Stream<RuleKey> places(OFFactory factory, R rule) {
      return rule.add(factory).stream()
          .filter(OFFlowAdd.class::isInstance)
          .map(message -> RuleKey.of((OFFlowAdd) message));
    }

    /** The switch has reported all rules: it gets those that it lacks or has otherwise. */
    public void complete() {
      @Nullable Page<R> page = pages.get(switchId);
      if (page != null && !missing.isEmpty()) {
        page.known = page.known.without(Maps.filterKeys(wanted, missing::containsKey).values());
        set(switchId, page.wanted);
      }
    }
  }

  /** What an owner wants on a switch, and what the switch has. */
  private static final class Page<R extends Rule> {
    ImmutableMap<Object, R> wanted = ImmutableMap.of();
    Known<R> known = Known.nothing();

    boolean isSettled() {
      return known.stale.isEmpty() && known.sent.equals(wanted);
    }
  }

  /**
   * The rules of a switch.
   *
   * @param sent those that it has
   * @param stale others that it may have, or may have had
   */
  private record Known<R extends Rule>(
      ImmutableMap<Object, R> sent, ImmutableMap<Object, R> stale) {
    static <R extends Rule> Known<R> nothing() {
      return new Known<>(ImmutableMap.of(), ImmutableMap.of());
    }

    /** It may lack all of them. */
    Known<R> doubted() {
      return new Known<>(ImmutableMap.of(), stale.isEmpty() ? sent : union(sent, stale));
    }

    /** It lacks these. */
    Known<R> without(Collection<R> lost) {
      Set<Object> keys = lost.stream().map(Rule::key).collect(Collectors.toSet());
      return new Known<>(
          ImmutableMap.copyOf(Maps.filterKeys(sent, key -> !keys.contains(key))), stale);
    }

    /** It may have these, too. */
    Known<R> with(Known<R> others) {
      return new Known<>(sent, union(stale, union(others.sent, others.stale)));
    }

    private static <R extends Rule> ImmutableMap<Object, R> union(
        ImmutableMap<Object, R> first, ImmutableMap<Object, R> second) {
      return Stream.concat(first.entrySet().stream(), second.entrySet().stream())
          .limit(MAX_STALE)
          .collect(toImmutableMap(Map.Entry::getKey, Map.Entry::getValue, (one, other) -> one));
    }
  }

  /** What changes the rules of a switch into others. */
  private record Difference<R extends Rule>(
      Known<R> before,
      ImmutableMap<Object, R> after,
      ImmutableList<R> added,
      ImmutableList<R> removed,
      Known<R> known) {
    static <R extends Rule> Difference<R> between(Known<R> before, ImmutableMap<Object, R> after) {
      return new Difference<>(
          before,
          after,
          after.values().stream()
              .filter(rule -> !rule.equals(before.sent.get(rule.key())))
              .collect(toImmutableList()),
          before.doubted().stale.values().stream()
              .filter(rule -> !after.containsKey(rule.key()))
              .collect(toImmutableList()),
          new Known<>(after, ImmutableMap.of()));
    }
  }
}
