package io.malob.cluster.election;

import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Item;
import io.malob.cluster.etcd.Etcd.Outcome;
import io.malob.cluster.etcd.Etcd.Reading;
import io.malob.cluster.etcd.Etcd.Watcher;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of a prefix, as etcd has last told them: read once, then watched. All methods, and the
 * listener, on one serial executor.
 */
final class MirroredRange implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(MirroredRange.class);

  private final Etcd etcd;
  private final String prefix;
  private final Executor serial;
  private final Listener listener;
  private final Map<String, Item> items = new TreeMap<>();

  /** All changes up to this revision are in {@link #items}; 0 before the first reading. */
  private long revision;

  /** Counts readings, so that watches of earlier ones are not heeded. */
  private long epoch;

  private boolean isReading;
  private boolean isClosed;
  private @Nullable AutoCloseable watch;

  /** Is told of changes. */
  interface Listener {
    /** A key was set or deleted. */
    void changed(String key);

    /**
     * All keys were read anew.
     *
     * @param wentBack whether etcd has lost changes that it had reported: it was restored
     */
    void reread(boolean wentBack);
  }

  /** Reads nothing before {@link #refresh}. */
  MirroredRange(Etcd etcd, String prefix, Executor serial, Listener listener) {
    this.etcd = etcd;
    this.prefix = prefix;
    this.serial = serial;
    this.listener = listener;
  }

  /** Reads all keys anew, and watches them from then on. */
  void refresh() {
    if (isReading || isClosed) {
      return;
    }
    isReading = true;
    stopWatching();
    var unused = etcd.read(prefix).whenCompleteAsync(this::read, serial);
  }

  /** Repeats a failed reading; to be called regularly. */
  void tick() {
    if (watch == null) {
      refresh();
    }
  }

  private void read(@Nullable Reading reading, @Nullable Throwable problem) {
    isReading = false;
    if (isClosed || problem != null || reading == null) {
      return; // the next tick reads again
    }
    boolean wentBack = reading.revision() < revision;
    items.clear();
    reading.items().forEach(item -> items.put(item.key(), item));
    revision = reading.revision();
    long current = ++epoch;
    watch = etcd.watch(prefix, revision + 1, new Forwarder(current));
    listener.reread(wentBack);
  }

  private void stopWatching() {
    epoch++;
    @Nullable AutoCloseable before = watch;
    watch = null;
    if (before != null) {
      try {
        before.close();
      } catch (Exception e) {
        logger.debug("watch_not_closed prefix={}", prefix, e);
      }
    }
  }

  /** Takes watch events to the serial executor, unless they are of an earlier watch. */
  private final class Forwarder implements Watcher {
    private final long mine;

    Forwarder(long mine) {
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
      serial.execute(
          () -> {
            if (epoch == mine) {
              event.run();
            }
          });
    }
  }

  private void set(Item now) {
    revision = Math.max(revision, now.modRevision());
    @Nullable Item known = items.get(now.key());
    if (known == null || known.modRevision() < now.modRevision()) {
      items.put(now.key(), now);
      listener.changed(now.key());
    }
  }

  private void delete(String key, long at) {
    revision = Math.max(revision, at);
    @Nullable Item known = items.get(key);
    if (known != null && known.modRevision() <= at) {
      items.remove(key);
    }
    listener.changed(key);
  }

  /**
   * Takes the keys that a failed transaction has returned, if they are newer than the watch: that
   * one is authoritative for the changes that it has reported.
   */
  void learn(Outcome failed, Collection<Condition> conditions) {
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
      @Nullable Item known = items.get(key);
      if (item != null) {
        if (known == null || known.modRevision() < item.modRevision()) {
          items.put(key, item);
          listener.changed(key);
        }
      } else if (items.remove(key) != null) {
        listener.changed(key);
      }
    }
  }

  /** Whether the keys have been read and are watched. */
  boolean isKnown() {
    return watch != null;
  }

  long revision() {
    return revision;
  }

  @Nullable Item get(String key) {
    return items.get(key);
  }

  /** All keys, in their order. */
  List<Item> all() {
    return List.copyOf(items.values());
  }

  @Override
  public void close() {
    isClosed = true;
    stopWatching();
  }
}
