package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Lists;
import io.malob.algorithm.health.Health;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.ProactiveStats;
import io.malob.monitor.PollingStats;
import io.malob.rest.RestServer.Answer;
import io.malob.state.network.PortId;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.ServerValue;
import io.malob.store.MemoryStore;
import io.malob.testing.Placements;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

class StateRestTest {
  private static final String ENDS =
      "\"src\":{\"switch\":\"00:00:00:00:00:00:00:01\",\"port\":3},"
          + "\"dst\":{\"switch\":\"00:00:00:00:00:00:00:02\",\"port\":4},";
  private static final PortId PORT = new PortId(RestServer.LINK.src(), RestServer.LINK.srcPort());

  private RestServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  @Test
  void paths_areSwitchesInOrder() throws Exception {
    Answer answer = server.sendTo("GET", "/wm/malob/paths/", null);

    assertEquals(200, answer.status());
    assertEquals(
        "[{\"label\":\"0a:4d:4c:00:00:07\",\"switches\":[\"00:00:00:00:00:00:00:01\","
            + "\"00:00:00:00:00:00:00:02\"],\"connections\":5,\"active\":4}]",
        answer.text());
  }

  @Test
  void profiles_areWhatIsExpectedOfEachService() throws Exception {
    assertEquals(
        "[{\"vip_id\":\"web\",\"service_id\":\"default\",\"ftp_data\":false,\"samples\":12,"
            + "\"reply_bytes\":60000,\"request_bytes\":1500,\"service_ms\":12.346,"
            + "\"members\":[{\"id\":\"a\",\"service_ms\":2.0}]}]",
        server.sendTo("GET", "/wm/malob/profiles", null).text());
  }

  @Test
  void moves_areWhatBecameOfLongFlows() throws Exception {
    assertEquals(
        "{\"elephants\":3,\"elephants_seen\":40,\"moved\":12,\"failed\":1,"
            + "\"switches_left_out\":2}",
        server.sendTo("GET", "/wm/malob/moves", null).text());
  }

  @Test
  void links_withoutMeasurements_areUnknownAndNotZero() throws Exception {
    assertEquals(
        "[{"
            + ENDS
            + "\"active\":4,\"latency_ms\":null,\"throughput_mbps\":null,"
            + "\"use_mbps\":null,\"capacity_mbps\":null}]",
        server.sendTo("GET", "/wm/malob/links", null).text());
  }

  @Test
  void latencyBelowTheResolution_isShownAsBelow() throws Exception {
    server.monitor.links().latency(RestServer.LINK, 99_999, 0);
    assertEquals(
        "{\"value\":0.1,\"age_s\":0.0,\"source\":\"probe\",\"below_ms\":0.1}",
        server.sendTo("GET", "/wm/malob/links", null).json().at("/0/latency_ms").toString());
    server.monitor.links().latency(RestServer.LINK, 100_000, 0);
    assertEquals(
        "{\"value\":0.1,\"age_s\":0.0,\"source\":\"probe\"}",
        server.sendTo("GET", "/wm/malob/links", null).json().at("/0/latency_ms").toString());
  }

  @Test
  void links_tellEachValueWithAgeAndSource() throws Exception {
    server.monitor.links().latency(RestServer.LINK, 10_234_567, 0);
    server.monitor.links().use(RestServer.LINK, 12e6, 50e6, 1_000_000_000);
    server.monitor.capacities().set(PORT, 50e6);
    server.monitor.nanoTime = 1_400_000_000;
    assertEquals(
        "[{"
            + ENDS
            + "\"active\":4,"
            + "\"latency_ms\":{\"value\":10.235,\"age_s\":1.4,\"source\":\"probe\"},"
            + "\"throughput_mbps\":"
            + "{\"value\":38.0,\"age_s\":0.4,\"source\":\"port_statistics\"},"
            + "\"use_mbps\":{\"value\":12.0,\"age_s\":0.4,\"source\":\"port_statistics\"},"
            + "\"capacity_mbps\":{\"value\":50.0,\"age_s\":0.0,\"source\":\"configured\"}}]",
        server.sendTo("GET", "/wm/malob/links", null).text());
  }

