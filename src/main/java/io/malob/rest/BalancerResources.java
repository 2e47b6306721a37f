package io.malob.rest;

import com.google.common.collect.ImmutableSet;
import io.malob.balancer.IBalancerService;
import io.malob.balancer.MemberStats;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the resource for a path and lets it answer. Safe for use by several threads. */
final class BalancerResources implements Resources {
  private static final Map<String, String> OTHER_NAMES =
      Map.of(
          "vipId", "vip_id",
          "poolId", "pool_id",
          "lbMethod", "lb_method",
          "serviceName", "service_name");
  private static final MemberStats NOTHING_YET = MemberStats.unknown(false);

  private final IBalancerService balancer;
  private final ItemCollection<Member> members;
  private final Map<String, ItemCollection<?>> collections;

  /** The resources of a balancer whose catalog is open. */
  BalancerResources(IBalancerService balancer) {
    this.balancer = balancer;
    Catalog catalog = balancer.catalog();
    ReadOnlyList<Vip> poolsOfVip =
        new ReadOnlyList<>(
            "pools",
            (snapshot, vip) ->
                snapshot.poolOfVip(vip.id()).map(pool -> List.of(pool.id())).orElse(List.of()));
    ReadOnlyList<Pool> membersOfPool =
        new ReadOnlyList<>(
            "members",
            (snapshot, pool) ->
                snapshot.membersOfPool(pool.id()).stream()
                    .map(Member::id)
                    .collect(Collectors.toList()));
    members =
        new ItemCollection<>(catalog, Catalog.MEMBERS, names(Catalog.MEMBERS, OTHER_NAMES), null);
    Map<String, String> serviceNames = new LinkedHashMap<>(OTHER_NAMES);
    serviceNames.put("name", "service_name");
    collections =
        Map.of(
            "vips",
            new ItemCollection<>(
                catalog, Catalog.VIPS, names(Catalog.VIPS, OTHER_NAMES, "pools"), poolsOfVip),
            "pools",
            new ItemCollection<>(
                catalog,
                Catalog.POOLS,
                names(Catalog.POOLS, OTHER_NAMES, "members"),
                membersOfPool),
            "members",
            members,
            "services",
            new ItemCollection<>(
                catalog, Catalog.SERVICES, names(Catalog.SERVICES, serviceNames), null));
  }

  private static FieldNames names(
      CatalogKind<? extends CatalogItem> kind, Map<String, String> others, String... more) {
    return new FieldNames(
        ImmutableSet.<String>builder().addAll(kind.fieldNames()).add(more).build(), others);
  }

  @Override
  public Reply answer(String method, List<String> path, String query, RequestBody body)
      throws IOException, RefusedException {
    ItemCollection<?> collection = path.isEmpty() ? null : collections.get(path.get(0));
    if (collection == null) {
      throw noSuchPath(path);
    }
    return switch (path.size()) {
      case 1 -> collection.collection(method, body);
      case 2 -> collection.item(method, path.get(1), body);
      default -> belowItem(method, path, body);
    };
  }

  private Reply belowItem(String method, List<String> path, RequestBody body)
      throws IOException, RefusedException {
    String poolId = path.get(1);
    String what = path.get(0) + "/" + path.get(2);
    if (what.equals("pools/members") && path.size() <= 4) {
      checkIsPool(poolId);
      ItemCollection<Member> ofPool = members.where("pool_id", poolId);
      return path.size() == 3
          ? ofPool.collection(method, body)
          : ofPool.item(method, path.get(3), body);
    }
    if (what.equals("pools/stats") && path.size() == 3) {
      checkIsPool(poolId);
      if (!method.equals("GET")) {
        throw RefusedException.method(method, "GET");
      }
      return Reply.ok(stats(poolId));
    }
    throw noSuchPath(path);
  }

  private void checkIsPool(String id) throws RefusedException {
    if (!balancer.catalog().snapshot().pools().containsKey(id)) {
      throw new RefusedException(404, "there is no pool " + id, null);
    }
  }

  private Map<String, Object> stats(String poolId) {
    Map<String, MemberStats> all = balancer.memberStats();
    long active = 0;
    long total = 0;
    List<Object> each = new ArrayList<>();
    for (Member member : balancer.catalog().snapshot().membersOfPool(poolId)) {
      MemberStats stats = all.getOrDefault(member.id(), NOTHING_YET);
      active += stats.activeConnections();
      total += stats.totalConnections();
      Map<String, @Nullable Object> line = new LinkedHashMap<>();
      line.put("id", member.id());
      line.put("address", member.address().toString());
      line.put("active_connections", stats.activeConnections());
      line.put("total_connections", stats.totalConnections());
      line.put(
          "reported_connections",
          stats.reportedConnections().isPresent() ? stats.reportedConnections().getAsInt() : null);
      line.put("foreign_connections", stats.foreignConnections());
      line.put("located", stats.located());
      each.add(line);
    }
    Map<String, Object> sum = new LinkedHashMap<>();
    sum.put("id", poolId);
    sum.put("active_connections", active);
    sum.put("total_connections", total);
    sum.put("counted_by", balancer.endsAreTold() ? "tcp_flags" : "idle_timeout");
    sum.put("members", each);
    return sum;
  }

  private static RefusedException noSuchPath(List<String> path) {
    return new RefusedException(
        404,
        "there is nothing at /"
            + String.join("/", path)
            + " here, only vips, pools, members and services",
        null);
  }
}
