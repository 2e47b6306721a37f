package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.health.Health;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.ProactiveStats.Edge;
import io.malob.rest.RestServer.Answer;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.ServerValue;
import io.malob.store.MemoryStore;
import io.malob.testing.Placements;
import io.malob.testing.Stub;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.devicemanager.IDevice;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.VlanVid;

@Timeout(60)
class EventsRestTest {
  private static final String EVENTS = "/wm/malob/events";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private RestServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
    server.post("/vips/", "{\"id\":\"web\",\"address\":\"10.0.0.100\",\"port\":80}");
    server.post("/pools/", "{\"id\":\"p\",\"vip_id\":\"web\"}");
    server.post(
        "/members/", "{\"id\":\"a\",\"address\":\"10.0.0.1\",\"port\":80,\"pool_id\":\"p\"}");
    server.stats.put(
        "a", new MemberStats(2, 10, OptionalInt.of(5), 0, 3, true, Health.UNCHECKED, 1));
    server.hosts.add(
        Stub.of(IDevice.class)
            .on(
                "getAttachmentPoints",
                none -> new SwitchPort[] {new SwitchPort(DatapathId.of(1), OFPort.of(5))})
            .on("getVlanId", none -> new VlanVid[] {VlanVid.ZERO})
            .on("getMACAddress", none -> MacAddress.of("02:00:00:00:00:21"))
            .on("getIPv4Addresses", none -> new IPv4Address[] {IPv4Address.of("10.0.0.21")})
            .on("getIPv6Addresses", none -> new IPv6Address[] {IPv6Address.of("2001:db8::21")})
            .make());
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  /** One event as it came. */
  private record Event(String name, JsonNode data) {}

  /** Reads a stream, event by event. */
  private static final class Stream implements AutoCloseable {
    private final HttpResponse<InputStream> response;
    private final BufferedReader lines;

    Stream(HttpResponse<InputStream> response) {
      this.response = response;
      lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    /** The next event; null at the end. */
    Event next() throws Exception {
      String name = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("event: ")) {
          name = line.substring("event: ".length());
        } else if (line.startsWith("data: ")) {
          return new Event(name, JSON.readTree(line.substring("data: ".length())));
        }
      }
      return null;
    }

