package io.malob.algorithm.link;

import java.util.List;
import java.util.Optional;

/** Chooses the uplink of each new flow. Used by one thread at a time. */
public interface UplinkPicker {
  /**
   * Chooses for one flow, which is then placed there.
   *
   * @param usable the uplinks that can carry flows now, at least one, in the order of their numbers
   * @return one of them
   */
  UplinkLoad pick(List<UplinkLoad> usable);

  /**
   * A new picker.
   *
   * @param name {@code RR}, {@code MBW}, {@code WRR} or {@code ADAPTIVE}
   * @param sizes of the flows that will be placed; {@code ADAPTIVE} learns from them
   * @return empty if there is no such rule
   */
  static Optional<UplinkPicker> byName(String name, FlowSizes sizes) {
    return switch (name) {
      case "RR" -> Optional.of(new RoundRobin());
      case "MBW" -> Optional.of(new MaximumBandwidth());
      case "WRR" -> Optional.of(new WeightedRoundRobin());
      case "ADAPTIVE" -> Optional.of(new LeastExpectedBytes(sizes));
      default -> Optional.empty();
    };
  }
}
