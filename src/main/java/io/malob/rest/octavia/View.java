package io.malob.rest.octavia;

import io.malob.balancer.api.IBalancerService;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Protocol;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What an answer shows: the catalog and the state of its items at one moment. Immutable.
 *
 * @param catalog the catalog
 * @param balancers its load balancers
 * @param statuses the operating statuses
 * @param provisioningStatus that of all objects: the balancer puts a catalog in force as a whole
 */
record View(
    CatalogSnapshot catalog,
    BalancerIndex balancers,
    Statuses statuses,
    String provisioningStatus) {
  static View of(IBalancerService balancer) {
    return of(balancer, balancer.catalog().snapshot());
  }

  /** The state of what this catalog has. */
  static View of(IBalancerService balancer, CatalogSnapshot catalog) {
    BalancerIndex balancers = new BalancerIndex(catalog);
    return new View(
        catalog,
        balancers,
        new Statuses(catalog, balancers, balancer.memberStats()),
        switch (balancer.catalogEffect()) {
          case IN_FORCE -> "ACTIVE";
          case PENDING -> "PENDING_UPDATE";
          case FAILED -> "ERROR";
        });
  }

  /** Ids as they are shown in references: each in an object of its own. */
  static List<Map<String, String>> references(Stream<String> ids) {
    return ids.map(id -> Map.of("id", id)).toList();
  }

  /** A protocol by its name here; null for none. */
  static @Nullable String protocol(@Nullable Protocol protocol) {
    return protocol == null ? null : protocol.name();
  }
}
