package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.Etcd.Change;
import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Item;
import io.malob.cluster.etcd.Etcd.Lease;
import io.malob.cluster.etcd.Etcd.Outcome;
import io.malob.openflow.label.LabelRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
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

  /** A key of an ended process is there for the lifetime of its lease, and this time at most. */
  private static final long EXPIRY_GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Etcd etcd;
  private final ThisNode self;
  private final String name;
  private final Duration asked;
  private final Executor serial;
  private final LongSupplier nanoTime;
  private final Listener listener;
  private final CompletableFuture<Void> firstJoin = new CompletableFuture<>();
  private final SlotChoice slots;

  /** Of the lease, as etcd has granted it. */
  private Duration lifetime;

  /** The current lease; 0 if there is none. */
  private long lease;

  /** The current lease of the slot; 0 if there is none. */
  private long slotLease;

  /** The revision that created this controller's key with that lease; 0 if it has none. */
  private long createRevision;

  /** The revision of the key's latest change. */
  private long modRevision;

  /** Whether a request for a lease or a key is under way. */
  private boolean isBusy;

  private boolean isAdmitted;
  private boolean isClosed;
  private long retryNanos;
  private long kept;
  private long keptAliveNanos;
  private @Nullable Obstacle obstacle;
  private long obstacleNanos;
  private boolean isObstacleTold;

  private Offer offer = Offer.NONE;

  /** What etcd has; null if that is not known, because the answer to a request was lost. */
  private @Nullable Offer published;

  /** What keeps it from joining, unless it is gone within the lifetime of a lease. */
  private enum Obstacle {
    NAME_TAKEN,
    NO_SLOT
  }

  /** Is told of changes. */
  interface Listener {
    /** The controller is a member, with a new key. */
    void joined();

    /** The lease has expired, and all keys with it. */
    void expired();
  }

  Membership(
      Etcd etcd,
      ThisNode self,
      Duration lifetime,
      Executor serial,
      LongSupplier nanoTime,
      Listener listener) {
    this.etcd = etcd;
    this.self = self;
    name = self.name();
    asked = lifetime;
    this.lifetime = lifetime;
    slots = new SlotChoice(name);
    this.serial = serial;
    this.nanoTime = nanoTime;
    this.listener = listener;
    retryNanos = nanoTime.getAsLong();
    kept = retryNanos;
    keptAliveNanos = retryNanos;
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
    return isMember() ? lease : 0;
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
    return nanoTime.getAsLong() - obstacleNanos >= lifetime.toNanos() + EXPIRY_GRACE_NANOS;
  }

  /** The time since etcd has last extended the lease. */
  long silentNanos() {
    return nanoTime.getAsLong() - keptAliveNanos;
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
    long now = nanoTime.getAsLong();
    if (lease != 0 && now - kept >= lifetime.toNanos() / 3) {
      kept = now;
      keepAlive();
      keepSlot();
    }
    if (isBusy || now - retryNanos < 0) {
      return;
    }
    if (lease == 0) {
      grant();
    } else if (slotLease == 0) {
      grantSlot();
    } else if (createRevision == 0) {
      if (isAdmitted) {
        join();
      }
    } else if (!offer.equals(published)) {
      publish();
    }
  }

  private void grant() {
    long began = nanoTime.getAsLong();
    grant(
        asked,
        granted -> {
          lease = granted.id();
          kept = began;
          keptAliveNanos = began;
          lived(granted.lifetime());
        });
  }

  private void grantSlot() {
    grant(SlotChoice.LIFETIME, granted -> slotLease = granted.id());
  }

  private void grant(Duration wanted, Consumer<Lease> receiver) {
    isBusy = true;
    var unused =
        etcd.grant(wanted)
            .whenCompleteAsync(
                (granted, problem) -> {
                  isBusy = false;
                  if (problem != null || granted == null) {
                    retryLater();
                    return;
                  }
                  receiver.accept(granted);
                  if (isClosed) {
                    var unusedEnd = revoke();
                  } else {
                    tick();
                  }
                },
                serial);
  }

  private void lived(Duration granted) {
    if (granted.compareTo(asked) > 0 && !granted.equals(lifetime)) {
      logger.warn(
          "cluster_lease_longer node={} seconds={} asked={} - etcd grants no shorter lease, because"
              + " of its election timeout: so long takes it to notice a failed controller",
          name,
          granted.toSeconds(),
          asked.toSeconds());
    }
    lifetime = granted.compareTo(asked) > 0 ? granted : asked;
  }

  /**
   * Extends the lease. It does not wait for the answer to the request before: one server of etcd
   * that is silent must not cost the lease.
   */
  private void keepAlive() {
    long extended = lease;
    long began = nanoTime.getAsLong();
    var unused =
        etcd.keepAlive(extended)
            .whenCompleteAsync(
                (isAlive, problem) -> {
                  if (problem != null || isAlive == null || lease != extended) {
                    return;
                  }
                  if (isAlive) {
                    keptAliveNanos = Math.max(keptAliveNanos, began);
                  } else {
                    expired();
                  }
                },
                serial);
  }

  /** Extends the slot's lease. If that has expired first, the controller joins anew. */
  private void keepSlot() {
    long extended = slotLease;
    if (extended == 0) {
      return;
    }
    var unused =
        etcd.keepAlive(extended)
            .whenCompleteAsync(
                (isAlive, problem) -> {
                  if (problem == null && isAlive != null && !isAlive && slotLease == extended) {
                    slotLease = 0;
                    if (isMember()) {
                      var unusedEnd = etcd.revoke(lease);
                      expired();
                    }
                  }
                },
                serial);
  }

  private void expired() {
    boolean wasMember = isMember();
    lease = 0;
    createRevision = 0;
    retryNanos = nanoTime.getAsLong(); // etcd answers
    if (wasMember) {
      logger.warn(
          "cluster_lease_expired node={} seconds={} - etcd did not hear of this controller",
          name,
          lifetime.toSeconds());
    }
    listener.expired();
    tick();
  }

  private void join() {
    Optional<List<Condition>> possible = slots.next();
    if (possible.isEmpty()) {
      slots.forgetLive();
      cannotJoin(
          Obstacle.NO_SLOT,
          new NoSlotException(
              "this cluster has "
                  + LabelRange.SLOTS
                  + " live controllers, which is the max: stop one of them (GET /wm/malob/cluster"
                  + " names them); a dead one leaves when its lease ends"));
      return;
    }
    isBusy = true;
    long withLease = lease;
    Offer offered = offer;
    List<Condition> conditions = new ArrayList<>(possible.get());
    conditions.add(new Condition(Keys.node(name), 0));
    var unused =
        etcd.commit(
                conditions,
                List.of(
                    new Change.Put(Keys.node(name), Node.value(self, slot(), offered), withLease),
                    new Change.Put(Keys.slot(slot()), name, slotLease)))
            .whenCompleteAsync(
                (outcome, problem) -> joined(outcome, problem, withLease, offered), serial);
  }

  private void joined(
      @Nullable Outcome outcome, @Nullable Throwable problem, long withLease, Offer offered) {
    isBusy = false;
    if (problem != null || outcome == null || lease != withLease || isClosed) {
      retryLater();
      return;
    }
    if (outcome.isDone()) {
      becomeMember(outcome.revision(), outcome.revision(), offered);
      return;
    }
    Optional<Item> own =
        outcome.now().stream().filter(item -> item.key().equals(Keys.node(name))).findFirst();
    if (own.isPresent() && own.get().lease() == withLease) {
      // the answer to an earlier request was lost
      becomeMember(own.get().createRevision(), own.get().modRevision(), null);
    } else if (own.isPresent()) {
      cannotJoin(
          Obstacle.NAME_TAKEN,
          new NameTakenException(
              "another live controller of this cluster is named \"" + name + "\": choose another"));
    } else {
      slots.failed(outcome.now());
      tick();
    }
  }

  private void becomeMember(long created, long modified, @Nullable Offer offered) {
    createRevision = created;
    modRevision = modified;
    published = offered;
    obstacle = null;
    slots.joined();
    logger.info("cluster_joined node={} slot={}", name, slot());
    firstJoin.complete(null);
    listener.joined();
    tick();
  }

  private void cannotJoin(Obstacle what, Exception why) {
    if (obstacle != what) {
      obstacle = what;
      obstacleNanos = nanoTime.getAsLong();
      isObstacleTold = false;
    }
    if (isObstacleLasting() && !isObstacleTold) {
      isObstacleTold = true;
      if (!firstJoin.completeExceptionally(why)) {
        logger.error("cluster_not_joined node={} why=\"{}\"", name, why.getMessage());
      }
    }
    retryLater();
  }

  private void publish() {
    isBusy = true;
    long withLease = lease;
    Offer offered = offer;
    var unused =
        etcd.commit(
                List.of(new Condition(Keys.node(name), modRevision)),
                List.of(
                    new Change.Put(Keys.node(name), Node.value(self, slot(), offered), withLease)))
            .whenCompleteAsync(
                (outcome, problem) -> published(outcome, problem, withLease, offered), serial);
  }

  private void published(
      @Nullable Outcome outcome, @Nullable Throwable problem, long withLease, Offer offered) {
    isBusy = false;
    if (problem != null || outcome == null || lease != withLease) {
      published = null;
      retryLater();
    } else if (outcome.isDone()) {
      modRevision = outcome.revision();
      published = offered;
      tick();
    } else {
      Optional<Item> own = outcome.now().stream().findFirst();
      if (own.isPresent() && own.get().lease() == withLease) {
        modRevision = own.get().modRevision(); // the answer to an earlier request was lost
      } else {
        createRevision = 0; // the lease has expired, or an operator has deleted the key
      }
      tick();
    }
  }

  private void retryLater() {
    retryNanos = nanoTime.getAsLong() + RETRY_NANOS;
  }

  /** Leaves the cluster: all keys with its lease are deleted. */
  CompletableFuture<Void> close() {
    isClosed = true;
    createRevision = 0;
    return revoke();
  }

  private CompletableFuture<Void> revoke() {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (long ended : List.of(lease, slotLease)) {
      if (ended != 0) {
        ends.add(etcd.revoke(ended));
      }
    }
    lease = 0;
    slotLease = 0;
    return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
  }
}
