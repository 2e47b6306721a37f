package io.malob.algorithm.subflow;

/** Numbers as people read them. */
final class Numbers {
  private Numbers() {}

  /** With three decimal places at most. */
  static String text(double value) {
    double rounded = Math.rint(value * 1_000) / 1_000;
    return rounded == Math.rint(rounded) ? Long.toString((long) rounded) : Double.toString(rounded);
  }
}
