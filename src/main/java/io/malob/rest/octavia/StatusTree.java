package io.malob.rest.octavia;

import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.VipStats;
import io.malob.json.Json;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Monitor;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The statuses of a load balancer and of what it contains, and counters. Has no state. */
final class StatusTree {
  private StatusTree() {}

  static Map<String, Object> of(LoadBalancer balancer, View view) {
    Map<String, @Nullable Object> shown = object(balancer, view);
    shown.put(
        "listeners", view.balancers().vips(balancer).stream().map(vip -> of(vip, view)).toList());
    shown.put(
        "pools", view.balancers().pools(balancer).stream().map(pool -> of(pool, view)).toList());
    return Map.of("statuses", Map.of("loadbalancer", shown));
  }

  private static Map<String, @Nullable Object> of(Vip vip, View view) {
    Map<String, @Nullable Object> shown = object(vip, view);
    shown.put(
        "pools", view.catalog().poolOfVip(vip.id()).stream().map(pool -> of(pool, view)).toList());
    shown.put("l7policies", List.of());
    return shown;
  }

  private static Map<String, @Nullable Object> of(Pool pool, View view) {
    Map<String, @Nullable Object> shown = object(pool, view);
    Optional<Monitor> monitor = view.catalog().monitorOfPool(pool.id());
    if (monitor.isPresent()) {
      Map<String, @Nullable Object> own = object(monitor.get(), view);
      own.put("type", monitor.get().type().toString());
      shown.put("healthmonitor", own);
    }
    shown.put(
        "members",
        view.catalog().membersOfPool(pool.id()).stream().map(member -> of(member, view)).toList());
    return shown;
  }

  private static Map<String, @Nullable Object> of(Member member, View view) {
    Map<String, @Nullable Object> shown = object(member, view);
    shown.put("address", member.address().toString());
    shown.put("protocol_port", member.port());
    return shown;
  }

  private static Map<String, @Nullable Object> object(CatalogItem item, View view) {
    return Json.fields(
        "id", item.id(),
        "name", item.name(),
        "provisioning_status", view.provisioningStatus(),
        "operating_status", view.statuses().of(item));
  }

  /**
   * The connections of listeners. Bytes and errors are not counted by listener, and therefore null.
   */
  static Map<String, Object> stats(
      List<Vip> vips, CatalogSnapshot catalog, IBalancerService balancer) {
    Map<String, VipStats> ofVips = balancer.vipStats();
    Map<String, MemberStats> ofMembers = balancer.memberStats();
    long active = 0;
    long total = 0;
    for (Vip vip : vips) {
      active += ofVips.getOrDefault(vip.id(), VipStats.NONE).activeConnections();
      total +=
          catalog.poolOfVip(vip.id()).stream()
              .flatMap(pool -> catalog.membersOfPool(pool.id()).stream())
              .mapToLong(
                  member ->
                      ofMembers
                          .getOrDefault(member.id(), MemberStats.unknown(false))
                          .totalConnections())
              .sum();
    }
    Map<String, @Nullable Object> stats =
        Json.fields(
            "active_connections", active,
            "total_connections", total,
            "bytes_in", null,
            "bytes_out", null,
            "request_errors", null);
    return Map.of("stats", stats);
  }
}
