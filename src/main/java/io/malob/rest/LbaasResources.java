package io.malob.rest;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Multimaps;
import io.malob.balancer.api.IBalancerService;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.resource.Routes;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The catalog in OpenStack's form (Octavia v2), as far as it maps. A load balancer is an address of
 * VIPs, and exists as long as they do. Safe for use by several threads.
 */
final class LbaasResources {
  private final IBalancerService balancer;
  private final CatalogWrites writes;

  private LbaasResources(IBalancerService balancer) {
    this.balancer = balancer;
    this.writes = new CatalogWrites(balancer);
  }

  /** The routes to the catalog of a balancer that has started. */
  static Routes routes(IBalancerService balancer) {
    return new LbaasResources(balancer).routes();
  }

  /** Finds the items of a request. */
  private interface Items {
    LbaasCollection<?> of(Call call) throws RejectedException;
  }

  private Routes routes() {
    Routes routes =
        Routes.listing()
            .get("loadbalancers", Page.PARAMETERS, this::loadBalancers)
            .get("loadbalancers/{address}", this::loadBalancer);
    LbaasCollection<Vip> listeners = new LbaasCollection<>(balancer, new LbaasListener(), null);
    LbaasCollection<Pool> pools = new LbaasCollection<>(balancer, new LbaasPool(), null);
    addItems(routes, "listeners", call -> listeners);
    addItems(routes, "pools", call -> pools);
    addItems(routes, "pools/{pool}/members", this::members);
    return routes;
  }

  private void addItems(Routes routes, String path, Items items) {
    String item = path + "/{id}";
    routes
        .get(path, Page.PARAMETERS, call -> items.of(call).list(call))
        .post(path, writes.confirmed(call -> items.of(call).create(call)))
        .get(item, call -> items.of(call).show(call))
        .put(item, writes.confirmed(call -> items.of(call).put(call)))
        .delete(item, writes.confirmed(call -> items.of(call).delete(call)));
  }

  private LbaasCollection<?> members(Call call) throws RejectedException {
    String pool = call.variable("pool");
    if (!balancer.catalog().snapshot().pools().containsKey(pool)) {
      throw RejectedException.notFound("there is no pool " + pool);
    }
    return new LbaasCollection<>(balancer, new LbaasMember(), pool);
  }

  private Reply loadBalancers(Call call) throws RejectedException {
    CatalogSnapshot now = balancer.catalog().snapshot();
    LbaasStatus status = new LbaasStatus(now, balancer.memberStats());
    ImmutableListMultimap<String, Vip> byAddress = byAddress(now);
    return Page.of(call)
        .of(
            byAddress.keySet(),
            address -> address,
            address -> shown(address, byAddress.get(address), now, status))
        .map(list -> Map.of("loadbalancers", list));
  }

  private Reply loadBalancer(Call call) throws RejectedException {
    CatalogSnapshot now = balancer.catalog().snapshot();
    LbaasStatus status = new LbaasStatus(now, balancer.memberStats());
    String address = call.variable("address");
    Collection<Vip> vips = byAddress(now).get(address);
    if (vips.isEmpty()) {
      throw RejectedException.notFound("there is no loadbalancer " + address);
    }
    return Reply.ok(Map.of("loadbalancer", shown(address, vips, now, status)));
  }

  private static ImmutableListMultimap<String, Vip> byAddress(CatalogSnapshot now) {
    return Multimaps.index(now.vips().values(), vip -> vip.address().toString());
  }

  private static Object shown(
      String address, Collection<Vip> vips, CatalogSnapshot now, LbaasStatus status) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("id", address);
    shown.put("name", address);
    shown.put("vip_address", address);
    shown.put(
        "listeners",
        LbaasFormat.references(vips.stream().map(Vip::id).collect(Collectors.toList())));
    shown.put(
        "pools",
        LbaasFormat.references(
            vips.stream()
                .flatMap(vip -> now.poolOfVip(vip.id()).stream())
                .map(Pool::id)
                .collect(Collectors.toList())));
    shown.put("provider", "malob");
    shown.put("admin_state_up", true);
    shown.put("provisioning_status", "ACTIVE");
    shown.put("operating_status", status.of(vips));
    return shown;
  }
}
