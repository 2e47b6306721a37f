package io.malob.rest.live;

import io.malob.json.Json;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The samples of the last ten minutes, one per second, in memory of a fixed size: each of the eight
 * graphs keeps at most {@link #MAX_LINES} lines of {@link #MAX_SAMPLES} floats, together at most
 * 960,000 bytes. If a graph has more lines, it keeps those with the highest peaks. One thread
 * writes; any thread reads.
 */
final class TrafficHistory {
  /** Ten minutes of samples. */
  static final int MAX_SAMPLES = 600;

  /** The max number of lines of a graph; the page draws 8 of them. */
  static final int MAX_LINES = 50;

  private final long[] times = new long[MAX_SAMPLES];
  private final Map<TrafficGraph, Lines> graphs = new EnumMap<>(TrafficGraph.class);
  private int next;
  private int count;
  private double requestsPerSecond;
  private double rejectionsPerSecond;

  TrafficHistory() {
    for (TrafficGraph graph : TrafficGraph.values()) {
      graphs.put(graph, new Lines());
    }
  }

  /** Adds a sample, which replaces the oldest one if the history is full. */
  synchronized void add(TrafficSample sample) {
    times[next] = sample.timeMillis();
    graphs.forEach(
        (graph, lines) -> lines.set(next, sample.values().getOrDefault(graph, Map.of())));
    next = (next + 1) % MAX_SAMPLES;
    count = Math.min(count + 1, MAX_SAMPLES);
    requestsPerSecond = sample.requestsPerSecond();
    rejectionsPerSecond = sample.rejectionsPerSecond();
  }

  /** All samples as a JSON object, oldest first: the times, and for each line its values. */
  synchronized Map<String, Object> shown() {
    Map<String, Object> shown = new LinkedHashMap<>();
    long[] inOrder = new long[count];
    for (int i = 0; i < count; i++) {
      inOrder[i] = times[at(i)];
    }
    shown.put("time_ms", inOrder);
    graphs.forEach((graph, lines) -> shown.put(graph.text(), all(lines)));
    return shown;
  }

  private Map<String, Object> all(Lines lines) {
    Map<String, Object> all = new TreeMap<>();
    lines.byId.forEach(
        (id, values) -> {
          @Nullable Object[] inOrder = new @Nullable Object[count];
          for (int i = 0; i < count; i++) {
            inOrder[i] = number(values[at(i)]);
          }
          all.put(id, inOrder);
        });
    return all;
  }

  /** Where the sample is that has that number, counted from the oldest one. */
  private int at(int number) {
    return (next - count + number + MAX_SAMPLES) % MAX_SAMPLES;
  }

  /** The latest sample as a JSON object, without the lines that are not kept; null before it. */
  synchronized @Nullable Map<String, Object> latest() {
    if (count == 0) {
      return null;
    }
    int last = at(count - 1);
    Map<String, @Nullable Object> shown =
        Json.fields(
            "time_ms", times[last],
            "requests_per_second", Json.rounded(requestsPerSecond),
            "rejections_per_second", Json.rounded(rejectionsPerSecond));
    graphs.forEach(
        (graph, lines) -> {
          Map<String, Object> values = new TreeMap<>();
          lines.byId.forEach(
              (id, line) -> {
                @Nullable Object value = number(line[last]);
                if (value != null) {
                  values.put(id, value);
                }
              });
          shown.put(graph.text(), values);
        });
    return shown;
  }

  /** Whole numbers are written without a point, as most values are 0. */
  private static @Nullable Object number(float value) {
    if (Float.isNaN(value)) {
      return null;
    }
    double shown = Json.rounded(value);
    return shown == Math.rint(shown) ? (Object) Math.round(shown) : (Object) shown;
  }

  /** The lines of one graph: for each, one value per sample, not a number where it is unknown. */
  private static final class Lines {
    private final Map<String, float[]> byId = new HashMap<>();

    void set(int at, Map<String, Double> values) {
      byId.values().forEach(line -> line[at] = Float.NaN);
      values.forEach(
          (id, value) -> {
            float @Nullable [] line = byId.get(id);
            if (line != null) {
              line[at] = value.floatValue();
            }
          });
      byId.values().removeIf(line -> peak(line) == Float.NEGATIVE_INFINITY);
      if (!byId.keySet().containsAll(values.keySet())) {
        addNew(at, values);
      }
    }

    /** New lines, the highest values first, until no kept line has a lower peak. */
    private void addNew(int at, Map<String, Double> values) {
      List<Map.Entry<String, Double>> fresh =
          values.entrySet().stream()
              .filter(entry -> !byId.containsKey(entry.getKey()))
              .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
              .limit(MAX_LINES)
              .collect(Collectors.toList());
      for (Map.Entry<String, Double> entry : fresh) {
        if (byId.size() >= MAX_LINES && !makeRoom(entry.getValue().floatValue())) {
          return;
        }
        float[] line = new float[MAX_SAMPLES];
        Arrays.fill(line, Float.NaN);
        line[at] = entry.getValue().floatValue();
        byId.put(entry.getKey(), line);
      }
    }

    private boolean makeRoom(float value) {
      Map.Entry<String, Float> lowest =
          byId.entrySet().stream()
              .map(entry -> Map.entry(entry.getKey(), peak(entry.getValue())))
              .min(Comparator.comparing(Map.Entry::getValue))
              .orElseThrow();
      return lowest.getValue() < value && byId.remove(lowest.getKey()) != null;
    }

    private static float peak(float[] line) {
      float peak = Float.NEGATIVE_INFINITY;
      for (float value : line) {
        if (value > peak) {
          peak = value;
        }
      }
      return peak;
    }
  }
}
