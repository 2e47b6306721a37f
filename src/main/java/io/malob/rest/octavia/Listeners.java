package io.malob.rest.octavia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.json.RejectedException;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogDraft;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Fields;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.PlacementMode;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Listeners: the VIPs. */
final class Listeners extends ObjectType<Vip> {
  private static final String TLS = "TLS is not terminated here; use TCP";
  private static final String HTTP = "HTTP is not interpreted here; use TCP";
  private static final String TIMEOUT =
      "connections have no timeout of their own; rules end with the controller's idleTimeout";
  private static final int NO_LIMIT = -1;

  private static final ImmutableMap<String, String> UNSUPPORTED =
      ImmutableMap.<String, String>builder()
          .put("default_tls_container_ref", TLS)
          .put("sni_container_refs", TLS)
          .put("client_ca_tls_container_ref", TLS)
          .put("client_crl_container_ref", TLS)
          .put("client_authentication", TLS)
          .put("tls_ciphers", TLS)
          .put("tls_versions", TLS)
          .put("alpn_protocols", TLS)
          .put("hsts_max_age", TLS)
          .put("hsts_include_subdomains", TLS)
          .put("hsts_preload", TLS)
          .put("insert_headers", HTTP)
          .put("l7policies", HTTP)
          .put("timeout_client_data", TIMEOUT)
          .put("timeout_member_connect", TIMEOUT)
          .put("timeout_member_data", TIMEOUT)
          .put("timeout_tcp_inspect", TIMEOUT)
          .build();

  Listeners() {
    super(
        "listener",
        ImmutableSet.of("loadbalancer_id", "protocol", "protocol_port", "default_pool"),
        ImmutableSet.of("connection_limit", "allowed_cidrs", "default_pool_id"),
        UNSUPPORTED);
  }

  @Override
  Collection<Vip> all(CatalogSnapshot catalog) {
    return catalog.vips().values();
  }

  @Override
  Optional<Vip> find(CatalogSnapshot catalog, String id) {
    return Catalog.VIPS.find(catalog, id);
  }

  /** Another VIP can have the same address, but not the same port as well. */
  @Override
  String attribute(String field) {
    return field.equals("address") ? "protocol_port" : super.attribute(field);
  }

  @Override
  String create(CatalogDraft draft, Body body) throws RejectedException {
    LoadBalancer balancer =
        new LoadBalancers().existing(draft.snapshot(), body.required("loadbalancer_id"));
    return create(draft, body, LoadBalancers.stored(draft, balancer));
  }

  /** Adds a listener of a load balancer. Returns its id. */
  String create(CatalogDraft draft, Body body, LoadBalancer balancer) throws RejectedException {
    String protocol = protocol(body.required("protocol"));
    body.required("protocol_port");
    Vip vip =
        draft.create(
            Catalog.VIPS,
            changes(body)
                .put("protocol", protocol)
                .copy("protocol_port", "port")
                .put("address", balancer.address().toString())
                .ofNew(Map.of(), "project_id")
                .fields());
    attachDefaultPool(draft, vip, balancer, body);
    Optional<Body> pool = body.object("default_pool");
    if (pool.isPresent()) {
      Pools pools = new Pools();
      pools.checkNew(pool.get());
      pools.create(draft, pool.get(), balancer, vip);
    }
    return vip.id();
  }

  @Override
  void update(CatalogDraft draft, Vip vip, Body body) throws RejectedException {
    draft.update(Catalog.VIPS, vip.id(), changes(body).fields());
    attachDefaultPool(draft, vip, new BalancerIndex(draft.snapshot()).of(vip), body);
  }

  private static Changes changes(Body body) throws RejectedException {
    Changes changes = new Changes(body).name().copy("description").adminState().tags();
    if (body.has("connection_limit")) {
      @Nullable String limit = body.text("connection_limit");
      changes.put("connection_limit", String.valueOf(NO_LIMIT).equals(limit) ? null : limit);
    }
    if (body.has("allowed_cidrs")) {
      ImmutableList<String> networks = body.texts("allowed_cidrs");
      changes.put("allowed_sources", networks.isEmpty() ? null : String.join(",", networks));
    }
    if (body.has("tags")) {
      ImmutableList<String> tags = body.texts("tags");
      VendorTags.check(tags, List.of(VendorTags.PLACEMENT));
      changes.put("placement", VendorTags.value(tags, VendorTags.PLACEMENT).orElse(null));
    }
    return changes;
  }

