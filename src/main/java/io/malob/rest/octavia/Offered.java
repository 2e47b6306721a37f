package io.malob.rest.octavia;

import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.resource.Resource;
import io.malob.resource.RouteTable;
import io.malob.state.catalog.Catalog;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The provider, the limits, and the lists that are always empty. Has no state. */
final class Offered {
  /** The name of the only provider. */
  static final String PROVIDER = "malob";

  private Offered() {}

  static void addTo(RouteTable routes) {
    routes
        .get("lbaas/providers", ListQuery.parameters(List.of("name")), Offered::providers)
        .get("lbaas/quotas", ListQuery.parameters(List.of("project_id")), nothing("quotas"))
        .get("lbaas/quotas/{project}", Offered::quota)
        // where gophercloud looks for it
        .get("quotas/{project}", Offered::quota)
        .put("lbaas/quotas/{project}", refusal("the limits are those of the controller"))
        .delete("lbaas/quotas/{project}", refusal("the limits are those of the controller"));
    for (String kind : List.of("flavor_capabilities", "availability_zone_capabilities")) {
      routes.get(
          "lbaas/providers/{provider}/" + kind, ListQuery.parameters(List.of()), nothing(kind));
    }
    for (String kind : List.of("subnets", "networks", "ports")) {
      routes.get(kind, ListQuery.parameters(List.of("id", "name")), call -> named(kind, call));
    }
    routes.get(
        "floatingips",
        ListQuery.parameters(List.of("port_id", "fixed_ip_address", "floating_ip_address")),
        nothing("floatingips"));
    routes.get("octavia/amphorae", ListQuery.parameters(List.of()), nothing("amphorae"));
    addEmpty(routes, "flavors", "flavors", "there are no flavors; tags choose the algorithm");
    addEmpty(routes, "flavorprofiles", "flavorprofiles", "there are no flavors");
    addEmpty(routes, "availabilityzones", "availability_zones", "there are no availability zones");
    addEmpty(
        routes,
        "availabilityzoneprofiles",
        "availability_zone_profiles",
        "there are no availability zones");
    addEmpty(
        routes, "l7policies", "l7policies", "HTTP is not interpreted, so there are no L7 policies");
  }

  private static void addEmpty(RouteTable routes, String path, String plural, String sentence) {
    routes
        .get(
            "lbaas/" + path,
            ListQuery.parameters(List.of("id", "name")),
            ListQuery.repeated(),
            nothing(plural))
        .post("lbaas/" + path, refusal(sentence));
  }

  private static Resource nothing(String plural) {
    return call -> Reply.ok(Map.of(plural, List.of()));
  }

  static Resource refusal(String sentence) {
    return call -> {
      throw new RejectedException(Reason.NOT_SUPPORTED, sentence, null);
    };
  }

  /**
   * What clients look up in the network service before they send its id: each id or name is that of
   * an object that exists. There is no network service, and ids are kept without effect.
   */
  private static Reply named(String kind, Call call) {
    Optional<String> name = call.parameter("id").or(() -> call.parameter("name"));
    return Reply.ok(
        Map.of(kind, name.stream().map(each -> Json.fields("id", each, "name", each)).toList()));
  }

  private static Reply providers(Call call) {
    return Reply.ok(
        Map.of(
            "providers",
            List.of(
                Json.fields(
                    "name",
                    PROVIDER,
                    "description",
                    "MALOB: load balancing over servers and paths by OpenFlow switches"))));
  }

  /** The limits of the catalog, which are the same for all projects. */
  private static Reply quota(Call call) {
    Map<String, @Nullable Object> limits =
        Json.fields(
            "loadbalancer", Catalog.LOAD_BALANCERS.limit(),
            "load_balancer", Catalog.LOAD_BALANCERS.limit(),
            "listener", Catalog.VIPS.limit(),
            "pool", Catalog.POOLS.limit(),
            "member", Catalog.MEMBERS.limit(),
            "healthmonitor", Catalog.MONITORS.limit(),
            "health_monitor", Catalog.MONITORS.limit(),
            "l7policy", 0,
            "l7rule", 0);
    return Reply.ok(Map.of("quota", limits));
  }
}
