package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The rules for health monitors. */
final class MonitorKind extends CatalogKind<Monitor> {
  private static final int LIMIT = 65_535;
  private static final int TIMEOUT_SECONDS = 2;
  private static final int AGENT_SECONDS = 5;

  private static final FieldFormat<Integer> SECONDS = FieldFormat.whole(1, Monitor.MAX_SECONDS);
  private static final FieldFormat<Integer> ATTEMPTS = FieldFormat.whole(1, Monitor.MAX_ATTEMPTS);

  private final Field<Monitor, String> name = field("name", Monitor::name, FieldFormat.NAME);
  private final Field<Monitor, Monitor.Type> type =
      required(
          "type",
          Monitor::type,
          FieldFormat.oneOf(Monitor.Type.class).reading(MonitorKind::withoutSynonym));
  private final Field<Monitor, String> pool = reference("pool_id", Monitor::poolId, "pools");
  private final Field<Monitor, Integer> delay = field("delay", Monitor::delaySeconds, SECONDS, 5);
  private final Field<Monitor, Integer> timeout =
      field("timeout", Monitor::timeoutSeconds, SECONDS);
  private final Field<Monitor, Integer> rise = field("rise", Monitor::rise, ATTEMPTS, 2);
  private final Field<Monitor, Integer> fall =
      field("attempts_before_deactivation", Monitor::fall, ATTEMPTS, 3);
  private final Field<Monitor, Integer> port = field("port", Monitor::port, FieldFormat.TCP_PORT);
  private final Field<Monitor, Monitor.OnDown> onDown =
      field(
          "on_down",
          Monitor::onDown,
          FieldFormat.oneOf(Monitor.OnDown.class),
          Monitor.OnDown.RESET);
  private final Field<Monitor, HttpCheck.Method> httpMethod =
      http("http_method", HttpCheck::method, FieldFormat.oneOf(HttpCheck.Method.class));
  private final Field<Monitor, String> urlPath = http("url_path", HttpCheck::path, HttpCheck.PATH);
  private final Field<Monitor, StatusCodes> expectedCodes =
      http("expected_codes", HttpCheck::codes, StatusCodes.FORMAT);
  private final Field<Monitor, String> expectedBody =
      http("expected_body", HttpCheck::body, HttpCheck.BODY);
  private final Field<Monitor, AdminState> adminState =
      field("admin_state", Monitor::adminState, FieldFormat.UP_OR_DOWN, AdminState.UP);
  private final Notes.Group<Monitor> notes = notes(Monitor::notes);

  MonitorKind() {
    super("health monitor", "health_monitors", LIMIT, false);
  }

  /** A type by its name here instead of Floodlight's name or number. */
  private static String withoutSynonym(String text) {
    return switch (text.toUpperCase(Locale.ROOT)) {
      case "ICMP", "1" -> Monitor.Type.PING.toString();
      case "6" -> Monitor.Type.TCP.toString();
      default -> text;
    };
  }

  @Override
  Monitor read(FieldReader<Monitor> fields) throws RejectedException {
    int seconds = fields.get(delay);
    Monitor.Type check = fields.get(type);
    int usualTimeout =
        check == Monitor.Type.AGENT ? AGENT_SECONDS : Math.min(seconds, TIMEOUT_SECONDS);
    return new Monitor(
        fields.id(),
        fields.name(name),
        fields.find(pool),
        check,
        seconds,
        fields.get(timeout, usualTimeout),
        fields.get(rise),
        fields.get(fall),
        fields.find(port),
        fields.get(onDown),
        http(fields, check),
        fields.get(adminState),
        notes.read(fields));
  }

  /** A field of HTTP checks, which is null for other types. */
  private <V> Field<Monitor, V> http(
      String name, Function<HttpCheck, @Nullable V> getter, FieldFormat<V> format) {
    return field(
        name, monitor -> monitor.http() == null ? null : getter.apply(monitor.http()), format);
  }

  /** Fields that do not apply to other types must be null. */
  private @Nullable HttpCheck http(FieldReader<Monitor> fields, Monitor.Type type)
      throws RejectedException {
    if (type != Monitor.Type.HTTP) {
      for (Field<Monitor, ?> field : List.of(httpMethod, urlPath, expectedCodes, expectedBody)) {
        fields.refuse(field, " is for monitors of type HTTP only");
      }
      return null;
    }
    return new HttpCheck(
        fields.get(httpMethod, HttpCheck.Method.GET),
        fields.get(urlPath, "/"),
        fields.get(expectedCodes, StatusCodes.of(200)),
        fields.find(expectedBody));
  }

  @Override
  void check(CatalogSnapshot candidate, Monitor monitor) throws RejectedException {
    // an agent may report less often than its member is checked
    if (monitor.type() != Monitor.Type.AGENT && monitor.timeoutSeconds() > monitor.delaySeconds()) {
      throw RejectedException.invalid(
          "timeout",
          "timeout must not be longer than delay, which is " + monitor.delaySeconds() + " s");
    }
    checkReference(candidate, monitor, pool);
    String poolId = monitor.poolId();
    if (poolId == null) {
      return;
    }
    for (Monitor other : candidate.monitorsOfPool(poolId)) {
      if (!other.id().equals(monitor.id())) {
        throw RejectedException.conflict(
            "pool_id", "pool " + poolId + " has a health monitor already: " + other.id());
      }
    }
  }
}
