package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;

import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.store.MemoryStore;
import io.malob.store.Revisioned;
import io.malob.store.Store;
import io.malob.store.StoreUnavailableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;

/** Two catalogs on one store, as two controllers would have them. */
class SharedCatalogTest {
  /** What the store has yet to tell. */
  private final List<Runnable> untold = new ArrayList<>();

  private final List<String> told = new ArrayList<>();
  private final MemoryStore store = new MemoryStore(untold::add);
  private CatalogFixture ours;
  private CatalogFixture theirs;

  @BeforeEach
  void open() throws IOException {
    ours = new CatalogFixture(Catalog.open(store));
    theirs = new CatalogFixture(Catalog.open(store));
    ours.catalog.addListener(
        (before, after) -> told.add(before.pools().keySet() + " to " + after.pools().keySet()));
  }

  private void tell() {
    while (!untold.isEmpty()) {
      untold.remove(0).run();
    }
  }

  @Test
  void changeOfAnother_isPublished_andToldOnce() throws Exception {
    theirs.pool("id", "p");
    tell();
    assertEquals(List.of("[] to [p]"), told);
    assertEquals("[p]", ours.now().pools().keySet().toString());
  }

  @Test
  void ownChange_isToldOnce_beforeTheStoreTellsIt() throws Exception {
    ours.pool("id", "p");
    assertEquals(List.of("[] to [p]"), told);
    tell();
    assertEquals(List.of("[] to [p]"), told);
  }

  @Test
  void changeFromAnEarlierCatalog_isRefused_andSucceedsAfterThat() throws Exception {
    theirs.pool("id", "p");
    RejectedException e = assertThrows(RejectedException.class, () -> ours.pool("id", "q"));
    assertEquals(Reason.CHANGED_MEANWHILE, e.reason());
    assertEquals("[p]", ours.now().pools().keySet().toString());
    ours.pool("id", "q");
    tell();
    assertEquals(List.of("[] to [p]", "[p] to [p, q]"), told);
    assertEquals(ours.now().tables(), theirs.now().tables());
  }

  @Test
  void storeThatIsUnavailable_is503_andChangesNothing() throws Exception {
    ours.pool("id", "p");
    Store unavailable = mock(Store.class, AdditionalAnswers.delegatesTo(store));
    doThrow(new StoreUnavailableException("no quorum", null))
        .when(unavailable)
        .compareAndSet(any(), any(), any());
    CatalogFixture cutOff = new CatalogFixture(Catalog.open(unavailable));
    RejectedException e = assertThrows(RejectedException.class, () -> cutOff.pool("id", "q"));
    assertEquals(503, e.status());
    assertEquals("the change could not be stored: no quorum", e.sentence());
    assertEquals("[p]", cutOff.now().pools().keySet().toString());
  }

  /** Without a catalog the rules of all VIPs would go. */
  @Test
  void catalogThatIsDeleted_staysAsItWas() throws Exception {
    ours.pool("id", "p");
    Revisioned<CatalogSnapshot> read = store.read(Catalog.DOCUMENT);
    assertTrue(store.compareAndSet(Catalog.DOCUMENT, read, Optional.empty()).isDone());
    tell();
    assertEquals("[p]", ours.now().pools().keySet().toString());
    ours.pool("id", "q");
    tell();
    assertEquals("[p, q]", theirs.now().pools().keySet().toString());
  }
}
