package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Explanation;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.ServerLoad;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.ExplainedConnection.AddressNeeded;
import io.malob.balancer.api.ExplainedConnection.Candidate;
import io.malob.balancer.api.ExplainedConnection.ChosenBucket;
import io.malob.balancer.api.ExplainedConnection.ClientBuckets;
import io.malob.balancer.api.ExplainedConnection.Decision;
import io.malob.balancer.api.ExplainedConnection.Exclusion;
import io.malob.balancer.api.ExplainedConnection.MemberBuckets;
import io.malob.balancer.api.ExplainedConnection.NeedsAddress;
import io.malob.balancer.api.ExplainedConnection.Outcome;
import io.malob.balancer.api.ExplainedConnection.Placed;
import io.malob.balancer.api.ExplainedConnection.PortNeeded;
import io.malob.rest.RestServer.Answer;
import io.malob.state.catalog.AlgorithmChoice;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.ServerValue;
import io.malob.store.MemoryStore;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** {@code /wm/malob/explain} over real HTTP. */
class ExplanationRestTest {
  private static final DirectedLink THERE = RestServer.LINK;
  private static final DirectedLink BACK =
      new DirectedLink(THERE.dst(), THERE.dstPort(), THERE.src(), THERE.srcPort());
  private static final Explanation.Paths PATHS =
      new Explanation.Paths(
          new Path(THERE.src(), ImmutableList.of(THERE)),
          new Path(BACK.src(), ImmutableList.of(BACK)));

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
    server.post("/vips/", "{\"id\":\"ping\",\"address\":\"10.0.0.101\",\"protocol\":\"icmp\"}");
    server.post("/vips/", "{\"id\":\"ping6\",\"address\":\"2001:db8::65\",\"protocol\":\"icmp\"}");
    server.post("/vips/", "{\"id\":\"dns\",\"address\":\"10.0.0.102\",\"protocol\":\"udp\"}");
    server.post("/pools/", "{\"id\":\"p\",\"vip_id\":\"web\"}");
    server.post(
        "/services/", "{\"id\":\"s\",\"service_name\":\"S\",\"port\":80,\"algorithm\":\"LC\"}");
    server.post("/pools/p/members/", "{\"id\":\"a\",\"address\":\"10.0.1.1\",\"port\":8080}");
    server.post("/pools/p/members/", "{\"id\":\"b\",\"address\":\"10.0.1.2\",\"weight\":3}");
  }

  private static Answer explain(String query) throws Exception {
    return server.sendTo("GET", "/wm/malob/explain?" + query, null);
  }

  private static Server serverOf(Member member) {
    Server chosen =
        new Server(
            member.number(),
            AddressKey.of(member.address()),
            8_080,
            member.weight(),
            new Attachment(DatapathId.of(2), OFPort.of(9), MacAddress.of(1)),
            new ServerLoad());
    chosen.load().opened();
    chosen.load().setDirect(4);
    return chosen;
  }

  /** Member a is chosen; b is not located. */
  private static ExplainedConnection placedOnA(ImmutableList<Candidate> more) {
    CatalogSnapshot catalog = server.catalog().snapshot();
    Member a = catalog.members().get("a");
    Server chosen = serverOf(a);
    return new ExplainedConnection(
        RestServer.AT_CLIENT,
        Optional.of(RestServer.KNOWN_CLIENT),
        Optional.of(catalog.vips().get("web")),
        Optional.of(catalog.pools().get("p")),
        Optional.of(
            new Decision(
                Algorithm.named("LC").orElseThrow(),
                Optional.of(
                    new AlgorithmChoice(
                        Algorithm.named("LC").orElseThrow(),
                        AlgorithmChoice.Source.SERVICE,
                        catalog.services().get("s"))),
                Optional.empty(),
                new Reason("fewest", "earliest"),
                new Reason("shortest", "smallest"))),
        new Placed(new Placement(chosen, PATHS.request(), PATHS.reply())),
        ImmutableList.<Candidate>builder()
            .addAll(more)
            .add(
                new Candidate(
                    a,
                    chosen,
                    Optional.of(PATHS),
                    ImmutableMap.of("connections", 5.0, "latency_ms", Double.POSITIVE_INFINITY),
                    Optional.empty()))
            .add(
                new Candidate(
                    catalog.members().get("b"),
                    null,
                    Optional.empty(),
                    ImmutableMap.of(),
                    Optional.of(Exclusion.NOT_LOCATED)))
            .build(),
        Optional.empty());
  }

  @Test
  void placement_isShownWithAllThatDecidesIt() throws Exception {
    server.explained = placedOnA(ImmutableList.of());
    server.monitor.nanoTime = 2_000_000_000;
    server.monitor.links().latency(THERE, 5_000_000, 1_500_000_000);
    server
        .monitor
        .servers()
        .report(
            IPv4Address.of("10.0.1.1"),
            new ServerTracker.Report(
                ImmutableMap.of(ServerValue.CPU, 0.25, ServerValue.RESPONSE, 1_500_000.0),
                ImmutableMap.of(),
                1_000_000_000));

    String ends1 = "\"src\":{\"switch\":\"00:00:00:00:00:00:00:01\",\"port\":3},";
    String ends2 = "\"dst\":{\"switch\":\"00:00:00:00:00:00:00:02\",\"port\":4},";
    String unknown = "\"throughput_mbps\":null,\"use_mbps\":null,\"capacity_mbps\":null}";
    assertEquals(
        "{\"client\":{\"address\":\"10.0.0.21\",\"mac\":\"02:00:00:00:00:21\","
            + "\"switch\":\"00:00:00:00:00:00:00:01\",\"port\":5},"
            + "\"vip_address\":\"10.0.0.100\",\"protocol\":\"tcp\",\"port\":80,"
            + "\"vip_id\":\"web\",\"pool_id\":\"p\","
            + "\"decision\":{\"algorithm\":\"LC+SPH\",\"decided_by\":\"service\",\"id\":\"s\","
            + "\"service_name\":\"S\",\"ftp_control\":null,"
            + "\"server\":{\"rule\":\"fewest\",\"tie_break\":\"earliest\"},"
            + "\"path\":{\"rule\":\"shortest\",\"tie_break\":\"smallest\"}},"
            + "\"member_id\":\"a\",\"refused\":null,\"buckets\":null,\"candidates\":["
            + "{\"member_id\":\"a\",\"address\":\"10.0.1.1\",\"port\":8080,\"chosen\":true,"
            + "\"excluded\":null,\"values\":{\"connections\":5.0,\"latency_ms\":null},"
            + "\"weight\":1,\"share\":1.0,\"active_connections\":1,\"foreign_connections\":4,"
            + "\"cpu\":{\"value\":0.25,\"age_s\":1.0,\"source\":\"agent\"},"
            + "\"response_ms\":{\"value\":1.5,\"age_s\":1.0,\"source\":\"agent\"},"
            + "\"request_path\":["
            + "{\"switch\":\"00:00:00:00:00:00:00:01\",\"in_port\":5,\"out_port\":3},"
            + "{\"switch\":\"00:00:00:00:00:00:00:02\",\"in_port\":4,\"out_port\":9}],"
            + "\"request_links\":[{"
            + ends1
            + ends2
            + "\"active\":4,\"latency_ms\":{\"value\":5.0,\"age_s\":0.5,\"source\":\"probe\"},"
            + unknown
            + "],\"reply_path\":["
            + "{\"switch\":\"00:00:00:00:00:00:00:02\",\"in_port\":9,\"out_port\":4},"
            + "{\"switch\":\"00:00:00:00:00:00:00:01\",\"in_port\":3,\"out_port\":5}],"
            + "\"reply_links\":[{\"src\":{\"switch\":\"00:00:00:00:00:00:00:02\",\"port\":4},"
            + "\"dst\":{\"switch\":\"00:00:00:00:00:00:00:01\",\"port\":3},"
            + "\"active\":0,\"latency_ms\":null,"
            + unknown
            + "]},{\"member_id\":\"b\",\"address\":\"10.0.1.2\",\"port\":null,\"chosen\":false,"
            + "\"excluded\":\"not_located\",\"values\":{},\"weight\":3,\"share\":null,\"active_connections\":0,"
            + "\"foreign_connections\":0,\"cpu\":null,\"response_ms\":null,\"request_path\":null,"
            + "\"request_links\":null,\"reply_path\":null,\"reply_links\":null}],"
            + "\"candidates_left_out\":0}",
        explain("vip=web&client=10.0.0.21").text());
  }

  @Test
  void ftpData_namesItsControlConnection() throws Exception {
    ExplainedConnection plain = placedOnA(ImmutableList.of());
    Decision decision = plain.decision().orElseThrow();
    server.explained =
        new ExplainedConnection(
            plain.client(),
            plain.clientAddress(),
            plain.vip(),
            plain.pool(),
            Optional.of(
                new Decision(
                    decision.algorithm(),
                    Optional.empty(),
                    Optional.of(FiveTuple.of(6, 1, 40_000, 2, 21)),
                    decision.server(),
                    decision.path())),
            plain.outcome(),
            plain.candidates(),
            Optional.empty());

    JsonNode shown = explain("vip=web&client=10.0.0.21&port=5000").json().path("decision");
    assertEquals("ftp_control", shown.path("decided_by").asText());
    assertEquals("{\"client_port\":40000,\"port\":21}", shown.path("ftp_control").toString());
    assertTrue(shown.path("id").isNull());
  }

  /** What the balancer tells of a client whose address the network does not know. */
  private static ExplainedConnection withoutAddress(Outcome outcome) {
    return new ExplainedConnection(
        RestServer.AT_CLIENT,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        outcome,
        ImmutableList.of(),
        Optional.empty());
  }

  @Test
  void mac_standsForTheHost_whoseAddressIsNullIfItIsNotKnown() throws Exception {
    server.explained = withoutAddress(new ExplainedConnection.Refused("no_pool"));

    Answer answer = explain("vip=web&client=02:00:00:00:00:21");
    assertEquals(200, answer.status(), answer.text());
    assertEquals(List.of("02:00:00:00:00:21 10.0.0.100 tcp 80"), server.questions);
    assertTrue(answer.json().at("/client/address").isNull());
    assertEquals("02:00:00:00:00:21", answer.json().at("/client/mac").asText());
    assertEquals(5, answer.json().at("/client/port").asInt());
  }

  @ParameterizedTest
  @CsvSource({
    "ALLOWED_SOURCES, allowed_sources of the VIP",
    "SESSION_PERSISTENCE, session_persistence of the pool",
    "FTP_CONTROL, FTP control connection",
    "BUCKETS, bucket of the VIP",
  })
  void addressThatIsNeededAndNotKnown_isAskedForByName(NeedsAddress by, String named)
      throws Exception {
    server.explained = withoutAddress(new AddressNeeded(by));

    Answer answer = explain("vip=web&client=02:00:00:00:00:21");
    assertEquals(422, answer.status(), answer.text());
    assertEquals("client", answer.field());
    for (String said : List.of(named, "02:00:00:00:00:21", "ping")) {
      assertTrue(answer.error().contains(said), answer.error());
    }
  }

  @Test
  void buckets_areShownWithThatOfTheClientsPort_andWithEachMembersPart() throws Exception {
    ImmutableList<MemberBuckets> members =
        ImmutableList.of(
            new MemberBuckets("a", 40, OptionalDouble.of(0.625), OptionalDouble.of(2 / 3.0)),
            new MemberBuckets("b", 24, OptionalDouble.empty(), OptionalDouble.empty()));
    ChosenBucket bucket =
        new ChosenBucket(
            7, Optional.of("a"), Optional.of("b"), "shares", 12.3456, 17.6544, "It moves.");
    server.explained =
        placedOnA(ImmutableList.of())
            .with(new ClientBuckets("port", 64, Optional.of(bucket), members));

    assertEquals(
        "{\"source\":\"port\",\"count\":64,\"bucket\":{\"index\":7,\"member_id\":\"a\","
            + "\"before_id\":\"b\",\"cause\":\"shares\",\"seconds\":12.346,"
            + "\"seconds_left\":17.654,\"next\":\"It moves.\"},\"members\":["
            + "{\"member_id\":\"a\",\"buckets\":40,\"load\":0.625,\"share\":0.667},"
            + "{\"member_id\":\"b\",\"buckets\":24,\"load\":null,\"share\":null}]}",
        explain("vip=web&client=10.0.0.21&client_port=40000").json().path("buckets").toString());
  }

  @Test
  void connectionOfUnknownPort_hasNeitherMemberNorReason_butAllBuckets() throws Exception {
    server.explained =
        withoutAddress(new PortNeeded())
            .with(new ClientBuckets("port", 64, Optional.empty(), ImmutableList.of()));

    JsonNode answer = explain("vip=web&client=10.0.0.21").json();
    assertTrue(answer.path("member_id").isNull());
    assertTrue(answer.path("refused").isNull());
    assertTrue(answer.at("/buckets/bucket").isNull());
    assertEquals(64, answer.at("/buckets/count").asInt());
  }

  @Test
  void refusal_hasAReasonAndNoMember() throws Exception {
    server.explained =
        new ExplainedConnection(
            RestServer.AT_CLIENT,
            Optional.of(RestServer.KNOWN_CLIENT),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            new ExplainedConnection.Refused("no_vip"),
            ImmutableList.of(),
            Optional.empty());

    Answer answer = explain("vip=10.0.0.100&client=10.0.0.21&port=81");
    assertEquals(200, answer.status());
    assertEquals("no_vip", answer.json().path("refused").asText());
    for (String field : List.of("vip_id", "pool_id", "decision", "member_id")) {
      assertTrue(answer.json().path(field).isNull(), field);
    }
  }

  @Test
  void thousandCandidates_areShown_andTheChosenOneInAnyCase() throws Exception {
    Member b = server.catalog().snapshot().members().get("b");
    Candidate away =
        new Candidate(
            b, null, Optional.empty(), ImmutableMap.of(), Optional.of(Exclusion.NOT_LOCATED));
    server.explained =
        placedOnA(
            Collections.nCopies(1_005, away).stream().collect(ImmutableList.toImmutableList()));

    JsonNode answer = explain("vip=web&client=10.0.0.21").json();
    assertEquals(1_001, answer.path("candidates").size());
    assertEquals(6, answer.path("candidates_left_out").asInt());
    assertTrue(answer.at("/candidates/1000/chosen").asBoolean());
    assertFalse(answer.at("/candidates/999/chosen").asBoolean());
  }

  @ParameterizedTest
  @CsvSource({
    "vip=web, 10.0.0.100 tcp 80",
    "vip=web&port=81, 10.0.0.100 tcp 81",
    "vip=10.0.0.100&port=443, 10.0.0.100 tcp 443",
    "vip=dns&port=53, 10.0.0.102 udp 53",
    "vip=dns&port=53&protocol=tcp, 10.0.0.102 tcp 53",
    "vip=ping, 10.0.0.101 icmp 8",
    "vip=ping&port=0, 10.0.0.101 icmp 0",
    "vip=web&client_port=40000, 10.0.0.100 tcp 80 from 40000",
  })
  void question_isTheVipsOwnWhereNothingElseIsSaid(String query, String asked) throws Exception {
    assertEquals(200, explain(query + "&client=10.0.0.21").status());
    assertEquals(List.of("10.0.0.21 " + asked), server.questions);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ping6", "2001:DB8:0::65"})
  void pingOverIpv6_isAnEchoRequestOfIcmpv6(String vip) throws Exception {
    assertEquals(200, explain("vip=" + vip + "&protocol=icmp&client=02:00:00:00:00:21").status());
    assertEquals(List.of("02:00:00:00:00:21 2001:db8::65 icmp 128"), server.questions);
  }

  @ParameterizedTest
  @CsvSource({
    "client=10.0.0.21&port=80, 400, vip",
    "vip=web&port=80, 400, client",
    "vip=dns&client=10.0.0.21, 400, port",
    "vip=10.0.0.100&client=10.0.0.21, 400, port",
    "vip=web&client=here, 400, client",
    "vip=web&client=10.0.0.21&port=0, 400, port",
    "vip=web&client=10.0.0.21&port=65536, 400, port",
    "vip=ping&client=10.0.0.21&port=256, 400, port",
    "vip=web&client=10.0.0.21&client_port=0, 400, client_port",
    "vip=web&client=10.0.0.21&client_port=65536, 400, client_port",
    "vip=web&client=10.0.0.21&protocol=sctp, 400, protocol",
    "vip=web&client=10.0.0.21&colour=red, 400, colour",
    "vip=none&client=10.0.0.21, 404, vip",
    "vip=10.0.0.9&client=10.0.0.21, 404, vip",
    "vip=web&client=10.0.0.22, 404, client",
    "vip=web&client=02:00:00:00:00:22, 404, client",
    "vip=web&client=02:00:00:00:00, 400, client",
    "vip=web&client=2001:db8::1, 422, client",
    "vip=ping6&client=10.0.0.21, 422, client",
    "vip=ping6&client=2001:db8::1, 404, client",
    "vip=2001:db8::66&client=2001:db8::1, 404, vip",
  })
  void wrongParameter_isRefusedByName(String query, int status, String field) throws Exception {
    Answer answer = explain(query);

    assertEquals(status, answer.status(), answer.text());
    assertEquals(field, answer.field());
    assertTrue(answer.error().contains(field), answer.error());
  }
}
