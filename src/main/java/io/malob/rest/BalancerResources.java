package io.malob.rest;

import com.google.common.collect.ImmutableMap;
import io.malob.balancer.api.EjectedMember;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.VipStats;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.resource.Resource;
import io.malob.resource.RouteTable;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Monitor;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The catalog, and the current state of its items. Safe for use by several threads. */
final class BalancerResources {
  private static final MemberStats NOTHING_YET = MemberStats.unknown(false);

  private final IBalancerService balancer;
  private final CatalogWrites writes;

  private BalancerResources(IBalancerService balancer) {
    this.balancer = balancer;
    this.writes = new CatalogWrites(balancer);
  }

  /** The routes to the catalog of a balancer that has started. */
  static RouteTable routes(IBalancerService balancer) {
    return new BalancerResources(balancer).routes();
  }

  /** Finds the items of a request. */
  private interface Items {
    ItemCollection<?> of(Call call) throws RejectedException;
  }

  private RouteTable routes() {
    Catalog catalog = balancer.catalog();
    ItemCollection<LoadBalancer> loadBalancers =
        ItemCollection.of(
            catalog,
            Catalog.LOAD_BALANCERS,
            "vips",
            (now, item) -> now.vipsAt(item.address()).stream().map(Vip::id).toList());
    ItemCollection<Vip> vips =
        ItemCollection.of(
            catalog,
            Catalog.VIPS,
            "pools",
            (now, item) -> now.poolOfVip(item.id()).map(Pool::id).stream().toList());
    ItemCollection<Pool> pools =
        ItemCollection.of(
            catalog,
            Catalog.POOLS,
            "members",
            (now, item) -> now.membersOfPool(item.id()).stream().map(Member::id).toList());
    ItemCollection<Member> members = ItemCollection.of(catalog, Catalog.MEMBERS);
    ItemCollection<Monitor> monitors = ItemCollection.of(catalog, Catalog.MONITORS);
    RouteTable routes = RouteTable.listing();
    for (ItemCollection<?> items :
        List.of(
            loadBalancers,
            vips,
            pools,
            members,
            ItemCollection.of(catalog, Catalog.SERVICES),
            monitors)) {
      addItems(routes, items.name(), call -> items);
    }
    addItems(routes, "pools/{pool}/members", call -> members.where("pool_id", pool(call)));
    addItems(routes, "pools/{pool}/health_monitors", call -> monitors.where("pool_id", pool(call)));
    Resource weight = writes.confirmed(call -> members.set("weight", call));
    return routes
        // as in Floodlight
        .put("members/{id}/{weight}", weight)
        .post("members/{id}/{weight}", weight)
        .get("pools/{pool}/stats", call -> Reply.ok(stats(pool(call))))
        .get("vips/{vip}/stats", call -> Reply.ok(stats(vip(call))));
  }

  private void addItems(RouteTable routes, String path, Items items) {
    String item = path + "/{id}";
    routes
        .get(path, Page.PARAMETERS, call -> items.of(call).list(call))
        .post(path, writes.confirmed(call -> items.of(call).create(call)))
        .put(path, writes.confirmed(call -> items.of(call).updateNamed(call)))
        .get(item, call -> items.of(call).show(call))
        .put(item, writes.confirmed(call -> items.of(call).put(call)))
        .delete(item, writes.confirmed(call -> items.of(call).delete(call)));
  }

  private String pool(Call call) throws RejectedException {
    String id = call.variable("pool");
    if (!balancer.catalog().snapshot().pools().containsKey(id)) {
      throw RejectedException.notFound("there is no pool " + id);
    }
    return id;
  }

  private Vip vip(Call call) throws RejectedException {
    String id = call.variable("vip");
    @Nullable Vip vip = balancer.catalog().snapshot().vips().get(id);
    if (vip == null) {
      throw RejectedException.notFound("there is no VIP " + id);
    }
    return vip;
  }

  private Map<String, @Nullable Object> stats(Vip vip) {
    VipStats stats = balancer.vipStats().getOrDefault(vip.id(), VipStats.NONE);
    return Json.fields(
        "id", vip.id(),
        "active_connections", stats.activeConnections(),
        "connection_limit", vip.connectionLimit(),
        "half_open_connections", stats.halfOpenConnections(),
        "half_open_limit", stats.halfOpenLimit());
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
      each.add(
          Json.fields(
              "id", member.id(),
              "address", member.address(),
              "active_connections", stats.activeConnections(),
              "total_connections", stats.totalConnections(),
              "reported_connections", stats.reportedConnections(),
              "foreign_connections", stats.foreignConnections(),
              "located", stats.located(),
              "health", stats.health().text(),
              "share", Json.rounded(stats.share()),
              "ejected", shown(ejected.get(member.id()))));
    }
    return Json.fields(
        "id", poolId,
        "active_connections", active,
        "total_connections", total,
        "counted_by", countedBy(poolId),
        "members", each);
  }

  private String countedBy(String poolId) {
    @Nullable Pool pool = balancer.catalog().snapshot().pools().get(poolId);
    boolean isEstimate =
        pool != null
            && balancer.proactive().stream()
                .anyMatch(vip -> vip.vipId().equals(pool.vipId()) && vip.hasBuckets());
    return isEstimate ? "estimate" : balancer.endsAreTold() ? "tcp_flags" : "idle_timeout";
  }

  private static @Nullable Map<String, Object> shown(@Nullable EjectedMember ejected) {
    return ejected == null
        ? null
        : ImmutableMap.of(
            "why", ejected.why(),
            "times", ejected.times(),
            "seconds_left", TimeUnit.NANOSECONDS.toSeconds(ejected.nanosLeft()) + 1);
  }
}
