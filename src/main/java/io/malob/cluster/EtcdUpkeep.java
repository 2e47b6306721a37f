package io.malob.cluster;

import io.malob.cluster.etcd.EtcdSpace;
import io.malob.module.ClusterView;
import io.malob.module.ClusterView.Problem;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps etcd from filling its disk quota, at which it would take no changes and grant no leases:
 * has it forget earlier values of keys, and reports how full it is. Each controller does so; that
 * etcd has forgotten them already is no error. Thread-safe.
 */
final class EtcdUpkeep {
  /** The interval at which {@link #tick} is to be called. */
  static final long TICK_MILLIS = 30_000;

  /** How long earlier values are kept, for watches that were interrupted. */
  static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** The share of the quota from which on there is a problem. etcd still takes changes then. */
  private static final int PROBLEM_PERCENT = 75;

  private static final long MEGABYTE = 1_000_000;
  private static final Logger LOG = LoggerFactory.getLogger(EtcdUpkeep.class);

  private final Supplier<CompletableFuture<Long>> revisions;
  private final LongFunction<CompletableFuture<Void>> compact;
  private final Supplier<CompletableFuture<List<EtcdSpace>>> space;
  private final LongSupplier nanoTime;

  /** Revisions by the times at which etcd had them, of the last minutes. */
  private final ArrayDeque<Seen> seen = new ArrayDeque<>();

  private long compacted;
  private volatile Optional<Problem> problem = Optional.empty();

  private record Seen(long nanos, long revision) {}

  /**
   * No upkeep before the first tick.
   *
   * @param revisions etcd's latest revision
   * @param compact has etcd forget what was before a revision
   * @param space how full its servers are
   */
  EtcdUpkeep(
      Supplier<CompletableFuture<Long>> revisions,
      LongFunction<CompletableFuture<Void>> compact,
      Supplier<CompletableFuture<List<EtcdSpace>>> space,
      LongSupplier nanoTime) {
    this.revisions = revisions;
    this.compact = compact;
    this.space = space;
    this.nanoTime = nanoTime;
  }

  /** Does what is due; does not wait for etcd. */
  void tick() {
    CompletableFuture<?> unusedSpace = space.get().thenAccept(this::check);
    CompletableFuture<?> unused =
        revisions
            .get()
            .thenCompose(now -> compact(passed(now)))
            .whenComplete(
                (done, thrown) -> {
                  if (thrown != null) {
                    LOG.debug("etcd_not_compacted", thrown); // the next call tries again
                  }
                });
  }

  private CompletableFuture<Void> compact(long revision) {
    return revision == 0 ? CompletableFuture.completedFuture(null) : compact.apply(revision);
  }

  /** Notes the present revision; returns the one to keep from, if that is due, else 0. */
  private synchronized long passed(long now) {
    if (!seen.isEmpty() && seen.getLast().revision > now) {
      seen.clear(); // etcd was restored
      compacted = 0;
    }
    long nanos = nanoTime.getAsLong();
    seen.addLast(new Seen(nanos, now));
    long passed = 0;
    while (nanos - seen.getFirst().nanos >= KEPT_NANOS) {
      passed = seen.removeFirst().revision;
    }
    if (passed <= compacted) {
      return 0;
    }
    compacted = passed;
    return passed;
  }

  private void check(List<EtcdSpace> servers) {
    Optional<EtcdSpace> fullest = servers.stream().max(Comparator.comparing(EtcdSpace::percent));
    if (fullest.isEmpty()) {
      return; // that etcd is silent is another problem
    }
    EtcdSpace now = fullest.get();
    boolean isProblem = now.percent() >= PROBLEM_PERCENT;
    if (isProblem && problem.isEmpty()) {
      LOG.error(
          "etcd_space_low server=\"{}\" mb={} quota_mb={} full={} - at its quota, etcd takes no"
              + " changes, and a controller that fails is not replaced",
          now.server(),
          now.bytes() / MEGABYTE,
          now.quota() / MEGABYTE,
          now.isFull());
    }
    problem =
        isProblem ? Optional.of(new Problem(Problem.Kind.ETCD_SPACE, text(now))) : Optional.empty();
  }

  private static String text(EtcdSpace now) {
    String used =
        String.format(
            "etcd's server %s uses %d MB of its quota of %d MB",
            now.server(), now.bytes() / MEGABYTE, now.quota() / MEGABYTE);
    return now.isFull()
        ? used
            + ", and takes no changes: changes get 503, and a controller that fails is not replaced."
        : used + "; at the quota, it takes no changes.";
  }

  /** A view with the problem, if there is one. */
  ClusterView withProblem(ClusterView view) {
    return problem.map(view::with).orElse(view);
  }
}
