package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.json.RejectedException.Reason;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules for load balancers, for notes, and for what is down. */
class LoadBalancerTest {
  private CatalogFixture fixture;
  private Catalog catalog;

  @BeforeEach
  void open() throws Exception {
    fixture = CatalogFixture.inMemory();
    catalog = fixture.catalog;
    loadBalancer("id", "lb", "address", "10.0.0.100");
    fixture.vip("id", "web", "address", "10.0.0.100", "port", "80");
    fixture.vip("id", "tls", "address", "10.0.0.100", "port", "443");
    fixture.pool("id", "p", "vip_id", "web", "load_balancer_id", "lb");
    fixture.member("id", "m", "address", "10.0.0.1", "pool_id", "p");
    catalog.create(Catalog.MONITORS, Fields.of("id", "h", "type", "TCP"));
  }

  private LoadBalancer loadBalancer(String... fields) throws Exception {
    return catalog.create(Catalog.LOAD_BALANCERS, Fields.of(fields)).item();
  }

  private void set(CatalogKind<?> kind, String id, String... fields) throws Exception {
    catalog.update(kind, id, Fields.of(fields));
  }

  @Test
  void loadBalancer_hasTheVipsWithItsAddress() {
    LoadBalancer lb = fixture.now().loadBalancers().get("lb");
    assertEquals("lb", lb.name());
    assertEquals(AdminState.UP, lb.adminState());
    assertEquals(Notes.NONE, lb.notes());
    assertEquals(Optional.of(lb), fixture.now().loadBalancerAt(lb.address()));
    assertEquals(
        List.of("web", "tls"), fixture.now().vipsAt(lb.address()).stream().map(Vip::id).toList());
  }

  @Test
  void address_isOfOneLoadBalancer_andOfNoMember() {
    fixture.refused(Reason.CONFLICT, "address", () -> loadBalancer("address", "10.0.0.100"));
    fixture.refused(Reason.CONFLICT, "address", () -> loadBalancer("address", "10.0.0.1"));
    fixture.refused(Reason.INVALID, "address", () -> loadBalancer("id", "none"));
    fixture.refused(
        Reason.CONFLICT, "address", () -> fixture.member("address", "10.0.0.100", "id", "n"));
  }

  @Test
  void addressWithoutVip_isNotAMembersEither() throws Exception {
    loadBalancer("address", "10.0.0.101");
    fixture.refused(Reason.CONFLICT, "address", () -> fixture.member("address", "10.0.0.101"));
  }

  @Test
  void deletedLoadBalancer_leavesItsVips_andItsPoolsWithoutLoadBalancer() throws Exception {
    Map<String, Vip> vips = fixture.now().vips();
    catalog.delete(Catalog.LOAD_BALANCERS, "lb");
    assertEquals(vips, fixture.now().vips());
    assertNull(fixture.now().pools().get("p").loadBalancerId());
    assertEquals("web", fixture.now().pools().get("p").vipId());
  }

  @Test
  void pool_isOfALoadBalancerWithItsVipsAddress() throws Exception {
    loadBalancer("id", "other", "address", "10.0.0.101");
    fixture.refused(
        Reason.UNPROCESSABLE,
        "load_balancer_id",
        () -> set(Catalog.POOLS, "p", "load_balancer_id", "none"));
    fixture.refused(
        Reason.UNPROCESSABLE,
        "load_balancer_id",
        () -> set(Catalog.POOLS, "p", "load_balancer_id", "other"));
    fixture.refused(
        Reason.UNPROCESSABLE, "address", () -> set(Catalog.VIPS, "web", "address", "10.0.0.102"));
    fixture.refused(
        Reason.UNPROCESSABLE,
        "address",
        () -> set(Catalog.LOAD_BALANCERS, "lb", "address", "10.0.0.102"));

    set(Catalog.POOLS, "p", "load_balancer_id", "other", "vip_id", null);
    set(Catalog.LOAD_BALANCERS, "other", "address", "10.0.0.102");
    assertEquals("other", fixture.now().pools().get("p").loadBalancerId());
  }

  @Test
  void onlyMembers_drain() {
    for (CatalogKind<?> kind :
        List.of(Catalog.LOAD_BALANCERS, Catalog.VIPS, Catalog.POOLS, Catalog.MONITORS)) {
      String id = kind.in(fixture.now()).keySet().iterator().next();
      fixture.refused(Reason.INVALID, "admin_state", () -> set(kind, id, "admin_state", "drain"));
    }
  }

