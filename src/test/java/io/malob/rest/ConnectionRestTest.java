package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.algorithm.ServerLoad;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.api.PlacedConnection;
import io.malob.balancer.api.PlacedConnection.Phase;
import io.malob.balancer.api.PlacedConnection.Route;
import io.malob.rest.RestServer.Answer;
import io.malob.store.MemoryStore;
import java.util.List;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * {@code /wm/malob/connections} over real HTTP. Clients are on switch 1, members on switch 2; the
 * link between them goes from port 3 to port 4, the one back from port 4 to port 3.
 */
class ConnectionRestTest {
  private static final DirectedLink THERE = RestServer.LINK;
  private static final DirectedLink BACK =
      new DirectedLink(THERE.dst(), THERE.dstPort(), THERE.src(), THERE.srcPort());
  private static final Route ROUTE =
      new Route(
          new Path(THERE.src(), ImmutableList.of(THERE)),
          MacAddress.of("0a:4d:4c:00:00:07"),
          new Path(BACK.src(), ImmutableList.of(BACK)),
          MacAddress.of("0a:4d:4c:00:00:08"));

  private static RestServer server;

  @BeforeAll
  static void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @BeforeEach
  void setUp() throws Exception {
    server.clear();
    server.post("/vips/", "{\"id\":\"web\",\"address\":\"10.0.0.100\",\"port\":80}");
    server.post("/vips/", "{\"id\":\"all\",\"address\":\"10.0.0.101\"}");
    server.post("/pools/", "{\"id\":\"p\",\"vip_id\":\"web\"}");
    server.post("/pools/p/members/", "{\"id\":\"a\",\"address\":\"10.0.1.1\",\"port\":8080}");
    server.post("/pools/p/members/", "{\"id\":\"b\",\"address\":\"10.0.1.2\"}");
  }

  private static int number(String kind, String id) {
    return kind.equals("vip")
        ? server.catalog().snapshot().vips().get(id).number()
        : server.catalog().snapshot().members().get(id).number();
  }

  private static PlacedConnection add(
      String tuple, String vip, String member, Phase phase, @Nullable Route route) {
    List<String> part = Splitter.on(' ').splitToList(tuple);
    FiveTuple request =
        FiveTuple.of(
            Integer.parseInt(part.get(0)),
            IPAddress.of(part.get(1)),
            Integer.parseInt(part.get(2)),
            IPAddress.of(part.get(3)),
            Integer.parseInt(part.get(4)));
    boolean isA = member.equals("a");
    Server chosen =
        new Server(
            number("member", member),
            AddressKey.of(server.catalog().snapshot().members().get(member).address()),
            isA ? 8_080 : 0,
            1,
            new Attachment(
                DatapathId.of(2), OFPort.of(isA ? 9 : 10), MacAddress.of(1), isA ? 0 : 100),
            new ServerLoad());
    Attachment client = new Attachment(DatapathId.of(1), OFPort.of(5), MacAddress.of(2));
    PlacedConnection connection =
        new PlacedConnection(
            request,
            number("vip", vip),
            Algorithm.named("LC").orElseThrow(),
            chosen,
            client,
            phase,
            1_500_000_000L,
            77,
            route);
    server.connections.add(connection);
    return connection;
  }

  private static Answer list(String query) throws Exception {
    return server.sendTo("GET", "/wm/malob/connections" + query, null);
  }

  @Test
  void connection_isShownWithItsPathsPortByPort() throws Exception {
    add("6 10.0.0.1 40000 10.0.0.100 80", "web", "a", Phase.OPEN, ROUTE);

    assertEquals(
        "{\"connections\":[{\"protocol\":\"tcp\",\"client_address\":\"10.0.0.1\","
            + "\"client_port\":40000,\"client_vlan\":null,"
            + "\"vip_address\":\"10.0.0.100\",\"port\":80,"
            + "\"vip_id\":\"web\",\"member_id\":\"a\",\"member_address\":\"10.0.1.1\","
            + "\"member_port\":8080,\"member_vlan\":null,"
            + "\"algorithm\":\"LC+SPH\",\"state\":\"open\",\"age_s\":1.5,"
            + "\"request_path\":["
            + "{\"switch\":\"00:00:00:00:00:00:00:01\",\"in_port\":5,\"out_port\":3},"
            + "{\"switch\":\"00:00:00:00:00:00:00:02\",\"in_port\":4,\"out_port\":9}],"
            + "\"reply_path\":["
            + "{\"switch\":\"00:00:00:00:00:00:00:02\",\"in_port\":9,\"out_port\":4},"
            + "{\"switch\":\"00:00:00:00:00:00:00:01\",\"in_port\":3,\"out_port\":5}],"
            + "\"request_label\":\"0a:4d:4c:00:00:07\",\"reply_label\":\"0a:4d:4c:00:00:08\","
            + "\"generation\":77}],\"next\":null}",
        list("").text());
  }

