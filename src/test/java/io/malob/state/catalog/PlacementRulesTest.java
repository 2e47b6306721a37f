package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The requirements of proactive placement. */
class PlacementRulesTest {
  private CatalogFixture fixture;
  private Catalog catalog;

  /**
   * Two VIPs with one server each; both servers are on one machine.
   *
   * <pre>
   * v 10.0.0.100 tcp/80   proactive - p - a 10.0.0.1:8080
   * w 10.0.0.101 tcp/8081 reactive  - q - b 10.0.0.1
   * </pre>
   */
  @BeforeEach
  void open() throws Exception {
    fixture = CatalogFixture.inMemory();
    catalog = fixture.catalog;
    fixture.vip(
        "id",
        "v",
        "address",
        "10.0.0.100",
        "protocol",
        "tcp",
        "port",
        "80",
        "placement",
        "proactive");
    fixture.pool("id", "p", "vip_id", "v");
    fixture.member("id", "a", "address", "10.0.0.1", "port", "8080", "pool_id", "p");
    fixture.vip("id", "w", "address", "10.0.0.101", "protocol", "tcp", "port", "8081");
    fixture.pool("id", "q", "vip_id", "w");
    fixture.member("id", "b", "address", "10.0.0.1", "pool_id", "q");
  }

  @Test
  void membersOfProactiveVip_haveItsVlan() throws Exception {
    fixture.refused(
        Reason.UNPROCESSABLE,
        "vlan",
        () -> fixture.member("address", "10.0.0.2", "vlan", "100", "pool_id", "p"));
    fixture.refused(Reason.UNPROCESSABLE, "vlan", () -> update(Catalog.VIPS, "v", "vlan", "100"));
    update(Catalog.VIPS, "w", "vlan", "100");
    fixture.refused(
        Reason.UNPROCESSABLE,
        "placement",
        () -> update(Catalog.VIPS, "w", "placement", "proactive"));
    fixture.vip("id", "x", "address", "10.0.0.102", "protocol", "tcp", "port", "80", "vlan", "100");
    fixture.pool("id", "r", "vip_id", "x");
    fixture.member("address", "10.0.0.3", "vlan", "100", "pool_id", "r");
    update(Catalog.VIPS, "x", "placement", "proactive");
  }

  @Test
  void vipWithIpv6_canBeProactive() throws Exception {
    fixture.vip("id", "x", "address", "2001:db8::64", "protocol", "tcp", "port", "80");
    assertTrue(update(Catalog.VIPS, "x", "placement", "proactive").mayBeProactive());
  }

  @Test
  void vip_isReactiveByDefault() throws Exception {
    Vip w = fixture.now().vips().get("w");
    assertEquals(PlacementMode.REACTIVE, w.placement());
    assertEquals("reactive", Catalog.VIPS.shown(w).get("placement"));
    assertFalse(w.mayBeProactive());
  }

  @Test
  void placement_isRead_keptByOtherChanges_andResetByNull() throws Exception {
    assertEquals(PlacementMode.PROACTIVE, fixture.now().vips().get("v").placement());
    assertEquals(PlacementMode.PROACTIVE, update(Catalog.VIPS, "v", "name", "x").placement());
    Vip auto = update(Catalog.VIPS, "v", "placement", " Auto ");
    assertEquals(PlacementMode.AUTO, auto.placement());
    assertTrue(auto.mayBeProactive());
    assertEquals(PlacementMode.REACTIVE, update(Catalog.VIPS, "v", "placement", null).placement());
  }

  @Test
  void unknownPlacement_isRefusedWithThoseThatExist() {
    RejectedException e =
        assertThrows(
            RejectedException.class, () -> update(Catalog.VIPS, "w", "placement", "eager"));
    assertEquals("placement", e.field().orElseThrow());
    assertEquals(
        "placement must be reactive, proactive, auto or tracked, not \"eager\"", e.sentence());
  }

  @ParameterizedTest
  @ValueSource(strings = {"proactive", "tracked"})
  void vipWithoutTransportProtocolOrPort_isRefused(String placement) {
    Fields good =
        Fields.of("address", "10.0.0.102", "protocol", "udp", "port", "53", "placement", placement);
    fixture.refused(Reason.INVALID, "protocol", () -> create(good.with("protocol", null)));
    fixture.refused(Reason.INVALID, "protocol", () -> create(good.with("protocol", "icmp")));
    fixture.refused(Reason.INVALID, "port", () -> create(good.with("port", null)));
  }

