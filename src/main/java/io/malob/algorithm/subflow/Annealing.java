package io.malob.algorithm.subflow;

import java.util.SplittableRandom;

/**
 * Searches for a better plan by changing one route at a time. It also accepts a worse plan if the
 * difference is below a threshold, which falls over time (threshold accepting, Dueck and Scheuer
 * 1990: as simulated annealing, without its exponential function, whose last digit may differ
 * between machines).
 */
final class Annealing {
  private static final double LAST_PART = 0.01;

  private final Assignment assignment;
  private final int[] free;
  private final SplittableRandom random;

  /**
   * A search for one assignment.
   *
   * @param free the demands whose ways may be changed; at least one
   */
  Annealing(Assignment assignment, int[] free, SplittableRandom random) {
    this.assignment = assignment;
    this.free = free;
    this.random = random;
  }

  /**
   * Leaves the best plan that it finds, at least the given one.
   *
   * @param threshold the initial max increase of the energy by one change
   * @param steps how many changes are tried
   * @return whether it is better than the given one
   */
  boolean run(double threshold, int steps) {
    Loads loads = assignment.loads();
    Score best = loads.score();
    int[][] bestWays = assignment.ways();
    boolean isBetter = false;
    double factor = StrictMath.pow(LAST_PART, 1.0 / steps);
    double allowed = threshold;
    for (int step = 0; step < steps; step++) {
      allowed *= factor;
      if (change(allowed) && loads.areBetterThan(best)) {
        best = loads.score();
        bestWays = assignment.ways();
        isBetter = true;
      }
    }
    assignment.restore(bestWays);
    return isBetter;
  }

  private boolean change(double allowed) {
    int index = free[random.nextInt(free.length)];
    Neighborhood around = assignment.around(index);
    if (!around.draw(random) || assignment.energyChange(index, around) > allowed) {
      return false;
    }
    assignment.change(index, around);
    return true;
  }
}