  @Test
  void dormantPing_hasNeitherPathsNorPorts() throws Exception {
    add("1 10.0.0.1 0 10.0.0.101 0", "all", "b", Phase.DORMANT, null);

    JsonNode line = list("").json().at("/connections/0");
    assertEquals("icmp", line.path("protocol").asText());
    assertEquals("dormant", line.path("state").asText());
    assertEquals(100, line.path("member_vlan").asInt());
    for (String field :
        List.of(
            "client_port",
            "client_vlan",
            "port",
            "member_port",
            "request_path",
            "reply_path",
            "request_label",
            "reply_label")) {
      assertTrue(line.path(field).isNull(), field);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', 1 2 3 4",
    "vip=web, 1 2",
    "vip=10.0.0.101, 3 4",
    "member=a, 1 3",
    "member=10.0.1.2, 2 4",
    "client=10.0.0.2, 2",
    "client=00:00:00:00:00:02, 1 2 3 4",
    "client=00:00:00:00:00:03, ''",
    "port=80, 1 2",
    "port=53, 3 4",
    "protocol=udp, 3 4",
    "protocol=TCP, 1 2",
    "state=open, 1 4",
    "state=ended, 2",
    "state=dormant, 3",
    "switch=00:00:00:00:00:00:00:02, 1",
    "switch=0000000000000002, 1",
    "switch=00:00:00:00:00:00:00:07, ''",
    "link=00:00:00:00:00:00:00:01/3, 1",
    "link=00:00:00:00:00:00:00:02/4, 1",
    "link=00:00:00:00:00:00:00:02/9, ''",
    "vip=web&state=open, 1",
    "vip=web&protocol=udp, ''",
  })
  void filter_listsThoseThatMeetAllConditions(String query, String clientPorts) throws Exception {
    add("6 10.0.0.1 1 10.0.0.100 80", "web", "a", Phase.OPEN, ROUTE);
    add("6 10.0.0.2 2 10.0.0.100 80", "web", "b", Phase.ENDED, null);
    add("17 10.0.0.3 3 10.0.0.101 53", "all", "a", Phase.DORMANT, null);
    add("17 10.0.0.3 4 10.0.0.101 53", "all", "b", Phase.OPEN, null);

    assertEquals(clientPorts, clientPorts(list("?" + query)));
  }

  private static String clientPorts(Answer answer) {
    assertEquals(200, answer.status(), answer.text());
    return String.join(
        " ",
        StreamSupport.stream(answer.json().path("connections").spliterator(), false)
            .map(line -> line.path("client_port").asText())
            .toList());
  }

  @Test
  void next_leadsFromPageToPage() throws Exception {
    for (int port = 1; port <= 5; port++) {
      add("6 10.0.0.1 " + port + " 10.0.0.100 80", "web", "a", Phase.OPEN, ROUTE);
    }

    Answer first = list("?limit=2&vip=web");
    String next = first.json().path("next").asText();
    Answer second = list("?limit=2&vip=web&next=" + next);
    Answer third = list("?limit=2&vip=web&next=" + second.json().path("next").asText());

    assertEquals("1 2", clientPorts(first));
    assertEquals("3 4", clientPorts(second));
    assertEquals("5", clientPorts(third));
    assertTrue(third.json().path("next").isNull());
  }

