package io.malob.rest;

import com.google.common.collect.ImmutableBiMap;
import io.malob.algorithm.Algorithm;
import io.malob.json.RejectedException;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Persistence;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A pool in OpenStack's form. Its algorithms map to MALOB's weighted ones. */
final class LbaasPool extends LbaasFormat<Pool> {
  private static final ImmutableBiMap<String, String> ALGORITHMS =
      ImmutableBiMap.of("ROUND_ROBIN", "WRR+SPH", "LEAST_CONNECTIONS", "LC+SPH");

  LbaasPool() {
    super(
        "pool",
        Catalog.POOLS,
        "id",
        "name",
        "protocol",
        "lb_algorithm",
        "listener_id",
        "admin_state_up");
  }

  @Override
  Map<String, @Nullable String> read(Map<String, @Nullable String> given) throws RejectedException {
    checkIsUp(given);
    Map<String, @Nullable String> fields = new LinkedHashMap<>();
    copy(given, "id", fields, "id");
    copy(given, "name", fields, "name");
    copy(given, "protocol", fields, "protocol");
    copy(given, "listener_id", fields, "vip_id");
    if (given.containsKey("lb_algorithm")) {
      @Nullable String algorithm = given.get("lb_algorithm");
      fields.put(
          "lb_method", algorithm == null ? null : ALGORITHMS.getOrDefault(algorithm, algorithm));
    }
    return fields;
  }

  @Override
  Map<String, @Nullable Object> shown(Pool pool, CatalogSnapshot catalog, LbaasStatus status) {
    @Nullable Vip vip = catalog.vipOf(pool).orElse(null);
    @Nullable Algorithm algorithm = pool.algorithm();
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("id", pool.id());
    shown.put("name", pool.name());
    shown.put(
        "protocol",
        pool.protocol() == null ? null : pool.protocol().text().toUpperCase(Locale.ROOT));
    shown.put(
        "lb_algorithm",
        algorithm == null
            ? null
            : ALGORITHMS.inverse().getOrDefault(algorithm.name(), algorithm.name()));
    shown.put("listeners", references(vip == null ? List.of() : List.of(vip.id())));
    shown.put(
        "loadbalancers", references(vip == null ? List.of() : List.of(vip.address().toString())));
    shown.put(
        "members",
        references(
            catalog.membersOfPool(pool.id()).stream()
                .map(Member::id)
                .collect(Collectors.toList())));
    shown.put("healthmonitor_id", null);
    shown.put("session_persistence", persistence(pool.persistence()));
    shown.put("admin_state_up", true);
    shown.put("provisioning_status", "ACTIVE");
    shown.put("operating_status", status.of(pool));
    return shown;
  }

  private static @Nullable Map<String, Object> persistence(@Nullable Persistence persistence) {
    return persistence == null
        ? null
        : Map.of("type", "SOURCE_IP", "persistence_timeout", persistence.timeoutSeconds());
  }
}
