package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.Etcd.Change;
import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Outcome;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The election's transactions: few at a time, with a pause after one that etcd did not answer.
 * Answers that contradict the mirror correct it. All methods on one serial executor.
 */
final class Transactions {
  /** The max number of pending transactions: events that come meanwhile share the next one. */
  private static final int MAX_PENDING = 4;

  /** The time after a transaction that etcd did not answer. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final Etcd etcd;
  private final Mirror mirror;
  private final Executor serial;
  private final LongSupplier nanoTime;
  private final Consumer<Collection<DatapathId>> settled;

  /** Switches of transactions that etcd has not answered yet. */
  private final Set<DatapathId> busy = new HashSet<>();

  private int pending;
  private long retryNanos;

  /**
   * No transactions yet.
   *
   * @param settled receives the switches of each transaction that has ended, answered or not
   */
  Transactions(
      Etcd etcd,
      Mirror mirror,
      Executor serial,
      LongSupplier nanoTime,
      Consumer<Collection<DatapathId>> settled) {
    this.etcd = etcd;
    this.mirror = mirror;
    this.serial = serial;
    this.nanoTime = nanoTime;
    this.settled = settled;
    retryNanos = nanoTime.getAsLong();
  }

  /** Whether a transaction about this switch is pending. */
  boolean isBusy(DatapathId id) {
    return busy.contains(id);
  }

  /** Whether etcd has not answered the last transaction, a moment ago. */
  boolean arePaused() {
    return nanoTime.getAsLong() - retryNanos < 0;
  }

  /** Whether one more may be committed now. */
  boolean haveRoom() {
    return pending < MAX_PENDING;
  }

  boolean areNone() {
    return pending == 0;
  }

  /**
   * Commits changes that depend on conditions.
   *
   * @param ids the switches that it is about
   * @param then receives etcd's answer, if there is one
   */
  void commit(
      Collection<DatapathId> ids,
      List<Condition> conditions,
      List<Change> changes,
      Consumer<Outcome> then) {
    commit(ids, conditions, changes, then, () -> {});
  }

  /**
   * Commits changes that depend on conditions.
   *
   * @param ids the switches that it is about
   * @param then receives etcd's answer, if there is one
   * @param ended called before that, also if there is no answer
   */
  void commit(
      Collection<DatapathId> ids,
      List<Condition> conditions,
      List<Change> changes,
      Consumer<Outcome> then,
      Runnable ended) {
    busy.addAll(ids);
    pending++;
    long known = mirror.revision();
    var unused =
        etcd.commit(conditions, changes)
            .whenCompleteAsync(
                (outcome, problem) -> {
                  busy.removeAll(ids);
                  pending--;
                  ended.run();
                  if (problem != null || outcome == null) {
                    // whether it took effect shows when it is repeated
                    retryNanos = nanoTime.getAsLong() + RETRY_NANOS;
                    settled.accept(ids);
                    return;
                  }
                  if (outcome.revision() < known) {
                    mirror.refresh(); // etcd was restored
                  } else if (!outcome.isDone()) {
                    mirror.learn(outcome, conditions);
                  }
                  then.accept(outcome);
                  settled.accept(ids);
                },
                serial);
  }
}
