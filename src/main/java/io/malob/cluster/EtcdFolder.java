package io.malob.cluster;

import com.google.common.util.concurrent.MoreExecutors;
import io.malob.cluster.etcd.Etcd;
import java.io.IOException;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Small values under {@code KEY/NAME} in etcd, until it is closed. Thread-safe. */
final class EtcdFolder implements Etcd.Watcher, AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(EtcdFolder.class);

  private final Etcd etcd;
  private final String prefix;
  private final Executor serialExecutor;
  private final long pauseMillis;

  /** The revisions of the latest known changes, by name; also those of removed values. */
  private final Map<String, Long> revisions = new HashMap<>();

  /** The names that exist. */
  private final Set<String> names = new TreeSet<>();

  private BiConsumer<String, Optional<String>> listener = (name, value) -> {};
  private @Nullable AutoCloseable watch;
  private boolean isClosed;

  /**
   * The values under a key.
   *
   * @param notifier runs the calls of the listener
   * @param pauseMillis before a failed reading is repeated
   */
  EtcdFolder(Etcd etcd, String key, Executor notifier, long pauseMillis) {
    this.etcd = etcd;
    this.pauseMillis = pauseMillis;
    prefix = key + "/";
    serialExecutor = MoreExecutors.newSequentialExecutor(notifier);
  }

  /**
   * Reads all values, and reports each later change by any controller.
   *
   * @param changed receives a name and its value, empty if it was removed; called by one thread at
   *     a time; it must not wait for etcd
   * @throws IOException if they cannot be read; the message is for users
   */
  Map<String, String> open(BiConsumer<String, Optional<String>> changed) throws IOException {
    Etcd.Reading reading = EtcdStore.await(etcd.read(prefix));
    Map<String, String> values = new LinkedHashMap<>();
    synchronized (this) {
      listener = changed;
      for (Etcd.Item item : reading.items()) {
        know(name(item.key()), item.modRevision(), true);
        values.put(name(item.key()), item.value());
      }
    }
    follow(reading.revision());
    return values;
  }

  private synchronized void follow(long revision) {
    if (!isClosed) {
      watch = etcd.watch(prefix, revision + 1, this);
    }
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

  /**
   * Sets a value, unless another controller has changed it meanwhile: then the listener has been
   * called for that, or will be.
   *
   * @return whether it is set
   * @throws IOException if that is not known
   */
  boolean put(String name, String value) throws IOException {
    String key = prefix + name;
    Etcd.Outcome outcome =
        EtcdStore.await(
            etcd.commit(
                List.of(new Etcd.Condition(key, expected(name))),
                List.of(new Etcd.Change.Put(key, value, 0))));
    if (outcome.isDone()) {
      know(name, outcome.revision(), true);
    } else {
      outcome.now().forEach(this::changed);
    }
    return outcome.isDone();
  }

  @Override
  public void changed(Etcd.Item now) {
    if (know(name(now.key()), now.modRevision(), true)) {
      publish(name(now.key()), Optional.of(now.value()));
    }
  }

  @Override
  public void deleted(String key, long revision) {
    if (know(name(key), revision, false)) {
      publish(name(key), Optional.empty());
    }
  }

  private synchronized void publish(String name, Optional<String> value) {
    BiConsumer<String, Optional<String>> current = listener;
    serialExecutor.execute(
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
    if (isClosed()) {
      return;
    }
    CompletableFuture<?> unused =
        etcd.read(prefix)
            .whenComplete(
                (reading, thrown) -> {
                  if (reading == null) {
                    CompletableFuture.delayedExecutor(pauseMillis, TimeUnit.MILLISECONDS)
                        .execute(this::lost);
                    return;
                  }
                  reread(reading);
                  follow(reading.revision());
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

  private synchronized boolean isClosed() {
    return isClosed;
  }

  @Override
  public void close() {
    @Nullable AutoCloseable now;
    synchronized (this) {
      isClosed = true;
      now = watch;
      watch = null;
    }
    if (now != null) {
      try {
        now.close();
      } catch (Exception e) {
        logger.warn("etcd_watch_not_closed why=\"{}\"", e.toString());
      }
    }
  }
}
