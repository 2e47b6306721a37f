package io.malob.state.catalog;

import java.io.Closeable;
import java.io.IOException;

/** Where a catalog outlives the process. Used by one thread at a time. */
public interface CatalogStore extends Closeable {
  /**
   * What was saved last; an empty catalog if nothing was.
   *
   * @throws IOException if it cannot be read at all
   */
  CatalogSnapshot load() throws IOException;

  /**
   * Saves a snapshot in place of the one before. It is durable when this returns.
   *
   * @throws IOException if it could not be saved; the one before is still there then
   */
  void save(CatalogSnapshot snapshot) throws IOException;

  @Override
  void close() throws IOException;

  /** A store that forgets everything with the process. */
  static CatalogStore inMemory() {
    return new CatalogStore() {
      @Override
      public CatalogSnapshot load() {
        return CatalogSnapshot.empty();
      }

      @Override
      public void save(CatalogSnapshot snapshot) {}

      @Override
      public void close() {}
    };
  }
}
