package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A lease in etcd, which is granted anew when it has expired. All methods on one serial executor.
 */
final class KeptLease {
  private final Etcd etcd;
  private final Duration asked;
  private final ElectionStore store;
  private long id;
  private Duration lifetime;
  private long confirmedNanos;

  /** A lease that is not granted yet. */
  KeptLease(Etcd etcd, Duration asked, ElectionStore store) {
    this.etcd = etcd;
    this.asked = asked;
    this.store = store;
    lifetime = asked;
    confirmedNanos = store.now();
  }

  /** 0 if there is none. */
  long id() {
    return id;
  }

  /** As etcd has granted it, at least the one that was asked for. */
  Duration lifetime() {
    return lifetime;
  }

  /** When the request was sent that has granted or last extended it. */
  long confirmedNanos() {
    return confirmedNanos;
  }

  /** Asks for a lease; the receiver learns whether it was granted. */
  void grant(Consumer<Boolean> receiver) {
    long began = store.now();
    store.then(
        etcd.grant(asked),
        (lease, problem) -> {
          if (lease != null) {
            id = lease.id();
            confirmedNanos = began;
            lifetime = lease.lifetime().compareTo(asked) > 0 ? lease.lifetime() : asked;
          }
          receiver.accept(lease != null);
        });
  }

  /**
   * Extends the lease, if there is one. It does not wait for the answer to the request before: one
   * server of etcd that is silent must not cost the lease.
   */
  void extend(Runnable expired) {
    long extended = id;
    if (extended == 0) {
      return;
    }
    long began = store.now();
    store.then(
        etcd.keepAlive(extended),
        (isAlive, problem) -> {
          if (problem != null || isAlive == null || id != extended) {
            return;
          }
          if (isAlive) {
            confirmedNanos = Math.max(confirmedNanos, began);
          } else {
            id = 0;
            expired.run();
          }
        });
  }

  /** Ends the lease: its keys are deleted. */
  CompletableFuture<Void> revoke() {
    long ended = id;
    id = 0;
    return ended == 0 ? CompletableFuture.completedFuture(null) : etcd.revoke(ended);
  }
}
