package io.malob.state.network;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a server's agent has reported last. Immutable; null and a missing port are unknown.
 *
 * @param cpuFraction use of its processors over the agent's last interval, from 0 to 1
 * @param responseNanos how long its service takes to answer, as the agent has tried it
 * @param answers whether its service answered the agent; null if it was not asked
 * @param connections established TCP connections by local port, however they came
 */
public record ServerMeasurements(
    @Nullable Measurement cpuFraction,
    @Nullable Measurement responseNanos,
    @Nullable Boolean answers,
    ImmutableMap<Integer, Measurement> connections) {

  /** Nothing is known. */
  public static final ServerMeasurements UNKNOWN =
      new ServerMeasurements(null, null, null, ImmutableMap.of());

  /** When the report was made that all of it is from; null if nothing is known. */
  public @Nullable Long reportedAtNanos() {
    return Stream.concat(
            Stream.of(Optional.ofNullable(cpuFraction), Optional.ofNullable(responseNanos))
                .flatMap(Optional::stream),
            connections.values().stream())
        .findFirst()
        .map(Measurement::atNanos)
        .orElse(null);
  }
}
