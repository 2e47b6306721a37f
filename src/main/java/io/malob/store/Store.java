package io.malob.store;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * Where documents outlive the process. Each has a revision; whoever changes it says which revision
 * the change was made from, so that no change is lost. Thread-safe.
 *
 * <p>One open store gives out each document under one revision sequence; all who use a document
 * must use the same open store, or stores that know of each other's changes.
 */
public interface Store extends Closeable {
  /**
   * A document as it is now, or was a moment ago; {@link #watch} from its revision misses nothing.
   *
   * @throws IOException if it cannot be read, or is damaged; the message is for users
   */
  <T> Revisioned<T> read(Document<T> document) throws IOException;

  /**
   * Puts a document in the place of an earlier one, if that is still there. On return it is durable
   * or nothing has changed.
   *
   * @param expected what was read or set, or told by a watch, before
   * @param next what is to be there; empty deletes the document
   * @throws IOException if it could not be stored; {@code expected} is still there then, unless the
   *     store could not find out
   */
  <T> Swap<T> compareAndSet(Document<T> document, Revisioned<T> expected, Optional<T> next)
      throws IOException;

  /**
   * Follows a document, whoever changes it, this process included: tells of its state now if that
   * is later than {@code since}, and then of each change, in the order of revisions.
   *
   * @param since what was read before
   */
  <T> Watch watch(Document<T> document, Revisioned<T> since, Listener<T> listener);

  /** Where people find a document, such as the path of its file. */
  String where(Document<?> document);

  /** Ends all watches, and lets other controllers use what was exclusive. */
  @Override
  void close() throws IOException;

  /** A watch that goes on until it, or its store, is closed. */
  interface Watch extends AutoCloseable {
    /** Ends it: a call that is under way comes to its end, and no other one follows. */
    @Override
    void close();
  }

  /**
   * Is told of changes, by one thread at a time, which may be the one that makes the change; so it
   * must not wait for others who write.
   */
  interface Listener<T> {
    /** There is another revision. */
    void changed(Revisioned<T> now);

    /** The document has changed, and cannot be read; the message is for users. */
    default void unreadable(IOException why) {}
  }
}
