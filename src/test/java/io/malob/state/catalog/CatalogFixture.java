package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.store.MemoryStore;
import org.junit.jupiter.api.function.Executable;

/** A catalog in memory, with short ways to fill it. */
final class CatalogFixture {
  final Catalog catalog;

  CatalogFixture(Catalog catalog) {
    this.catalog = catalog;
  }

  static CatalogFixture inMemory() throws Exception {
    return new CatalogFixture(Catalog.open(new MemoryStore(Runnable::run)));
  }

  Vip vip(String... fields) throws RejectedException {
    return catalog.create(Catalog.VIPS, Fields.of(fields)).item();
  }

  Pool pool(String... fields) throws RejectedException {
    return catalog.create(Catalog.POOLS, Fields.of(fields)).item();
  }

  Member member(String... fields) throws RejectedException {
    return catalog.create(Catalog.MEMBERS, Fields.of(fields)).item();
  }

  Service service(String... fields) throws RejectedException {
    return catalog.create(Catalog.SERVICES, Fields.of(fields)).item();
  }

  CatalogSnapshot now() {
    return catalog.snapshot();
  }

  /** Checks that a change is refused in this way, and that nothing changes. */
  void refused(Reason reason, String field, Executable change) {
    CatalogSnapshot before = catalog.snapshot();
    RejectedException e = assertThrows(RejectedException.class, change);
    assertEquals(reason, e.reason(), e.getMessage());
    assertEquals(field, e.field().orElse(null), e.getMessage());
    assertSame(before, catalog.snapshot());
  }
}
