package io.malob.openflow.label;

import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.SharedSegments;
import io.malob.algorithm.graph.Topology;
import io.malob.openflow.LabelGroups;
import io.malob.openflow.RefusedGroup;
import io.malob.openflow.RuleSender;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The labels in the network and their life: installed from the last switch to the first, ready when
 * all switches have confirmed, counted by the connections that use them, removed from the first
 * switch to the last when no connection has used them for a while, and reused only after another
 * while. Thread-safe; {@link #acquire} and {@link #release} are lock-free.
 */
public final class LabelTable {
  private static final Logger LOG = LoggerFactory.getLogger(LabelTable.class);
  private static final long UNUSED_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long EXHAUSTED_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final RuleSender ruleSender;
  private final LabelRules rules;
  private final LongSupplier nanoTime;
  private final LinkLoads loads;
  private final LabelIds ids;
  private final AtomicLong warnedNanos;
  private final AtomicLong exhaustedNanos;

  /** All labels that have rules, or are about to get some. */
  private final LabelIndex labels = new LabelIndex();

  /** Receives labels that leave their first switch by another port. */
  private volatile Consumer<LabelledPath> whenRerouted = labelled -> {};

  /** Receives labels that packets may carry next, over their present paths. */
  private volatile Consumer<LabelledPath> beforeUse = labelled -> {};

  private final AtomicReference<SharedSegments> segments =
      new AtomicReference<>(SharedSegments.NONE);

  private final LongAdder repairs = new LongAdder();
  private final LongAdder failedRepairs = new LongAdder();

  /** How often a label left its first switch by another port than before. */
  private final LongAdder portChanges = new LongAdder();

  /** Pending labels that a switch had no room for, by id: the pending change fails. */
  private final Set<Integer> refused = ConcurrentHashMap.newKeySet();

  private final NextRepair nextRepair = new NextRepair();

  public LabelTable(RuleSender ruleSender, LongSupplier nanoTime) {
    this(ruleSender, nanoTime, new LinkLoads(), () -> LabelRange.ALL, 0);
  }

  /**
   * A table that allocates labels from a certain id on. A random one avoids the labels of an
   * earlier run on switches that have not reconnected yet.
   *
   * @param loads the counts of connections on the labels' links
   * @param range the ids that may be allocated, now; labels of all ids can be recovered
   * @param next where the first one is in the range, from 0 to {@link Label#MAX_CONNECTION_ID}
   */
  public LabelTable(
      RuleSender ruleSender,
      LongSupplier nanoTime,
      LinkLoads loads,
      Supplier<LabelRange> range,
      int next) {
    this.ruleSender = ruleSender;
    this.rules = new LabelRules(ruleSender);
    this.nanoTime = nanoTime;
    this.loads = loads;
    this.ids = new LabelIds(range, next);
    this.warnedNanos = new AtomicLong(nanoTime.getAsLong() - WARN_NANOS);
    this.exhaustedNanos = new AtomicLong(nanoTime.getAsLong() - EXHAUSTED_NANOS);
  }

  /**
   * From now on, publishes each label that leaves its first switch by another port, once all
   * switches have confirmed that or one of them has not.
   */
  public void whenRerouted(Consumer<LabelledPath> subscriber) {
    whenRerouted = subscriber;
  }

  /**
   * From now on, publishes each label that switches have confirmed, before packets carry it, and
   * each label whose path has changed.
   */
  public void beforeUse(Consumer<LabelledPath> subscriber) {
    beforeUse = subscriber;
  }

  /** The segments that paths cross from now on. */
  public void setSegments(SharedSegments current) {
    segments.set(current);
  }

  /**
   * The label of a path, for one more connection, installed now if necessary. Each call needs one
   * {@link #release}. If all labels are in use, the result is a failed path: it never becomes
   * ready, and the next call tries again.
   */
  public LabelledPath acquire(Path path) {
    while (true) {
      @Nullable LabelledPath known = labels.find(path);
      LabelledPath labelled = known == null ? add(path) : known;
      if (labelled.use()) {
        return labelled;
      }
      // just retired: about to be removed from the map
      labels.retire(labelled, path);
    }
  }

  /** One more connection on a label, as {@link #acquire}; false if the label is being removed. */
  public boolean share(LabelledPath labelled) {
    return labelled.use();
  }

  /** Whether a label is in use. A resting label is not, and no switch needs a rule for it. */
  public boolean isInUse(Label label) {
    return ids.isInUse(label.id());
  }

  /** Reserves a label that was found on a switch; false if it is in use. */
  public boolean reserve(Label label) {
    return ids.reserve(label.id());
  }

  /**
   * Takes over a reserved label whose rules are all on their switches, as acquired once. New
   * connections use it, too.
   */
  public LabelledPath recover(Label label, Path path) {
    LabelledPath recovered = labelled(label, path);
    recovered.use();
    recovered.ready().complete(true);
    labels.add(recovered);
    return recovered;
  }

  /**
   * Takes over what another controller knows of a label; nothing is sent.
   *
   * @param held the label as it was taken over before; null if it was not
   * @return the label; null if this table uses its id for something else
   */
  public @Nullable LabelledPath replicate(Label label, Path path, @Nullable LabelledPath held) {
    if (held != null) {
      Path before = held.path();
      if (before.equals(path)) {
        return held;
      }
      if (before.src().equals(path.src()) && before.dst().equals(path.dst())) {
        held.moveTo(path);
        labels.moved(held, before);
        held.settle(true);
        return held;
      }
      forget(held);
    }
    if (!reserve(label)) {
      return null;
    }
    LabelledPath replicated = recover(label, path);
    release(replicated);
    return replicated;
  }

  /** A label counts as unused from now on, if no connection uses it. */
  public void touch(LabelledPath labelled) {
    if (labelled.use()) {
      release(labelled);
    }
  }

  /** Forgets a label that another controller has removed; nothing is sent. */
  public void forget(LabelledPath labelled) {
    labels.remove(labelled);
    ids.giveBack(labelled.label());
  }

  /**
   * Sends a switch its rule of a label again, if the label crosses it. If the path is being
   * changed, the rules follow in the order of that change instead. By the thread that repairs.
   */
  public void restore(LabelledPath labelled, DatapathId switchId) {
    if (labelled.isReady() && labelled.isSettled() && labels.contains(labelled)) {
      rules.restore(labelled, switchId);
    }
  }

  /** Removes the rules of a reserved label that no connection needs, and frees the label. */
  public void discard(Label label, Collection<DatapathId> switches) {
    rules.discard(label, switches);
    ids.rest(label, nanoTime.getAsLong());
  }

  /** Releases one connection of a label. */
  public void release(LabelledPath labelled) {
    labelled.release(nanoTime.getAsLong());
  }

  /** Ensures that the label of a path is installed, or stays so, without a connection on it. */
  public void keepReady(Path path) {
    if (path.hops() > 0) {
      release(acquire(path));
    }
  }

  /** All labels. */
  public Collection<LabelledPath> all() {
    return labels.all();
  }

  /** The label of that id, if there is one and it has rules, or is about to get some; or null. */
  public @Nullable LabelledPath find(Label label) {
    return labels.find(label);
  }

  /** The labels whose paths cross a switch, or begin or end there. */
  public Collection<LabelledPath> across(DatapathId switchId) {
    return labels.across(switchId);
  }

  /** The rules that a switch needs for the labels across it; used when a switch reconnects. */
  public List<OFMessage> rulesOf(DatapathId switchId) {
    return rules.of(switchId, labels.across(switchId));
  }

  /** Removes labels that have been unused for a while. To be called every few seconds. */
  public void sweep() {
    sweep(labelled -> false);
  }

  /** The same, except for labels that another controller removes. */
  public void sweep(Predicate<LabelledPath> isUnowned) {
    long now = nanoTime.getAsLong();
    for (LabelledPath labelled : all()) {
      if (!isUnowned.test(labelled) && labelled.retire(now, UNUSED_NANOS)) {
        remove(labelled, now);
      }
    }
    ids.sweep(now);
  }

  /**
   * Reroutes labels with a broken path, without changes to their connections; also those whose
   * latest change did not reach all switches. To be called when links are lost, and regularly; by
   * one thread at a time, the same that sweeps.
   *
   * @param network the network without these links
   * @param another finds the new path
   * @param again run once, on any thread, when a label that is broken, but was still being
   *     installed or changed, can be repaired, too
   * @param isOthers whether another controller repairs a label
   * @return the labels without a new path
   */
  public List<LabelledPath> repair(
      Topology network,
      BiFunction<DatapathId, DatapathId, Optional<Path>> another,
      Runnable again,
      Predicate<LabelledPath> isOthers) {
    List<LabelledPath> lost = new ArrayList<>();
    List<LabelledPath> underWay = new ArrayList<>();
    for (LabelledPath labelled : all()) {
      Path broken = labelled.path();
      if ((!labelled.isUnsure() && network.contains(broken)) || isOthers.test(labelled)) {
        continue;
      }
      if (!labelled.isAtRest()) {
        underWay.add(labelled);
        continue;
      }
      Optional<Path> instead = another.apply(broken.src(), broken.dst());
      if (instead.isPresent()) {
        reroute(labelled, instead.get());
      } else {
        lost.add(labelled);
      }
    }
    nextRepair.await(underWay, again);
    return lost;
  }

  /**
   * A switch had no room for a rule of a label, or did not understand it; to be called before the
   * answer to the barrier after that rule, which does not report it.
   */
  public void refused(int id) {
    if (ids.isInUse(id)) {
      refused.add(id);
    }
  }

  /**
   * A switch has a group of a label already, or lacks it, because another controller has added or
   * deleted it. The group is changed instead, or the pending change of the label fails.
   */
  public void refused(DatapathId switchId, RefusedGroup group) {
    int id = group.label();
    LabelGroups groups = ruleSender.compiler().groups();
    if (group.exists()) {
      ruleSender.send(switchId, factory -> groups.changeInstead(factory, switchId, id));
      return;
    }
    groups.forget(switchId, id);
    @Nullable LabelledPath labelled = labels.find(new Label(id));
    if (labelled != null && !labelled.isAtRest()) {
      refused(id);
    }
  }

  /** How often a label was rerouted, or installed again on the same path. */
  public long repairs() {
    return repairs.sum();
  }

  /** How many of these changes did not reach all switches. */
  public long failedRepairs() {
    return failedRepairs.sum();
  }

  /** A number that changes when a label leaves its first switch by another port than before. */
  public long portChanges() {
    return portChanges.sum();
  }

  private void reroute(LabelledPath labelled, Path after) {
    Path before = labelled.path();
    boolean sure = !labelled.isUnsure();
    repairs.increment();
    labelled.moveTo(after);
    labels.moved(labelled, before);
    rules.reroute(
        labelled,
        sure ? Optional.of(before) : Optional.empty(),
        confirmed -> {
          boolean done = isAccepted(labelled, confirmed);
          if (!done) {
            failedRepairs.increment();
            LOG.warn("path_not_changed from=\"{}\" to=\"{}\" - it is retried", before, after);
          }
          labelled.settle(done);
          beforeUse.accept(labelled);
          if (!sure || !firstPort(before).equals(firstPort(after))) {
            portChanges.increment();
            whenRerouted.accept(labelled);
          }
          nextRepair.cameToRest(labelled);
        });
  }

  private static Optional<OFPort> firstPort(Path path) {
    return path.outOf(path.src());
  }

  private boolean isAccepted(LabelledPath labelled, boolean confirmed) {
    return !refused.remove(labelled.label().id()) && confirmed;
  }

  private void remove(LabelledPath labelled, long nowNanos) {
    labels.remove(labelled);
    if (labelled.path().hops() > 0) {
      rules.remove(labelled);
    }
    ids.rest(labelled.label(), nowNanos);
  }

  @SuppressWarnings("ReferenceEquality") // another thread may have added its own
  private LabelledPath add(Path path) {
    Optional<Label> label = ids.next();
    if (label.isEmpty()) {
      return failed(path);
    }
    LabelledPath fresh = labelled(label.get(), path);
    LabelledPath present = labels.add(fresh);
    if (present != fresh) {
      forget(fresh);
      return present;
    }
    if (path.hops() == 0) {
      fresh.ready().complete(true);
    } else {
      rules.install(fresh, done -> finish(fresh, done));
    }
    return fresh;
  }

  private LabelledPath labelled(Label label, Path path) {
    AtomicReference<SharedSegments> current = segments;
    return new LabelledPath(
        label,
        path,
        loads::along,
        each -> Objects.requireNonNull(current.get()).entry(each),
        nanoTime.getAsLong());
  }

  /** A path without a label: no switch gets rules, and the table does not keep it. */
  private LabelledPath failed(Path path) {
    if (isTimeAgain(exhaustedNanos, EXHAUSTED_NANOS)) {
      LOG.warn(
          "labels_exhausted labels={} - connections over new paths are refused until labels become"
              + " free",
          ids.count());
    }
    // never written to a switch: a path that is not ready is not used
    LabelledPath failed = labelled(new Label(Label.MAX_CONNECTION_ID), path);
    failed.ready().complete(false);
    return failed;
  }

  private void finish(LabelledPath labelled, boolean confirmed) {
    boolean installed = isAccepted(labelled, confirmed);
    if (!installed) {
      // limited: if a switch is full, each new connection tries again
      if (isTimeAgain(warnedNanos, WARN_NANOS)) {
        LOG.warn(
            "path_not_installed path=\"{}\" - logged at most once per second", labelled.path());
      }
      remove(labelled, nanoTime.getAsLong()); // some switches may have its rule
    } else {
      beforeUse.accept(labelled);
    }
    labelled.ready().complete(installed);
    nextRepair.cameToRest(labelled);
  }

  private boolean isTimeAgain(AtomicLong lastNanos, long pauseNanos) {
    long now = nanoTime.getAsLong();
    long before = lastNanos.get();
    return now - before >= pauseNanos && lastNanos.compareAndSet(before, now);
  }
}