  @Test
  void links_thatAnAgentHasMeasured_sayThatItWas() throws Exception {
    server.monitor.links().agentThroughput(RestServer.LINK, 20e6, 0);
    server.monitor.links().use(RestServer.LINK, 12e6, 50e6, 0);
    JsonNode throughput =
        server.sendTo("GET", "/wm/malob/links", null).json().at("/0/throughput_mbps");
    assertEquals("{\"value\":20.0,\"age_s\":0.0,\"source\":\"agent\"}", throughput.toString());
  }

  @Test
  void servers_areMembersWithWhatTheirAgentsReport() throws Exception {
    server.post("/members/", "{\"id\":\"a\",\"address\":\"10.0.0.1\",\"port\":80}");
    server.post("/members/", "{\"id\":\"b\",\"address\":\"10.0.0.2\"}");
    server.stats.put(
        "a", new MemberStats(3, 7, OptionalInt.of(5), 0, 2, true, Health.UNCHECKED, 1));
    server
        .monitor
        .servers()
        .report(
            IPv4Address.of("10.0.0.1"),
            new ServerTracker.Report(
                ImmutableMap.of(ServerValue.CPU, 0.25, ServerValue.RESPONSE, 1_500_000.0),
                ImmutableMap.of(80, 5, 22, 1),
                0));
    server.monitor.nanoTime = 2_000_000_000;
    assertEquals(
        "[{\"id\":\"a\",\"address\":\"10.0.0.1\",\"port\":80,\"pool_id\":null,\"located\":true,"
            + "\"active_connections\":3,"
            + "\"reported_connections\":{\"value\":5.0,\"age_s\":2.0,\"source\":\"agent\"},"
            + "\"foreign_connections\":2,"
            + "\"cpu\":{\"value\":0.25,\"age_s\":2.0,\"source\":\"agent\"},"
            + "\"response_ms\":{\"value\":1.5,\"age_s\":2.0,\"source\":\"agent\"}},"
            + "{\"id\":\"b\",\"address\":\"10.0.0.2\",\"port\":null,\"pool_id\":null,"
            + "\"located\":false,\"active_connections\":0,\"reported_connections\":null,"
            + "\"foreign_connections\":0,\"cpu\":null,\"response_ms\":null}]",
        server.sendTo("GET", "/wm/malob/servers", null).text());
  }

  @Test
  void placement_showsTheBucketsOfEachEdge() throws Exception {
    assertEquals("[]", server.sendTo("GET", "/wm/malob/placement", null).text());
    server.proactive.add(
        Placements.web(
            Placements.proactive(1),
            Placements.reactive(
                2, ProactiveStats.Problem.Kind.NO_MASKS, "the switch accepts no masks")));
    assertEquals(
        "[{\"vip_id\":\"web\",\"mode\":\"proactive\",\"state\":\"proactive\",\"tracking\":null,\"timeouts\":null,"
            + "\"edges\":["
            + "{\"switch\":\"00:00:00:00:00:00:00:01\",\"state\":\"proactive\",\"source\":\"port\","
            + "\"buckets\":64,\"moving\":2,\"members\":{\"a\":40,\"b\":24},"
            + "\"loads\":{\"a\":0.625,\"b\":0.375},\"shares\":{\"a\":0.667,\"b\":0.333},\"imbalance\":0.012,\"too_few_sources\":false,"
            + "\"packets_per_second\":1500.25,\"problem\":null},"
            + "{\"switch\":\"00:00:00:00:00:00:00:02\",\"state\":\"reactive\",\"source\":null,"
            + "\"buckets\":0,\"moving\":0,\"members\":{},\"loads\":{},\"shares\":{},\"imbalance\":0.0,\"too_few_sources\":false,\"packets_per_second\":0.0,\"problem\":\"the"
            + " switch accepts no masks\"}],\"edges_left_out\":0,\"moves\":7,"
            + "\"recent_moves\":[{\"switch\":\"00:00:00:00:00:00:00:01\",\"from\":\"a\",\"to\":\"b\","
            + "\"buckets\":3,\"cause\":\"shares\",\"seconds_ago\":12.346}],\"opened\":{\"a\":500}}]",
        server.sendTo("GET", "/wm/malob/placement", null).text());
  }

