package io.malob.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.primitives.ImmutableLongArray;
import io.malob.agent.IAgentService;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.health.Health;
import io.malob.balancer.api.BalancerActivity;
import io.malob.balancer.api.BalancerActivity.Durations;
import io.malob.balancer.api.BalancerActivity.PlacementCount;
import io.malob.balancer.api.BalancerCounters;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.LinkStats;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.MoveStats;
import io.malob.balancer.api.ProactiveStats;
import io.malob.balancer.api.ReconcileStats;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.capability.TableUse;
import io.malob.latency.ControlMethod;
import io.malob.latency.ControlRoundTrip;
import io.malob.latency.ILatencyService;
import io.malob.latency.LatencyCounters;
import io.malob.latency.LatencyCounters.ProbeCount;
import io.malob.module.IPeerService;
import io.malob.module.IRelayService;
import io.malob.module.PeerTraffic;
import io.malob.monitor.IMonitorService;
import io.malob.monitor.PollingStats;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import io.malob.state.network.LinkCapacity;
import io.malob.state.network.MeasuredLinks;
import io.malob.state.network.ServerTracker;
import io.malob.state.network.ServerValue;
import io.malob.state.network.TimesToLive;
import io.malob.state.report.Rejection;
import io.malob.state.report.ReportCounts;
import io.malob.store.MemoryStore;
import io.malob.testing.Placements;
import io.malob.testing.Stub;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * That every value of the modules comes out as the metric, with the labels and unit, that it is.
 */
class SamplesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S2 = DatapathId.of(2);
  private static final DirectedLink LINK = new DirectedLink(S1, OFPort.of(3), S2, OFPort.of(4));
  private static final String ENDS =
      "dst=\"00:00:00:00:00:00:00:02\",dst_port=\"4\",src=\"00:00:00:00:00:00:00:01\",src_port=\"3\"";
  private static final String MEMBER = "{member=\"m1\",pool=\"p\"}";

  private final TimesToLive times =
      new TimesToLive(30 * SECOND, 30 * SECOND, 30 * SECOND, 30 * SECOND);
  private final MeasuredLinks links = new MeasuredLinks(times);
  private final ServerTracker servers = new ServerTracker(times);
  private List<ProactiveStats> placement = List.of();
  private Catalog catalog;

  @BeforeEach
  void serve() throws Exception {
    catalog = Catalog.open(new MemoryStore(Runnable::run));
    catalog.create(Catalog.POOLS, Fields.of("id", "p"));
    catalog.create(
        Catalog.MEMBERS,
        Fields.of("id", "m1", "address", "10.0.0.11", "port", "80", "pool_id", "p"));
    links.setTopology(Topology.of(List.of(S1, S2), List.of(LINK)));
  }

  private IBalancerService balancer() {
    return Stub.of(IBalancerService.class)
        .on("catalog", with -> catalog)
        .on(
            "activity",
            with ->
                new BalancerActivity(
                    ImmutableList.of(
                        new PlacementCount("http", "RR+SPH", "placed", 5),
                        new PlacementCount("http", "RR+SPH", "no_member", 2)),
                    new Durations(
                        ImmutableLongArray.of(10_000, 25_000),
                        ImmutableLongArray.of(3, 1, 1),
                        SECOND),
                    ImmutableMap.of("placed", 5L, "other", 9L),
                    ImmutableMap.of("vip1", 8L),
                    4,
                    7,
                    1,
                    ImmutableMap.of("m1", new BalancerActivity.Traffic(100, 900, 3)),
                    new BalancerActivity.Records(6, 2)))
        .on("ejections", with -> Map.of("no_reply", 2L))
        .on("rejects", with -> Map.of("no_vip", 3L))
        .on(
            "counters",
            with ->
                new BalancerCounters(5, 8, 2, Map.of(S1, Map.of("FLOW_MOD_FAILED/TABLE_FULL", 3L))))
        .on("moves", with -> new MoveStats(3, 40, 12, 1, 2))
        .on("reconcileStats", with -> new ReconcileStats(9, 1, 5, 2, 3, 4, 6))
        .on(
            "memberStats",
            with ->
                Map.of(
                    "m1",
                    new MemberStats(4, 50, OptionalInt.of(6), 3, 2, true, Health.UNCHECKED, 1)))
        .on("vipConnections", with -> Map.of("web", 12))
        .on("proactive", with -> placement)
        .on("links", with -> List.of(new LinkStats(LINK, 11)))
        .make();
  }

  private IMonitorService monitor() {
    return Stub.of(IMonitorService.class)
        .on("nanoTime", with -> SECOND)
        .on("servers", with -> servers)
        .on("links", with -> links)
        .on("topology", with -> Topology.of(List.of(S1, S2), List.of(LINK)))
        .on("capacity", with -> Optional.of(new LinkCapacity(1e9, LinkCapacity.Source.CONFIGURED)))
        .on("portStatistics", with -> ImmutableSortedMap.of(S1, new PollingStats(20, 2, 1, null)))
        .make();
  }

  private static ILatencyService latency() {
    return Stub.of(ILatencyService.class)
        .on(
            "counters",
            with ->
                new LatencyCounters(
                    new ProbeCount(10, 8, 1, 0),
                    new ProbeCount(5, 4, 0, 2),
                    3,
                    Map.of("absurd", 4L)))
        .on(
            "controlRoundTrips",
            with ->
                ImmutableSortedMap.of(
                    S1, new ControlRoundTrip(ControlMethod.ECHO, OptionalLong.of(250_000)),
                    S2, new ControlRoundTrip(ControlMethod.ECHO, OptionalLong.empty())))
        .make();
  }

  private static IAgentService agents() {
    ReportCounts counts = new ReportCounts();
    counts.count(Rejection.RATE_LIMITED);
    return Stub.of(IAgentService.class).on("counts", with -> counts).make();
  }

  private static ISwitchCapabilityService capabilities() {
    return Stub.of(ISwitchCapabilityService.class)
        .on(
            "tables",
            with ->
                ImmutableSortedMap.of(
                    DatapathId.of(1),
                    ImmutableSortedMap.of(
                        0, new TableUse(7, OptionalLong.of(2_000)),
                        2, new TableUse(3, OptionalLong.empty()))))
        .make();
  }

  private String text() throws Exception {
    Samples samples = new Samples();
    new BalancerMetrics(balancer(), monitor()).addTo(samples);
    new NetworkMetrics(
            balancer(),
            monitor(),
            latency(),
            agents(),
            () -> Map.of("probe_forged", 3L),
            capabilities())
        .addTo(samples);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(out, samples.all());
    return out.toString(StandardCharsets.UTF_8);
  }

  private static void assertLines(String text, String... lines) {
    Set<String> missing = new TreeSet<>(Set.of(lines));
    missing.removeAll(text.lines().toList());
    assertEquals(Set.of(), missing, text);
  }

  @Test
  void balancersCounts_areShown() throws Exception {
    assertLines(
        text(),
        "malob_placements_total{algorithm=\"RR+SPH\",outcome=\"placed\",service=\"http\"} 5.0",
        "malob_placements_total{algorithm=\"RR+SPH\",outcome=\"no_member\",service=\"http\"} 2.0",
        "malob_placement_seconds_bucket{le=\"1.0E-5\"} 3",
        "malob_placement_seconds_bucket{le=\"2.5E-5\"} 4",
        "malob_placement_seconds_bucket{le=\"+Inf\"} 5",
        "malob_placement_seconds_count 5",
        "malob_placement_seconds_sum 1.0",
        "malob_packet_ins_total{outcome=\"other\"} 9.0",
        "malob_packet_in_drops_total{class=\"vip1\"} 8.0",
        "malob_refusals_total{reason=\"no_vip\"} 3.0",
        "malob_network_refusals_total{reason=\"probe_forged\"} 3.0",
        "malob_ejections_total{why=\"no_reply\"} 2.0",
        "malob_waiting_packets 4.0",
        "malob_open_connections 5.0",
        "malob_vip_active_connections{vip=\"web\"} 12.0",
        "malob_dormant_connections 8.0",
        "malob_unsent_batches_total 2.0",
        "malob_refused_rules_total{reason=\"FLOW_MOD_FAILED/TABLE_FULL\",switch=\"00:00:00:00:00:00:00:01\"}"
            + " 3.0",
        "malob_path_changes_total{cause=\"broken_link\",outcome=\"done\"} 6.0",
        "malob_path_changes_total{cause=\"broken_link\",outcome=\"failed\"} 1.0",
        "malob_path_changes_total{cause=\"long_flow\",outcome=\"done\"} 12.0",
        "malob_path_changes_total{cause=\"long_flow\",outcome=\"failed\"} 1.0",
        "malob_long_flows 3.0",
        "malob_audit_findings_total{finding=\"connections_adopted\"} 5.0",
        "malob_audit_findings_total{finding=\"rules_removed\"} 6.0",
        "malob_connection_records_total{outcome=\"written\"} 6.0",
        "malob_connection_records_total{outcome=\"dropped\"} 2.0");
  }

  @Test
  void streamsBetweenControllers_areShown() throws Exception {
    Samples samples = new Samples();
    new PeerMetrics(
            Stub.of(IPeerService.class)
                .on("reached", with -> ImmutableSet.of("b", "c"))
                .on("traffic", with -> new PeerTraffic(1, 2, 3, 4, 11, 5))
                .make(),
            Stub.of(IRelayService.class)
                .on("counts", with -> new IRelayService.RelayCounts(6, 7, 8, 9, 10))
                .make())
        .addTo(samples);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(out, samples.all());

    assertLines(
        out.toString(StandardCharsets.UTF_8),
        "malob_peers 2.0",
        "malob_peer_messages_total{direction=\"sent\"} 1.0",
        "malob_peer_messages_total{direction=\"received\"} 3.0",
        "malob_peer_bytes_total{direction=\"sent\"} 2.0",
        "malob_peer_bytes_total{direction=\"received\"} 4.0",
        "malob_peer_queue_bytes 5.0",
        "malob_peer_damaged_total 11.0",
        "malob_relayed_batches_total{direction=\"sent\",outcome=\"done\"} 6.0",
        "malob_relayed_batches_total{direction=\"sent\",outcome=\"failed\"} 7.0",
        "malob_relayed_batches_total{direction=\"received\",outcome=\"done\"} 8.0",
        "malob_relayed_batches_total{direction=\"received\",outcome=\"failed\"} 9.0",
        "malob_relayed_errors_total 10.0");
  }

  @Test
  void proactiveVips_areShown_withTheBucketsOfAllEdges() throws Exception {
    assertTrue(!text().contains("malob_vip_placement"), "all are reactive");
    placement =
        List.of(
            Placements.web(
                Placements.proactive(1),
                Placements.proactive(2),
                Placements.reactive(3, ProactiveStats.Problem.Kind.NO_MASKS, "no masks")));

    assertLines(
        text(),
        "malob_vip_placement{state=\"proactive\",vip=\"web\"} 1.0",
        "malob_vip_placement{state=\"changing\",vip=\"web\"} 0.0",
        "malob_vip_placement{state=\"reactive\",vip=\"web\"} 0.0",
        "malob_vip_edges{state=\"proactive\",vip=\"web\"} 2.0",
        "malob_vip_edges{state=\"reactive\",vip=\"web\"} 1.0",
        "malob_vip_fallback_edges{vip=\"web\"} 1.0",
        "malob_vip_buckets{member=\"a\",vip=\"web\"} 80.0",
        "malob_vip_buckets{member=\"b\",vip=\"web\"} 48.0",
        "malob_vip_moving_buckets{vip=\"web\"} 4.0",
        "malob_vip_bucket_moves_total{vip=\"web\"} 7.0",
        "malob_vip_bucket_packets_per_second{vip=\"web\"} 3000.5");
  }

  @Test
  void members_areShown_withWhatTheirAgentsReport() throws Exception {
    assertTrue(!text().contains("malob_member_cpu_ratio"), "nothing is reported");
    servers.report(
        IPv4Address.of("10.0.0.11"),
        new ServerTracker.Report(
            ImmutableMap.of(ServerValue.CPU, 0.25, ServerValue.RESPONSE, 2_000_000.0),
            ImmutableMap.of(),
            SECOND));

    assertLines(
        text(),
        "malob_member_active_connections" + MEMBER + " 4.0",
        "malob_member_estimated_connections" + MEMBER + " 3.0",
        "malob_member_foreign_connections" + MEMBER + " 2.0",
        "malob_member_located" + MEMBER + " 1.0",
        "malob_member_connections_total" + MEMBER + " 50.0",
        "malob_member_request_bytes_total" + MEMBER + " 100.0",
        "malob_member_reply_bytes_total" + MEMBER + " 900.0",
        "malob_member_reply_rules_total" + MEMBER + " 3.0",
        "malob_member_cpu_ratio" + MEMBER + " 0.25",
        "malob_member_response_seconds" + MEMBER + " 0.002");
  }

  @Test
  void links_areShown_asFarAsTheyAreKnown() throws Exception {
    assertTrue(!text().contains("malob_link_latency_seconds"), "nothing is measured");
    links.latency(LINK, 3_000_000, SECOND);
    links.use(LINK, 4e8, 1e9, SECOND);

    assertLines(
        text(),
        "malob_link_latency_seconds{" + ENDS + "} 0.003",
        "malob_link_use_bits_per_second{" + ENDS + "} 4.0E8",
        "malob_link_free_bits_per_second{" + ENDS + "} 6.0E8",
        "malob_link_capacity_bits_per_second{" + ENDS + "} 1.0E9",
        "malob_link_connections{" + ENDS + "} 11.0");
  }

  @Test
  void measuring_isShown() throws Exception {
    String first = "{switch=\"00:00:00:00:00:00:00:01\"}";
    String text = text();
    assertLines(
        text,
        "malob_switches 2.0",
        "malob_control_round_trip_seconds" + first + " 2.5E-4",
        "malob_switch_rules{switch=\"00:00:00:00:00:00:00:01\",table=\"0\"} 7.0",
        "malob_switch_max_rules{switch=\"00:00:00:00:00:00:00:01\",table=\"0\"} 2000.0",
        "malob_switch_rules{switch=\"00:00:00:00:00:00:00:01\",table=\"2\"} 3.0",
        "malob_port_statistics_total{outcome=\"answered\",switch=\"00:00:00:00:00:00:00:01\"} 20.0",
        "malob_port_statistics_total{outcome=\"failed\",switch=\"00:00:00:00:00:00:00:01\"} 2.0",
        "malob_port_statistics_total{outcome=\"skipped\",switch=\"00:00:00:00:00:00:00:01\"} 1.0",
        "malob_probes_total{kind=\"link\",outcome=\"answered\"} 8.0",
        "malob_probes_total{kind=\"control\",outcome=\"unsent\"} 2.0",
        "malob_probe_discards_total{reason=\"absurd\"} 4.0",
        "malob_reports_accepted_total 0.0",
        "malob_report_drops_total{reason=\"" + Rejection.RATE_LIMITED.label() + "\"} 1.0");
    Matcher unknown = Pattern.compile("malob_control_round_trip_seconds\\{.*:02").matcher(text);
    assertTrue(!unknown.find(), "the other switch has not answered");
  }

  @Test
  void value_withTooFewLabels_isAnErrorThatNamesThem() {
    IllegalArgumentException error =
        assertThrows(
            IllegalArgumentException.class,
            () -> new Samples().add(Metric.MEMBER_ACTIVE_CONNECTIONS, 1, "m1"));
    assertTrue(error.getMessage().contains("[member, pool]"), error.getMessage());
  }
}