    @Override
    public void close() throws IOException {
      lines.close();
    }
  }

  private Stream open() throws Exception {
    HttpRequest request = HttpRequest.newBuilder(server.fullUri(EVENTS)).build();
    return new Stream(client.send(request, BodyHandlers.ofInputStream()));
  }

  @Test
  void rates_haveThePlacement_ofTwentyEdgesAtMost() throws Exception {
    Edge[] edges = new Edge[23];
    Arrays.setAll(edges, index -> Placements.proactive(index + 1));
    server.proactive.add(Placements.web(edges));

    JsonNode placement = server.sendTo("GET", EVENTS + "/rates", null).json().at("/placement/0");
    assertEquals("web", placement.path("vip_id").asText());
    assertEquals(20, placement.path("edges").size());
    assertEquals(3, placement.path("edges_left_out").asInt());
  }

  @Test
  void stream_beginsWithWhatIsThere() throws Exception {
    try (Stream stream = open()) {
      assertEquals(
          "text/event-stream", stream.response.headers().firstValue("Content-Type").orElse(""));
      assertEquals("no-store", stream.response.headers().firstValue("Cache-Control").orElse(""));
      Event state = stream.next();
      assertEquals("state", state.name());
      assertEquals("00:00:00:00:00:00:00:01", state.data().at("/switches/0").asText());
      assertEquals(3, state.data().at("/links/0/src/port").asInt());
      assertEquals("10.0.0.21", state.data().at("/hosts/0/addresses/0").asText());
      assertEquals("2001:db8::21", state.data().at("/hosts/0/addresses/1").asText());
      assertEquals("00:00:00:00:00:00:00:01", state.data().at("/hosts/0/switch").asText());
      assertEquals("web", state.data().at("/vips/0/id").asText());
      assertEquals("p", state.data().at("/members/0/pool_id").asText());
      assertEquals("default", state.data().at("/services/3/id").asText());
    }
  }

  @Test
  void rates_areInTheOrderOfTheState() throws Exception {
    server.monitor.links().latency(RestServer.LINK, 5_200_000, 0);
    server
        .monitor
        .servers()
        .report(
            IPv4Address.of("10.0.0.1"),
            new ServerTracker.Report(ImmutableMap.of(ServerValue.CPU, 0.25), ImmutableMap.of(), 0));
    try (Stream stream = open()) {
      stream.next();
      Event rates = stream.next();
      assertEquals("rates", rates.name());
      assertEquals("[[null,5.2,null,null,4]]", rates.data().get("links").toString());
      assertEquals("[[2,10,0.25,3,null,1,\"unchecked\"]]", rates.data().get("members").toString());
      JsonNode values = rates.data().get("member_values");
      assertEquals("[2]", values.get("active_connections").toString());
      assertEquals("[10]", values.get("total_connections").toString());
      assertEquals("[3]", values.get("foreign_connections").toString());
      assertEquals("[true]", values.get("located").toString());
      assertEquals("[\"unchecked\"]", values.get("health").toString());
      assertEquals("[0.25]", values.get("cpu").toString());
      assertEquals("[null]", values.get("response_ms").toString());
      assertEquals(3, rates.data().at("/refusals/no_vip").asInt());
      assertEquals(12, rates.data().at("/profiles/0/samples").asInt());
    }
  }

  /** The first sample needs two ticks, between which time has passed. */
  @Test
  void history_growsWithEachTickAndIsInTheRates() throws Exception {
    server.stats.put(
        "a", new MemberStats(2, 10, OptionalInt.of(5), 0, 3, true, Health.UNCHECKED, 1));
    JsonNode history = server.sendTo("GET", "/wm/malob/history", null).json();
    assertEquals(0, history.get("time_ms").size());
    try (Stream stream = open()) {
      stream.next();
      Event rates = stream.next();
      assertTrue(rates.data().get("traffic").isNull(), rates.data().toString());
      for (long second = 1;
          !rates.name().equals("rates") || rates.data().get("traffic").isNull();
          second++) {
        server.monitor.nanoTime = TimeUnit.SECONDS.toNanos(second);
        rates = stream.next();
      }
      JsonNode traffic = rates.data().get("traffic");
      assertEquals("{\"http\":0}", traffic.get("requests_by_service").toString());
      assertEquals("{\"dormant\":7,\"ended\":5,\"open\":0}", traffic.get("connections").toString());
      assertEquals("{\"no_vip\":0}", traffic.get("rejections").toString());
      assertEquals("{\"web/default\":12.346}", traffic.get("server_ms_by_service").toString());
    }
    history = server.sendTo("GET", "/wm/malob/history", null).json();
    int samples = history.get("time_ms").size();
    assertTrue(samples > 0, history.toString());
    assertEquals(samples, history.at("/requests_by_server/a").size());
  }

  @Test
  void stream_tellsOfAChangeAndOtherwiseRatesOnly() throws Exception {
    try (Stream stream = open()) {
      stream.next();
      stream.next();
      assertEquals("rates", stream.next().name());
      server.post("/vips/", "{\"id\":\"more\",\"address\":\"10.0.0.101\"}");
      Event event = stream.next();
      while (!event.name().equals("state")) {
        event = stream.next();
      }
      assertEquals("more", event.data().at("/vips/1/id").asText());
    }
  }

  @Test
  void stream_beyondThoseThatThereCanBe_isRefusedAndPartsCanBeAskedFor() throws Exception {
    List<Stream> streams = new ArrayList<>();
    try {
      for (int i = 0; i < 6; i++) {
        streams.add(open());
        assertEquals(200, streams.get(i).response.statusCode());
      }
      Answer refused = server.sendTo("GET", EVENTS, null);
      assertEquals(503, refused.status());
      assertTrue(refused.error().contains("/state"), refused.error());
      assertEquals(
          "web", server.sendTo("GET", EVENTS + "/state", null).json().at("/vips/0/id").asText());
      assertEquals(1, server.sendTo("GET", EVENTS + "/rates", null).json().get("members").size());
    } finally {
      for (Stream stream : streams) {
        stream.close();
      }
    }
  }

  @Test
  void state_thatTheClientHas_isNotSentAgain() throws Exception {
    Answer first = server.sendTo("GET", EVENTS + "/state", null);
    String tag = first.response().headers().firstValue("ETag").orElseThrow();
    HttpRequest again =
        HttpRequest.newBuilder(server.fullUri(EVENTS + "/state"))
            .header("If-None-Match", tag)
            .build();
    assertEquals(304, server.send(again).status());
  }

  @Test
  void stream_endsWithTheController() throws Exception {
    try (Stream stream = open()) {
      stream.next();
      server.closeModule();
      Event last = stream.next();
      while (last != null) {
        last = stream.next();
      }
    }
  }

  @Test
  void otherRequests_areRefused() throws Exception {
    assertEquals(405, server.sendTo("POST", EVENTS, "{}").status());
    assertEquals(404, server.sendTo("GET", EVENTS + "/other", null).status());
  }
}
