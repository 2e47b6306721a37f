package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A whole catalog at once. */
class CatalogTreeTest {
  private final CatalogFixture fixture;

  CatalogTreeTest() throws Exception {
    fixture = CatalogFixture.inMemory();
    fixture.vip("id", "v", "address", "10.0.0.100", "port", "80");
    fixture.pool("id", "p", "vip_id", "v", "lb_method", "LC");
    fixture.member("id", "a", "address", "10.0.0.1", "pool_id", "p", "weight", "3");
    fixture.member("id", "b", "address", "10.0.0.2", "pool_id", "p");
  }

  private static Map<CatalogKind<?>, List<Fields>> with(CatalogKind<?> kind, Fields... items) {
    Map<CatalogKind<?>, List<Fields>> lists = new LinkedHashMap<>();
    lists.put(kind, List.of(items));
    return lists;
  }

  private List<String> replace(Map<CatalogKind<?>, List<Fields>> lists, boolean dryRun)
      throws RejectedException {
    return fixture.catalog.replace(CatalogTree.of(lists), CatalogCondition.NONE, dryRun).stream()
        .map(
            change ->
                (change.before().isPresent() ? "-" : "")
                    + (change.after().isPresent() ? "+" : "")
                    + change.kind().noun()
                    + " "
                    + change.id())
        .toList();
  }

  @Test
  void listOfMembers_addsChangesAndRemoves_andLeavesOtherKinds() throws Exception {
    int numberOfA = fixture.now().members().get("a").number();
    List<String> changes =
        replace(
            with(
                Catalog.MEMBERS,
                Fields.of("id", "c", "address", "10.0.0.3", "pool_id", "p"),
                Fields.of("id", "a", "address", "10.0.0.1", "pool_id", "p")),
            false);

    assertEquals(List.of("-member b", "-+member a", "+member c"), changes);
    assertEquals(List.of("a", "c"), List.copyOf(fixture.now().members().keySet()));
    assertEquals(1, fixture.now().members().get("a").weight(), "what is not named is not set");
    assertEquals(numberOfA, fixture.now().members().get("a").number());
    assertEquals(3, fixture.now().members().get("c").number());
    assertEquals(1, fixture.now().pools().size());
    assertEquals(4, fixture.member("address", "10.0.0.4").number());
  }

  @Test
  void sameTreeAgain_changesNothing() throws Exception {
    CatalogSnapshot before = fixture.now();
    Map<CatalogKind<?>, List<Fields>> lists =
        with(
            Catalog.MEMBERS,
            Fields.of("id", "a", "address", "10.0.0.1", "pool_id", "p", "weight", "3"),
            Fields.of("id", "b", "address", "10.0.0.2", "pool_id", "p"));

    assertEquals(List.of(), replace(lists, false));

    assertSame(before, fixture.now());
  }

  @Test
  void dryRun_tellsTheChangesAndMakesNone() throws Exception {
    CatalogSnapshot before = fixture.now();

    assertEquals(List.of("-member a", "-member b"), replace(with(Catalog.MEMBERS), true));

    assertSame(before, fixture.now());
  }

  /** Whatever order single requests would need. */
  @Test
  void itemsThatExchangeWhatIsUnique_areFine() throws Exception {
    replace(
        with(
            Catalog.MEMBERS,
            Fields.of("id", "a", "address", "10.0.0.2", "pool_id", "p"),
            Fields.of("id", "b", "address", "10.0.0.1", "pool_id", "p")),
        false);

    assertEquals("10.0.0.2", fixture.now().members().get("a").address().toString());
  }

  @Test
  void emptyTreeOfServices_leavesTheDefaultEntry() throws Exception {
    replace(with(Catalog.SERVICES), false);

    assertEquals(List.of("default"), List.copyOf(fixture.now().services().keySet()));
  }

  @Test
  void oneItemThatIsNotPossible_refusesAllAndNamesItsPlace() {
    fixture.refused(
        Reason.INVALID,
        "members[1].port",
        () ->
            replace(
                with(
                    Catalog.MEMBERS,
                    Fields.of("id", "a", "address", "10.0.0.9"),
                    Fields.of("id", "b", "address", "10.0.0.2", "port", "70000")),
                false));
    fixture.refused(
        Reason.UNPROCESSABLE,
        "members[0].pool_id",
        () ->
            replace(
                with(
                    Catalog.MEMBERS,
                    Fields.of("id", "a", "address", "10.0.0.9", "pool_id", "none")),
                false));
    // nothing in the tree is wrong, but what stays refers to what would go
    fixture.refused(Reason.UNPROCESSABLE, "vip_id", () -> replace(with(Catalog.VIPS), false));
  }

  @Test
  void itemWithoutIdOrWithTheIdOfAnother_isRefused() {
    fixture.refused(
        Reason.INVALID,
        "vips[0].id",
        () -> replace(with(Catalog.VIPS, Fields.of("address", "10.0.0.5")), false));
    fixture.refused(
        Reason.INVALID,
        "vips[1].id",
        () ->
            replace(
                with(
                    Catalog.VIPS,
                    Fields.of("id", "v", "address", "10.0.0.5"),
                    Fields.of("id", " v ", "address", "10.0.0.6")),
                false));
  }

  @Test
  void conditionThatDoesNotHold_refuses() throws Exception {
    CatalogCondition never =
        now -> {
          throw new RejectedException(Reason.CHANGED_MEANWHILE, "no", (String) null);
        };
    CatalogTree tree = CatalogTree.of(with(Catalog.MEMBERS));
    fixture.refused(
        Reason.CHANGED_MEANWHILE, null, () -> fixture.catalog.replace(tree, never, false));
    fixture.refused(
        Reason.CHANGED_MEANWHILE,
        null,
        () -> fixture.catalog.put(Catalog.MEMBERS, "a", Fields.of("weight", "9"), never));
    fixture.refused(
        Reason.CHANGED_MEANWHILE, null, () -> fixture.catalog.delete(Catalog.MEMBERS, "a", never));
  }
}