  private static String protocol(String text) throws RejectedException {
    return switch (text) {
      case "TCP", "UDP" -> text.toLowerCase(Locale.ROOT);
      case "HTTP", "PROMETHEUS" -> throw Body.notSupported("protocol", HTTP);
      case "HTTPS", "TERMINATED_HTTPS" -> throw Body.notSupported("protocol", TLS);
      case "SCTP" -> throw Body.notSupported("protocol", "SCTP is not balanced, only TCP and UDP");
      default -> throw RejectedException.invalid("protocol", "protocol must be TCP or UDP");
    };
  }

  /** Attaches or detaches the pool in {@code default_pool_id}, if that is given. */
  private static void attachDefaultPool(
      CatalogDraft draft, Vip vip, LoadBalancer balancer, Body body) throws RejectedException {
    if (!body.has("default_pool_id")) {
      return;
    }
    @Nullable String wanted = body.text("default_pool_id");
    Optional<Pool> now = draft.snapshot().poolOfVip(vip.id());
    if (now.isPresent() && !now.get().id().equals(wanted)) {
      Pools.detach(draft, now.get());
    }
    if (wanted != null) {
      Pool pool = new Pools().existing(draft.snapshot(), wanted);
      if (pool.vipId() != null && !vip.id().equals(pool.vipId())) {
        throw RejectedException.conflict(
            "default_pool_id",
            "pool " + wanted + " serves listener " + pool.vipId() + ", and a pool serves one");
      }
      draft.update(
          Catalog.POOLS,
          wanted,
          Fields.of(
              "vip_id", vip.id(), "load_balancer_id", LoadBalancers.stored(draft, balancer).id()));
    }
  }

  @Override
  void delete(CatalogDraft draft, Vip vip, boolean cascade) throws RejectedException {
    Optional<Pool> pool = draft.snapshot().poolOfVip(vip.id());
    if (pool.isPresent()) {
      Pools.detach(draft, pool.get());
    }
    draft.delete(Catalog.VIPS, vip.id());
  }

  @Override
  Map<String, @Nullable Object> shown(Vip vip, View view) {
    Map<String, @Nullable Object> shown = named(vip.id(), vip.name(), vip.notes());
    shown.put(
        "protocol", vip.protocol() == null ? null : vip.protocol().text().toUpperCase(Locale.ROOT));
    shown.put("protocol_port", vip.port());
    shown.put("connection_limit", vip.connectionLimit() == null ? NO_LIMIT : vip.connectionLimit());
    shown.put("allowed_cidrs", vip.allowedSources() == null ? null : vip.allowedSources().texts());
    shown.put("loadbalancers", View.references(List.of(view.balancers().of(vip).id())));
    shown.put("default_pool_id", view.catalog().poolOfVip(vip.id()).map(Pool::id).orElse(null));
    shown.put("l7policies", ImmutableList.of());
    shown.put("insert_headers", ImmutableMap.of());
    shown.put("sni_container_refs", ImmutableList.of());
    addAbsent(
        shown,
        "default_tls_container_ref",
        "client_ca_tls_container_ref",
        "client_crl_container_ref",
        "client_authentication",
        "tls_ciphers",
        "tls_versions",
        "alpn_protocols",
        "hsts_max_age",
        "hsts_include_subdomains",
        "hsts_preload",
        "timeout_client_data",
        "timeout_member_connect",
        "timeout_member_data",
        "timeout_tcp_inspect");
    addCommon(
        shown,
        vip.notes(),
        vip.placement() == PlacementMode.REACTIVE
            ? List.of()
            : List.of(VendorTags.PLACEMENT + vip.placement().text()),
        vip.adminState() == AdminState.UP,
        view.provisioningStatus(),
        view.statuses().of(vip));
    return shown;
  }
}
