package io.malob.rest;

import com.google.common.collect.ImmutableMap;
import io.malob.balancer.api.EjectedMember;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.VipStats;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Monitor;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the resource for a path and lets it answer. Safe for use by several threads. */
final class BalancerResources implements Resources {
  private static final MemberStats NOTHING_YET = MemberStats.unknown(false);

  private final IBalancerService balancer;
  private final CatalogWrites writes;
  private final ItemCollection<Member> members;
  private final ItemCollection<Monitor> monitors;
  private final Map<String, ItemCollection<?>> collections;

  /** The resources of a balancer whose catalog is open. */
  BalancerResources(IBalancerService balancer) {
    this.balancer = balancer;
    this.writes = new CatalogWrites(balancer);
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
    members = new ItemCollection<>(catalog, Catalog.MEMBERS, FieldNames.of(Catalog.MEMBERS), null);
    monitors =
        new ItemCollection<>(catalog, Catalog.MONITORS, FieldNames.of(Catalog.MONITORS), null);
    collections =
        Map.of(
            "vips",
            new ItemCollection<>(
                catalog, Catalog.VIPS, FieldNames.of(Catalog.VIPS, "pools"), poolsOfVip),
            "pools",
            new ItemCollection<>(
                catalog, Catalog.POOLS, FieldNames.of(Catalog.POOLS, "members"), membersOfPool),
            "members",
            members,
            "services",
            new ItemCollection<>(catalog, Catalog.SERVICES, FieldNames.of(Catalog.SERVICES), null),
            "health_monitors",
            monitors);
  }

  @Override
  public Reply answer(String method, List<String> path, String query, RequestBody body)
      throws IOException, RefusedException {
    return answer(new Call(method, path, query, name -> Optional.empty(), body));
  }

  @Override
  public Reply answer(Call call) throws IOException, RefusedException {
    return writes.answer(call, this::answerAtOnce);
  }

  private Reply answerAtOnce(Call call) throws IOException, RefusedException {
    List<String> path = call.path();
    ItemCollection<?> collection = path.isEmpty() ? null : collections.get(path.get(0));
    if (collection == null) {
      throw noSuchPath(path);
    }
    return switch (path.size()) {
      case 1 -> collection.collection(call);
      case 2 -> collection.item(call, path.get(1));
      default -> belowItem(call);
    };
  }

  private Reply belowItem(Call call) throws IOException, RefusedException {
    List<String> path = call.path();
    String poolId = path.get(1);
    String what = path.get(0) + "/" + path.get(2);
    if (what.equals("pools/members") && path.size() <= 4) {
      checkIsPool(poolId);
      ItemCollection<Member> ofPool = members.where("pool_id", poolId);
      return path.size() == 3 ? ofPool.collection(call) : ofPool.item(call, path.get(3));
    }
    if (what.equals("pools/health_monitors") && path.size() <= 4) {
      checkIsPool(poolId);
      ItemCollection<Monitor> ofPool = monitors.where("pool_id", poolId);
      return path.size() == 3 ? ofPool.collection(call) : ofPool.item(call, path.get(3));
    }
    if (what.equals("pools/stats") && path.size() == 3) {
      checkIsPool(poolId);
      if (!call.method().equals("GET")) {
        throw RefusedException.method(call.method(), "GET");
      }
      call.checkNoParameters();
      return Reply.ok(stats(poolId));
    }
    if (what.equals("vips/stats") && path.size() == 3) {
      @Nullable Vip vip = balancer.catalog().snapshot().vips().get(path.get(1));
      if (vip == null) {
        throw new RefusedException(404, "there is no VIP " + path.get(1), null);
      }
      if (!call.method().equals("GET")) {
        throw RefusedException.method(call.method(), "GET");
      }
      call.checkNoParameters();
      return Reply.ok(stats(vip));
    }
    throw noSuchPath(path);
  }

  private Map<String, @Nullable Object> stats(Vip vip) {
    VipStats stats = balancer.vipStats().getOrDefault(vip.id(), new VipStats(0, 0, 0));
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("id", vip.id());
    shown.put("active_connections", stats.activeConnections());
    shown.put("connection_limit", vip.connectionLimit());
    shown.put("half_open_connections", stats.halfOpenConnections());
    shown.put("half_open_limit", stats.halfOpenLimit());
    return shown;
  }

  private void checkIsPool(String id) throws RefusedException {
    if (!balancer.catalog().snapshot().pools().containsKey(id)) {
      throw new RefusedException(404, "there is no pool " + id, null);
    }
  }

  private Map<String, Object> stats(String poolId) {
    Map<String, MemberStats> all = balancer.memberStats();
    Map<String, EjectedMember> ejected = balancer.ejected();
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
      line.put("health", stats.health().text());
      line.put("share", Measured.rounded(stats.share()));
      line.put("ejected", shown(ejected.get(member.id())));
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

  private static @Nullable Map<String, Object> shown(@Nullable EjectedMember ejected) {
    return ejected == null
        ? null
        : ImmutableMap.of(
            "why", ejected.why(),
            "times", ejected.times(),
            "seconds_left", TimeUnit.NANOSECONDS.toSeconds(ejected.nanosLeft()) + 1);
  }

  private static RefusedException noSuchPath(List<String> path) {
    return new RefusedException(
        404,
        "there is nothing at /"
            + String.join("/", path)
            + " here, only vips, pools, members, services and health_monitors",
        null);
  }
}