  @Test
  void connectionsOverIpv6_areShownFilteredAndPagedByTheirAddresses() throws Exception {
    server.post("/vips/", "{\"id\":\"six\",\"address\":\"2001:db8::64\"}");
    server.post("/pools/", "{\"id\":\"p6\",\"vip_id\":\"six\"}");
    server.post("/pools/p6/members/", "{\"id\":\"c\",\"address\":\"2001:db8:0:1::1\"}");
    add("6 2001:db8::3 1 2001:db8::64 80", "six", "c", Phase.OPEN, null);
    add("6 2001:db8::2 2 2001:db8::64 80", "six", "c", Phase.OPEN, null);
    add("6 10.0.0.1 3 10.0.0.100 80", "web", "a", Phase.OPEN, null);

    JsonNode line = list("?client=2001:DB8:0::3").json().at("/connections/0");
    assertEquals("2001:db8::3", line.path("client_address").asText());
    assertEquals("2001:db8::64", line.path("vip_address").asText());
    assertEquals("2001:db8:0:1::1", line.path("member_address").asText());
    assertEquals("2 1", clientPorts(list("?vip=2001:db8::64")));
    assertEquals("2 1", clientPorts(list("?member=2001:db8:0:1:0:0:0:1")));
    assertEquals("", clientPorts(list("?client=2001:db8::4")));

    Answer first = list("?vip=six&limit=1");
    String next = first.json().path("next").asText();
    assertEquals("2", clientPorts(first));
    assertEquals(
        "20010db8000000000000000000000002" + "20010db8000000000000000000000064", // no keys
        next.substring(0, 64));
    assertEquals("1", clientPorts(list("?vip=six&limit=1&next=" + next)));
  }

  /** Who asks for an address does not make it one that is in use. */
  @Test
  void filter_forUnknownAddress_addsNoKey() throws Exception {
    int before = AddressKey.countOfIpv6();
    assertEquals("", clientPorts(list("?client=2001:db8:ffff::1")));
    assertEquals(404, list("?vip=2001:db8:ffff::2").status());
    assertEquals(404, list("?member=2001:db8:ffff::3").status());
    assertEquals(before, AddressKey.countOfIpv6());
  }

  @Test
  void withoutLimit_aPageHasAHundred_andAThousandAtMost() throws Exception {
    for (int port = 1; port <= 1_001; port++) {
      add("6 10.0.0.1 " + port + " 10.0.0.100 80", "web", "a", Phase.OPEN, ROUTE);
    }

    assertEquals(100, list("").json().path("connections").size());
    assertEquals(1_000, list("?limit=1000").json().path("connections").size());
  }

  @ParameterizedTest
  @CsvSource({
    "limit=0, 400, limit",
    "limit=1001, 400, limit",
    "limit=many, 400, limit",
    "next=xyz, 400, next",
    "client=10.0.0.256, 400, client",
    "client=10.0.0, 400, client",
    "next=f00000010a0000640000000600010050, 400, next",
    "client=2001:db8::1%25eth0, 400, client",
    "port=0, 400, port",
    "port=65536, 400, port",
    "protocol=sctp, 400, protocol",
    "state=closed, 400, state",
    "switch=1, 400, switch",
    "link=00:00:00:00:00:00:00:01, 400, link",
    "link=1/2, 400, link",
    "link=00:00:00:00:00:00:00:01/x, 400, link",
    "colour=red, 400, colour",
    "vip=, 400, vip",
    "vip, 400, vip",
    "vip=web&vip=all, 400, vip",
    "vip=nothing, 404, vip",
    "vip=10.0.0.1, 404, vip",
    "member=nobody, 404, member",
    "member=10.0.0.100, 404, member",
  })
  void wrongParameter_isRefusedByName(String query, int status, String field) throws Exception {
    Answer answer = list("?" + query);

    assertEquals(status, answer.status(), answer.text());
    assertEquals(field, answer.field());
    assertTrue(answer.error().contains(field), answer.error());
  }

  @Test
  void encodedValue_isDecoded() throws Exception {
    add("6 10.0.0.1 1 10.0.0.100 80", "web", "a", Phase.OPEN, ROUTE);

    assertEquals("1", clientPorts(list("?link=00%3A00%3A00%3A00%3A00%3A00%3A00%3A01%2F3")));
  }

  @Test
  void connections_canOnlyBeRead() throws Exception {
    assertEquals(405, server.sendTo("POST", "/wm/malob/connections", "{}").status());
  }
}
