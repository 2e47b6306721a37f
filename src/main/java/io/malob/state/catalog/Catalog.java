package io.malob.state.catalog;

import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.store.Document;
import io.malob.store.NotStored;
import io.malob.store.Revisioned;
import io.malob.store.Store;
import io.malob.store.Swap;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The load balancers, VIPs, pools, members, services and health monitors of operators, and the only
 * class that changes them. Readers take a {@link #snapshot()} from any thread and never wait.
 * Writers wait for each other; a change is checked, stored, published and then reported to
 * listeners, or not made at all. Changes by others in the store are published and reported as well.
 *
 * <p>A pool without VIP and a member without pool are normal. Deleting a VIP leaves its pool
 * without VIP, deleting a pool leaves its members and its monitor without pool, deleting a load
 * balancer leaves its VIPs, and its pools without load balancer.
 */
public final class Catalog {
  /** Addresses of VIPs. */
  public static final CatalogKind<LoadBalancer> LOAD_BALANCERS = new LoadBalancerKind();

  /** Virtual addresses. */
  public static final CatalogKind<Vip> VIPS = new VipKind();

  /** Groups of servers. */
  public static final CatalogKind<Pool> POOLS = new PoolKind();

  /** Servers. */
  public static final CatalogKind<Member> MEMBERS = new MemberKind();

  /** The services table. */
  public static final CatalogKind<Service> SERVICES = new ServiceKind();

  /** Health monitors. */
  public static final CatalogKind<Monitor> MONITORS = new MonitorKind();

  /** All kinds, those that others refer to first. */
  public static final List<CatalogKind<?>> KINDS =
      List.of(LOAD_BALANCERS, VIPS, POOLS, MEMBERS, SERVICES, MONITORS);

  private static final Logger log = LoggerFactory.getLogger(Catalog.class);

  static final Document<CatalogSnapshot> DOCUMENT =
      Document.of("catalog", CatalogFormat::read, CatalogFormat::write).exclusive();

  /** Rejections that depend on the catalog. */
  private static final Set<Reason> DEPENDENT =
      Set.of(Reason.NOT_FOUND, Reason.CONFLICT, Reason.CHANGED_MEANWHILE, Reason.UNPROCESSABLE);

  /** The max number of attempts at a change, each after a change by another controller. */
  private static final int MAX_TRIES = 20;

  private final Store store;
  private final Supplier<String> newIds;
  private final List<CatalogListener> listeners = new CopyOnWriteArrayList<>();
  private boolean isPublishing;

  /** The last known document in the store; the snapshot is its content. */
  private Revisioned<CatalogSnapshot> stored;

  private volatile CatalogSnapshot snapshot;

  /**
   * The catalog of a store.
   *
   * @param newIds the source of ids of new items; an id in use is skipped
   * @throws IOException if the store cannot be read
   */
  public Catalog(Store store, Supplier<String> newIds) throws IOException {
    this.store = store;
    this.newIds = newIds;
    stored = store.read(DOCUMENT);
    snapshot = stored.content().orElseGet(CatalogSnapshot::empty);
  }

  /**
   * The catalog of a store, with random UUIDs as default ids.
   *
   * @throws IOException if the store cannot be read
   */
  public static Catalog open(Store store) throws IOException {
    Catalog catalog = new Catalog(store, () -> UUID.randomUUID().toString());
    catalog.follow();
    return catalog;
  }

  private synchronized void follow() {
    Store.Watch unused =
        store.watch(
            DOCUMENT,
            stored,
            Store.Listener.of(
                this::publish,
                why ->
                    log.error(
                        "catalog_not_read why=\"{}\" - the earlier catalog stays in effect",
                        why.getMessage())));
  }

  /** A request for a change, to be made on the latest catalog. */
  @FunctionalInterface
  public interface Attempt<R> {
    /** Checks the request against the current catalog, and makes the change. */
    R make() throws IOException, RejectedException;
  }

  /**
   * Makes an attempt again if it was rejected because of an earlier catalog than another controller
   * has stored meanwhile. So clients get the same answer from all controllers, and of two different
   * changes at one time both are made.
   *
   * @throws RejectedException if it is rejected on the latest catalog
   */
  public <R> R onLatest(Attempt<R> attempt) throws IOException, RejectedException {
    for (int tries = 1; ; tries++) {
      long based = revision();
      try {
        return attempt.make();
      } catch (RejectedException e) {
        if (tries == MAX_TRIES || !DEPENDENT.contains(e.reason()) || !isLater(based)) {
          throw e;
        }
      }
    }
  }

  /** Whether another catalog is stored than that of a revision; if so, it is the current one. */
  private boolean isLater(long based) {
    if (revision() == based) {
      try {
        publish(store.read(DOCUMENT));
      } catch (IOException e) {
        return false; // the answer is that of the known catalog
      }
    }
    return revision() > based;
  }

  private synchronized long revision() {
    return stored.revision();
  }

  /** The current catalog. */
  public CatalogSnapshot snapshot() {
    return snapshot;
  }

  /** Adds a listener for future changes. */
  public void addListener(CatalogListener listener) {
    listeners.add(listener);
  }

  /**
   * Adds an item. Fields that are missing or null are not set.
   *
   * @return the new item, or the same service if it exists already
   * @throws RejectedException if it cannot be; nothing has changed then
   */
  public synchronized <T extends CatalogItem> Creation<T> create(CatalogKind<T> kind, Fields fields)
      throws RejectedException {
    return edited(CatalogCondition.NONE, draft -> draft.add(kind, fields));
  }

  /**
   * Changes the given fields, and no others; a field with null is cleared.
   *
   * @return the changed item
   * @throws RejectedException if it cannot be; nothing has changed then
   */
  public <T extends CatalogItem> T update(CatalogKind<T> kind, String id, Fields fields)
      throws RejectedException {
    return update(kind, id, fields, CatalogCondition.NONE);
  }

  private synchronized <T extends CatalogItem> T update(
      CatalogKind<T> kind, String id, Fields fields, CatalogCondition condition)
      throws RejectedException {
    return edited(condition, draft -> draft.update(kind, id, fields));
  }

  /**
   * Changes the item of that id as {@link #update} does, or adds it if there is none.
   *
   * @throws RejectedException if it cannot be; nothing has changed then
   */
  public synchronized <T extends CatalogItem> Creation<T> put(
      CatalogKind<T> kind, String id, Fields fields, CatalogCondition condition)
      throws RejectedException {
    if (kind.find(snapshot, id).isPresent()) {
      return new Creation<>(update(kind, id, fields, condition), false);
    }
    condition.check(snapshot);
    String given = fields.get("id");
    if (given != null && !given.strip().equals(id)) {
      throw RejectedException.invalid("id", "the id differs from the one in the URL, " + id);
    }
    return create(kind, fields.with("id", id));
  }

  /**
   * Replaces the catalog by a tree, completely or not at all.
   *
   * @param dryRun whether to return the changes without making them
   * @return the changes; empty if there are none
   * @throws RejectedException if it cannot be; nothing has changed then
   */
  public synchronized List<ItemChange<?>> replace(
      CatalogTree tree, CatalogCondition condition, boolean dryRun) throws RejectedException {
    CatalogSnapshot before = snapshot;
    condition.check(before);
    CatalogSnapshot after = tree.appliedTo(before);
    List<ItemChange<?>> changes = CatalogTree.changes(before, after);
    if (!dryRun && !changes.isEmpty()) {
      commit(after);
    }
    return changes;
  }

  /** Deletes like {@link #delete(CatalogKind, String, CatalogCondition)}, unconditionally. */
  public <T extends CatalogItem> T delete(CatalogKind<T> kind, String id) throws RejectedException {
    return delete(kind, id, CatalogCondition.NONE);
  }

  /**
   * Deletes an item, and the references to it.
   *
   * @return the deleted item
   * @throws RejectedException if it cannot be; nothing has changed then
   */
  public synchronized <T extends CatalogItem> T delete(
      CatalogKind<T> kind, String id, CatalogCondition condition) throws RejectedException {
    return edited(condition, draft -> draft.delete(kind, id));
  }

  /**
   * Makes several changes together: stores and reports them as one, or makes none of them.
   *
   * @return the catalog after them
   * @throws RejectedException if one of them cannot be; nothing has changed then
   */
  public CatalogSnapshot edit(CatalogEdit edit) throws RejectedException {
    return edited(
        CatalogCondition.NONE,
        draft -> {
          edit.on(draft);
          return draft.snapshot();
        });
  }

  /** The steps of an edit, and their result. */
  @FunctionalInterface
  private interface Steps<R> {
    R on(CatalogDraft draft) throws RejectedException;
  }

  private synchronized <R> R edited(CatalogCondition condition, Steps<R> steps)
      throws RejectedException {
    CatalogSnapshot before = snapshot;
    condition.check(before);
    CatalogDraft draft = new CatalogDraft(before, newIds);
    R result = steps.on(draft);
    if (snapshot != before) {
      throw new IllegalStateException("an edit must change the catalog by its draft only");
    }
    if (draft.snapshot() != before) {
      commit(draft.snapshot());
    }
    return result;
  }

  private void commit(CatalogSnapshot after) throws RejectedException {
    if (isPublishing) {
      throw new IllegalStateException("a catalog listener must not change the catalog");
    }
    Swap<CatalogSnapshot> swap;
    try {
      swap = store.compareAndSet(DOCUMENT, stored, Optional.of(after));
    } catch (IOException e) {
      log.error("catalog_not_stored why=\"{}\"", e.toString());
      throw NotStored.rejection(
          "the change could not be stored on the controller's disk, so nothing was changed", e);
    }
    publish(swap.now());
    if (!swap.isDone()) {
      throw new RejectedException(
          Reason.CHANGED_MEANWHILE,
          "another controller has changed the catalog meanwhile, so this change was not made",
          null);
    }
  }

  /** The store may report a change before or after the method that makes it returns. */
  private synchronized void publish(Revisioned<CatalogSnapshot> now) {
    if (now.revision() <= stored.revision()) {
      return;
    }
    stored = now;
    if (now.content().isEmpty()) {
      // an empty catalog would delete the rules of all VIPs
      log.error(
          "catalog_not_read why=\"{}\" - the earlier catalog stays in effect", "it was deleted");
      return;
    }
    CatalogSnapshot before = snapshot;
    CatalogSnapshot after = now.content().get();
    snapshot = after;
    isPublishing = true;
    try {
      listeners.forEach(listener -> publish(listener, before, after));
    } finally {
      isPublishing = false;
    }
  }

  private static void publish(
      CatalogListener listener, CatalogSnapshot before, CatalogSnapshot after) {
    try {
      listener.catalogChanged(before, after);
    } catch (RuntimeException e) {
      log.error("catalog_listener_failed listener=\"{}\"", listener, e);
    }
  }
}
