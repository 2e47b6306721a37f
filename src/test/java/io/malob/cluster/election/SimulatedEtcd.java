package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd;
import io.malob.testing.EventQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * etcd in simulated time: transactions, leases that expire, watches that arrive late, clients that
 * are cut off, and times without a quorum. For one thread.
 */
final class SimulatedEtcd {
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final EventQueue queue;
  private final TreeMap<String, Etcd.Item> items = new TreeMap<>();
  private final Map<Long, Lease> leases = new HashMap<>();
  private final List<Event> history = new ArrayList<>();
  private final List<Runnable> waitingForQuorum = new ArrayList<>();
  private final List<OpenWatch> watches = new ArrayList<>();
  private long revision = 1;
  private long leaseNumbers;
  private boolean hasQuorum = true;

  /** No lease is shorter: etcd's depends on its election timeout. */
  Duration minLifetime = Duration.ZERO;

  /** The number of transactions so far. */
  int transactions;

  private static final class Lease {
    final long nanos;
    long expiresAt;

    Lease(long nanos) {
      this.nanos = nanos;
    }
  }

  /** A change; without an item, the key was deleted. */
  record Event(long atNanos, long revision, String key, Etcd.Item item) {}

  SimulatedEtcd(EventQueue queue) {
    this.queue = queue;
  }

  long revision() {
    return revision;
  }

  Etcd.Item get(String key) {
    return items.get(key);
  }

  /** All changes so far. */
  List<Event> history() {
    return history;
  }

  /** Sets a key, as an operator would. */
  void put(String key, String value) {
    revision++;
    set(new Etcd.Change.Put(key, value, 0));
    tellWatches();
  }

  /** Deletes a key, as an operator would. */
  void delete(String key) {
    revision++;
    remove(key);
    tellWatches();
  }

  /** Without a quorum, no request is answered, and no lease expires. */
  void setQuorum(boolean now) {
    if (now && !hasQuorum) {
      hasQuorum = true;
      // a new leader gives each lease its whole lifetime again
      leases.forEach((id, lease) -> extend(id, lease));
      List<Runnable> waited = List.copyOf(waitingForQuorum);
      waitingForQuorum.clear();
      waited.forEach(Runnable::run);
      tellWatches();
    }
    hasQuorum = now;
  }

  boolean hasQuorum() {
    return hasQuorum;
  }

  /** Goes back to an empty store, as after a restore from an old backup. */
  void restore() {
    items.clear();
    leases.clear();
    history.clear();
    revision = 1;
  }

  // ---- the server ----

  private Etcd.Reading read(String prefix) {
    return new Etcd.Reading(
        revision,
        items.tailMap(prefix).values().stream().filter(i -> i.key().startsWith(prefix)).toList());
  }

  private Etcd.Outcome commit(
      String owner, List<Etcd.Condition> conditions, List<Etcd.Change> changes) throws IOException {
    transactions++;
    if (conditions.size() > 128 || changes.size() > 128) {
      throw new IOException("etcdserver: too many operations in txn request");
    }
    boolean holds =
        conditions.stream()
            .allMatch(
                c -> {
                  Etcd.Item item = items.get(c.key());
                  return (item == null ? 0 : item.modRevision()) == c.modRevision();
                });
    if (!holds) {
      return new Etcd.Outcome(
          false,
          revision,
          conditions.stream().map(c -> items.get(c.key())).filter(item -> item != null).toList());
    }
    for (Etcd.Change change : changes) {
      if (change instanceof Etcd.Change.Put put
          && put.lease() != 0
          && !leases.containsKey(put.lease())) {
        throw new IOException("etcdserver: requested lease not found");
      }
    }
    if (!changes.isEmpty()) {
      revision++;
    }
    for (Etcd.Change change : changes) {
      if (change instanceof Etcd.Change.Put put) {
        set(put);
      } else {
        checkOwner(owner, items.get(change.key()));
        remove(change.key());
      }
    }
    tellWatches();
    return new Etcd.Outcome(true, revision, List.of());
  }

  /** A controller deletes no other one's mastership, except by ending its lease. */
  private static void checkOwner(String owner, Etcd.Item item) {
    if (item != null && Keys.switchOf(item.key()) != null && !item.value().equals(owner)) {
      throw new AssertionError(owner + " deletes " + item);
    }
  }

  private void set(Etcd.Change.Put put) {
    Etcd.Item before = items.get(put.key());
    Etcd.Item now =
        new Etcd.Item(
            put.key(),
            put.value(),
            before == null ? revision : before.createRevision(),
            revision,
            put.lease());
    items.put(put.key(), now);
    history.add(new Event(queue.now(), revision, put.key(), now));
  }

  private void remove(String key) {
    if (items.remove(key) != null) {
      history.add(new Event(queue.now(), revision, key, null));
    }
  }

  private Etcd.Lease grant(Duration lifetime) {
    long id = ++leaseNumbers;
    Duration granted = lifetime.compareTo(minLifetime) < 0 ? minLifetime : lifetime;
    Lease lease = new Lease(granted.toNanos());
    leases.put(id, lease);
    extend(id, lease);
    return new Etcd.Lease(id, granted);
  }

  private boolean keepAlive(long id) {
    Lease lease = leases.get(id);
    if (lease != null) {
      extend(id, lease);
    }
    return lease != null;
  }

  private void extend(long id, Lease lease) {
    lease.expiresAt = queue.now() + lease.nanos;
    queue.at(lease.expiresAt, () -> expire(id, lease));
  }

