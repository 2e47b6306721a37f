package io.malob.rest.octavia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.json.RejectedException;
import io.malob.rest.octavia.Attributes.When;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogDraft;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Fields;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.PlacementMode;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/** Listeners: the VIPs. */
final class Listeners extends ObjectType<Vip> {
  private static final String TLS = "TLS is not terminated here; use TCP";
  private static final String HTTP = "HTTP is not interpreted here; use TCP";
  private static final String TIMEOUT =
      "connections have no timeout of their own; rules end with the controller's idleTimeout";
  private static final int NO_LIMIT = -1;

  private static final Attributes<Vip> ATTRIBUTES =
      new Attributes<>(Catalog.VIPS)
          .hidden(When.NEW, "loadbalancer_id", "default_pool")
          .given(When.NEW, "protocol", (vip, view) -> View.protocol(vip.protocol()))
          .copied(When.NEW, "protocol_port")
          .given(
              When.ANY,
              "connection_limit",
              (vip, view) -> vip.connectionLimit() == null ? NO_LIMIT : vip.connectionLimit())
          .given(
              When.ANY, "allowed_cidrs", (vip, view) -> Catalog.VIPS.value(vip, "allowed_sources"))
          .shown(
              "loadbalancers",
              (vip, view) -> View.references(Stream.of(view.balancers().of(vip).id())))
          .given(
              When.ANY,
              "default_pool_id",
              (vip, view) -> view.catalog().poolOfVip(vip.id()).map(Pool::id).orElse(null))
          .refused(HTTP, ImmutableList.of(), "l7policies")
          .refused(HTTP, ImmutableMap.of(), "insert_headers")
          .refused(TLS, ImmutableList.of(), "sni_container_refs")
          .refused(TLS, null, "default_tls_container_ref", "client_ca_tls_container_ref")
          .refused(TLS, null, "client_crl_container_ref", "client_authentication")
          .refused(TLS, null, "tls_ciphers", "tls_versions", "alpn_protocols")
          .refused(TLS, null, "hsts_max_age", "hsts_include_subdomains", "hsts_preload")
          .refused(TIMEOUT, null, "timeout_client_data", "timeout_member_connect")
          .refused(TIMEOUT, null, "timeout_member_data", "timeout_tcp_inspect")
          .filteredBy("protocol", "protocol_port", "default_pool_id", "connection_limit");

  Listeners() {
    super("listener", Catalog.VIPS, ATTRIBUTES, VendorTags.PLACEMENT);
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
            own(changesOfNew(body, Map.of()), body)
                .put("protocol", protocol)
                .put("address", balancer.address().toString())
                .put("vlan", vlanAt(balancer.address(), draft.snapshot()))
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

  /** Octavia has no VLANs; all VIPs of an address have the same. */
  private static @Nullable String vlanAt(IPAddress<?> address, CatalogSnapshot catalog) {
    return catalog.vipsAt(address).stream()
        .filter(vip -> vip.vlan() != 0)
        .findFirst()
        .map(vip -> String.valueOf(vip.vlan()))
        .orElse(null);
  }

  @Override
  void update(CatalogDraft draft, Vip vip, Body body) throws RejectedException {
    draft.update(Catalog.VIPS, vip.id(), own(changes(body), body).fields());
    attachDefaultPool(draft, vip, new BalancerIndex(draft.snapshot()).of(vip), body);
  }

  private static Changes own(Changes changes, Body body) throws RejectedException {
    if (body.has("connection_limit")) {
      @Nullable String limit = body.text("connection_limit");
      changes.put("connection_limit", String.valueOf(NO_LIMIT).equals(limit) ? null : limit);
    }
    if (body.has("allowed_cidrs")) {
      ImmutableList<String> networks = body.texts("allowed_cidrs");
      changes.put("allowed_sources", networks.isEmpty() ? null : String.join(",", networks));
    }
    if (body.has("tags")) {
      changes.put(
          "placement", VendorTags.value(body.texts("tags"), VendorTags.PLACEMENT).orElse(null));
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
  List<String> vendorTags(Vip vip) {
    return vip.placement() == PlacementMode.REACTIVE
        ? List.of()
        : List.of(VendorTags.PLACEMENT + vip.placement().text());
  }
}