  /** With exact placement, the controller sees each connection. */
  @ParameterizedTest
  @ValueSource(strings = {"auto", "tracked"})
  void limitsAndPersistence_arePossible_whereTheControllerMayChoose(String placement)
      throws Exception {
    update(Catalog.VIPS, "v", "placement", placement);

    update(Catalog.VIPS, "v", "connection_limit", "9");
    update(Catalog.POOLS, "p", "session_persistence", "SOURCE_IP");
    update(Catalog.MEMBERS, "a", "connection_limit", "5");

    assertTrue(fixture.now().vips().get("v").mayBeProactive());
    fixture.refused(
        Reason.INVALID,
        "connection_limit",
        () -> update(Catalog.VIPS, "v", "placement", "proactive"));
  }

  @Test
  void vipWithPlacementAuto_isNotRefused_butHasNoRulesInAdvance() throws Exception {
    update(Catalog.VIPS, "v", "placement", "auto");
    update(Catalog.VIPS, "w", "placement", "auto");
    assertNull(obstacle("v", "p"));

    update(Catalog.MEMBERS, "b", "port", "8080");
    assertEquals("member a has the server port of member b", obstacle("v", "p"));
    assertEquals("member b has the server port of member a", obstacle("w", "q"));
    update(Catalog.VIPS, "w", "placement", "reactive");
    assertNull(obstacle("v", "p"));

    update(Catalog.VIPS, "v", "vlan", "7");
    assertEquals("member a has another VLAN", obstacle("v", "p"));
    assertFalse(update(Catalog.VIPS, "v", "port", null).mayBeProactive());
  }

  private @Nullable String obstacle(String vip, String pool) {
    CatalogSnapshot now = fixture.now();
    return now.obstacleToRulesInAdvance(now.vips().get(vip), now.pools().get(pool));
  }

  @ParameterizedTest
  @CsvSource({"protocol,", "protocol,icmp", "port,", "connection_limit,5"})
  void fieldThatProactivePlacementNeeds_cannotBeTakenAway(String field, String value)
      throws Exception {
    fixture.refused(Reason.INVALID, field, () -> update(Catalog.VIPS, "v", field, value));
    update(Catalog.VIPS, "v", "placement", "reactive");
    update(Catalog.POOLS, "p", "vip_id", null);
    update(Catalog.VIPS, "v", field, value);
  }

  @Test
  void poolWithPersistence_isRefused() throws Exception {
    fixture.refused(
        Reason.UNPROCESSABLE,
        "session_persistence",
        () -> update(Catalog.POOLS, "p", "session_persistence", "SOURCE_IP"));
    update(Catalog.POOLS, "p", "vip_id", null);
    update(Catalog.POOLS, "p", "session_persistence", "SOURCE_IP");
    fixture.refused(
        Reason.UNPROCESSABLE,
        "session_persistence",
        () -> update(Catalog.POOLS, "p", "vip_id", "v"));
    update(Catalog.POOLS, "q", "session_persistence", "SOURCE_IP");
    fixture.refused(
        Reason.UNPROCESSABLE,
        "placement",
        () -> update(Catalog.VIPS, "w", "placement", "proactive"));
  }

  @Test
  void memberWithLimit_isRefused() throws Exception {
    fixture.refused(
        Reason.UNPROCESSABLE,
        "connection_limit",
        () -> update(Catalog.MEMBERS, "a", "connection_limit", "5"));
    fixture.member("id", "c", "address", "10.0.0.3", "connection_limit", "5");
    fixture.refused(
        Reason.UNPROCESSABLE,
        "connection_limit",
        () -> update(Catalog.MEMBERS, "c", "pool_id", "p"));
    fixture.pool("id", "r");
    update(Catalog.MEMBERS, "c", "pool_id", "r");
    update(Catalog.POOLS, "p", "vip_id", null);
    fixture.refused(
        Reason.UNPROCESSABLE, "vip_id", () -> update(Catalog.POOLS, "r", "vip_id", "v"));
    update(Catalog.MEMBERS, "b", "connection_limit", "5");
    fixture.refused(
        Reason.UNPROCESSABLE,
        "placement",
        () -> update(Catalog.VIPS, "w", "placement", "proactive"));
  }

