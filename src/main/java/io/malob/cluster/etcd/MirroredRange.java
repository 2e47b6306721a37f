package io.malob.cluster.etcd;

import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Item;
import io.malob.cluster.etcd.Etcd.Outcome;
import io.malob.cluster.etcd.Etcd.Reading;
import io.malob.cluster.etcd.Etcd.Watch;
import io.malob.cluster.etcd.Etcd.Watcher;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of a prefix, as etcd has last reported them: read once, then watched, and read anew when
 * the watch has missed changes. All methods, and the listener, on one serial executor.
 */
public final class MirroredRange implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(MirroredRange.class);

  private final Etcd etcd;
  private final String prefix;
  private final Executor serialExecutor;
  private final Listener listener;
  private final Map<String, Item> items = new TreeMap<>();

  /** Keys that a later transaction has found deleted, by its revision. */
  private final Map<String, Long> deleted = new HashMap<>();

  /** All changes up to this revision are in {@link #items}; 0 before the first reading. */
  private long revision;

  /** Counts readings, so that watches of earlier ones are not heeded. */
  private long epoch;

  private boolean isReading;
  private boolean isClosed;
  private @Nullable Watch watch;

  /** Receives changes. An exception is logged, and ends only that call. */
  public interface Listener {
    /**
     * A key was set or deleted.
     *
     * @param key null if all keys were read anew
     * @param wentBack whether etcd has lost changes that it had reported: it was restored
     */
    void changed(@Nullable String key, boolean wentBack);
  }

  /** A range that begins with {@link #refresh} or {@link #follow}. */
  public MirroredRange(Etcd etcd, String prefix, Executor serialExecutor, Listener listener) {
    this.etcd = etcd;
    this.prefix = prefix;
    this.serialExecutor = serialExecutor;
    this.listener = listener;
  }

  /** Reads all keys anew, and watches them from then on. */
  public void refresh() {
    if (isReading || isClosed) {
      return;
    }
    isReading = true;
    stopWatching();
    var unused = etcd.read(prefix).whenCompleteAsync(this::read, serialExecutor);
  }

  /** Watches all keys without a reading: their changes after this revision are reported. */
  public void follow(long sinceRevision) {
    if (!isClosed) {
      stopWatching();
      revision = sinceRevision;
      watch = etcd.watch(prefix, revision + 1, new CurrentWatcher(++epoch));
    }
  }

  /** Repeats a failed reading; to be called regularly. */
  public void tick() {
    if (watch == null) {
      refresh();
    }
  }

  private void read(@Nullable Reading reading, @Nullable Throwable problem) {
    isReading = false;
    if (isClosed || problem != null || reading == null) {
      logger.debug("cluster_keys_not_read", problem); // the next tick tries again
      return;
    }
    boolean wentBack = reading.revision() < revision;
    items.clear();
    deleted.clear();
    reading.items().forEach(item -> items.put(item.key(), item));
    follow(reading.revision());
    changed(null, wentBack);
  }

  private void stopWatching() {
    epoch++;
    if (watch != null) {
      watch.close();
      watch = null;
    }
  }

  private void changed(@Nullable String key, boolean wentBack) {
    try {
      listener.changed(key, wentBack);
    } catch (RuntimeException e) {
      logger.error("store_listener_failed key={}", prefix, e);
    }
  }

  /** Takes the events of the latest watch to the serial executor. */
  private final class CurrentWatcher implements Watcher {
    private final long mine;

    CurrentWatcher(long mine) {
      this.mine = mine;
    }

    @Override
    public void changed(Item now) {
      forward(() -> set(now));
    }

    @Override
    public void deleted(String key, long at) {
      forward(() -> delete(key, at));
    }

    @Override
    public void lost() {
      forward(MirroredRange.this::refresh);
    }

    private void forward(Runnable event) {
      try {
        serialExecutor.execute(
            () -> {
              if (epoch == mine) {
                event.run();
              }
            });
      } catch (RejectedExecutionException e) {
        // the controller ends
      }
    }
  }

  /** The watch has reported this revision: no older change follows. */
  private void reached(long reported) {
    revision = Math.max(revision, reported);
    deleted.values().removeIf(learnt -> learnt < revision);
  }

  private void set(Item now) {
    reached(now.modRevision());
    if (isNewer(now) && !deleted.containsKey(now.key())) {
      items.put(now.key(), now);
      changed(now.key(), false);
    }
  }

  private boolean isNewer(Item now) {
    @Nullable Item known = items.get(now.key());
    return known == null || known.modRevision() < now.modRevision();
  }

  private void delete(String key, long at) {
    reached(at);
    @Nullable Item known = items.get(key);
    if (known != null && known.modRevision() <= at) {
      items.remove(key);
    }
    changed(key, false);
  }

  /**
   * Takes the keys that a failed transaction has returned, if they are newer than the watch: that
   * one is authoritative for the changes that it has reported.
   */
  public void learn(Outcome failed, Collection<Condition> conditions) {
    if (failed.revision() < revision || watch == null) {
      return;
    }
    Map<String, Item> now =
        failed.now().stream().collect(Collectors.toMap(Item::key, Function.identity()));
    for (Condition condition : conditions) {
      String key = condition.key();
      if (!key.startsWith(prefix)) {
        continue;
      }
      @Nullable Item item = now.get(key);
      if (item != null && isNewer(item)) {
        deleted.remove(key);
        items.put(key, item);
        changed(key, false);
      } else if (item == null && items.remove(key) != null) {
        deleted.put(key, failed.revision());
        changed(key, false);
      }
    }
  }

  /** Whether the keys are watched, and were read unless {@link #follow} was called. */
  public boolean isKnown() {
    return watch != null;
  }

  /** The revision up to which all changes are known. */
  public long revision() {
    return revision;
  }

  /** A key; null if it does not exist. */
  public @Nullable Item get(String key) {
    return items.get(key);
  }

  /** The condition that a key is still the one that is known here. */
  public Condition unchanged(String key) {
    @Nullable Item item = items.get(key);
    return new Condition(key, item == null ? 0 : item.modRevision());
  }

  /** All keys, in their order. */
  public List<Item> all() {
    return List.copyOf(items.values());
  }

  @Override
  public void close() {
    isClosed = true;
    stopWatching();
  }
}
