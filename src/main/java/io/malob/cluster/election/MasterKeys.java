package io.malob.cluster.election;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Lists;
import io.malob.cluster.etcd.Etcd.Change;
import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Item;
import io.malob.cluster.etcd.Etcd.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys by which this controller is the elected master of switches: creates and deletes them, in
 * batches. All methods on one serial executor.
 */
final class MasterKeys {
  private static final Logger logger = LoggerFactory.getLogger(MasterKeys.class);

  /** The max number of switches in a transaction: etcd accepts 128 operations by default. */
  private static final int BATCH = 100;

  /** The pause before a switch that has refused this controller is claimed again. */
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final String name;
  private final Membership membership;
  private final Generations generations;
  private final ElectionStore store;

  /** The keys that this controller has created, by the revisions that created them. */
  private final Map<DatapathId, Long> held = new HashMap<>();

  /** Switches to claim with the next transaction. */
  private final Set<DatapathId> toClaim = new TreeSet<>();

  /** Held keys to delete with the next transaction. */
  private final Set<DatapathId> toRelease = new TreeSet<>();

  /** Switches that this controller does not claim before a time. */
  private final Map<DatapathId, Long> pausedUntil = new HashMap<>();

  MasterKeys(String name, Membership membership, Generations generations, ElectionStore store) {
    this.name = name;
    this.membership = membership;
    this.generations = generations;
    this.store = store;
  }

  boolean isHeld(DatapathId id) {
    return held.containsKey(id);
  }

  /** Whether this controller has the key, and is not about to change that. */
  boolean isKept(DatapathId id) {
    return isHeld(id) && !toRelease.contains(id) && !store.isBusy(id);
  }

  boolean isToRelease(DatapathId id) {
    return toRelease.contains(id);
  }

  /** The revision that created the key; empty if this controller does not have it. */
  OptionalLong revision(DatapathId id) {
    @Nullable Long revision = held.get(id);
    return revision == null ? OptionalLong.empty() : OptionalLong.of(revision);
  }

  /** The controller that has the key, as far as this one knows; null if there is none. */
  @Nullable String holder(DatapathId id) {
    @Nullable Item item = store.masters().get(Keys.master(id));
    return item == null ? null : item.value();
  }

  /** Whether another controller has the key, as far as this one knows. */
  boolean isOfOther(DatapathId id) {
    @Nullable String holder = holder(id);
    return holder != null && !holder.equals(name);
  }

  /** The controllers that have keys, by their switches. */
  ImmutableMap<DatapathId, String> masters() {
    ImmutableMap.Builder<DatapathId, String> masters = ImmutableMap.builder();
    for (Item item : store.masters().all()) {
      @Nullable DatapathId id = Keys.switchOf(item.key());
      if (id != null) {
        masters.put(id, item.value());
      }
    }
    return masters.buildOrThrow();
  }

  // ---- what etcd reports ----

  /**
   * Follows etcd: forgets a key that it no longer has, and takes one that is this controller's; if
   * the switch has left, to delete it.
   */
  void reconcile(DatapathId id, boolean isConnected) {
    forgetLost(id);
    adopt(id, isConnected);
  }

  private void forgetLost(DatapathId id) {
    @Nullable Long revision = held.get(id);
    if (revision == null) {
      return;
    }
    @Nullable Item item = store.masters().get(Keys.master(id));
    boolean isLost =
        item == null ? store.masters().revision() >= revision : item.createRevision() > revision;
    if (isLost) {
      forget(id);
    }
  }

  /** Takes a key of this controller's lease that it does not know of: an answer was lost. */
  private void adopt(DatapathId id, boolean isConnected) {
    @Nullable Item item = store.masters().get(Keys.master(id));
    if (item != null
        && !held.containsKey(id)
        && !store.isBusy(id)
        && membership.isMember()
        && item.lease() == membership.lease()) {
      created(id, item.createRevision(), isConnected);
    }
  }

  private void forget(DatapathId id) {
    held.remove(id);
    toRelease.remove(id);
  }

  /** Forgets all keys: etcd was restored, and their revisions mean nothing now. */
  void forgetAll() {
    held.clear();
    toRelease.clear();
  }

  // ---- what the election wants ----

