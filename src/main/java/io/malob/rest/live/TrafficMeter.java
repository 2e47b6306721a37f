package io.malob.rest.live;

import io.malob.algorithm.Algorithm;
import io.malob.balancer.api.BalancerActivity.PlacementCount;
import io.malob.balancer.api.BalancerCounters;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.ProfileStats;
import io.malob.balancer.api.VipStats;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Service;
import io.malob.state.catalog.Vip;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes samples of traffic from the balancer's counters, which only grow. Reads counters and takes
 * no lock of the packet path. For one thread.
 */
final class TrafficMeter {
  private static final double NANOS_PER_MILLISECOND = 1e6;
  private static final double MILLIS_PER_SECOND = 1e3;

  private final IBalancerService balancer;
  private @Nullable Counts before;

  TrafficMeter(IBalancerService balancer) {
    this.balancer = balancer;
  }

  /** The counters at one moment. */
  private record Counts(
      long timeMillis,
      Map<String, Long> byService,
      Map<String, Long> byAlgorithm,
      Map<String, Long> byMember,
      Map<String, Long> rejects) {}

  /** The sample of the time since the last call; empty the first time, or if no time has passed. */
  Optional<TrafficSample> next(long nowNanos) {
    Counts last = before;
    Counts now = read(TimeUnit.NANOSECONDS.toMillis(nowNanos));
    if (last == null) {
      before = now;
      return Optional.empty();
    }
    double seconds = (now.timeMillis - last.timeMillis) / MILLIS_PER_SECOND;
    if (seconds <= 0) {
      return Optional.empty();
    }
    before = now;
    return Optional.of(sample(last, now, seconds));
  }

  private Counts read(long timeMillis) {
    Map<String, Long> byService = new HashMap<>();
    Map<String, Long> byAlgorithm = new HashMap<>();
    for (PlacementCount line : balancer.placements()) {
      if (line.outcome().equals(PlacementCount.PLACED)) {
        byService.merge(line.serviceId(), line.count(), Long::sum);
        byAlgorithm.merge(line.algorithm(), line.count(), Long::sum);
      }
    }
    return new Counts(
        timeMillis, byService, byAlgorithm, balancer.totalConnections(), balancer.rejects());
  }

  private TrafficSample sample(Counts last, Counts now, double seconds) {
    CatalogSnapshot catalog = balancer.catalog().snapshot();
    Map<String, Double> services = perSecond(last.byService, now.byService, seconds);
    Map<String, Double> members = perSecond(last.byMember, now.byMember, seconds);
    Map<String, Double> rejects = perSecond(last.rejects, now.rejects, seconds);
    Map<TrafficGraph, Map<String, Double>> values = new EnumMap<>(TrafficGraph.class);
    values.put(TrafficGraph.REQUESTS_BY_SERVICE, services);
    values.put(
        TrafficGraph.REQUESTS_BY_ALGORITHM, perSecond(last.byAlgorithm, now.byAlgorithm, seconds));
    values.put(TrafficGraph.REQUESTS_BY_VIP, byVip(catalog, members));
    values.put(TrafficGraph.REQUESTS_BY_SERVER, members);
    putServerTimes(values, catalog);
    values.put(TrafficGraph.CONNECTIONS, connections());
    values.put(TrafficGraph.REJECTIONS, rejects);
    return new TrafficSample(now.timeMillis, sum(services), sum(rejects), values);
  }

  /** An ended connection has rules on the switches until they time out. */
  private Map<String, Double> connections() {
    BalancerCounters counters = balancer.counters();
    int open = 0;
    int estimated = 0; // they have no rules of their own
    for (VipStats ofVip : balancer.vipStats().values()) {
      open += ofVip.activeConnections();
      estimated += ofVip.estimatedConnections();
    }
    return Map.of(
        "open", (double) open,
        "ended", (double) Math.max(0, counters.openConnections() - (open - estimated)),
        "dormant", (double) counters.dormantConnections());
  }

  /** The growth of each counter that is above 0; a counter that began again has none. */
  private static Map<String, Double> perSecond(
      Map<String, Long> last, Map<String, Long> now, double seconds) {
    Map<String, Double> rates = new HashMap<>();
    now.forEach(
        (id, count) -> {
          if (count > 0) {
            rates.put(id, Math.max(0, count - last.getOrDefault(id, 0L)) / seconds);
          }
        });
    return rates;
  }

  private static double sum(Map<String, Double> rates) {
    return rates.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  private static Map<String, Double> byVip(CatalogSnapshot catalog, Map<String, Double> members) {
    Map<String, Double> vips = new HashMap<>();
    for (Vip vip : catalog.vips().values()) {
      double rate = 0;
      Optional<Pool> pool = catalog.poolOfVip(vip.id());
      if (pool.isPresent()) {
        for (Member member : catalog.membersOfPool(pool.get().id())) {
          rate += members.getOrDefault(member.id(), 0.0);
        }
      }
      vips.put(vip.id(), rate);
    }
    return vips;
  }

  /** A profile's algorithm is the one that places connections like its own now. */
  private void putServerTimes(
      Map<TrafficGraph, Map<String, Double>> values, CatalogSnapshot catalog) {
    Map<String, Double> byService = new HashMap<>();
    Map<String, Double> sums = new TreeMap<>();
    Map<String, Long> samples = new HashMap<>();
    for (ProfileStats profile : balancer.profiles()) {
      @Nullable Vip vip = catalog.vips().get(profile.vipId());
      @Nullable Service service = catalog.services().get(profile.serviceId());
      if (vip == null || service == null || profile.samples() == 0) {
        continue;
      }
      double millis = profile.serviceNanos() / NANOS_PER_MILLISECOND;
      String data = profile.isFtpData() ? "/data" : "";
      byService.put(vip.id() + "/" + service.id() + data, millis);
      String algorithm = algorithm(catalog, vip, service).name();
      sums.merge(algorithm, millis * profile.samples(), Double::sum);
      samples.merge(algorithm, (long) profile.samples(), Long::sum);
    }
    Map<String, Double> byAlgorithm = new HashMap<>();
    sums.forEach(
        (algorithm, sum) -> byAlgorithm.put(algorithm, sum / samples.getOrDefault(algorithm, 1L)));
    values.put(TrafficGraph.SERVER_MS_BY_SERVICE, byService);
    values.put(TrafficGraph.SERVER_MS_BY_ALGORITHM, byAlgorithm);
  }

  private static Algorithm algorithm(CatalogSnapshot catalog, Vip vip, Service service) {
    @Nullable Algorithm ofVip = vip.algorithm();
    if (ofVip != null) {
      return ofVip;
    }
    return catalog.poolOfVip(vip.id()).map(Pool::algorithm).orElse(service.algorithm());
  }
}
