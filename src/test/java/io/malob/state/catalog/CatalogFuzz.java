package io.malob.state.catalog;

import io.malob.file.DamagedException;
import java.io.IOException;
import java.util.Arrays;

/**
 * Reads a file of the catalog: it is refused, or is a catalog that reads the same when it was
 * written again. In the form that Jazzer calls.
 */
public final class CatalogFuzz {
  private CatalogFuzz() {}

  /** Reads one file. */
  public static void fuzzerTestOneInput(byte[] file) throws Exception {
    CatalogSnapshot catalog;
    try {
      catalog = CatalogFormat.read(file);
    } catch (DamagedException | IOException e) {
      return;
    }
    byte[] written = CatalogFormat.write(catalog);
    if (!Arrays.equals(written, CatalogFormat.write(CatalogFormat.read(written)))) {
      throw new AssertionError("expected the same, written twice");
    }
  }
}
