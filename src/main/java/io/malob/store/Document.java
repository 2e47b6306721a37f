package io.malob.store;

import io.malob.file.DamagedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A kind of document: its key in a store, and its format. Immutable.
 *
 * @param key its name in every store, such as {@code catalog}
 * @param isExclusive whether a store whose writers do not see each other's revisions refuses it to
 *     a second controller
 * @param editing the checks if people and commands write it, and controllers only read it; empty if
 *     controllers write it
 * @param <T> its content; immutable
 */
public record Document<T>(
    String key,
    Reader<T> reader,
    Writer<T> writer,
    boolean isExclusive,
    Optional<Editing> editing) {

  /** Reads the bytes of a document. */
  @FunctionalInterface
  public interface Reader<T> {
    /**
     * Reads these bytes.
     *
     * @throws DamagedException if they are not of this format
     * @throws IOException if they cannot be used for another reason
     */
    T read(byte[] bytes) throws DamagedException, IOException;
  }

  /** Makes the bytes of a document. */
  @FunctionalInterface
  public interface Writer<T> {
    /** The bytes of a content, as the reader expects them. */
    byte[] write(T content) throws IOException;
  }

  /**
   * The requirements for a file that others write.
   *
   * @param maxBytes how long it may be
   * @param check checks the file before it is read
   */
  public record Editing(long maxBytes, Check check) {
    /** Checks a file, for instance its permissions. */
    @FunctionalInterface
    public interface Check {
      /**
       * Checks it.
       *
       * @throws IOException if it must not be used; the message contains the reason
       */
      void check(Path file) throws IOException;
    }
  }

  /** A document that controllers write. */
  public static <T> Document<T> of(String key, Reader<T> reader, Writer<T> writer) {
    return new Document<>(key, reader, writer, false, Optional.empty());
  }

  /** The same for one controller at a time. */
  public Document<T> exclusive() {
    return new Document<>(key, reader, writer, true, editing);
  }

  /** A document that only people and commands write, while controllers run. */
  public static <T> Document<T> edited(
      String key, Reader<T> reader, long maxBytes, Editing.Check check) {
    return new Document<>(
        key,
        reader,
        content -> {
          throw new UnsupportedOperationException(key + " is not written by controllers");
        },
        false,
        Optional.of(new Editing(maxBytes, check)));
  }
}
