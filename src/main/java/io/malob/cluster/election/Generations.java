package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Item;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes generation ids of etcd's revisions: a base is added, which an operator raises after etcd
 * was restored from a backup, because its revisions have gone back then. All methods on one serial
 * executor.
 */
final class Generations {
  private static final Logger logger = LoggerFactory.getLogger(Generations.class);

  private final ElectionStore store;

  /** The number that is added to revisions. */
  private long base;

  /** The latest generation id that a switch has named. */
  private long latest;

  private boolean staleLogged;

  Generations(ElectionStore store) {
    this.store = store;
  }

  long base() {
    return base;
  }

  /** The generation id of the controller whose key this revision created. */
  long of(long revision) {
    return base + revision;
  }

  /** A switch has named the latest generation id that it has accepted. */
  void seen(long generation) {
    if (GenerationIds.isLater(generation, latest)) {
      latest = generation;
    }
  }

  /** Holds as long as the base is the one that is known here. */
  Condition unchangedBase() {
    return store.cluster().unchanged(Keys.BASE);
  }

  /** Takes the base that etcd has. */
  void read() {
    @Nullable Item item = store.cluster().get(Keys.BASE);
    try {
      base = item == null ? 0 : Long.parseLong(item.value());
      staleLogged = false;
    } catch (NumberFormatException e) {
      Keys.unreadable(Keys.BASE, "not a number");
    }
  }

  /**
   * The switch has rejected a claim with this key: asks etcd whether the key is still this
   * controller's. If so, etcd is behind the switch.
   */
  void rejected(DatapathId id, long revision) {
    store.commit(
        Set.of(id),
        List.of(new Condition(Keys.master(id), revision)),
        List.of(),
        outcome -> {
          if (outcome.isDone() && !staleLogged) {
            staleLogged = true;
            logger.error(
                "cluster_behind_switches switch={} - switches have accepted later generation ids"
                    + " than etcd's revisions give: etcd was restored or replaced; './malob"
                    + " cluster raise-base' lets the cluster claim them again",
                id);
          }
        });
  }

  /**
   * Raises the base to this number, and to the latest generation id that a switch has named. Never
   * lowers it.
   *
   * @param minimum 0 if there is none
   * @return the base after that
   */
  CompletableFuture<Long> raise(long minimum) {
    return store
        .update(
            Keys.BASE,
            () -> {
              long wanted = GenerationIds.later(base, GenerationIds.later(minimum, latest));
              return wanted == base ? Optional.empty() : Optional.of(Long.toString(wanted));
            })
        .thenApply(
            raised -> {
              raised.ifPresent(wanted -> logger.warn("cluster_base_raised base={}", wanted));
              return raised.map(Long::valueOf).orElse(base);
            });
  }
}
