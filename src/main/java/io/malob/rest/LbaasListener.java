package io.malob.rest;

import io.malob.json.RejectedException;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Vip;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A VIP as a listener: its load balancer is the address. */
final class LbaasListener extends LbaasFormat<Vip> {
  LbaasListener() {
    super(
        "listener",
        Catalog.VIPS,
        "id",
        "name",
        "protocol",
        "protocol_port",
        "loadbalancer_id",
        "admin_state_up");
  }

  @Override
  Map<String, @Nullable String> read(Map<String, @Nullable String> given) throws RejectedException {
    checkIsUp(given);
    Map<String, @Nullable String> fields = new LinkedHashMap<>();
    copy(given, "id", fields, "id");
    copy(given, "name", fields, "name");
    copy(given, "protocol", fields, "protocol");
    copy(given, "protocol_port", fields, "port");
    copy(given, "loadbalancer_id", fields, "address");
    return fields;
  }

  @Override
  Map<String, @Nullable Object> shown(Vip vip, CatalogSnapshot catalog, LbaasStatus status) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("id", vip.id());
    shown.put("name", vip.name());
    shown.put(
        "protocol", vip.protocol() == null ? null : vip.protocol().text().toUpperCase(Locale.ROOT));
    shown.put("protocol_port", vip.port());
    shown.put("loadbalancers", references(List.of(vip.address().toString())));
    shown.put("default_pool_id", catalog.poolOfVip(vip.id()).map(Pool::id).orElse(null));
    shown.put("admin_state_up", true);
    shown.put("provisioning_status", "ACTIVE");
    shown.put("operating_status", status.of(vip));
    return shown;
  }
}
