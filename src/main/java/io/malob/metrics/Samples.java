package io.malob.metrics;

import com.google.common.collect.LinkedListMultimap;
import com.google.common.collect.ListMultimap;
import com.google.common.primitives.ImmutableLongArray;
import io.malob.balancer.api.BalancerActivity.Durations;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The values of one scrape. For one thread. */
final class Samples {
  private static final double NANOS_PER_SECOND = 1e9;

  private final ListMultimap<Metric, Value> values = LinkedListMultimap.create();
  private final ListMultimap<Metric, Durations> histograms = LinkedListMultimap.create();

  private record Value(Labels labels, double number) {}

  /**
   * Adds a value.
   *
   * @param labels the values of the metric's labels, in their order
   * @throws IllegalArgumentException if there are more or fewer than the metric has
   */
  void add(Metric metric, double value, Object... labels) {
    if (labels.length != metric.labels().size()) {
      throw new IllegalArgumentException(metric + " has the labels " + metric.labels());
    }
    values.put(
        metric,
        new Value(
            Labels.of(
                metric.labels(),
                Arrays.stream(labels).map(String::valueOf).collect(Collectors.toList())),
            value));
  }

  /** Adds a count; as a double it is exact up to 2^53. */
  void add(Metric metric, long count, Object... labels) {
    add(metric, (double) count, labels);
  }

  /** Adds counts of a metric with one label, by its value. */
  void addAll(Metric metric, Map<String, ? extends Number> counts) {
    counts.forEach((label, count) -> add(metric, count.doubleValue(), label));
  }

  /** Adds a histogram without labels. */
  void add(Metric metric, Durations durations) {
    histograms.put(metric, durations);
  }

  /** All of them, metric by metric. */
  MetricSnapshots all() {
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    values.asMap().keySet().forEach(metric -> all.metricSnapshot(snapshot(metric)));
    histograms
        .entries()
        .forEach(entry -> all.metricSnapshot(histogram(entry.getKey(), entry.getValue())));
    return all.build();
  }

  private MetricSnapshot snapshot(Metric metric) {
    List<Value> all = values.get(metric);
    MetricMetadata metadata = new MetricMetadata(metric.base(), metric.help());
    return metric.kind() == Metric.Kind.COUNTER
        ? new CounterSnapshot(
            metadata,
            all.stream()
                .map(value -> new CounterDataPointSnapshot(value.number, value.labels, null, 0))
                .toList())
        : new GaugeSnapshot(
            metadata,
            all.stream()
                .map(value -> new GaugeDataPointSnapshot(value.number, value.labels, null))
                .toList());
  }

  private static MetricSnapshot histogram(Metric metric, Durations durations) {
    ImmutableLongArray bounds = durations.boundsNanos();
    double[] seconds = new double[bounds.length() + 1];
    for (int i = 0; i < bounds.length(); i++) {
      seconds[i] = bounds.get(i) / NANOS_PER_SECOND;
    }
    seconds[bounds.length()] = Double.POSITIVE_INFINITY;
    return HistogramSnapshot.builder()
        .name(metric.base())
        .help(metric.help())
        .dataPoint(
            HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .classicHistogramBuckets(
                    ClassicHistogramBuckets.of(seconds, durations.counts().toArray()))
                .sum(durations.sumNanos() / NANOS_PER_SECOND)
                .build())
        .build();
  }
}
