package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.Etcd.Change;
import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Item;
import io.malob.openflow.label.LabelRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This controller as a member of the cluster: its lease, its key and its slot, joined again
 * whenever the lease has expired. The slot has a lease of its own, which lives on for a while, as
 * {@link SlotChoice} explains. All methods on one serial executor.
 */
final class Membership {
  private static final Logger logger = LoggerFactory.getLogger(Membership.class);

  /** The time after a failed request to etcd. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * A key of an ended process is there for the lifetime of its lease, and at most this time longer.
   */
  private static final long EXPIRY_GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Etcd etcd;
  private final ThisNode self;
  private final String name;
  private final Duration asked;
  private final ElectionStore store;
  private final Runnable joined;
  private final Runnable expired;
  private final CompletableFuture<Void> firstJoin = new CompletableFuture<>();
  private final SlotChoice slots;
  private final KeptLease lease;
  private final KeptLease slotLease;

  /** Of the lease, as etcd has last granted it. */
  private Duration lifetime;

  /** The revision that created this controller's key with that lease; 0 if it has none. */
  private long createRevision;

  /** The revision of the key's latest change. */
  private long modRevision;

  /** Whether a request for a lease or a key is under way. */
  private boolean isBusy;

  private boolean isAdmitted;
  private boolean isClosed;
  private long retryNanos;
  private long keptNanos;

  /** When the lease has last expired, and with it perhaps the masters'; empty if it never has. */
  private OptionalLong expiredNanos = OptionalLong.empty();

  private @Nullable Obstacle obstacle;
  private long obstacleNanos;
  private boolean isObstacleReported;

  private Offer offer = Offer.NONE;

  /** What etcd has; null if that is not known, because the answer to a request was lost. */
  private @Nullable Offer published;

  /** What keeps it from joining, unless it is gone within the lifetime of a lease. */
  private enum Obstacle {
    NAME_TAKEN("another live controller of this cluster is named \"%s\": choose another"),
    NO_SLOT(
        "this cluster has "
            + LabelRange.SLOTS
            + " live controllers, which is the max: stop one of them (GET /wm/malob/cluster"
            + " names them); a dead one leaves when its lease ends");

    private final String message;

    Obstacle(String message) {
      this.message = message;
    }
  }

  /**
   * No member yet.
   *
   * @param joined called when the controller is a member, with a new key
   * @param expired called when the lease has expired, and all keys with it
   */
  Membership(
      Etcd etcd,
      ThisNode self,
      Duration lifetime,
      ElectionStore store,
      Runnable joined,
      Runnable expired) {
    this.etcd = etcd;
    this.self = self;
    name = self.name();
    asked = lifetime;
    this.lifetime = lifetime;
    this.store = store;
    this.joined = joined;
    this.expired = expired;
    slots = new SlotChoice(name);
    lease = new KeptLease(etcd, lifetime, store);
    slotLease = new KeptLease(etcd, SlotChoice.LIFETIME, store);
    retryNanos = store.now();
    keptNanos = retryNanos;
  }

  /** Completed when it has joined first; fails if another live controller has the name. */
  CompletableFuture<Void> firstJoin() {
    return firstJoin;
  }

  /** Lets it join; nothing before that does. */
  void admit() {
    if (!isAdmitted) {
      isAdmitted = true;
      tick();
    }
  }

  /** Ends the attempt to join, because of this. */
  void refuse(Exception why) {
    if (firstJoin.completeExceptionally(why)) {
      isClosed = true;
    }
  }

  boolean isMember() {
    return createRevision != 0;
  }

  /** The lease of a member; 0 if it is none. */
  long lease() {
    return isMember() ? lease.id() : 0;
  }

  /** Since when it is a member, as a revision; 0 if it is none. */
  long createRevision() {
    return createRevision;
  }

  int slot() {
    return slots.slot();
  }

  /** Whether another live controller has this one's name. */
  boolean isNameTaken() {
    return obstacle == Obstacle.NAME_TAKEN && isObstacleLasting();
  }

  private boolean isObstacleLasting() {
    return store.now() - obstacleNanos >= lifetime.toNanos() + EXPIRY_GRACE_NANOS;
  }

  /** Whether the lease has expired within this time. */
  boolean wasExpiredWithin(long nanos) {
    return expiredNanos.isPresent() && store.now() - expiredNanos.getAsLong() < nanos;
  }

  /** The time since etcd has last extended the lease. */
  long silentNanos() {
    return store.now() - lease.confirmedNanos();
  }

  /** Sets what its key offers; published with the next tick, or now. */
  void setOffer(Offer now) {
    offer = now;
  }

  /** The revision of its key if that has the latest offer, and no change is under way; else 0. */
  long publishedRevision() {
    return isMember() && !isBusy && offer.equals(published) ? modRevision : 0;
  }

