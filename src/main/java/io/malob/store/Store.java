package io.malob.store;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A store of documents that outlive the process. Each document has a revision. A change names the
 * revision that it is based on, so that no change is lost. Thread-safe.
 *
 * <p>One open store has one revision sequence per document; all users of a document must use the
 * same open store, or stores that see each other's changes.
 */
public interface Store extends Closeable {
  /**
   * The current document, or that of a moment ago; a {@link #watch} from its revision misses no
   * change.
   *
   * @throws IOException if it cannot be read, or is damaged; the message is for users
   */
  <T> Revisioned<T> read(Document<T> document) throws IOException;

  /**
   * Replaces a document if it has not changed since the expected one. On return the new one is
   * durable, or nothing has changed.
   *
   * @param expected the document that was read, set, or reported by a watch before
   * @param next the new content; empty deletes the document
   * @throws IOException if it could not be stored; {@code expected} is then still stored, unless
   *     the store could not verify it
   */
  <T> Swap<T> compareAndSet(Document<T> document, Revisioned<T> expected, Optional<T> next)
      throws IOException;

  /**
   * Watches a document for changes by any process, including this one: reports its current state if
   * that is later than {@code since}, and then each change, in the order of revisions.
   *
   * @param since the document that was read before
   */
  <T> Watch watch(Document<T> document, Revisioned<T> since, Listener<T> listener);

  /** The place of a document for people, such as the path of its file. */
  String where(Document<?> document);

  /** Ends all watches, and releases exclusive documents for other controllers. */
  @Override
  void close() throws IOException;

  /** A watch that lasts until it, or its store, is closed. */
  interface Watch extends AutoCloseable {
    /** Ends the watch: a running call completes, and no further call follows. */
    @Override
    void close();
  }

  /**
   * Listener for changes, called by one thread at a time, possibly the thread that makes the
   * change; so it must not wait for other writers.
   */
  interface Listener<T> {
    /** There is a new revision. */
    void changed(Revisioned<T> now);

    /** The document has changed, and cannot be read; the message is for users. */
    default void unreadable(IOException why) {}

    /** A listener of these two parts. */
    static <T> Listener<T> of(Consumer<Revisioned<T>> changed, Consumer<IOException> unreadable) {
      return new Listener<>() {
        @Override
        public void changed(Revisioned<T> now) {
          changed.accept(now);
        }

        @Override
        public void unreadable(IOException why) {
          unreadable.accept(why);
        }
      };
    }
  }
}
