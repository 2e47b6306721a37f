package io.malob.rest;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.malob.json.Json;
import io.malob.state.network.LinkCapacity;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.Measurement;
import io.malob.state.network.ServerMeasurements;
import io.malob.state.network.ServerValue;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Shows values with their age and source: {@code {"value", "age_s", "source"}}, or null for unknown
 * values. Pure.
 *
 * @param nowNanos the present on the clock of measurements
 */
record Measured(long nowNanos) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLISECOND = 1e6;
  private static final Map<String, Double> BELOW =
      Map.of("below_ms", LinkMeasurements.LATENCY_RESOLUTION_NANOS / NANOS_PER_MILLISECOND);

  /**
   * A value as JSON.
   *
   * @param belowMs the resolution that the value is below, as {@code below_ms}; empty if it is not
   */
  record Value(
      double value, double ageS, Enum<?> source, @JsonUnwrapped Map<String, Double> belowMs) {}

  /**
   * One measurement.
   *
   * @param unit the shown unit, in measured units
   */
  @Nullable Value of(@Nullable Measurement measured, double unit) {
    return of(measured, unit, Map.of());
  }

  /** A latency in milliseconds; a latency below the resolution has {@code below_ms} as well. */
  @Nullable Value ofLatency(@Nullable Measurement measured) {
    boolean isBelow =
        measured != null && measured.value() < LinkMeasurements.LATENCY_RESOLUTION_NANOS;
    return of(measured, NANOS_PER_MILLISECOND, isBelow ? BELOW : Map.of());
  }

  private @Nullable Value of(
      @Nullable Measurement measured, double unit, Map<String, Double> belowMs) {
    return measured == null
        ? null
        : new Value(
            Json.rounded(measured.value() / unit),
            ageSeconds(measured.atNanos()),
            measured.source(),
            belowMs);
  }

  /** All measurements of a server, by name. */
  Map<String, @Nullable Value> of(ServerMeasurements known) {
    Map<String, @Nullable Value> values = new LinkedHashMap<>();
    for (ServerValue value : ServerValue.values()) {
      values.put(value.field(), of(known.value(value), value.unit()));
    }
    return values;
  }

  /** A capacity is not measured: its age is 0. */
  static Value of(LinkCapacity capacity, double unit) {
    return new Value(Json.rounded(capacity.bitsPerSecond() / unit), 0, capacity.source(), Map.of());
  }

  /** The age in seconds. */
  double ageSeconds(long atNanos) {
    return Json.rounded(Math.max(0, nowNanos - atNanos) / NANOS_PER_SECOND);
  }
}
