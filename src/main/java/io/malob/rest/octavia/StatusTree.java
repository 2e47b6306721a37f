package io.malob.rest.octavia;

import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.VipStats;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statuses of a load balancer and of what it contains, and counters. Has no state. */
final class StatusTree {
  private StatusTree() {}

  static Map<String, Object> of(LoadBalancer balancer, View view) {
    Map<String, Object> shown =
        object(balancer.id(), balancer.name(), view, view.statuses().of(balancer));
    shown.put(
        "listeners", view.balancers().vips(balancer).stream().map(vip -> of(vip, view)).toList());
    shown.put(
        "pools", view.balancers().pools(balancer).stream().map(pool -> of(pool, view)).toList());
    return Map.of("statuses", Map.of("loadbalancer", shown));
  }

  private static Map<String, Object> of(Vip vip, View view) {
    Map<String, Object> shown = object(vip.id(), vip.name(), view, view.statuses().of(vip));
    shown.put(
        "pools", view.catalog().poolOfVip(vip.id()).stream().map(pool -> of(pool, view)).toList());
    shown.put("l7policies", List.of());
    return shown;
  }

  private static Map<String, Object> of(Pool pool, View view) {
    Map<String, Object> shown = object(pool.id(), pool.name(), view, view.statuses().of(pool));
    view.catalog()
        .monitorOfPool(pool.id())
        .ifPresent(
            monitor -> {
              Map<String, Object> own =
                  object(monitor.id(), monitor.name(), view, view.statuses().of(monitor));
              own.put("type", monitor.type().toString());
              shown.put("healthmonitor", own);
            });
    shown.put(
        "members",
        view.catalog().membersOfPool(pool.id()).stream().map(member -> of(member, view)).toList());
    return shown;
  }

  private static Map<String, Object> of(Member member, View view) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.putAll(object(member.id(), member.name(), view, view.statuses().of(member)));
    shown.put("address", member.address().toString());
    shown.put("protocol_port", member.port());
    return Collections.unmodifiableMap(shown);
  }

  private static Map<String, Object> object(
      String id, String name, View view, String operatingStatus) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("id", id);
    shown.put("name", name);
    shown.put("provisioning_status", view.provisioningStatus());
    shown.put("operating_status", operatingStatus);
    return shown;
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
    Map<String, @Nullable Object> stats = new LinkedHashMap<>();
    stats.put("active_connections", active);
    stats.put("total_connections", total);
    stats.put("bytes_in", null);
    stats.put("bytes_out", null);
    stats.put("request_errors", null);
    return Map.of("stats", stats);
  }
}
