package io.malob.cluster.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The part of etcd's interface that controllers of a cluster use. Keys are relative to the
 * cluster's prefix. Thread-safe; nothing here waits. A call that gets no answer in time fails with
 * an {@link EtcdException}; whether it took effect is then unknown.
 */
public interface Etcd extends AutoCloseable {
  /** All keys that begin with the prefix, in their order, and the revision of this reading. */
  CompletableFuture<Reading> read(String prefix);

  /**
   * Makes all changes in one transaction if all conditions hold, else none. The answer has the keys
   * of the conditions as they are now if they did not hold.
   */
  CompletableFuture<Outcome> commit(List<Condition> conditions, List<Change> changes);

  /** A new lease, which may live longer than asked for: etcd has a minimum. */
  CompletableFuture<Lease> grant(Duration lifetime);

  /** Extends a lease; false if it has expired. */
  CompletableFuture<Boolean> keepAlive(long lease);

  /** Ends a lease: its keys are deleted. */
  CompletableFuture<Void> revoke(long lease);

  /**
   * Reports each change of keys that begin with the prefix, from a revision on, in their order, by
   * one thread at a time. It reconnects by itself and misses nothing; if etcd no longer has the
   * history, it calls {@link Watcher#lost} and ends.
   */
  Watch watch(String prefix, long fromRevision, Watcher watcher);

  @Override
  void close();

  /**
   * A key.
   *
   * @param createRevision the revision in which it was created
   * @param modRevision the revision of its latest change
   * @param lease the lease that it depends on; 0 if none
   */
  record Item(String key, String value, long createRevision, long modRevision, long lease) {}

  /**
   * A lease.
   *
   * @param id never 0
   * @param lifetime until it expires, unless it is extended
   */
  record Lease(long id, Duration lifetime) {}

  /** The keys of a range at a revision. */
  record Reading(long revision, List<Item> items) {}

  /**
   * A condition of a transaction.
   *
   * @param modRevision the revision of the latest change of the key; 0: there is no such key
   */
  record Condition(String key, long modRevision) {}

  /** A change of a key. */
  sealed interface Change {
    String key();

    /**
     * Sets a value.
     *
     * @param lease the lease that the key depends on; 0 if none
     */
    record Put(String key, String value, long lease) implements Change {}

    /** Deletes the key. */
    record Delete(String key) implements Change {}
  }

  /**
   * The result of a transaction.
   *
   * @param revision the revision of the store after it
   * @param now the keys of the conditions that exist, if they did not hold
   */
  record Outcome(boolean isDone, long revision, List<Item> now) {}

  /** A watch that lasts until it is closed, or its watcher has missed changes. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }

  /** Receives changes. */
  interface Watcher {
    /** A key was set. */
    void changed(Item now);

    /** A key was deleted, or its lease has expired. */
    void deleted(String key, long revision);

    /** Changes were missed: read the range and watch again. */
    void lost();
  }
}
