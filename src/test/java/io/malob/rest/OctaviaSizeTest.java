package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.json.RejectedException;
import io.malob.rest.RestServer.Answer;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogCondition;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.CatalogTree;
import io.malob.state.catalog.Fields;
import io.malob.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Changes of a full catalog, during which all others wait. Each takes about a second: its time
 * grows with the catalog. If it grew with the square, it would take ten minutes and more.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class OctaviaSizeTest {
  private static final int MANY = 65_000;

  private RestServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  private void replace(Map<CatalogKind<?>, List<Fields>> lists) throws RejectedException {
    server.catalog().replace(CatalogTree.of(lists), CatalogCondition.NONE, false);
  }

  /** Members with addresses of their own, in turn in each of the pools. */
  private static List<Fields> members(int count, int pools) {
    List<Fields> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String address = String.format("10.%d.%d.%d", 1 + i / 62_500, i / 250 % 250, 1 + i % 250);
      members.add(
          Fields.of("id", "m" + i, "address", address, "port", "80", "pool_id", "p" + i % pools));
    }
    return members;
  }

  private static List<Fields> each(int count, String... fields) {
    List<Fields> items = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Fields item = Fields.of(fields).with("id", "p" + i);
      items.add(item.has("type") ? item.with("pool_id", "p" + i) : item);
    }
    return items;
  }

  @Test
  void poolWithManyMembers_isEmptiedFilledAndDeleted() throws Exception {
    replace(Map.of(Catalog.POOLS, each(1), Catalog.MEMBERS, members(MANY, 1)));

    StringBuilder body = new StringBuilder("{\"members\":[");
    for (int i = 1; i <= 250; i++) {
      body.append("{\"address\":\"10.7.0.").append(i).append("\",\"protocol_port\":80},");
    }
    body.append("{\"address\":\"10.1.0.1\",\"protocol_port\":80,\"weight\":7}]}");
    String path = "/v2.0/lbaas/pools/p0";
    Answer added = server.sendTo("PUT", path + "/members?additive_only=true", body.toString());

    assertEquals(202, added.status(), added.text());
    assertEquals(MANY + 250, server.catalog().snapshot().members().size());
    assertEquals(7, server.catalog().snapshot().members().get("m0").weight());
    Answer replaced = server.sendTo("PUT", path + "/members", body.toString());
    assertEquals(202, replaced.status(), replaced.text());
    assertEquals(251, server.catalog().snapshot().members().size());
    replace(Map.of(Catalog.MEMBERS, members(MANY, 1)));
    assertEquals(204, server.sendTo("DELETE", path, null).status());
    assertEquals(Map.of(), server.catalog().snapshot().members());
  }

  @Test
  void loadBalancerWithManyPools_isDeletedWithThem() throws Exception {
    replace(
        Map.of(
            Catalog.LOAD_BALANCERS,
            List.of(Fields.of("id", "lb", "address", "10.200.0.1")),
            Catalog.POOLS,
            each(20_000, "load_balancer_id", "lb"),
            Catalog.MEMBERS,
            members(MANY, 20_000),
            Catalog.MONITORS,
            each(20_000, "type", "TCP")));

    Answer deleted = server.sendTo("DELETE", "/v2.0/lbaas/loadbalancers/lb?cascade=true", null);

    assertEquals(204, deleted.status(), deleted.text());
    assertEquals(Map.of(), server.catalog().snapshot().pools());
    assertEquals(Map.of(), server.catalog().snapshot().monitors());
    assertEquals(Map.of(), server.catalog().snapshot().members());
  }

  /** One server with many services. */
  @ParameterizedTest
  @ValueSource(strings = {"reactive", "proactive"})
  void membersOfOneAddress_areCheckedByTheirPorts(String placement) throws Exception {
    List<Fields> members = new ArrayList<>();
    for (int port = 1; port <= MANY; port++) {
      members.add(Fields.of("id", "m" + port, "address", "10.1.0.1", "port", "" + port));
    }
    members.replaceAll(member -> member.with("pool_id", "p0"));
    Fields vip = Fields.of("id", "v", "address", "10.0.0.1", "port", "80", "protocol", "tcp");
    replace(
        Map.of(
            Catalog.VIPS,
            List.of(vip.with("placement", placement)),
            Catalog.POOLS,
            each(1, "vip_id", "v"),
            Catalog.MEMBERS,
            members));

    Answer twin =
        server.post("/members", "{\"address\":\"10.1.0.1\",\"port\":\"80\",\"pool_id\":\"p0\"}");

    assertEquals(409, twin.status(), twin.text());
    assertEquals("address", twin.field());
  }
}
