package io.malob.rest;

import com.google.common.collect.ImmutableMap;
import io.malob.balancer.api.EjectedMember;
import io.malob.balancer.api.IBalancerService;
import io.malob.balancer.api.MemberStats;
import io.malob.balancer.api.VipStats;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.resource.Resource;
import io.malob.resource.Routes;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Monitor;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Service;
import io.malob.state.catalog.Vip;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
  static Routes routes(IBalancerService balancer) {
    return new BalancerResources(balancer).routes();
  }

  /** Finds the items of a request. */
  private interface Items {
    ItemCollection<?> of(Call call) throws RejectedException;
  }

  private Routes routes() {
    Catalog catalog = balancer.catalog();
    ItemCollection<LoadBalancer> loadBalancers =
        new ItemCollection<>(
            catalog,
            Catalog.LOAD_BALANCERS,
            FieldNames.of(Catalog.LOAD_BALANCERS, "vips"),
            new ReadOnlyList<>(
                "vips",
                (now, balancer) -> now.vipsAt(balancer.address()).stream().map(Vip::id).toList()));
    ItemCollection<Vip> vips =
        new ItemCollection<>(
            catalog,
            Catalog.VIPS,
            FieldNames.of(Catalog.VIPS, "pools"),
            new ReadOnlyList<>(
                "pools", (now, vip) -> now.poolOfVip(vip.id()).map(Pool::id).stream().toList()));
    ItemCollection<Pool> pools =
        new ItemCollection<>(
            catalog,
            Catalog.POOLS,
            FieldNames.of(Catalog.POOLS, "members"),
            new ReadOnlyList<>(
                "members",
                (now, pool) -> now.membersOfPool(pool.id()).stream().map(Member::id).toList()));
    ItemCollection<Member> members =
        new ItemCollection<>(catalog, Catalog.MEMBERS, FieldNames.of(Catalog.MEMBERS), null);
    ItemCollection<Service> services =
        new ItemCollection<>(catalog, Catalog.SERVICES, FieldNames.of(Catalog.SERVICES), null);
    ItemCollection<Monitor> monitors =
        new ItemCollection<>(catalog, Catalog.MONITORS, FieldNames.of(Catalog.MONITORS), null);
    Routes routes = Routes.listing();
    addItems(routes, "load_balancers", call -> loadBalancers);
    addItems(routes, "vips", call -> vips);
    addItems(routes, "pools", call -> pools);
    addItems(routes, "members", call -> members);
    addItems(routes, "services", call -> services);
    addItems(routes, "health_monitors", call -> monitors);
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

  private void addItems(Routes routes, String path, Items items) {
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
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("id", vip.id());
    shown.put("active_connections", stats.activeConnections());
    shown.put("connection_limit", vip.connectionLimit());
    shown.put("half_open_connections", stats.halfOpenConnections());
    shown.put("half_open_limit", stats.halfOpenLimit());
    return shown;
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
    sum.put("counted_by", countedBy(poolId));
    sum.put("members", each);
    return sum;
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
