package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.Etcd.Change;
import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Outcome;
import io.malob.cluster.etcd.MirroredRange;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The election's keys in etcd: mirrored here, and changed by transactions. These are few at a time,
 * with a pause after one that etcd did not answer. Answers that contradict the mirror correct it.
 * All methods on one serial executor.
 */
final class ElectionStore {
  /** The max number of pending transactions: events that come meanwhile share the next one. */
  private static final int MAX_PENDING = 4;

  /** The time after a transaction that etcd did not answer. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final Etcd etcd;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private final MirroredRange nodes;
  private final MirroredRange masters;
  private final MirroredRange cluster;
  private final Consumer<Collection<DatapathId>> settled;

  /** Switches of transactions that etcd has not answered yet. */
  private final Set<DatapathId> busy = new HashSet<>();

  /** Keys that these transactions change. */
  private final Set<String> changing = new HashSet<>();

  private int pending;
  private long retryNanos;

  /**
   * Reads nothing before {@link #tick}.
   *
   * @param nodesChanged receives changes of {@link Keys#NODES}
   * @param mastersChanged those of {@link Keys#MASTERS}
   * @param clusterChanged those of {@link Keys#CLUSTER}
   * @param settled receives the switches of transactions that have ended, answered or not
   */
  ElectionStore(
      Etcd etcd,
      Executor serialExecutor,
      LongSupplier nanoTime,
      MirroredRange.Listener nodesChanged,
      MirroredRange.Listener mastersChanged,
      MirroredRange.Listener clusterChanged,
      Consumer<Collection<DatapathId>> settled) {
    this.etcd = etcd;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
    nodes = new MirroredRange(etcd, Keys.NODES, serialExecutor, nodesChanged);
    masters = new MirroredRange(etcd, Keys.MASTERS, serialExecutor, mastersChanged);
    cluster = new MirroredRange(etcd, Keys.CLUSTER, serialExecutor, clusterChanged);
    this.settled = settled;
    retryNanos = nanoTime.getAsLong();
  }

  /** The monotonic clock. */
  long now() {
    return nanoTime.getAsLong();
  }

  /** The live controllers. */
  MirroredRange nodes() {
    return nodes;
  }

  /** The masters of switches. */
  MirroredRange masters() {
    return masters;
  }

  /** The permanent values. */
  MirroredRange cluster() {
    return cluster;
  }

  private List<MirroredRange> all() {
    return List.of(nodes, masters, cluster);
  }

  /** Repeats failed readings; to be called regularly. */
  void tick() {
    all().forEach(MirroredRange::tick);
  }

  /** Reads all keys anew. */
  void refresh() {
    all().forEach(MirroredRange::refresh);
  }

  /** Whether all keys have been read and are watched. */
  boolean isKnown() {
    return all().stream().allMatch(MirroredRange::isKnown);
  }

  void close() {
    all().forEach(MirroredRange::close);
  }

  /** Whether a transaction about this switch is pending. */
  boolean isBusy(DatapathId id) {
    return busy.contains(id);
  }

  /** Whether a transaction that changes this key is pending. */
  boolean isChanging(String key) {
    return changing.contains(key);
  }

  /** Whether etcd has not answered the last transaction, a moment ago. */
  boolean isPaused() {
    return now() - retryNanos < 0;
  }

  /** Whether one more transaction may be committed now. */
  boolean hasRoom() {
    return pending < MAX_PENDING;
  }

  /** Runs this with etcd's answer, or why there is none. */
  <T> void then(
      CompletableFuture<T> answer, BiConsumer<@Nullable T, @Nullable Throwable> receiver) {
    var unused = answer.whenCompleteAsync(receiver, serialExecutor);
  }

  /**
   * Commits changes that depend on conditions.
   *
   * @param ids the switches that it is about
   * @param receiver receives etcd's answer, if there is one
   */
  void commit(
      Collection<DatapathId> ids,
      List<Condition> conditions,
      List<Change> changes,
      Consumer<Outcome> receiver) {
    List<String> keys = changes.stream().map(Change::key).toList();
    busy.addAll(ids);
    changing.addAll(keys);
    pending++;
    long known = all().stream().mapToLong(MirroredRange::revision).max().orElse(0);
    then(
        etcd.commit(conditions, changes),
        (outcome, problem) -> {
          ids.forEach(busy::remove);
          keys.forEach(changing::remove);
          pending--;
          if (problem != null || outcome == null) {
            // whether it took effect shows when it is repeated
            retryNanos = now() + RETRY_NANOS;
          } else {
            if (outcome.revision() < known) {
              refresh(); // etcd was restored
            } else if (!outcome.isDone()) {
              masters.learn(outcome, conditions);
              cluster.learn(outcome, conditions);
            }
            receiver.accept(outcome);
          }
          settled.accept(ids);
        });
  }

  /** Creates a key of the cluster if there is none; to be called regularly. */
  void createIfAbsent(String key, Supplier<String> value) {
    if (cluster.isKnown() && cluster.get(key) == null && !isChanging(key) && !isPaused()) {
      commit(
          List.of(),
          List.of(new Condition(key, 0)),
          List.of(new Change.Put(key, value.get(), 0)),
          outcome -> {});
    }
  }

  /**
   * Changes a key of the cluster for an operator; again if another controller changes it meanwhile.
   *
   * @param next its value; empty if it is to stay
   * @return the value that was set, if any
   */
  CompletableFuture<Optional<String>> update(String key, Supplier<Optional<String>> next) {
    Optional<String> value = next.get();
    if (value.isEmpty()) {
      return CompletableFuture.completedFuture(value);
    }
    List<Condition> unchanged = List.of(cluster.unchanged(key));
    return etcd.commit(unchanged, List.of(new Change.Put(key, value.get(), 0)))
        .thenComposeAsync(
            outcome -> {
              if (outcome.isDone()) {
                return CompletableFuture.completedFuture(value);
              }
              cluster.learn(outcome, unchanged);
              return update(key, next);
            },
            serialExecutor);
  }
}