  /** Whether this controller may create the key, as far as keys are concerned. */
  boolean isFree(DatapathId id) {
    return membership.isMember()
        && store.isKnown()
        && !isHeld(id)
        && holder(id) == null
        && !store.isBusy(id)
        && !isPaused(id)
        && !store.isPaused();
  }

  /** Creates the key with the next transaction. */
  void claim(DatapathId id) {
    toClaim.add(id);
  }

  /** Deletes these keys with the next transaction, if this controller has them. */
  void release(Collection<DatapathId> ids) {
    ids.stream().filter(this::isHeld).forEach(toRelease::add);
  }

  /** The switch has connected: its key is not deleted because of its absence. */
  void keep(DatapathId id) {
    toRelease.remove(id);
  }

  /** Leaves a switch to others for a while. */
  void standAside(DatapathId id) {
    pausedUntil.put(id, store.now() + PAUSE_NANOS);
    release(List.of(id));
  }

  boolean isPaused(DatapathId id) {
    @Nullable Long until = pausedUntil.get(id);
    return until != null && store.now() - until < 0;
  }

  void endPause(DatapathId id) {
    pausedUntil.remove(id);
  }

  // ---- transactions ----

  /**
   * Lets transactions with all that waits leave, as many as may.
   *
   * @param mayClaim whether a switch is still to be claimed
   * @param isConnected whether a switch is connected
   */
  void flush(Predicate<DatapathId> mayClaim, Predicate<DatapathId> isConnected) {
    if (store.isPaused()) {
      return;
    }
    toRelease.removeIf(id -> !isHeld(id));
    toClaim.removeIf(id -> !mayClaim.test(id));
    List<DatapathId> releases = toRelease.stream().filter(id -> !store.isBusy(id)).toList();
    for (List<DatapathId> batch : Lists.partition(releases, BATCH)) {
      if (store.hasRoom()) {
        delete(batch);
      }
    }
    for (List<DatapathId> batch : Lists.partition(List.copyOf(toClaim), BATCH)) {
      if (store.hasRoom()) {
        batch.forEach(toClaim::remove);
        create(batch, isConnected);
      }
    }
  }

  /** The base is a condition, too: with an older one, the generation ids would be too small. */
  private void create(List<DatapathId> ids, Predicate<DatapathId> isConnected) {
    List<Condition> conditions = new ArrayList<>(ids.size() + 1);
    List<Change> changes = new ArrayList<>(ids.size());
    conditions.add(generations.unchangedBase());
    for (DatapathId id : ids) {
      conditions.add(new Condition(Keys.master(id), 0));
      changes.add(new Change.Put(Keys.master(id), name, membership.lease()));
    }
    store.commit(
        ids,
        conditions,
        changes,
        outcome -> {
          if (outcome.isDone()) {
            ids.forEach(id -> created(id, outcome.revision(), isConnected.test(id)));
          }
        });
  }

  private void created(DatapathId id, long revision, boolean isConnected) {
    held.put(id, revision);
    if (!isConnected) {
      toRelease.add(id); // it has disconnected meanwhile
    }
  }

  private void delete(List<DatapathId> ids) {
    List<Condition> conditions =
        ids.stream().map(id -> new Condition(Keys.master(id), held.getOrDefault(id, 0L))).toList();
    List<Change> changes =
        ids.stream().<Change>map(id -> new Change.Delete(Keys.master(id))).toList();
    store.commit(
        ids,
        conditions,
        changes,
        outcome -> {
          if (outcome.isDone()) {
            ids.forEach(this::deleted);
          } else {
            ids.forEach(id -> notDeleted(id, outcome));
          }
        });
  }

  private void deleted(DatapathId id) {
    forget(id);
    if (isPaused(id)) {
      logger.warn(
          "mastership_contested switch={} pause_s={} - it obeys a controller outside of the"
              + " cluster, or does not answer",
          id,
          TimeUnit.NANOSECONDS.toSeconds(PAUSE_NANOS));
    }
  }

  /** Forgets the key if another controller has it by now, or none. */
  private void notDeleted(DatapathId id, Outcome outcome) {
    long revision = held.getOrDefault(id, 0L);
    boolean isThere =
        outcome.now().stream()
            .anyMatch(item -> item.key().equals(Keys.master(id)) && item.modRevision() == revision);
    if (!isThere) {
      forget(id);
      endPause(id); // a controller of the cluster is its master
    }
  }
}