  /** Does what is due; to be called several times a second. */
  void tick() {
    if (isClosed) {
      return;
    }
    long now = store.now();
    if (lease.id() != 0 && now - keptNanos >= lifetime.toNanos() / 3) {
      keptNanos = now;
      lease.extend(this::expired);
      slotLease.extend(this::slotExpired);
    }
    if (isBusy || now - retryNanos < 0) {
      return;
    }
    if (lease.id() == 0) {
      grant(lease, this::granted);
    } else if (slotLease.id() == 0) {
      grant(slotLease, () -> {});
    } else if (createRevision == 0) {
      if (isAdmitted) {
        join();
      }
    } else if (!offer.equals(published)) {
      publish();
    }
  }

  private void grant(KeptLease missing, Runnable granted) {
    isBusy = true;
    missing.grant(
        isGranted -> {
          isBusy = false;
          if (!isGranted) {
            retryLater();
            return;
          }
          granted.run();
          if (isClosed) {
            var unused = revoke();
          } else {
            tick();
          }
        });
  }

  private void granted() {
    keptNanos = lease.confirmedNanos();
    if (lease.lifetime().compareTo(asked) > 0 && !lease.lifetime().equals(lifetime)) {
      logger.warn(
          "cluster_lease_longer node={} seconds={} asked={} - etcd grants no shorter lease, because"
              + " of its election timeout: so long takes it to notice a failed controller",
          name,
          lease.lifetime().toSeconds(),
          asked.toSeconds());
    }
    lifetime = lease.lifetime();
  }

  /** The controller joins anew. */
  private void slotExpired() {
    if (isMember()) {
      var unused = lease.revoke();
      expired();
    }
  }

  private void expired() {
    boolean wasMember = isMember();
    createRevision = 0;
    retryNanos = store.now(); // etcd answers
    expiredNanos = OptionalLong.of(retryNanos);
    if (wasMember) {
      logger.warn(
          "cluster_lease_expired node={} seconds={} - etcd did not hear of this controller",
          name,
          lifetime.toSeconds());
    }
    expired.run();
    tick();
  }

  private void join() {
    Optional<List<Condition>> possible = slots.next();
    if (possible.isEmpty()) {
      slots.forgetLive();
      cannotJoin(Obstacle.NO_SLOT);
      return;
    }
    List<Condition> conditions = new ArrayList<>(possible.get());
    conditions.add(new Condition(Keys.node(name), 0));
    commit(conditions, List.of(new Change.Put(Keys.slot(slot()), name, slotLease.id())));
  }

  /** Changes only what this controller's key offers. */
  private void publish() {
    commit(List.of(new Condition(Keys.node(name), modRevision)), List.of());
  }

  /** Sets this controller's key, and makes these changes. */
  private void commit(List<Condition> conditions, List<Change> more) {
    isBusy = true;
    long withLease = lease.id();
    Offer offered = offer;
    List<Change> changes = new ArrayList<>(more);
    changes.add(new Change.Put(Keys.node(name), Node.value(self, slot(), offered), withLease));
    store.then(
        etcd.commit(conditions, changes),
        (outcome, problem) -> {
          isBusy = false;
          if (outcome == null || lease.id() != withLease || isClosed) {
            published = null;
            retryLater();
          } else if (outcome.isDone()) {
            confirmed(
                isMember() ? createRevision : outcome.revision(), outcome.revision(), offered);
          } else {
            refused(outcome.now(), withLease);
          }
        });
  }

  /** The conditions did not hold: these keys are there. */
  private void refused(List<Item> now, long withLease) {
    Optional<Item> own =
        now.stream().filter(item -> item.key().equals(Keys.node(name))).findFirst();
    if (own.isPresent() && own.get().lease() == withLease) {
      // the answer to an earlier request was lost
      confirmed(own.get().createRevision(), own.get().modRevision(), null);
    } else if (isMember()) {
      createRevision = 0; // the lease has expired, or an operator has deleted the key
      tick();
    } else if (own.isPresent()) {
      cannotJoin(Obstacle.NAME_TAKEN);
    } else {
      slots.failed(now);
      tick();
    }
  }

  /** etcd has this controller's key. */
  private void confirmed(long created, long modified, @Nullable Offer offered) {
    boolean hasJoined = !isMember();
    createRevision = created;
    modRevision = modified;
    published = offered;
    if (hasJoined) {
      obstacle = null;
      slots.joined();
      logger.info("cluster_joined node={} slot={}", name, slot());
      firstJoin.complete(null);
      joined.run();
    }
    tick();
  }

  private void cannotJoin(Obstacle what) {
    if (obstacle != what) {
      obstacle = what;
      obstacleNanos = store.now();
      isObstacleReported = false;
    }
    if (isObstacleLasting() && !isObstacleReported) {
      isObstacleReported = true;
      String why = String.format(what.message, name);
      if (!firstJoin.completeExceptionally(new NotJoinedException(why))) {
        logger.error("cluster_not_joined node={} why=\"{}\"", name, why);
      }
    }
    retryLater();
  }

  private void retryLater() {
    retryNanos = store.now() + RETRY_NANOS;
  }

  /** Leaves the cluster: all keys with its lease are deleted. */
  CompletableFuture<Void> close() {
    isClosed = true;
    createRevision = 0;
    return revoke();
  }

  private CompletableFuture<Void> revoke() {
    return CompletableFuture.allOf(lease.revoke(), slotLease.revoke());
  }
}
