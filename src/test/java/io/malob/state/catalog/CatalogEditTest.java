package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.malob.json.RejectedException.Reason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several changes together. */
class CatalogEditTest {
  private final CatalogFixture fixture;
  private final Catalog catalog;
  private final List<CatalogSnapshot> told = new ArrayList<>();

  CatalogEditTest() throws Exception {
    fixture = CatalogFixture.inMemory();
    catalog = fixture.catalog;
    fixture.pool("id", "old");
    catalog.addListener((before, after) -> told.add(after));
  }

  @Test
  void steps_seeEachOther_andListenersSeeOneChange() throws Exception {
    CatalogSnapshot before = fixture.now();
    catalog.edit(
        draft -> {
          Vip vip = draft.create(Catalog.VIPS, Fields.of("address", "10.0.0.100", "port", "80"));
          draft.create(Catalog.POOLS, Fields.of("id", "p", "vip_id", vip.id()));
          assertEquals("p", draft.snapshot().poolOfVip(vip.id()).orElseThrow().id());
          draft.update(Catalog.POOLS, "p", Fields.of("name", "new"));
          draft.delete(Catalog.POOLS, "old");
          assertSame(before, catalog.snapshot(), "readers see nothing yet");
        });

    assertEquals(List.of(fixture.now()), told);
    assertEquals(List.of("p"), List.copyOf(fixture.now().pools().keySet()));
    assertEquals("new", fixture.now().pools().get("p").name());
    assertEquals(1, fixture.now().vips().size());
  }

  @Test
  void stepThatIsRejected_undoesTheStepsBefore() throws Exception {
    fixture.refused(
        Reason.UNPROCESSABLE,
        "vip_id",
        () ->
            catalog.edit(
                draft -> {
                  draft.create(Catalog.VIPS, Fields.of("id", "v", "address", "10.0.0.100"));
                  draft.create(Catalog.POOLS, Fields.of("vip_id", "none"));
                }));
    assertEquals(List.of(), told);
    // its number is free
    assertEquals(1, fixture.vip("address", "10.0.0.101").number());
  }

  @Test
  void rejectedStep_leavesTheDraft_soThatTheEditCanGoOn() throws Exception {
    catalog.edit(
        draft -> {
          CatalogSnapshot before = draft.snapshot();
          fixture.refused(
              Reason.NOT_FOUND, null, () -> draft.update(Catalog.POOLS, "none", Fields.of()));
          assertSame(before, draft.snapshot());
          draft.update(Catalog.POOLS, "old", Fields.of("name", "x"));
        });
    assertEquals("x", fixture.now().pools().get("old").name());
  }

  @Test
  void editWithoutChange_isNotTold() throws Exception {
    CatalogSnapshot before = fixture.now();
    catalog.edit(draft -> draft.update(Catalog.POOLS, "old", Fields.of("name", "old")));
    assertSame(before, fixture.now());
    assertEquals(List.of(), told);
  }

  @Test
  void editThatChangesTheCatalogItself_isAnError_andLosesNothing() throws Exception {
    assertThrows(
        IllegalStateException.class,
        () ->
            catalog.edit(
                draft -> {
                  draft.delete(Catalog.POOLS, "old");
                  catalog.create(Catalog.POOLS, Fields.of("id", "aside"));
                }));
    assertEquals(List.of("old", "aside"), List.copyOf(fixture.now().pools().keySet()));
  }

  @Test
  void references_followWithinAnEdit() throws Exception {
    catalog.edit(
        draft -> {
          draft.create(Catalog.LOAD_BALANCERS, Fields.of("id", "l", "address", "10.0.0.100"));
          draft.update(Catalog.POOLS, "old", Fields.of("load_balancer_id", "l"));
          draft.delete(Catalog.LOAD_BALANCERS, "l");
        });
    assertNull(fixture.now().pools().get("old").loadBalancerId());
    assertEquals(0, fixture.now().loadBalancers().size());
  }
}