  /** Member b has no port: its server port is that of its VIP. */
  @Test
  void serverPortOfTwoProactiveVips_isRefused() throws Exception {
    update(Catalog.VIPS, "w", "placement", "proactive");
    fixture.refused(Reason.CONFLICT, "address", () -> update(Catalog.MEMBERS, "b", "port", "8080"));
    fixture.refused(Reason.CONFLICT, "port", () -> update(Catalog.VIPS, "w", "port", "8080"));
    fixture.member("id", "c", "address", "10.0.0.1", "port", "8080");
    fixture.refused(Reason.CONFLICT, "address", () -> update(Catalog.MEMBERS, "c", "pool_id", "q"));
    fixture.pool("id", "r");
    update(Catalog.MEMBERS, "c", "pool_id", "r");
    update(Catalog.POOLS, "q", "vip_id", null);
    fixture.refused(Reason.CONFLICT, "vip_id", () -> update(Catalog.POOLS, "r", "vip_id", "w"));
    update(Catalog.VIPS, "w", "placement", "reactive");
    update(Catalog.POOLS, "r", "vip_id", "w");
    fixture.refused(
        Reason.CONFLICT, "placement", () -> update(Catalog.VIPS, "w", "placement", "proactive"));
    update(Catalog.VIPS, "w", "protocol", "udp");
    update(Catalog.VIPS, "w", "placement", "proactive");
    fixture.refused(
        Reason.CONFLICT, "protocol", () -> update(Catalog.VIPS, "w", "protocol", "tcp"));
  }

  @Test
  void serverPortOfTwoMembersOfAPool_isRefused() throws Exception {
    fixture.member("address", "10.0.0.1", "port", "80", "pool_id", "p");
    fixture.refused(
        Reason.CONFLICT, "address", () -> fixture.member("address", "10.0.0.1", "pool_id", "p"));
    fixture.member("address", "10.0.0.1", "port", "8081", "pool_id", "q");
    fixture.refused(
        Reason.CONFLICT, "placement", () -> update(Catalog.VIPS, "w", "placement", "proactive"));
  }

  @Test
  void serverPortOfAReactiveVip_canBeShared() throws Exception {
    update(Catalog.VIPS, "w", "port", "8080");
    fixture.member("address", "10.0.0.1", "port", "80", "pool_id", "q");
    fixture.member("address", "10.0.0.1", "pool_id", "p");
  }

  @Test
  void tree_namesTheGivenItem() {
    Fields v =
        Fields.of("id", "v", "address", "10.0.0.100", "protocol", "tcp", "port", "80")
            .with("placement", "proactive");
    Fields w = v.with("id", "w").with("address", "10.0.0.101").with("port", "8081");
    Fields p = Fields.of("id", "p", "vip_id", "v");
    Fields q = Fields.of("id", "q", "vip_id", "w");
    Fields a = Fields.of("id", "a", "address", "10.0.0.1", "port", "8080", "pool_id", "p");
    Fields b = Fields.of("id", "b", "address", "10.0.0.1", "pool_id", "q");
    refusedTree(Reason.INVALID, "vips[0].placement", vips(v.with("placement", "eager"), w));
    refusedTree(Reason.INVALID, "vips[1].port", vips(v, w.with("port", null)));
    refusedTree(Reason.CONFLICT, "vips[0].placement", vips(v, w.with("port", "8080")));
    refusedTree(
        Reason.UNPROCESSABLE,
        "pools[1].session_persistence",
        Map.of(Catalog.POOLS, List.of(q, p.with("session_persistence", "SOURCE_IP"))));
    refusedTree(
        Reason.UNPROCESSABLE,
        "members[0].connection_limit",
        Map.of(Catalog.MEMBERS, List.of(a.with("connection_limit", "5"), b)));
    Map<CatalogKind<?>, List<Fields>> all = new LinkedHashMap<>(vips(v, w));
    all.put(Catalog.POOLS, List.of(p.with("session_persistence", "SOURCE_IP"), q));
    all.put(Catalog.MEMBERS, List.of(a, b));
    refusedTree(Reason.UNPROCESSABLE, "vips[0].placement", all);
  }

  private static Map<CatalogKind<?>, List<Fields>> vips(Fields... vips) {
    return Map.of(Catalog.VIPS, List.of(vips));
  }

  private void refusedTree(Reason reason, String field, Map<CatalogKind<?>, List<Fields>> lists) {
    fixture.refused(
        reason, field, () -> catalog.replace(CatalogTree.of(lists), CatalogCondition.NONE, false));
  }

  private Vip create(Fields fields) throws RejectedException {
    return catalog.create(Catalog.VIPS, fields).item();
  }

  private <T extends CatalogItem> T update(
      CatalogKind<T> kind, String id, String field, String value) throws RejectedException {
    return catalog.update(kind, id, Fields.of(field, value));
  }
}
