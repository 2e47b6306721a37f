package io.malob.openflow.label;

import io.malob.algorithm.graph.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A path, the label that leads over it, and how many connections use it: have rules with its label,
 * and of these, how many are active, that is, not ended yet. Thread-safe.
 */
public final class LabelledPath {
  private static final int RETIRED = Integer.MIN_VALUE;

  private final Label label;
  private volatile Path path;
  private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
  private final AtomicInteger uses = new AtomicInteger();
  private final AtomicInteger active = new AtomicInteger();
  private volatile long unusedSinceNanos;

  LabelledPath(Label label, Path path, long nowNanos) {
    this.label = label;
    this.path = path;
    this.unusedSinceNanos = nowNanos;
  }

  /** The label; a path within one switch has one, too, but no rule ever names it. */
  public Label label() {
    return label;
  }

  /** Where the label leads now; always between the same two switches. */
  public Path path() {
    return path;
  }

  /** Leads the label over another path from now on. */
  void moveTo(Path newPath) {
    path = newPath;
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
    return active.get();
  }

  /** Counts a connection on it that has become active (1) or is so no more (-1). */
  public void countActive(int change) {
    active.addAndGet(change);
  }

  /** Counts one more use; false if the label has been retired. */
  boolean use() {
    return uses.updateAndGet(count -> count < 0 ? count : count + 1) > 0;
  }

  void release(long nowNanos) {
    unusedSinceNanos = nowNanos;
    uses.decrementAndGet();
  }

  /** Retires the label, for good, if nobody has used it for that long. */
  boolean retire(long nowNanos, long unusedNanos) {
    return ready.isDone()
        && nowNanos - unusedSinceNanos >= unusedNanos
        && uses.compareAndSet(0, RETIRED);
  }
}
