package io.malob.rest.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.api.BalancerActivity.PlacementCount;
import io.malob.balancer.api.BalancerCounters;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.ProfileStats;
import io.malob.balancer.api.VipStats;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import io.malob.store.MemoryStore;
import io.malob.testing.Stub;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TrafficMeterTest {
  private static final long SECOND = 1_000_000_000L;

  private final Map<String, Long> totals = new HashMap<>();
  private final Map<String, Long> rejects = new HashMap<>();
  private final List<PlacementCount> placements = new ArrayList<>();
  private final List<ProfileStats> profiles = new ArrayList<>();
  private Catalog catalog;
  private TrafficMeter meter;

  @BeforeEach
  void start() throws Exception {
    catalog = Catalog.open(new MemoryStore(Runnable::run));
    catalog.create(
        Catalog.VIPS, Fields.of("id", "web", "address", "10.0.0.100", "lb_method", "RR+SPH"));
    catalog.create(Catalog.VIPS, Fields.of("id", "idle", "address", "10.0.0.101"));
    catalog.create(Catalog.POOLS, Fields.of("id", "p", "vip_id", "web"));
    for (String id : List.of("a", "b")) {
      String address = "10.0.0." + (id.charAt(0) - 'a' + 1);
      catalog.create(Catalog.MEMBERS, Fields.of("id", id, "address", address, "pool_id", "p"));
    }
    meter =
        new TrafficMeter(
            Stub.of(IBalancerService.class)
                .on("catalog", none -> catalog)
                .on("placements", none -> List.copyOf(placements))
                .on("totalConnections", none -> Map.copyOf(totals))
                .on("rejects", none -> Map.copyOf(rejects))
                .on("profiles", none -> profiles)
                .on(
                    "vipStats",
                    none ->
                        Map.of("web", new VipStats(4, 0, 0, 8), "idle", new VipStats(3, 2, 0, 8)))
                .on("counters", none -> new BalancerCounters(7, 3, 0, Map.of()))
                .make());
  }

  private Map<String, Double> sample(TrafficGraph graph, long seconds) {
    return meter.next(seconds * SECOND).orElseThrow().values().get(graph);
  }

  @Test
  void first_tellsNothing() {
    assertTrue(meter.next(SECOND).isEmpty());
  }

  @Test
  void sample_withoutTime_tellsNothingAndLosesNothing() {
    meter.next(SECOND);
    totals.put("a", 4L);
    assertTrue(meter.next(SECOND).isEmpty());
    assertEquals(Map.of("a", 4.0), sample(TrafficGraph.REQUESTS_BY_SERVER, 2));
  }

  @Test
  void requests_arePerSecondByServerAndVip() {
    totals.put("a", 100L);
    totals.put("b", 0L);
    meter.next(SECOND);
    totals.put("a", 110L);
    totals.put("b", 4L);
    TrafficSample sample = meter.next(3 * SECOND).orElseThrow();
    assertEquals(3000, sample.timeMillis());
    assertEquals(Map.of("a", 5.0, "b", 2.0), sample.values().get(TrafficGraph.REQUESTS_BY_SERVER));
    assertEquals(
        Map.of("web", 7.0, "idle", 0.0), sample.values().get(TrafficGraph.REQUESTS_BY_VIP));
  }

  @Test
  void requests_byServiceAndAlgorithm_areThePlacedOnes() {
    placements.add(new PlacementCount("http", "RR+SPH", PlacementCount.PLACED, 10));
    meter.next(0);
    placements.clear();
    placements.add(new PlacementCount("http", "RR+SPH", PlacementCount.PLACED, 16));
    placements.add(new PlacementCount("http", "SL-PS", PlacementCount.PLACED, 2));
    placements.add(new PlacementCount("http", "SL-PS", "no_member", 50));
    TrafficSample sample = meter.next(2 * SECOND).orElseThrow();
    assertEquals(Map.of("http", 4.0), sample.values().get(TrafficGraph.REQUESTS_BY_SERVICE));
    assertEquals(
        Map.of("RR+SPH", 3.0, "SL-PS", 1.0),
        sample.values().get(TrafficGraph.REQUESTS_BY_ALGORITHM));
    assertEquals(4.0, sample.requestsPerSecond());
  }

  @Test
  void counter_thatBeginsAgain_countsAsZero() {
    totals.put("a", 100L);
    meter.next(0);
    totals.put("a", 3L);
    assertEquals(Map.of("a", 0.0), sample(TrafficGraph.REQUESTS_BY_SERVER, 1));
  }

  @Test
  void rejections_areByReasonWithoutReasonsThatNeverCame() {
    rejects.put("no_vip", 3L);
    rejects.put("limit", 0L);
    meter.next(0);
    rejects.put("no_vip", 5L);
    TrafficSample sample = meter.next(SECOND).orElseThrow();
    assertEquals(Map.of("no_vip", 2.0), sample.values().get(TrafficGraph.REJECTIONS));
    assertEquals(2.0, sample.rejectionsPerSecond());
  }

  @Test
  void connections_areOpenEndedAndDormant() {
    meter.next(0);
    assertEquals(
        Map.of("open", 7.0, "ended", 2.0, "dormant", 3.0), sample(TrafficGraph.CONNECTIONS, 1));
  }

  @Test
  void serverTimes_areLearnedOnesWeightedBySamples() {
    profiles.add(profile("web", "http", false, 30, 4e6));
    profiles.add(profile("web", "ftp", true, 10, 8e6));
    profiles.add(profile("idle", "http", false, 5, 1e6));
    profiles.add(profile("idle", "ftp", false, 0, 99e6));
    profiles.add(profile("web", "deleted", false, 9, 99e6));
    meter.next(0);
    TrafficSample sample = meter.next(SECOND).orElseThrow();
    assertEquals(
        Map.of("web/http", 4.0, "web/ftp/data", 8.0, "idle/http", 1.0),
        sample.values().get(TrafficGraph.SERVER_MS_BY_SERVICE));
    assertEquals(
        Map.of("RR+SPH", 5.0, "SL-PS", 1.0),
        sample.values().get(TrafficGraph.SERVER_MS_BY_ALGORITHM));
  }

  private static ProfileStats profile(
      String vip, String service, boolean isFtpData, int samples, double nanos) {
    return new ProfileStats(vip, service, isFtpData, samples, 0, 0, nanos, Map.of());
  }
}
