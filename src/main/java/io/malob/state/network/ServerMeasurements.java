package io.malob.state.network;

import com.google.common.collect.ImmutableMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The last report of a server's agent. Immutable; null and missing values are unknown.
 *
 * @param values its measurements
 * @param answers whether its service answered the agent; null if it was not asked
 * @param connections established TCP connections by local port, also those outside VIPs
 */
public record ServerMeasurements(
    ImmutableMap<ServerValue, Measurement> values,
    @Nullable Boolean answers,
    ImmutableMap<Integer, Measurement> connections) {

  /** Nothing is known. */
  public static final ServerMeasurements UNKNOWN =
      new ServerMeasurements(ImmutableMap.of(), null, ImmutableMap.of());

  /** One of the values; null if it is unknown. */
  public @Nullable Measurement value(ServerValue which) {
    return values.get(which);
  }

  /** The time of the report; null if there is none. */
  public @Nullable Long reportedAtNanos() {
    return Stream.concat(values.values().stream(), connections.values().stream())
        .findFirst()
        .map(Measurement::atNanos)
        .orElse(null);
  }
}
