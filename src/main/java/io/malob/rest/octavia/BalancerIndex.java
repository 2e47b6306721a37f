package io.malob.rest.octavia;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.LoadBalancer;
import io.malob.state.catalog.Notes;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The load balancers of a catalog: those that it has, and one for each other address of VIPs.
 * Immutable; made in time proportional to the catalog.
 */
final class BalancerIndex {
  private final CatalogSnapshot catalog;
  private final ImmutableMap<IPAddress<?>, LoadBalancer> byAddress;
  private final ImmutableMap<String, LoadBalancer> byId;
  private final ImmutableListMultimap<String, Pool> pools;

  BalancerIndex(CatalogSnapshot catalog) {
    this.catalog = catalog;
    Map<IPAddress<?>, LoadBalancer> all = new LinkedHashMap<>();
    catalog.loadBalancers().values().forEach(stored -> all.put(stored.address(), stored));
    for (Vip vip : catalog.vips().values()) {
      all.computeIfAbsent(vip.address(), address -> unstored(address, catalog));
    }
    byAddress = ImmutableMap.copyOf(all);
    byId = Maps.uniqueIndex(byAddress.values(), LoadBalancer::id);
    ImmutableListMultimap.Builder<String, Pool> poolsOf = ImmutableListMultimap.builder();
    for (Pool pool : catalog.pools().values()) {
      of(pool).ifPresent(balancer -> poolsOf.put(balancer.id(), pool));
    }
    pools = poolsOf.build();
  }

  /**
   * The load balancer for VIPs at an address. Its id depends on the address only, unless a stored
   * load balancer that has moved to another address has that id.
   */
  private static LoadBalancer unstored(IPAddress<?> address, CatalogSnapshot catalog) {
    String text = address.toString();
    String id = id(text);
    for (int i = 2; catalog.loadBalancers().containsKey(id); i++) {
      id = id(text + " " + i);
    }
    return new LoadBalancer(id, text, address, AdminState.UP, Notes.NONE);
  }

  private static String id(String text) {
    return UUID.nameUUIDFromBytes(("malob " + text).getBytes(StandardCharsets.UTF_8)).toString();
  }

  /** All of them, those of the catalog first. */
  ImmutableCollection<LoadBalancer> all() {
    return byId.values();
  }

  /** The one with that id; empty if there is none. */
  Optional<LoadBalancer> find(String id) {
    return Optional.ofNullable(byId.get(id));
  }

  /**
   * The one of a VIP of the catalog.
   *
   * @throws NoSuchElementException if the catalog has no VIP at its address
   */
  LoadBalancer of(Vip vip) {
    return Optional.ofNullable(byAddress.get(vip.address())).orElseThrow();
  }

  /** The one of a pool; empty if it has none. */
  Optional<LoadBalancer> of(Pool pool) {
    Optional<Vip> vip = catalog.vipOf(pool);
    @Nullable String id = pool.loadBalancerId();
    return vip.isPresent() || id == null ? vip.map(this::of) : find(id);
  }

  /** The listeners of a load balancer. */
  List<Vip> vips(LoadBalancer balancer) {
    return catalog.vipsAt(balancer.address());
  }

  /** The pools of a load balancer, also those without a listener. */
  ImmutableList<Pool> pools(LoadBalancer balancer) {
    return pools.get(balancer.id());
  }
}
