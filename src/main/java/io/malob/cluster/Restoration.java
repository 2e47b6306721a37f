package io.malob.cluster;

import com.google.common.util.concurrent.MoreExecutors;
import io.malob.cluster.election.GenerationIds;
import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.History;
import io.malob.cluster.etcd.MirroredRange;
import io.malob.module.ClusterView;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What follows when etcd has lost changes. The controller that notices it informs the others by a
 * key: the greatest generation id that masters may have had. All of them refuse changes until the
 * base of generation ids is as great, which an operator sets to accept etcd's state. Thread-safe;
 * does not wait for etcd.
 */
final class Restoration {
  private static final String FOLDER = "cluster/";
  private static final String BASE = FOLDER + "generation-base";

  /** The key that informs other controllers, also those that start later. */
  private static final String LOST = FOLDER + "lost-generation";

  private final Etcd etcd;
  private final History history;
  private final Executor serialExecutor;

  /** On the serial executor. */
  private final MirroredRange keys;

  /** The base of generation ids. */
  private volatile long base;

  /** The latest generation id before changes were lost, as any controller knows; 0 if none were. */
  private final AtomicLong lost = new AtomicLong();

  /** What other controllers have been told; on the serial executor. */
  private long published;

  Restoration(Etcd etcd, History history, Executor notifier) {
    this.etcd = etcd;
    this.history = history;
    serialExecutor = MoreExecutors.newSequentialExecutor(notifier);
    keys = new MirroredRange(etcd, FOLDER, serialExecutor, (key, wentBack) -> keysChanged(key));
    history.onLoss(this::lose);
  }

  private void lose(long revision) {
    lost.accumulateAndGet(base + revision, GenerationIds::later);
  }

  /** Does what is due; to be called every second. */
  void tick() {
    serialExecutor.execute(
        () -> {
          keys.tick();
          publish();
        });
  }

  private void keysChanged(@Nullable String key) {
    if (key != null && !key.equals(BASE) && !key.equals(LOST)) {
      return;
    }
    base = number(BASE);
    published = number(LOST);
    long known = lost.accumulateAndGet(published, GenerationIds::later);
    boolean isAccepted = isIn(base);
    history.setLostForPeers(!isAccepted);
    if (isAccepted && known != 0) {
      history.accept();
    }
    publish();
  }

  /** Whether nothing was lost, or an id is as late as the greatest before that. */
  private boolean isIn(long id) {
    return GenerationIds.later(lost.get(), id) == id;
  }

  private long number(String key) {
    Etcd.@Nullable Item item = keys.get(key);
    try {
      return item == null ? 0 : Long.parseLong(item.value());
    } catch (NumberFormatException e) {
      return 0; // the election reports it
    }
  }

  /** Informs the other controllers, as soon as it is known what they have been told. */
  private void publish() {
    if (!keys.isKnown() || isIn(base) || isIn(published)) {
      return;
    }
    List<Etcd.Condition> unchanged = List.of(keys.unchanged(LOST));
    var unused =
        etcd.commit(unchanged, List.of(new Etcd.Change.Put(LOST, Long.toString(lost.get()), 0)))
            .whenCompleteAsync(
                (outcome, problem) -> {
                  if (outcome != null && !outcome.isDone()) {
                    keys.learn(outcome, unchanged);
                  }
                },
                serialExecutor); // if it has failed, the next call tries again
  }

  /** The base that accepts etcd's state; 0 if no changes were lost. */
  long acceptingBase() {
    return lost.get();
  }

  /** A view with the problem, if there is one. */
  ClusterView withProblem(ClusterView view) {
    return history.isRefusing()
        ? view.with(
            new ClusterView.Problem(ClusterView.Problem.Kind.ETCD_BEHIND, history.description()))
        : view;
  }
}
