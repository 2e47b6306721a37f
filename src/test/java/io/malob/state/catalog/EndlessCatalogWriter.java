package io.malob.state.catalog;

import io.malob.store.FileStore;
import java.nio.file.Path;

/** A process that adds members and says so after each, until it is killed. */
final class EndlessCatalogWriter {
  private static final int BOUND = 20_000;

  private EndlessCatalogWriter() {}

  public static void main(String[] args) throws Exception {
    Catalog catalog = Catalog.open(FileStore.inDirectory(Path.of(args[0]), Runnable::run));
    for (int i = 0; i < BOUND; i++) {
      catalog.create(Catalog.MEMBERS, Fields.of("id", "m" + i, "address", "10.0.0.1"));
      System.out.println("m" + i);
      System.out.flush();
    }
  }
}
