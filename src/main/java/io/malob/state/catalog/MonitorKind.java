package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rules for health monitors. */
final class MonitorKind extends CatalogKind<Monitor> {
  private static final int LIMIT = 65_535;
  private static final int DELAY_SECONDS = 5;
  private static final int TIMEOUT_SECONDS = 2;
  private static final int AGENT_SECONDS = 5;
  private static final int RISE = 2;
  private static final int FALL = 3;

  MonitorKind() {
    super(
        "health monitor",
        "health_monitors",
        LIMIT,
        "id",
        "name",
        "type",
        "pool_id",
        "delay",
        "timeout",
        "rise",
        "attempts_before_deactivation",
        "port",
        "on_down",
        "http_method",
        "url_path",
        "expected_codes",
        "expected_body",
        "admin_state",
        Notes.DESCRIPTION,
        Notes.TAGS,
        Notes.EXTERNAL_IDS);
  }

  @Override
  public Map<String, Monitor> in(CatalogSnapshot snapshot) {
    return snapshot.monitors();
  }

  @Override
  Monitor read(FieldReader fields, String id, int number, @Nullable Monitor now)
      throws RejectedException {
    int delay =
        fields.optional(
            "delay", now == null ? null : now.delaySeconds(), FieldFormat::seconds, DELAY_SECONDS);
    Monitor.Type type =
        fields.required("type", now == null ? null : now.type(), FieldFormat::monitorType);
    return new Monitor(
        id,
        fields.name(now == null ? null : now.name(), id),
        fields.optional("pool_id", now == null ? null : now.poolId(), FieldFormat::id),
        type,
        delay,
        fields.optional(
            "timeout",
            now == null ? null : now.timeoutSeconds(),
            FieldFormat::seconds,
            type == Monitor.Type.AGENT ? AGENT_SECONDS : Math.min(delay, TIMEOUT_SECONDS)),
        fields.optional("rise", now == null ? null : now.rise(), FieldFormat::attempts, RISE),
        fields.optional(
            "attempts_before_deactivation",
            now == null ? null : now.fall(),
            FieldFormat::attempts,
            FALL),
        fields.optional("port", now == null ? null : now.port(), FieldFormat::tcpPort),
        fields.optional(
            "on_down",
            now == null ? null : now.onDown(),
            (field, text) -> FieldFormat.oneOf(Monitor.OnDown.class, field, text),
            Monitor.OnDown.RESET),
        http(fields, type, now),
        fields.optional(
            "admin_state",
            now == null ? null : now.adminState(),
            FieldFormat::upOrDown,
            AdminState.UP),
        Notes.read(fields, now == null ? null : now.notes()));
  }

  /** Fields that do not apply to other types must be null. */
  private static @Nullable HttpCheck http(
      FieldReader fields, Monitor.Type type, @Nullable Monitor now) throws RejectedException {
    if (type == Monitor.Type.HTTP) {
      return HttpCheck.read(fields, now == null ? null : now.http());
    }
    for (String field : List.of("http_method", "url_path", "expected_codes", "expected_body")) {
      if (fields.optional(field, null, FieldFormat::name) != null) {
        throw RejectedException.invalid(field, field + " is for monitors of type HTTP only");
      }
    }
    return null;
  }

  @Override
  CatalogTables with(CatalogTables tables, Collection<Monitor> items, int lastNumber) {
    return tables.withMonitors(CatalogTables.plus(tables.monitors(), items));
  }

  @Override
  CatalogTables without(CatalogTables tables, Collection<Monitor> items) {
    return tables.withMonitors(CatalogTables.minus(tables.monitors(), items));
  }

  @Override
  void check(CatalogSnapshot candidate, Monitor monitor) throws RejectedException {
    // an agent may report less often than its member is checked
    if (monitor.type() != Monitor.Type.AGENT && monitor.timeoutSeconds() > monitor.delaySeconds()) {
      throw RejectedException.invalid(
          "timeout",
          "timeout must not be longer than delay, which is " + monitor.delaySeconds() + " s");
    }
    String poolId = monitor.poolId();
    if (poolId == null) {
      return;
    }
    if (!candidate.pools().containsKey(poolId)) {
      throw RejectedException.unprocessable("pool_id", "there is no pool " + poolId);
    }
    for (Monitor other : candidate.monitorsOfPool(poolId)) {
      if (!other.id().equals(monitor.id())) {
        throw RejectedException.conflict(
            "pool_id", "pool " + poolId + " has a health monitor already: " + other.id());
      }
    }
  }
}
