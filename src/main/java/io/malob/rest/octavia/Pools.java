package io.malob.rest.octavia;

import com.google.common.collect.ImmutableBiMap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.rest.octavia.Attributes.When;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogDraft;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Fields;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Monitor;
import io.malob.state.catalog.Persistence;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Pools. Octavia's algorithms are MALOB's weighted ones; the tag {@code malob:algorithm=NAME}
 * chooses any other, and then {@code lb_algorithm} is kept without effect.
 */
final class Pools extends ObjectType<Pool> {
  private static final ImmutableBiMap<String, String> ALGORITHMS =
      ImmutableBiMap.of("ROUND_ROBIN", "WRR+SPH", "LEAST_CONNECTIONS", "LC+SPH");
  private static final String SOURCE_IP = "SOURCE_IP";
  private static final String LB_ALGORITHM = "lb_algorithm";
  private static final String PERSISTENCE = "session_persistence";

  private static final String TLS = "TLS to members is not offered; use TCP";
  private static final Attributes<Pool> ATTRIBUTES =
      new Attributes<>(Catalog.POOLS)
          .hidden(When.NEW, "loadbalancer_id", "listener_id", "healthmonitor")
          .given(When.NEW, "protocol", (pool, view) -> View.protocol(pool.protocol()))
          .given(When.ANY, LB_ALGORITHM, (pool, view) -> Algorithms.shown(pool))
          .given(When.ANY, PERSISTENCE, (pool, view) -> persistence(pool))
          .shown(
              "listeners",
              (pool, view) -> View.references(view.catalog().vipOf(pool).stream().map(Vip::id)))
          .shown(
              "loadbalancers",
              (pool, view) ->
                  View.references(view.balancers().of(pool).stream().map(LoadBalancer::id)))
          .given(
              When.NEW,
              "members",
              (pool, view) ->
                  View.references(view.catalog().membersOfPool(pool.id()).stream().map(Member::id)))
          .shown(
              "healthmonitor_id",
              (pool, view) -> view.catalog().monitorOfPool(pool.id()).map(Monitor::id).orElse(null))
          .refused(TLS, false, "tls_enabled")
          .refused(TLS, ImmutableList.of(), "alpn_protocols", "tls_versions")
          .refused(TLS, null, "tls_container_ref", "ca_tls_container_ref")
          .refused(TLS, null, "crl_container_ref", "tls_ciphers")
          .filteredBy("protocol", "lb_algorithm", "healthmonitor_id");

  Pools() {
    super("pool", Catalog.POOLS, ATTRIBUTES, VendorTags.ALGORITHM);
  }

  @Override
  String create(CatalogDraft draft, Body body) throws RejectedException {
    @Nullable String listenerId = body.text("listener_id");
    @Nullable Vip vip =
        listenerId == null ? null : new Listeners().existing(draft.snapshot(), listenerId);
    LoadBalancer balancer =
        vip == null
            ? new LoadBalancers().existing(draft.snapshot(), loadBalancerId(body))
            : new BalancerIndex(draft.snapshot()).of(vip);
    return create(draft, body, LoadBalancers.stored(draft, balancer), vip);
  }

  private static String loadBalancerId(Body body) throws RejectedException {
    @Nullable String id = body.text("loadbalancer_id");
    if (id == null) {
      throw RejectedException.invalid(
          "loadbalancer_id", "loadbalancer_id or listener_id is required");
    }
    return id;
  }

  /** Adds a pool of a load balancer, and of a listener unless it is null. Returns its id. */
  String create(CatalogDraft draft, Body body, LoadBalancer balancer, @Nullable Vip vip)
      throws RejectedException {
    if (vip != null && draft.snapshot().poolOfVip(vip.id()).isPresent()) {
      throw RejectedException.conflict(
          "listener_id", "listener " + vip.id() + " has a default pool already");
    }
    body.required(LB_ALGORITHM);
    Algorithms algorithms = new Algorithms(body, null);
    Pool pool =
        draft.create(
            Catalog.POOLS,
            with(algorithms, changesOfNew(body, algorithms.kept()), body)
                .put("protocol", protocol(body.required("protocol")))
                .put("vip_id", vip == null ? null : vip.id())
                .put("load_balancer_id", balancer.id())
                .fields());
    new Members(pool.id()).createAll(draft, body.objects("members"));
    Optional<Body> monitor = body.object("healthmonitor");
    if (monitor.isPresent()) {
      HealthMonitors monitors = new HealthMonitors();
      monitors.checkNew(monitor.get());
      monitors.create(draft, monitor.get(), pool.id());
    }
    return pool.id();
  }

