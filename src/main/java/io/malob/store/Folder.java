package io.malob.store;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Small values by name, each with a key of its own, so that many can change often: in stores that
 * several controllers share. Thread-safe.
 */
public interface Folder {
  /**
   * Reads all values, and reports each later change by any controller.
   *
   * @param changed receives a name and its value, empty if it was removed; called by one thread at
   *     a time; it must not wait for the store
   * @throws IOException if they cannot be read; the message is for users
   */
  Map<String, String> open(BiConsumer<String, Optional<String>> changed) throws IOException;

  /**
   * Sets values; an empty one is removed. A value that another controller has changed meanwhile
   * stays; {@code changed} has been called for it, or will be.
   *
   * @return the names of the values that are set
   * @throws IOException if it is not known which are
   */
  Set<String> put(Map<String, Optional<String>> values) throws IOException;
}
