package io.malob.algorithm.link;

import java.util.Optional;

/** The rules that choose uplinks, by name. */
public final class UplinkPickers {
  private UplinkPickers() {}

  /**
   * A new picker.
   *
   * @param name {@code RR}, {@code MBW}, {@code WRR} or {@code ADAPTIVE}
   * @param sizes of the flows that will be placed; {@code ADAPTIVE} learns from them
   * @return empty if there is no such rule
   */
  public static Optional<UplinkPicker> byName(String name, FlowSizes sizes) {
    return switch (name) {
      case "RR" -> Optional.of(new RoundRobin());
      case "MBW" -> Optional.of(new MaximumBandwidth());
      case "WRR" -> Optional.of(new WeightedRoundRobin());
      case "ADAPTIVE" -> Optional.of(new LeastExpectedBytes(sizes));
      default -> Optional.empty();
    };
  }
}
