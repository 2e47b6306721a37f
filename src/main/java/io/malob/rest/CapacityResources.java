package io.malob.rest;

import com.google.common.collect.ImmutableSet;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.state.network.ConfiguredCapacities;
import io.malob.state.network.PortId;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The capacities that operators set: one for each port that sends into a link. Safe for use by
 * several threads.
 */
record CapacityResources(ConfiguredCapacities capacities) {
  private static final double MEGA = 1e6;
  private static final double MAX_MBPS = ConfiguredCapacities.MAX_BPS / MEGA;

  private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,9})?");
  private static final ImmutableSet<String> FIELDS = ImmutableSet.of("switch", "port", "mbps");

  /** All configured ones. */
  Reply list(Call call) {
    return Reply.ok(
        capacities.all().entrySet().stream()
            .map(entry -> shown(entry.getKey(), entry.getValue()))
            .toList());
  }

  /** Sets the capacity of a port that has none. */
  Reply create(Call call) throws IOException, RejectedException {
    JsonInput<RejectedException> fields = call.json().only(FIELDS);
    PortId port = port(text(fields.get("switch")), text(fields.get("port")));
    double bitsPerSecond = bitsPerSecond(text(fields.get("mbps")));
    // of two simultaneous requests the later one wins, like a PUT
    @Nullable Double now = capacities.all().get(port);
    if (now == null) {
      Reply reply = set(port, bitsPerSecond);
      return Reply.created(reply.body(), call, port.switchId() + "/" + port.port());
    }
    if (now != bitsPerSecond) {
      throw RejectedException.conflict(
          "port", port + " has a capacity of " + now / MEGA + " Mbit/s already; PUT changes it");
    }
    return Reply.ok(shown(port, bitsPerSecond));
  }

  /** Shows the capacity of a port. */
  Reply show(Call call) throws RejectedException {
    PortId port = port(call);
    return Reply.ok(shown(port, found(port, capacities.all().get(port))));
  }

  /** Sets the capacity of a port. */
  Reply put(Call call) throws IOException, RejectedException {
    PortId port = port(call);
    JsonInput<RejectedException> fields = call.json().only(FIELDS);
    checkSame(fields, port);
    return set(port, bitsPerSecond(text(fields.get("mbps"))));
  }

  private Reply set(PortId port, double bitsPerSecond) throws RejectedException {
    try {
      Optional<Double> before = capacities.set(port, bitsPerSecond);
      Object body = shown(port, bitsPerSecond);
      return before.isPresent() ? Reply.ok(body) : Reply.created(body);
    } catch (IllegalStateException e) {
      throw RejectedException.unprocessable(null, String.valueOf(e.getMessage()));
    }
  }

  /** Removes the capacity of a port. */
  Reply delete(Call call) throws RejectedException {
    PortId port = port(call);
    return Reply.ok(shown(port, found(port, capacities.remove(port).orElse(null))));
  }

  private static double found(PortId port, @Nullable Double bitsPerSecond)
      throws RejectedException {
    if (bitsPerSecond == null) {
      throw RejectedException.notFound("no capacity is set for " + port);
    }
    return bitsPerSecond;
  }

  /** The shown fields may be sent back unchanged. */
  private static void checkSame(JsonInput<RejectedException> fields, PortId port)
      throws RejectedException {
    JsonInput<RejectedException> switchId = fields.get("switch");
    if (switchId.isThere()
        && !ParameterFormat.switchId("switch", text(switchId)).equals(port.switchId())) {
      throw RejectedException.invalid("switch", "switch differs from the one in the URL");
    }
    JsonInput<RejectedException> number = fields.get("port");
    if (number.isThere() && !ParameterFormat.switchPort("port", text(number)).equals(port.port())) {
      throw RejectedException.invalid("port", "port differs from the one in the URL");
    }
  }

  private static String text(JsonInput<RejectedException> value) throws RejectedException {
    return value.text().strip();
  }

  private static PortId port(Call call) throws RejectedException {
    return port(call.variable("switch"), call.variable("port"));
  }

  private static PortId port(String switchId, String port) throws RejectedException {
    return new PortId(
        ParameterFormat.switchId("switch", switchId), ParameterFormat.switchPort("port", port));
  }

  private static double bitsPerSecond(String text) throws RejectedException {
    double mbps = DECIMAL.matcher(text).matches() ? Double.parseDouble(text) : 0;
    if (!ConfiguredCapacities.isPossible(mbps * MEGA)) {
      throw RejectedException.invalid(
          "mbps",
          String.format(
              "mbps must be a number above 0 and up to %.0f, not \"%s\"", MAX_MBPS, text));
    }
    return mbps * MEGA;
  }

  private static Map<String, Object> shown(PortId port, double bitsPerSecond) {
    return Json.fields(
        "switch", port.switchId().toString(),
        "port", Integer.toUnsignedLong(port.port().getPortNumber()),
        "mbps", bitsPerSecond / MEGA);
  }
}