  @Test
  void downFor_namesTheItemThatIsDown() throws Exception {
    assertEquals(Optional.empty(), down("web"));
    set(Catalog.POOLS, "p", "admin_state", "down");
    assertEquals(Optional.of("p"), down("web"));
    assertEquals(Optional.empty(), down("tls"));
    set(Catalog.VIPS, "web", "admin_state", "down");
    assertEquals(Optional.of("web"), down("web"));
    set(Catalog.LOAD_BALANCERS, "lb", "admin_state", "down");
    assertEquals(Optional.of("lb"), down("web"));
    assertEquals(Optional.of("lb"), down("tls"));
    assertTrue(fixture.now().isDown(fixture.now().pools().get("p")));
  }

  private Optional<String> down(String vip) {
    return fixture.now().downFor(fixture.now().vips().get(vip)).map(CatalogItem::id);
  }

  private static List<CatalogKind<?>> kindsWithNotes() {
    return List.of(
        Catalog.LOAD_BALANCERS, Catalog.VIPS, Catalog.POOLS, Catalog.MEMBERS, Catalog.MONITORS);
  }

  private <T extends CatalogItem> Map<String, Object> shown(CatalogKind<T> kind, String id) {
    return kind.shown(kind.find(fixture.now(), id).orElseThrow());
  }

  @ParameterizedTest
  @MethodSource("kindsWithNotes")
  void note_leavesTheOthers(CatalogKind<?> kind) throws Exception {
    String id = kind.in(fixture.now()).keySet().iterator().next();
    Map<String, Object> before = shown(kind, id);
    set(kind, id, "tags", " a, b c,a");
    set(kind, id, "external_ids", "project_id = 7, x=y=z");
    set(kind, id, "description", " for, all ");

    Map<String, Object> now = shown(kind, id);
    assertEquals("for, all", now.get("description"));
    assertEquals(ImmutableList.of("a", "b c"), now.get("tags"));
    assertEquals(ImmutableMap.of("project_id", "7", "x", "y=z"), now.get("external_ids"));

    set(kind, id, "tags", "", "external_ids", null, "description", " ");
    assertEquals(before, shown(kind, id));
  }

  @ParameterizedTest
  @CsvSource({"tags,'a,,b'", "tags,'a,'", "external_ids,a", "external_ids,=b"})
  @CsvSource({"external_ids,'a=1,a=2'"})
  void notesWithoutMeaning_areRefused(String field, String value) {
    fixture.refused(Reason.INVALID, field, () -> set(Catalog.VIPS, "web", field, value));
  }

  @Test
  void notesHaveBounds() throws Exception {
    String longest = "x".repeat(Notes.MAX_LENGTH);
    set(
        Catalog.VIPS,
        "web",
        "description",
        longest,
        "tags",
        numbered(Notes.MAX_TAGS, ""),
        "external_ids",
        numbered(Notes.MAX_EXTERNAL_IDS, "=" + longest));
    for (String[] field :
        List.of(
            new String[] {"description", longest + "x"},
            new String[] {"tags", longest + "x"},
            new String[] {"tags", numbered(Notes.MAX_TAGS + 1, "")},
            new String[] {"external_ids", "a=" + longest + "x"},
            new String[] {"external_ids", longest + "x=a"},
            new String[] {"external_ids", numbered(Notes.MAX_EXTERNAL_IDS + 1, "=")})) {
      fixture.refused(Reason.INVALID, field[0], () -> set(Catalog.VIPS, "web", field));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nb", "a\u001b[2Jb", "a\u007fb", "a\u0085b", "a\u0000b", "a\tb"})
  void controlCharacters_areRefused(String text) {
    for (String[] field :
        List.of(
            new String[] {"name", text},
            new String[] {"description", text},
            new String[] {"tags", "a," + text},
            new String[] {"external_ids", "a=" + text},
            new String[] {"external_ids", text + "=a"})) {
      fixture.refused(Reason.INVALID, field[0], () -> set(Catalog.VIPS, "web", field));
    }
  }

  private static String numbered(int count, String end) {
    return IntStream.range(0, count).mapToObj(i -> i + end).collect(Collectors.joining(","));
  }

  @Test
  void memberHasANameAndAPortForChecks() throws Exception {
    Member member = fixture.now().members().get("m");
    assertEquals("m", member.name());
    assertNull(member.monitorPort());
    set(Catalog.MEMBERS, "m", "name", "first", "monitor_port", "8081");
    assertEquals("first", fixture.now().members().get("m").name());
    assertEquals(8081, fixture.now().members().get("m").monitorPort());
    fixture.refused(
        Reason.INVALID, "monitor_port", () -> set(Catalog.MEMBERS, "m", "monitor_port", "0"));
  }
}
