package io.malob.balancer;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Counts the rules that switches rejected, by switch and reason. The set of reasons is bounded.
 * Thread-safe.
 */
final class RejectedRules {
  private final Map<DatapathId, Map<String, LongAdder>> counts = new ConcurrentHashMap<>();

  void count(DatapathId switchId, String reason) {
    counts
        .computeIfAbsent(switchId, any -> new ConcurrentHashMap<>())
        .computeIfAbsent(reason, any -> new LongAdder())
        .increment();
  }

  /** The counts, without switches that accepted all rules. */
  Map<DatapathId, Map<String, Long>> bySwitch() {
    Map<DatapathId, Map<String, Long>> result = new TreeMap<>();
    counts.forEach(
        (switchId, reasons) -> {
          Map<String, Long> sums = new TreeMap<>();
          reasons.forEach((reason, count) -> sums.put(reason, count.sum()));
          result.put(switchId, sums);
        });
    return result;
  }
}
