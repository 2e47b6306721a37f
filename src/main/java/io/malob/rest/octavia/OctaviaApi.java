package io.malob.rest.octavia;

import com.google.common.collect.ImmutableSet;
import io.malob.balancer.api.IBalancerService;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.resource.ResourceRoutable;
import io.malob.resource.Routes;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Vip;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * OpenStack's API for load balancers (Octavia v2) on the catalog, for unchanged clients. Safe for
 * use by several threads.
 */
public final class OctaviaApi {
  private static final List<String> BASE_PATHS = List.of("/v2.0", "/v2");

  private final IBalancerService balancer;

  private OctaviaApi(IBalancerService balancer) {
    this.balancer = balancer;
  }

  /** The resources on the catalog of a balancer that has started, to be added in this order. */
  public static List<ResourceRoutable> of(IBalancerService balancer) {
    Routes routes = new OctaviaApi(balancer).routes();
    return BASE_PATHS.stream()
        .map(path -> new ResourceRoutable(path, routes, new Fault()))
        .toList();
  }

  /** Finds the objects of a request. */
  private interface Scope {
    Objects<?> of(Call call) throws RejectedException;
  }

  private Routes routes() {
    Routes routes = Routes.listing().get("", OctaviaApi::versions);
    Objects<LoadBalancer> balancers = new Objects<>(balancer, new LoadBalancers());
    Objects<?> listeners = new Objects<>(balancer, new Listeners());
    Objects<?> pools = new Objects<>(balancer, new Pools());
    Objects<?> monitors = new Objects<>(balancer, new HealthMonitors());
    add(
        routes,
        "loadbalancers",
        Objects.attributes(
            "vip_address",
            "vip_port_id",
            "vip_subnet_id",
            "vip_network_id",
            "vip_qos_policy_id",
            "provider",
            "flavor_id",
            "availability_zone"),
        call -> balancers);
    add(
        routes,
        "listeners",
        Objects.attributes("protocol", "protocol_port", "default_pool_id", "connection_limit"),
        call -> listeners);
    add(
        routes,
        "pools",
        Objects.attributes("protocol", "lb_algorithm", "healthmonitor_id"),
        call -> pools);
    add(
        routes,
        "pools/{pool}/members",
        Objects.attributes(
            "address",
            "protocol_port",
            "weight",
            "backup",
            "monitor_address",
            "monitor_port",
            "subnet_id"),
        call -> new Objects<>(balancer, members(call)));
    add(
        routes,
        "healthmonitors",
        Objects.attributes(
            "type", "delay", "timeout", "max_retries", "http_method", "url_path", "expected_codes"),
        call -> monitors);
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
      Routes routes, String name, ImmutableSet<String> attributes, Scope scope) {
    String path = "lbaas/" + name;
    String item = path + "/{id}";
    routes
        .get(
            path,
            ListQuery.parameters(attributes),
            ListQuery.repeated(),
            call -> scope.of(call).list(call, attributes))
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
    Map<String, Object> version = new LinkedHashMap<>();
    version.put("id", "v2.0");
    version.put("status", "CURRENT");
    version.put("links", List.of(Map.of("rel", "self", "href", call.site() + BASE_PATHS.get(0))));
    return Reply.ok(Map.of("versions", List.of(version)));
  }
}