  @Override
  void update(CatalogDraft draft, Pool pool, Body body) throws RejectedException {
    Algorithms algorithms = new Algorithms(body, pool);
    Changes changes = with(algorithms, changes(body), body);
    if (algorithms.areGiven()) {
      changes.externalId(pool.notes(), LB_ALGORITHM, algorithms.kept().get(LB_ALGORITHM));
    }
    draft.update(Catalog.POOLS, pool.id(), changes.fields());
  }

  private static Changes with(Algorithms algorithms, Changes changes, Body body)
      throws RejectedException {
    if (algorithms.areGiven()) {
      changes.put("lb_method", algorithms.chosen());
    }
    if (algorithms.bySource) {
      changes.put(PERSISTENCE, SOURCE_IP);
    } else if (algorithms.wasBySource) {
      changes.put(PERSISTENCE, null);
    }
    if (body.has(PERSISTENCE) && !(algorithms.bySource && body.object(PERSISTENCE).isEmpty())) {
      changes.put(PERSISTENCE, persistence(body.object(PERSISTENCE)));
    }
    return changes;
  }

  private static @Nullable String persistence(Optional<Body> given) throws RejectedException {
    if (given.isEmpty()) {
      return null;
    }
    Body body = given.get();
    String type = body.required("type");
    if (type.equals("HTTP_COOKIE") || type.equals("APP_COOKIE")) {
      throw Body.notSupported(
          PERSISTENCE, "HTTP is not interpreted here, so there are no cookies; use SOURCE_IP");
    }
    body.check(
        ImmutableSet.of("type", "persistence_timeout"),
        ImmutableMap.of(
            "cookie_name", "HTTP is not interpreted here, so there are no cookies",
            "persistence_granularity", "each address is a client of its own"));
    @Nullable String timeout = body.text("persistence_timeout");
    return "type=" + type + (timeout == null ? "" : ",timeout=" + timeout);
  }

  private static String protocol(String text) throws RejectedException {
    return switch (text) {
      case "TCP", "UDP" -> text.toLowerCase(Locale.ROOT);
      case "HTTP", "HTTPS", "PROXY", "PROXYV2", "SCTP" ->
          throw Body.notSupported("protocol", "only TCP and UDP are balanced; use TCP");
      default -> throw RejectedException.invalid("protocol", "protocol must be TCP or UDP");
    };
  }

  /** The pool stays with its load balancer when its listener goes. */
  static void detach(CatalogDraft draft, Pool pool) throws RejectedException {
    Optional<LoadBalancer> balancer = new BalancerIndex(draft.snapshot()).of(pool);
    @Nullable String id =
        balancer.isPresent() ? LoadBalancers.stored(draft, balancer.get()).id() : null;
    draft.update(Catalog.POOLS, pool.id(), Fields.of("vip_id", null, "load_balancer_id", id));
  }

  /** Members and health monitor go with their pool. */
  @Override
  void delete(CatalogDraft draft, Pool pool, boolean cascade) throws RejectedException {
    deleteAll(draft, List.of(pool));
  }

  /** Deletes pools with their members and health monitors. */
  static void deleteAll(CatalogDraft draft, List<Pool> pools) throws RejectedException {
    List<String> ids = pools.stream().map(Pool::id).toList();
    CatalogSnapshot now = draft.snapshot();
    draft.deleteAll(
        Catalog.MONITORS,
        ids.stream().flatMap(id -> now.monitorOfPool(id).stream()).map(Monitor::id).toList());
    draft.deleteAll(
        Catalog.MEMBERS,
        ids.stream().flatMap(id -> now.membersOfPool(id).stream()).map(Member::id).toList());
    draft.deleteAll(Catalog.POOLS, ids);
  }

