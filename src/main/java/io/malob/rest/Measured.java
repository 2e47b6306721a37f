package io.malob.rest;

import io.malob.state.network.LinkCapacity;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.Measurement;
import io.malob.state.network.ServerMeasurements;
import io.malob.state.network.ServerValue;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Shows values with their age and source: {@code {"value", "age_s", "source"}}, or null for unknown
 * values. Pure.
 *
 * @param nowNanos the present on the clock of measurements
 */
record Measured(long nowNanos) {
  private static final double THOUSANDTHS = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLISECOND = 1e6;

  /**
   * One measurement.
   *
   * @param unit the shown unit, in measured units
   */
  @Nullable Object of(@Nullable Measurement measured, double unit) {
    return measured == null
        ? null
        : shown(measured.value() / unit, ageSeconds(measured.atNanos()), name(measured.source()));
  }

  /** A latency in milliseconds; a latency below the resolution has {@code below_ms} as well. */
  @Nullable Object ofLatency(@Nullable Measurement measured) {
    if (measured == null) {
      return null;
    }
    Map<String, Object> shown =
        shown(
            measured.value() / NANOS_PER_MILLISECOND,
            ageSeconds(measured.atNanos()),
            name(measured.source()));
    if (measured.value() < LinkMeasurements.LATENCY_RESOLUTION_NANOS) {
      shown.put("below_ms", LinkMeasurements.LATENCY_RESOLUTION_NANOS / NANOS_PER_MILLISECOND);
    }
    return shown;
  }

  /** Adds all measurements of a server. */
  void put(Map<String, @Nullable Object> line, ServerMeasurements known) {
    for (ServerValue value : ServerValue.values()) {
      line.put(value.field(), of(known.value(value), value.unit()));
    }
  }

  /** A capacity is not measured: its age is 0. */
  static Object of(LinkCapacity capacity, double unit) {
    return shown(capacity.bitsPerSecond() / unit, 0, name(capacity.source()));
  }

  /** The age in seconds. */
  double ageSeconds(long atNanos) {
    return rounded(Math.max(0, nowNanos - atNanos) / NANOS_PER_SECOND);
  }

  private static Map<String, Object> shown(double value, double ageSeconds, String source) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("value", rounded(value));
    shown.put("age_s", ageSeconds);
    shown.put("source", source);
    return shown;
  }

  /** To three places. */
  static double rounded(double value) {
    return Math.round(value * THOUSANDTHS) / THOUSANDTHS;
  }

  private static String name(Enum<?> source) {
    return source.name().toLowerCase(Locale.ROOT);
  }
}