  @Test
  void snapshot_isAllInOne() throws Exception {
    server.monitor.stats = Map.of(DatapathId.of(1), new PollingStats(3, 1, 2, 500_000_000L));
    server.monitor.nanoTime = 1_000_000_000;
    JsonNode all = server.sendTo("GET", "/wm/malob/snapshot", null).json();
    assertEquals(
        List.of("time", "switches", "links", "servers", "times_to_live_s"),
        List.copyOf(Lists.newArrayList(all.fieldNames())));
    assertTrue(Instant.parse(all.path("time").asText()).isAfter(Instant.EPOCH));
    assertEquals(
        "[{\"switch\":\"00:00:00:00:00:00:00:01\",\"port_statistics\":"
            + "{\"age_s\":0.5,\"answers\":3,\"failures\":1,\"skipped\":2}},"
            + "{\"switch\":\"00:00:00:00:00:00:00:02\",\"port_statistics\":"
            + "{\"age_s\":null,\"answers\":0,\"failures\":0,\"skipped\":0}}]",
        all.path("switches").toString());
    assertEquals(1, all.path("links").size());
    assertEquals(
        "{\"latency\":30.0,\"agent_throughput\":300.0,\"port_statistics\":10.0,\"server\":30.0}",
        all.path("times_to_live_s").toString());
  }

  @Test
  void latency_tellsOfProbesAndControlChannels() throws Exception {
    assertEquals(
        "{\"link_probes\":{\"sent\":10,\"answered\":8,\"lost\":1,\"unsent\":0},"
            + "\"control_probes\":{\"sent\":5,\"answered\":5,\"lost\":0,\"unsent\":2},"
            + "\"clamped\":3,\"discarded\":{\"absurd\":4},"
            + "\"switches\":[{\"switch\":\"00:00:00:00:00:00:00:01\",\"method\":\"echo\","
            + "\"control_round_trip_ms\":40.25},"
            + "{\"switch\":\"00:00:00:00:00:00:00:02\",\"method\":\"packet\","
            + "\"control_round_trip_ms\":null}]}",
        server.sendTo("GET", "/wm/malob/latency", null).text());
  }

  @Test
  void switches_haveTheirLayouts_andTheirTables() throws Exception {
    assertEquals(
        "[{\"switch\":\"00:00:00:00:00:00:00:01\",\"role\":\"any\",\"layout\":\"one-table-with-groups\","
            + "\"source\":\"probed\",\"ipv6\":false,\"refused\":[\"table_1\",\"ipv6_translation\"],"
            + "\"connection_tracking\":true,\"tables\":[{\"table\":0,\"rules\":7,\"max\":2000},"
            + "{\"table\":5,\"rules\":1,\"max\":null}]},"
            + "{\"switch\":\"00:00:00:00:00:00:00:02\",\"role\":\"core\",\"layout\":\"labels-only\","
            + "\"source\":\"forced\",\"ipv6\":false,\"refused\":[],\"connection_tracking\":null,"
            + "\"tables\":[]}]",
        server.sendTo("GET", "/wm/malob/switches", null).text());
  }

  @Test
  void refusals_areCountedByReason() throws Exception {
    assertEquals("{\"no_vip\":3}", server.sendTo("GET", "/wm/malob/refusals", null).text());
  }

  @Test
  void counters_showWhatSwitchesDidNotTake() throws Exception {
    assertEquals(
        "{\"open_connections\":5,\"dormant_connections\":7,\"unsent_batches\":2,"
            + "\"refused_rules\":{\"00:00:00:00:00:00:00:01\":{\"FLOW_MOD_FAILED/TABLE_FULL\":3}}}",
        server.sendTo("GET", "/wm/malob/counters", null).text());
  }

  @Test
  void audits_areCounted() throws Exception {
    assertEquals(
        "{\"tables_read\":9,\"tables_reset\":1,\"connections_adopted\":5,"
            + "\"connections_pending\":2,\"connections_slept\":3,\"connections_restored\":4,"
            + "\"rules_removed\":6}",
        server.sendTo("GET", "/wm/malob/audits", null).text());
  }

  @Test
  void anythingElse_isNotFound() throws Exception {
    Answer answer = server.sendTo("GET", "/wm/malob/nothing", null);

    assertEquals(404, answer.status());
    assertEquals(
        "there is nothing at /nothing here, only config, openapi.json, explain, connections,"
            + " capacities, routes, paths, algorithms, profiles, moves, links, servers, snapshot,"
            + " latency, switches, reports, refusals, history, problems, cluster, counters,"
            + " placement, audits, logs, mptcp, endhost",
        answer.error());
  }
}