  @Override
  List<String> vendorTags(Pool pool) {
    return Algorithms.tags(pool);
  }

  private static @Nullable Map<String, @Nullable Object> persistence(Pool pool) {
    @Nullable Persistence persistence = pool.persistence();
    if (persistence == null || Algorithms.isBySource(pool)) {
      return null;
    }
    return Json.fields(
        "type",
        SOURCE_IP,
        "persistence_timeout",
        persistence.timeoutSeconds(),
        "persistence_granularity",
        null,
        "cookie_name",
        null);
  }

  /** What a request says of the algorithm, in {@code lb_algorithm} and in a tag. */
  private static final class Algorithms {
    private final @Nullable String named;
    private final @Nullable String tagged;
    private final boolean areGiven;
    final boolean bySource;
    final boolean wasBySource;

    /**
     * Reads a request.
     *
     * @param now the pool that it changes; null for a new one
     */
    Algorithms(Body body, @Nullable Pool now) throws RejectedException {
      areGiven = body.has(LB_ALGORITHM) || body.has("tags");
      ImmutableList<String> tags =
          body.has("tags")
              ? body.texts("tags")
              : now == null ? ImmutableList.of() : ImmutableList.copyOf(tags(now));
      tagged = VendorTags.value(tags, VendorTags.ALGORITHM).orElse(null);
      named = body.has(LB_ALGORITHM) || now == null ? checked(body.text(LB_ALGORITHM)) : shown(now);
      wasBySource = now != null && isBySource(now);
      bySource = areGiven ? SOURCE_IP.equals(named) : wasBySource;
    }

    private static @Nullable String checked(@Nullable String name) throws RejectedException {
      if ("SOURCE_IP_PORT".equals(name)) {
        throw Body.notSupported(
            LB_ALGORITHM, "SOURCE_IP_PORT is not offered; use ROUND_ROBIN, or SOURCE_IP");
      } else if (name != null && !ALGORITHMS.containsKey(name) && !name.equals(SOURCE_IP)) {
        throw RejectedException.invalid(
            LB_ALGORITHM,
            String.format(
                "%s must be ROUND_ROBIN, LEAST_CONNECTIONS or SOURCE_IP; the tag %sNAME chooses"
                    + " MALOB's own",
                LB_ALGORITHM, VendorTags.ALGORITHM));
      }
      return name;
    }

    boolean areGiven() {
      return areGiven;
    }

    /** The catalog's algorithm. */
    @Nullable String chosen() {
      if (tagged != null) {
        return tagged;
      } else if (named == null) {
        return null;
      }
      return named.equals(SOURCE_IP)
          ? ALGORITHMS.get("ROUND_ROBIN")
          : ALGORITHMS.getOrDefault(named, named);
    }

    /** What the catalog's algorithm does not tell. */
    Map<String, String> kept() {
      return named != null && (tagged != null || bySource) ? Map.of(LB_ALGORITHM, named) : Map.of();
    }

    static @Nullable String shown(Pool pool) {
      @Nullable String kept = pool.notes().externalIds().get(LB_ALGORITHM);
      if (kept != null || pool.algorithm() == null) {
        return kept;
      }
      String name = pool.algorithm().name();
      return ALGORITHMS.inverse().getOrDefault(name, name);
    }

    /** Whether clients stay because of {@code lb_algorithm}. */
    static boolean isBySource(Pool pool) {
      return SOURCE_IP.equals(pool.notes().externalIds().get(LB_ALGORITHM));
    }

    static List<String> tags(Pool pool) {
      if (pool.algorithm() == null || ALGORITHMS.containsValue(pool.algorithm().name())) {
        return List.of();
      }
      return List.of(VendorTags.ALGORITHM + pool.algorithm().name());
    }
  }
}
