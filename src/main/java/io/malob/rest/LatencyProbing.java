package io.malob.rest;

import io.malob.latency.ControlRoundTrip;
import io.malob.latency.ILatencyService;
import io.malob.latency.LatencyCounters;
import io.malob.latency.LatencyCounters.ProbeCount;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Shows the state of the latency measurements: outcomes of probes, and control channels. */
final class LatencyProbing {
  private static final double NANOS_PER_MILLISECOND = 1e6;

  private LatencyProbing() {}

  static Map<String, Object> shown(ILatencyService latency) {
    LatencyCounters counters = latency.counters();
    List<Object> switches = new ArrayList<>();
    latency
        .controlRoundTrips()
        .forEach((switchId, roundTrip) -> switches.add(control(switchId.toString(), roundTrip)));
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("link_probes", probes(counters.links()));
    all.put("control_probes", probes(counters.control()));
    all.put("clamped", counters.clamped());
    all.put("discarded", counters.discarded());
    all.put("switches", switches);
    return all;
  }

  private static Map<String, Object> probes(ProbeCount count) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("sent", count.sent());
    shown.put("answered", count.answered());
    shown.put("lost", count.lost());
    shown.put("unsent", count.unsent());
    return shown;
  }

  private static Object control(String switchId, ControlRoundTrip roundTrip) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("switch", switchId);
    line.put("method", roundTrip.method().name().toLowerCase(Locale.ROOT));
    line.put(
        "control_round_trip_ms",
        roundTrip.nanos().isPresent()
            ? Measured.rounded(roundTrip.nanos().getAsLong() / NANOS_PER_MILLISECOND)
            : null);
    return line;
  }
}
