package io.malob.algorithm;

import io.malob.algorithm.path.FewestHops;
import io.malob.algorithm.path.HighestThroughput;
import io.malob.algorithm.path.LowestLatency;
import io.malob.algorithm.path.PathPicker;

/** The rules for choosing a path to a server and back; see {@link ServerRule}. */
enum PathRule {
  SPH("fewest links"),
  SPL("lowest latency"),
  HTP("widest path");

  /** A short description. */
  final String description;

  PathRule(String description) {
    this.description = description;
  }

  /** Whether it needs the widest paths. */
  boolean isByWidth() {
    return this == HTP;
  }

  /** What chooses by this rule. */
  PathPicker picker() {
    return switch (this) {
      case SPH -> new FewestHops();
      case SPL -> new LowestLatency();
      case HTP -> new HighestThroughput();
    };
  }
}
