package io.malob.algorithm.joint;

/** The rules for choosing a server and the paths to and from it together. */
public enum JointRules {
  SL_PS("lowest round-trip latency plus the wait at the server"),
  HT_PS("server with the widest bottleneck"),
  PCT("earliest predicted completion");

  private final String description;

  JointRules(String description) {
    this.description = description;
  }

  /** The name that users see. */
  public String text() {
    return name().replace('_', '-');
  }

  /** A short description. */
  public String description() {
    return description;
  }

  /** Whether it needs the widest paths. */
  public boolean isByWidth() {
    return this != SL_PS;
  }

  /**
   * The rule of that name.
   *
   * @throws IllegalArgumentException if there is no such rule
   */
  static JointRule named(String text) {
    return switch (valueOf(text.replace('-', '_'))) {
      case SL_PS -> new ShortestLatency();
      case HT_PS -> new WidestBottleneck();
      case PCT -> new PredictedTime();
    };
  }
}
