package io.malob.bench.load;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The result of one run.
 *
 * @param demand the demand
 * @param perSecond placements in each second of the measured time
 * @param latencyNanos from the first packet to the last message, of each placement in that time
 * @param bySite the same for each site
 * @param placed how many in that time
 * @param failed how many were refused, lost or wrong, including the warm-up
 * @param skipped how many were not opened, because too many were pending (by rate only)
 * @param placedInAll how many, including the warm-up and those pending at the end
 * @param faults by kind: how often
 * @param examples by kind: the first one
 * @param maxPauseNanos the longest pause of the load generator itself in the measured time, which
 *     adds to latencies
 */
public record Measurement(
    Demand demand,
    List<Double> perSecond,
    Histogram latencyNanos,
    List<Histogram> bySite,
    long placed,
    long failed,
    long skipped,
    long placedInAll,
    Map<String, Long> faults,
    Map<String, String> examples,
    long maxPauseNanos) {

  /** Whether every placement was right. */
  public boolean isGood() {
    return failed == 0 && faults.isEmpty() && placed > 0;
  }

  /** The median of the placements per second; 0 if there are none. */
  public double median() {
    if (perSecond.isEmpty()) {
      return 0;
    }
    List<Double> sorted = perSecond.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  /** The lowest of the placements per second. */
  public double min() {
    return perSecond.stream().mapToDouble(Double::doubleValue).min().orElse(0);
  }

  /** The highest of the placements per second. */
  public double max() {
    return perSecond.stream().mapToDouble(Double::doubleValue).max().orElse(0);
  }

  /** A percentile of the latency at one site, in milliseconds; NaN if nothing was placed there. */
  public double latencyMillis(int site, double percentile) {
    Histogram latencies = bySite.get(site);
    return latencies.getTotalCount() == 0
        ? Double.NaN
        : latencies.getValueAtPercentile(percentile) / 1e6;
  }

  /** A percentile of the latency in milliseconds. */
  public double latencyMillis(double percentile) {
    return latencyNanos.getValueAtPercentile(percentile) / 1e6;
  }
}
