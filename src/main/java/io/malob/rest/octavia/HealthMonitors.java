package io.malob.rest.octavia;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.json.RejectedException;
import io.malob.state.catalog.AdminState;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogDraft;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.HttpCheck;
import io.malob.state.catalog.Monitor;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Health monitors. */
final class HealthMonitors extends ObjectType<Monitor> {
  private static final String VERSION = "1.1";

  HealthMonitors() {
    super(
        "healthmonitor",
        ImmutableSet.of("type", "pool_id"),
        ImmutableSet.of(
            "delay",
            "timeout",
            "max_retries",
            "max_retries_down",
            "http_method",
            "url_path",
            "expected_codes",
            "http_version"),
        ImmutableMap.of("domain_name", "checks name the member's address as their host"));
  }

  @Override
  Collection<Monitor> all(CatalogSnapshot catalog) {
    return catalog.monitors().values();
  }

  @Override
  Optional<Monitor> find(CatalogSnapshot catalog, String id) {
    return Catalog.MONITORS.find(catalog, id);
  }

  @Override
  String create(CatalogDraft draft, Body body) throws RejectedException {
    return create(draft, body, body.required("pool_id"));
  }

  /** Adds a health monitor of a pool. Returns its id. */
  String create(CatalogDraft draft, Body body, String poolId) throws RejectedException {
    new Pools().existing(draft.snapshot(), poolId);
    for (String name : List.of("delay", "timeout", "max_retries")) {
      body.required(name);
    }
    return draft
        .create(
            Catalog.MONITORS,
            changes(body)
                .put("pool_id", poolId)
                .put("type", type(body.required("type")))
                .ofNew(Map.of(), "project_id")
                .fields())
        .id();
  }

  private static String type(String type) throws RejectedException {
    return switch (type) {
      case "PING", "TCP", "HTTP" -> type;
      case "HTTPS", "TLS-HELLO", "UDP-CONNECT", "SCTP" ->
          throw Body.notSupported(
              "type", "there are no checks of type " + type + ", only PING, TCP and HTTP");
      default -> throw RejectedException.invalid("type", "type must be PING, TCP or HTTP");
    };
  }

  @Override
  void update(CatalogDraft draft, Monitor monitor, Body body) throws RejectedException {
    draft.update(Catalog.MONITORS, monitor.id(), changes(body).fields());
  }

  private static Changes changes(Body body) throws RejectedException {
    VendorTags.check(body.texts("tags"), List.of());
    @Nullable String version = body.text("http_version");
    if (version != null && !version.equals(VERSION)) {
      throw Body.notSupported("http_version", "checks send HTTP/" + VERSION);
    }
    return new Changes(body)
        .name()
        .copy("description")
        .copy("delay")
        .copy("timeout")
        .copy("max_retries", "rise")
        .copy("max_retries_down", "attempts_before_deactivation")
        .copy("http_method")
        .copy("url_path")
        .copy("expected_codes")
        .adminState()
        .tags();
  }

  @Override
  void delete(CatalogDraft draft, Monitor monitor, boolean cascade) throws RejectedException {
    draft.delete(Catalog.MONITORS, monitor.id());
  }

  @Override
  Map<String, @Nullable Object> shown(Monitor monitor, View view) {
    @Nullable HttpCheck http = monitor.http();
    @Nullable String poolId = monitor.poolId();
    Map<String, @Nullable Object> shown = named(monitor.id(), monitor.name(), monitor.notes());
    shown.remove("description"); // Octavia's health monitors have none
    shown.put("type", monitor.type().toString());
    shown.put("delay", monitor.delaySeconds());
    shown.put("timeout", monitor.timeoutSeconds());
    shown.put("max_retries", monitor.rise());
    shown.put("max_retries_down", monitor.fall());
    shown.put("http_method", http == null ? null : http.method().toString());
    shown.put("url_path", http == null ? null : http.path());
    shown.put("expected_codes", http == null ? null : http.codes().toString());
    shown.put("http_version", http == null ? null : Double.valueOf(VERSION));
    shown.put("domain_name", null);
    shown.put("pool_id", poolId);
    shown.put("pools", View.references(poolId == null ? List.of() : List.of(poolId)));
    addCommon(
        shown,
        monitor.notes(),
        List.of(),
        monitor.adminState() == AdminState.UP,
        view.provisioningStatus(),
        view.statuses().of(monitor));
    return shown;
  }
}
