package io.malob.rest.octavia;

import com.google.common.collect.ImmutableSet;
import io.malob.balancer.api.IBalancerService;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.ErrorBody;
import io.malob.resource.Reply;
import io.malob.resource.ResourceRoutable;
import io.malob.resource.RouteTable;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Vip;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * OpenStack's API for load balancers (Octavia v2) on the catalog, for unchanged clients. Safe for
 * use by several threads.
 */
public record OctaviaApi(IBalancerService balancer) {
  private static final List<String> BASE_PATHS = List.of("/v2.0", "/v2");

  /** The resources on the catalog of a balancer that has started, to be added in this order. */
  public static List<ResourceRoutable> of(IBalancerService balancer) {
    RouteTable routes = new OctaviaApi(balancer).routes();
    return BASE_PATHS.stream()
        .map(path -> new ResourceRoutable(path, routes, ErrorBody.OPENSTACK))
        .toList();
  }

  /** Finds the objects of a request. */
  private interface Scope {
    Objects<?> of(Call call) throws RejectedException;
  }

  private RouteTable routes() {
    RouteTable routes = RouteTable.listing().get("", OctaviaApi::versions);
    for (ObjectType<?> type :
        List.of(new LoadBalancers(), new Listeners(), new Pools(), new HealthMonitors())) {
      Objects<?> objects = new Objects<>(balancer, type);
      add(routes, type.plural(), type.filters(), call -> objects);
    }
    add(
        routes,
        "pools/{pool}/members",
        Members.ATTRIBUTES.filters(),
        call -> new Objects<>(balancer, members(call)));
    routes
        .put("lbaas/pools/{pool}/members", List.of("additive_only"), this::replaceMembers)
        .get("lbaas/loadbalancers/{id}/status", this::status)
        .get("lbaas/loadbalancers/{id}/statuses", this::status)
        .get("lbaas/loadbalancers/{id}/stats", this::stats)
        .get("lbaas/listeners/{id}/stats", this::listenerStats)
        .put(
            "lbaas/loadbalancers/{id}/failover",
            Offered.refusal(
                "there is no machine to replace: switches forward, and if the controller ends,"
                    + " another one of its cluster takes over"));
    Offered.addTo(routes);
    return routes;
  }

  private static void add(
      RouteTable routes, String name, ImmutableSet<String> filters, Scope scope) {
    String path = "lbaas/" + name;
    String item = path + "/{id}";
    routes
        .get(
            path,
            ListQuery.parameters(filters),
            ListQuery.repeated(),
            call -> scope.of(call).list(call))
        .post(path, call -> scope.of(call).create(call))
        .get(item, List.of("fields"), List.of("fields"), call -> scope.of(call).show(call))
        .put(item, call -> scope.of(call).update(call))
        .delete(item, List.of("cascade"), call -> scope.of(call).delete(call));
  }

  private Members members(Call call) throws RejectedException {
    return new Members(
        new Pools().existing(balancer.catalog().snapshot(), call.variable("pool")).id());
  }

  /** PUT of all members of a pool. */
  private Reply replaceMembers(Call call) throws IOException, RejectedException {
    Members members = members(call);
    List<Body> wanted = Body.listOf(call, "members");
    boolean areAdditional =
        call.parameter("additive_only").map("true"::equalsIgnoreCase).orElse(false);
    CatalogSnapshot unused =
        new Objects<>(balancer, members)
            .edit(draft -> members.replace(draft, wanted, areAdditional));
    return Reply.accepted();
  }

  private LoadBalancer loadBalancer(CatalogSnapshot catalog, Call call) throws RejectedException {
    return new LoadBalancers().existing(catalog, call.variable("id"));
  }

  private Reply status(Call call) throws RejectedException {
    View view = View.of(balancer);
    return Reply.ok(StatusTree.of(loadBalancer(view.catalog(), call), view));
  }

  private Reply stats(Call call) throws RejectedException {
    CatalogSnapshot catalog = balancer.catalog().snapshot();
    List<Vip> vips = new BalancerIndex(catalog).vips(loadBalancer(catalog, call));
    return Reply.ok(StatusTree.stats(vips, catalog, balancer));
  }

  private Reply listenerStats(Call call) throws RejectedException {
    CatalogSnapshot catalog = balancer.catalog().snapshot();
    Vip vip = new Listeners().existing(catalog, call.variable("id"));
    return Reply.ok(StatusTree.stats(List.of(vip), catalog, balancer));
  }

  /** The version discovery document. */
  private static Reply versions(Call call) {
    Map<String, @Nullable Object> version =
        Json.fields(
            "id", "v2.0",
            "status", "CURRENT",
            "links", List.of(Json.fields("rel", "self", "href", call.site() + BASE_PATHS.get(0))));
    return Reply.ok(Map.of("versions", List.of(version)));
  }
}
