package io.malob.rest.octavia;

import io.malob.json.RejectedException;
import io.malob.rest.octavia.Attributes.When;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogDraft;
import io.malob.state.catalog.Monitor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Health monitors. */
final class HealthMonitors extends ObjectType<Monitor> {
  private static final String VERSION = "1.1";

  private static final Attributes<Monitor> ATTRIBUTES =
      new Attributes<>(Catalog.MONITORS)
          .given(When.NEW, "type", (monitor, view) -> monitor.type().toString())
          .copied(When.ANY, "delay", "timeout", "max_retries", "max_retries_down")
          .copied(When.ANY, "http_method", "url_path", "expected_codes")
          .given(
              When.ANY,
              "http_version",
              (monitor, view) -> monitor.http() == null ? null : Double.valueOf(VERSION))
          .refused("checks name the member's address as their host", null, "domain_name")
          .given(When.NEW, "pool_id", (monitor, view) -> monitor.poolId())
          .shown(
              "pools",
              (monitor, view) -> View.references(Optional.ofNullable(monitor.poolId()).stream()))
          .filteredBy(
              "type",
              "delay",
              "timeout",
              "max_retries",
              "http_method",
              "url_path",
              "expected_codes");

  HealthMonitors() {
    super("healthmonitor", Catalog.MONITORS, ATTRIBUTES);
  }

  @Override
  boolean hasDescription() {
    return false;
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
            changesOfNew(checked(body), Map.of())
                .put("pool_id", poolId)
                .put("type", type(body.required("type")))
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
    draft.update(Catalog.MONITORS, monitor.id(), changes(checked(body)).fields());
  }

  private static Body checked(Body body) throws RejectedException {
    @Nullable String version = body.text("http_version");
    if (version != null && !version.equals(VERSION)) {
      throw Body.notSupported("http_version", "checks send HTTP/" + VERSION);
    }
    return body;
  }
}
