package io.malob.store;

import io.malob.file.DamagedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A kind of document: where it is in a store, and what its bytes mean. Immutable.
 *
 * @param key its name in every store, such as {@code catalog}
 * @param isExclusive whether a store whose writers do not see each other's revisions refuses it to
 *     a second controller
 * @param editing what holds if people and commands write it, and controllers only read it; empty if
 *     controllers write it
 * @param <T> what it says; immutable
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
     * What these bytes say.
     *
     * @throws DamagedException if they are not of this format
     * @throws IOException if they cannot be used for another reason
     */
    T read(byte[] bytes) throws DamagedException, IOException;
  }

  /** Makes the bytes of a document. */
  @FunctionalInterface
  public interface Writer<T> {
    /** The bytes that the reader reads as this. */
    byte[] write(T content) throws IOException;
  }

  /**
   * What a file must be like that others write.
   *
   * @param maxBytes how long it may be
   * @param check looks at the file before it is read
   */
  public record Editing(long maxBytes, Check check) {
    /** Looks at a file, for instance at who can read it. */
    @FunctionalInterface
    public interface Check {
      /**
       * Looks at it.
       *
       * @throws IOException if it must not be used; the message says why
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
