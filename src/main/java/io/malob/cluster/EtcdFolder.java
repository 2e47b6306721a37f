package io.malob.cluster;

import com.google.common.collect.Iterables;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.cluster.etcd.Etcd;
import io.malob.store.Folder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Values under {@code KEY/NAME} in etcd. */
final class EtcdFolder implements Folder, Etcd.Watcher {
  private static final Logger logger = LoggerFactory.getLogger(EtcdFolder.class);

  /** The max number of values in a transaction: etcd accepts 128 operations by default. */
  private static final int BATCH = 100;

  private static final long PAUSE_SECONDS = 1;

  private final Etcd etcd;
  private final String prefix;
  private final Executor inOrder;
  private final StartWait startWait;

  /** The revisions of the latest known changes, by name; also those of removed values. */
  private final Map<String, Long> revisions = new HashMap<>();

  /** The names that exist. */
  private final Set<String> names = new TreeSet<>();

  private BiConsumer<String, Optional<String>> listener = (name, value) -> {};

  /**
   * The values under a key.
   *
   * @param notifier runs the calls of the listener
   * @param startWait for the first reading, while the controller starts
   */
  EtcdFolder(Etcd etcd, String key, Executor notifier, StartWait startWait) {
    this.startWait = startWait;
    this.etcd = etcd;
    prefix = key + "/";
    inOrder = MoreExecutors.newSequentialExecutor(notifier);
  }

  @Override
  public Map<String, String> open(BiConsumer<String, Optional<String>> changed) throws IOException {
    Etcd.Reading reading = startWait.await(() -> etcd.read(prefix));
    Map<String, String> values = new LinkedHashMap<>();
    synchronized (this) {
      listener = changed;
      for (Etcd.Item item : reading.items()) {
        know(name(item.key()), item.modRevision(), true);
        values.put(name(item.key()), item.value());
      }
    }
    AutoCloseable unused = etcd.watch(prefix, reading.revision() + 1, this);
    return values;
  }

  private String name(String key) {
    return key.substring(prefix.length());
  }

  /** Notes a change; false if a later one is known. */
  private synchronized boolean know(String name, long revision, boolean exists) {
    if (revision <= revisions.getOrDefault(name, 0L)) {
      return false;
    }
    revisions.put(name, revision);
    if (exists) {
      names.add(name);
    } else {
      names.remove(name);
    }
    return true;
  }

  private synchronized long expected(String name) {
    return names.contains(name) ? revisions.getOrDefault(name, 0L) : 0;
  }

  @Override
  public Set<String> put(Map<String, Optional<String>> values) throws IOException {
    Set<String> done = new TreeSet<>();
    for (List<Map.Entry<String, Optional<String>>> batch :
        Iterables.partition(values.entrySet(), BATCH)) {
      if (isPut(batch)) {
        batch.forEach(each -> done.add(each.getKey()));
      } else if (batch.size() > 1) {
        // one of them has been changed by another controller
        for (Map.Entry<String, Optional<String>> each : batch) {
          if (isPut(List.of(each))) {
            done.add(each.getKey());
          }
        }
      }
    }
    return done;
  }

  private boolean isPut(List<Map.Entry<String, Optional<String>>> batch) throws IOException {
    List<Etcd.Condition> unchanged = new ArrayList<>();
    List<Etcd.Change> changes = new ArrayList<>();
    for (Map.Entry<String, Optional<String>> each : batch) {
      String key = prefix + each.getKey();
      unchanged.add(new Etcd.Condition(key, expected(each.getKey())));
      changes.add(
          each.getValue().isPresent()
              ? new Etcd.Change.Put(key, each.getValue().get(), 0)
              : new Etcd.Change.Delete(key));
    }
    Etcd.Outcome outcome = EtcdStore.await(etcd.commit(unchanged, changes));
    if (outcome.isDone()) {
      batch.forEach(each -> know(each.getKey(), outcome.revision(), each.getValue().isPresent()));
    } else {
      outcome.now().forEach(this::changed);
    }
    return outcome.isDone();
  }

  @Override
  public void changed(Etcd.Item now) {
    if (know(name(now.key()), now.modRevision(), true)) {
      tell(name(now.key()), Optional.of(now.value()));
    }
  }

  @Override
  public void deleted(String key, long revision) {
    if (know(name(key), revision, false)) {
      tell(name(key), Optional.empty());
    }
  }

  private synchronized void tell(String name, Optional<String> value) {
    BiConsumer<String, Optional<String>> current = listener;
    inOrder.execute(
        () -> {
          try {
            current.accept(name, value);
          } catch (RuntimeException e) {
            logger.error("store_listener_failed key={}", prefix, e);
          }
        });
  }

  /** etcd has forgotten what changed meanwhile. */
  @Override
  public void lost() {
    CompletableFuture<?> unused =
        etcd.read(prefix)
            .whenComplete(
                (reading, thrown) -> {
                  if (reading == null) {
                    CompletableFuture.delayedExecutor(PAUSE_SECONDS, TimeUnit.SECONDS)
                        .execute(this::lost);
                    return;
                  }
                  reread(reading);
                  AutoCloseable unusedWatch = etcd.watch(prefix, reading.revision() + 1, this);
                });
  }

  private void reread(Etcd.Reading reading) {
    Set<String> gone;
    synchronized (this) {
      gone = new TreeSet<>(names);
      if (revisions.values().stream().anyMatch(known -> known > reading.revision())) {
        revisions.clear(); // etcd was restored
      }
    }
    for (Etcd.Item item : reading.items()) {
      gone.remove(name(item.key()));
      changed(item);
    }
    gone.forEach(name -> deleted(prefix + name, reading.revision()));
  }
}