  private void expire(long id, Lease lease) {
    if (hasQuorum && leases.get(id) == lease && queue.now() >= lease.expiresAt) {
      revoke(id);
    }
  }

  private void revoke(long id) {
    leases.remove(id);
    List<String> keys =
        items.values().stream().filter(i -> i.lease() == id).map(Etcd.Item::key).toList();
    if (!keys.isEmpty()) {
      revision++;
      keys.forEach(this::remove);
      tellWatches();
    }
  }

  private void tellWatches() {
    List.copyOf(watches).forEach(OpenWatch::send);
  }

  // ---- clients ----

  /** A client of it, whose messages take a time, and are lost while it is cut off. */
  final class Client implements Etcd {
    private final String owner;
    private final LongSupplier delayNanos;
    private boolean isCut;

    /** Whether its answers are lost although the requests take effect. */
    boolean losesAnswers;

    Client(String owner, LongSupplier delayNanos) {
      this.owner = owner;
      this.delayNanos = delayNanos;
    }

    void setCut(boolean now) {
      isCut = now;
      if (!now) {
        queue.after(delayNanos.getAsLong(), SimulatedEtcd.this::tellWatches);
      }
    }

    /** Ends its watches without a word, as when its process has died. */
    void kill() {
      watches.removeIf(watch -> watch.client == this);
      isCut = true;
    }

    /** Its watches have fallen behind the history that etcd keeps. */
    void loseWatches() {
      List<OpenWatch> lost = watches.stream().filter(watch -> watch.client == this).toList();
      watches.removeAll(lost);
      lost.forEach(watch -> watch.watcher.lost());
    }

    private interface Call<T> {
      T run() throws IOException;
    }

    private <T> CompletableFuture<T> call(Call<T> call) {
      CompletableFuture<T> answer = new CompletableFuture<>();
      queue.after(
          TIMEOUT_NANOS,
          () -> answer.completeExceptionally(new IOException("no answer from etcd")));
      if (!isCut) {
        queue.after(
            delayNanos.getAsLong(),
            () -> {
              if (hasQuorum) {
                execute(call, answer);
              } else {
                waitingForQuorum.add(() -> execute(call, answer));
              }
            });
      }
      return answer;
    }

    private <T> void execute(Call<T> call, CompletableFuture<T> answer) {
      if (isCut) {
        return;
      }
      try {
        T result = call.run();
        respond(() -> answer.complete(result));
      } catch (IOException e) {
        respond(() -> answer.completeExceptionally(e));
      }
    }

    private void respond(Runnable response) {
      queue.after(
          delayNanos.getAsLong(),
          () -> {
            if (!isCut && !losesAnswers) {
              response.run();
            }
          });
    }

    @Override
    public CompletableFuture<Reading> read(String prefix) {
      return call(() -> SimulatedEtcd.this.read(prefix));
    }

    @Override
    public CompletableFuture<Outcome> commit(List<Condition> conditions, List<Change> changes) {
      return call(() -> SimulatedEtcd.this.commit(owner, conditions, changes));
    }

    @Override
    public CompletableFuture<Etcd.Lease> grant(Duration lifetime) {
      return call(() -> SimulatedEtcd.this.grant(lifetime));
    }

    @Override
    public CompletableFuture<Boolean> keepAlive(long lease) {
      return call(() -> SimulatedEtcd.this.keepAlive(lease));
    }

    @Override
    public CompletableFuture<Void> revoke(long lease) {
      return call(
          () -> {
            SimulatedEtcd.this.revoke(lease);
            return null;
          });
    }

    @Override
    public Etcd.Watch watch(String prefix, long fromRevision, Watcher watcher) {
      OpenWatch watch = new OpenWatch(this, prefix, fromRevision, watcher);
      watches.add(watch);
      queue.after(delayNanos.getAsLong(), watch::send);
      return () -> watches.remove(watch);
    }

    @Override
    public void close() {
      kill();
    }
  }

  private final class OpenWatch {
    final Client client;
    private final String prefix;
    private final Etcd.Watcher watcher;
    private long sent;
    private long arrivesAt;

    /** Counts connections: what was under way when one broke is sent again by the next. */
    private int connection;

    OpenWatch(Client client, String prefix, long fromRevision, Etcd.Watcher watcher) {
      this.client = client;
      this.prefix = prefix;
      this.watcher = watcher;
      sent = fromRevision - 1;
    }

    /** Sends the changes that are new; they arrive in order. */
    void send() {
      if (client.isCut || !hasQuorum || !watches.contains(this)) {
        return;
      }
      for (Event event : since(sent)) {
        sent = Math.max(sent, event.revision());
        if (event.key().startsWith(prefix)) {
          arrivesAt = Math.max(arrivesAt, queue.now() + client.delayNanos.getAsLong());
          int by = connection;
          queue.at(arrivesAt, () -> deliver(event, by));
        }
      }
    }

    private List<Event> since(long known) {
      int from = history.size();
      while (from > 0 && history.get(from - 1).revision() > known) {
        from--;
      }
      return List.copyOf(history.subList(from, history.size()));
    }

    private void deliver(Event event, int by) {
      if (!watches.contains(this) || by != connection) {
        return;
      }
      if (client.isCut) {
        sent = event.revision() - 1;
        connection++;
      } else if (event.item() == null) {
        watcher.deleted(event.key(), event.revision());
      } else {
        watcher.changed(event.item());
      }
    }
  }
}
