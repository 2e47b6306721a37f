package io.malob.state.network;

import com.google.common.collect.ImmutableMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a server's agent has reported last. Immutable; null and what is missing are unknown.
 *
 * @param values what it has measured
 * @param answers whether its service answered the agent; null if it was not asked
 * @param connections established TCP connections by local port, however they came
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

  /** When the report was made that all of it is from; null if nothing is known. */
  public @Nullable Long reportedAtNanos() {
    return Stream.concat(values.values().stream(), connections.values().stream())
        .findFirst()
        .map(Measurement::atNanos)
        .orElse(null);
  }
}
