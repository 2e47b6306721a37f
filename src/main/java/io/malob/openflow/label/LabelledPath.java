package io.malob.openflow.label;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.estimate.ActiveCount;
import io.malob.algorithm.graph.Path;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A path, its label, and its connections: the number with rules for the label, and the number of
 * these that have not ended. Thread-safe.
 */
public final class LabelledPath {
  private static final int RETIRED = Integer.MIN_VALUE;

  private final Label label;
  private volatile Routing routing;
  private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
  private final AtomicInteger uses = new AtomicInteger();
  private final Function<Path, ImmutableList<ActiveCount>> loads;
  private final ToIntFunction<Path> entries;

  private volatile long unusedSinceNanos;

  /**
   * The route of the label.
   *
   * @param path over these switches
   * @param strays switches off the path that may still have a rule for it
   * @param state whether the switches have confirmed it
   * @param counts the active connections, as the links of the path count them
   */
  private record Routing(
      Path path, ImmutableSet<DatapathId> strays, State state, PathCounts counts) {}

  private enum State {
    SETTLED,
    /** Messages are pending, and no others may be sent meanwhile. */
    CHANGING,
    /** Some switches may have missed their messages. */
    UNSURE
  }

  /**
   * A label that is not installed yet.
   *
   * @param loads returns the counts of a path's links
   * @param entries returns where a path enters segments
   */
  LabelledPath(
      Label label,
      Path path,
      Function<Path, ImmutableList<ActiveCount>> loads,
      ToIntFunction<Path> entries,
      long nowNanos) {
    this.label = label;
    this.loads = loads;
    this.entries = entries;
    this.routing =
        new Routing(path, ImmutableSet.of(), State.SETTLED, new PathCounts(loads.apply(path)));
    this.unusedSinceNanos = nowNanos;
  }

  /** The label; a path within one switch has one, too, but no rule uses it. */
  public Label label() {
    return label;
  }

  /** The label that packets get for the path; null if it is within one switch. */
  public @Nullable Label packetLabel() {
    return path().hops() == 0 ? null : label;
  }

  /** Where the path enters segments of legacy switches now, from 1 on; 0 if it crosses none. */
  public int entry() {
    return entries.applyAsInt(path());
  }

  /** The current path of the label; always between the same two switches. */
  public Path path() {
    return routing.path;
  }

  /** Whether a switch forwards the label. */
  boolean needsRuleOn(DatapathId switchId) {
    Path now = path();
    return now.hops() > 0 && now.switches().contains(switchId);
  }

  /** Whether the path crosses a switch and leaves it by that port; empty at its end. */
  public boolean goesOn(DatapathId switchId, Optional<OFPort> out) {
    Path now = path();
    return now.switches().contains(switchId) && now.outOf(switchId).equals(out);
  }

  /** Starts a change of the path, or a renewal of the same one. To be settled afterwards. */
  void moveTo(Path newPath) {
    Routing before = routing;
    Set<DatapathId> strays = new LinkedHashSet<>(before.path.switches());
    strays.addAll(before.strays);
    strays.removeAll(newPath.switches());
    PathCounts counts = new PathCounts(loads.apply(newPath));
    routing = new Routing(newPath, ImmutableSet.copyOf(strays), State.CHANGING, counts);
    before.counts.moveTo(counts);
  }

  /** Ends the pending change; the argument tells whether all switches have confirmed it. */
  void settle(boolean confirmed) {
    Routing now = routing;
    routing =
        confirmed
            ? new Routing(now.path, ImmutableSet.of(), State.SETTLED, now.counts)
            : new Routing(now.path, now.strays, State.UNSURE, now.counts);
  }

  /** Switches off the path that may still have a rule for the label. */
  ImmutableSet<DatapathId> strays() {
    return routing.strays;
  }

  /** Whether it is installed, without a pending change of the path. */
  boolean isAtRest() {
    return isReady() && !isChanging();
  }

  /** Whether a change of the path is pending. */
  boolean isChanging() {
    return routing.state == State.CHANGING;
  }

  /** Whether all switches on the path, and no others, are known to have its rules. */
  public boolean isSettled() {
    return routing.state == State.SETTLED;
  }

  /** Whether the latest change may be incomplete. */
  boolean isUnsure() {
    return routing.state == State.UNSURE;
  }

  /** Completes with true when packets may carry the label, with false if that failed. */
  public CompletableFuture<Boolean> ready() {
    return ready;
  }

  /** Whether packets may carry the label now. */
  public boolean isReady() {
    return ready.getNow(false);
  }

  /** How many connections use the label. */
  public int uses() {
    return Math.max(0, uses.get());
  }

  /** How many connections on it are active. */
  public int active() {
    return routing.counts.active();
  }

  /** Counts a connection on it, and on its links, that has become active (1) or inactive (-1). */
  public void countActive(int change) {
    PathCounts counts = routing.counts;
    while (!counts.add(change)) {
      counts = routing.counts; // it has been rerouted meanwhile
    }
  }

  /** Counts one more use; false if the label has been retired. */
  boolean use() {
    return uses.updateAndGet(count -> count < 0 ? count : count + 1) > 0;
  }

  /** By its label, so that operations on several paths have the same order each time. */
  @Override
  public int hashCode() {
    return label.hashCode();
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  void release(long nowNanos) {
    unusedSinceNanos = nowNanos;
    uses.decrementAndGet();
  }

  /** Retires the label for good if it is at rest and was unused for that long. */
  boolean retire(long nowNanos, long unusedNanos) {
    return ready.isDone()
        && !isChanging()
        && nowNanos - unusedSinceNanos >= unusedNanos
        && uses.compareAndSet(0, RETIRED);
  }
}
