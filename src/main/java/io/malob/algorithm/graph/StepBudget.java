package io.malob.algorithm.graph;

/** How many steps a search may still take. */
final class StepBudget {
  private long left;

  StepBudget(long steps) {
    left = steps;
  }

  /** Takes some steps, also if there are not as many left. */
  void take(long steps) {
    left -= steps;
  }

  boolean isSpent() {
    return left < 0;
  }
}
