package io.malob.rest;

import com.google.common.collect.ImmutableSet;
import io.malob.state.network.ConfiguredCapacities;
import io.malob.state.network.PortId;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The capacities that operators set: one for each port that sends into a link. Safe for use by
 * several threads.
 */
final class CapacityResources {
  private static final Logger LOG = LoggerFactory.getLogger(CapacityResources.class);
  private static final double MEGA = 1e6;
  private static final double MOST_MBPS = ConfiguredCapacities.MOST_BPS / MEGA;

  private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,9})?");
  private static final ImmutableSet<String> FIELDS = ImmutableSet.of("switch", "port", "mbps");

  private final ConfiguredCapacities capacities;

  CapacityResources(ConfiguredCapacities capacities) {
    this.capacities = capacities;
  }

  /** Answers a request to what is below {@code /capacities}. */
  Reply answer(String method, List<String> path, RequestBody body)
      throws IOException, RefusedException {
    return switch (path.size()) {
      case 0 -> collection(method, body);
      case 2 -> item(method, port(path.get(0), path.get(1)), body);
      default ->
          throw new RefusedException(404, "a capacity is at /capacities/{switch}/{port}", null);
    };
  }

  private Reply collection(String method, RequestBody body) throws IOException, RefusedException {
    return switch (method) {
      case "GET" ->
          Reply.ok(
              capacities.all().entrySet().stream()
                  .map(entry -> shown(entry.getKey(), entry.getValue()))
                  .collect(Collectors.toList()));
      case "POST" -> create(read(body));
      default -> throw RefusedException.method(method, "GET", "POST");
    };
  }

  private Reply create(Map<String, @Nullable Object> fields) throws RefusedException {
    PortId port = port(required(fields, "switch"), required(fields, "port"));
    double bitsPerSecond = bitsPerSecond(required(fields, "mbps"));
    // of two at the very same time the later one wins, as if it were a PUT
    @Nullable Double now = capacities.all().get(port);
    if (now == null) {
      return set(port, bitsPerSecond);
    }
    if (now != bitsPerSecond) {
      throw new RefusedException(
          409,
          port + " has a capacity of " + now / MEGA + " Mbit/s already; PUT changes it",
          "port");
    }
    return Reply.ok(shown(port, bitsPerSecond));
  }

  private Reply item(String method, PortId port, RequestBody body)
      throws IOException, RefusedException {
    return switch (method) {
      case "GET" -> Reply.ok(shown(port, found(port, capacities.all().get(port))));
      case "PUT" -> {
        Map<String, @Nullable Object> fields = read(body);
        checkSame(fields, port);
        yield set(port, bitsPerSecond(required(fields, "mbps")));
      }
      case "DELETE" -> delete(port);
      default -> throw RefusedException.method(method, "GET", "PUT", "DELETE");
    };
  }

  private Reply set(PortId port, double bitsPerSecond) throws RefusedException {
    try {
      Optional<Double> before = capacities.set(port, bitsPerSecond);
      Object body = shown(port, bitsPerSecond);
      return before.isPresent() ? Reply.ok(body) : Reply.created(body);
    } catch (IllegalStateException e) {
      throw new RefusedException(422, String.valueOf(e.getMessage()), null);
    } catch (IOException e) {
      throw notStored(e);
    }
  }

  private Reply delete(PortId port) throws RefusedException {
    try {
      return Reply.ok(shown(port, found(port, capacities.remove(port).orElse(null))));
    } catch (IOException e) {
      throw notStored(e);
    }
  }

  private static RefusedException notStored(IOException e) {
    LOG.error("capacities_not_stored why=\"{}\"", e.toString());
    return new RefusedException(500, "the change could not be stored; the log says why", null);
  }

  private static double found(PortId port, @Nullable Double bitsPerSecond) throws RefusedException {
    if (bitsPerSecond == null) {
      throw new RefusedException(404, "no capacity is set for " + port, null);
    }
    return bitsPerSecond;
  }

  private static Map<String, @Nullable Object> read(RequestBody body)
      throws IOException, RefusedException {
    Map<String, @Nullable Object> fields = JsonFields.read(body.bytes(), name -> name);
    for (String name : fields.keySet()) {
      if (!FIELDS.contains(name)) {
        throw new RefusedException(
            400,
            "there is no field \"" + name + "\" here, only " + String.join(", ", FIELDS),
            name);
      }
    }
    return fields;
  }

  /** What is shown can be sent back as it is. */
  private static void checkSame(Map<String, @Nullable Object> fields, PortId port)
      throws RefusedException {
    boolean sameSwitch =
        !fields.containsKey("switch")
            || ParameterFormat.switchId("switch", required(fields, "switch"))
                .equals(port.switchId());
    if (!sameSwitch
        || (fields.containsKey("port")
            && !ParameterFormat.switchPort("port", required(fields, "port")).equals(port.port()))) {
      String field = sameSwitch ? "port" : "switch";
      throw new RefusedException(400, field + " is not the one in the URL", field);
    }
  }

  private static String required(Map<String, @Nullable Object> fields, String name)
      throws RefusedException {
    if (fields.get(name) instanceof String text) {
      return text.strip();
    }
    throw new RefusedException(400, name + " is required, as one value", name);
  }

  private static PortId port(String switchId, String port) throws RefusedException {
    return new PortId(
        ParameterFormat.switchId("switch", switchId), ParameterFormat.switchPort("port", port));
  }

  private static double bitsPerSecond(String text) throws RefusedException {
    double mbps = DECIMAL.matcher(text).matches() ? Double.parseDouble(text) : 0;
    if (!ConfiguredCapacities.isPossible(mbps * MEGA)) {
      throw new RefusedException(
          400,
          String.format(
              "mbps must be a number above 0 and up to %.0f, not \"%s\"", MOST_MBPS, text),
          "mbps");
    }
    return mbps * MEGA;
  }

  private static Map<String, Object> shown(PortId port, double bitsPerSecond) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("switch", port.switchId().toString());
    line.put("port", Integer.toUnsignedLong(port.port().getPortNumber()));
    line.put("mbps", bitsPerSecond / MEGA);
    return line;
  }
}
