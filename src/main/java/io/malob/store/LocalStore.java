package io.malob.store;

import com.google.common.util.concurrent.MoreExecutors;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store of one process: it counts revisions itself, from 1 for the content at the first read.
 * Subclasses store the content. Changes of one document wait for each other; changes of different
 * ones do not.
 */
abstract class LocalStore implements Store {
  private final Map<String, Entry<?>> entries = new ConcurrentHashMap<>();
  private final Executor notifier;

  /**
   * A store without documents.
   *
   * @param notifier runs the calls of listeners
   */
  LocalStore(Executor notifier) {
    this.notifier = MoreExecutors.newSequentialExecutor(notifier);
  }

  /** Reads the stored content, for the first time, or after a change by others. */
  abstract <T> Optional<T> load(Document<T> document) throws IOException;

  /** Stores this; on return it is durable. */
  abstract <T> void save(Document<T> document, Optional<T> next) throws IOException;

  @Override
  public <T> Revisioned<T> read(Document<T> document) throws IOException {
    return entry(document).read();
  }

  @Override
  public <T> Swap<T> compareAndSet(Document<T> document, Revisioned<T> expected, Optional<T> next)
      throws IOException {
    return entry(document).swap(expected, next);
  }

  @Override
  public <T> Watch watch(Document<T> document, Revisioned<T> since, Listener<T> listener) {
    return entry(document).watch(since, listener);
  }

  @Override
  public void close() throws IOException {
    entries.values().forEach(Entry::close);
  }

  /** Others have changed a document; this is its new content. */
  <T> void changed(Document<T> document, Optional<T> now) {
    entry(document).replace(now);
  }

  /** Others have changed a document, and it cannot be read. */
  <T> void unreadable(Document<T> document, IOException why) {
    entry(document).publish(listener -> listener.unreadable(why));
  }

  @SuppressWarnings("unchecked") // a key has one type of content
  private <T> Entry<T> entry(Document<T> document) {
    return (Entry<T>) entries.computeIfAbsent(document.key(), any -> new Entry<>(document));
  }

  /**
   * One document. Its monitor is held while it is read or changed, and while notifications are
   * queued.
   */
  private final class Entry<T> {
    private final Document<T> document;
    private final Set<ListenerCalls<T>> subscriptions = new LinkedHashSet<>();

    /** The stored content; null until it has been read. */
    private @Nullable Revisioned<T> current;

    Entry(Document<T> document) {
      this.document = document;
    }

    synchronized Revisioned<T> read() throws IOException {
      Revisioned<T> known = current;
      if (known == null) {
        Optional<T> found = load(document);
        known = new Revisioned<>(found.isPresent() ? 1 : 0, found);
        current = known;
      }
      return known;
    }

    synchronized Swap<T> swap(Revisioned<T> expected, Optional<T> next) throws IOException {
      Revisioned<T> before = read();
      if (before.revision() != expected.revision()) {
        return new Swap<>(false, before);
      }
      save(document, next);
      return new Swap<>(true, replace(next));
    }

    synchronized Revisioned<T> replace(Optional<T> next) {
      Revisioned<T> after = new Revisioned<>(current == null ? 1 : current.revision() + 1, next);
      current = after;
      publish(listener -> listener.changed(after));
      return after;
    }

    synchronized void publish(Consumer<Listener<T>> call) {
      subscriptions.forEach(calls -> calls.make(call));
    }

    synchronized Watch watch(Revisioned<T> since, Listener<T> listener) {
      ListenerCalls<T> calls = new ListenerCalls<>(document.key(), listener, notifier);
      subscriptions.add(calls);
      Revisioned<T> now = current;
      if (now != null && now.isAfter(since)) {
        calls.make(each -> each.changed(now));
      }
      return () -> {
        calls.stop();
        synchronized (this) {
          subscriptions.remove(calls);
        }
      };
    }

    synchronized void close() {
      subscriptions.forEach(ListenerCalls::stop);
      subscriptions.clear();
    }
  }
}
