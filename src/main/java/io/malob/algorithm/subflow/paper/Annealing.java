package io.malob.algorithm.subflow.paper;

import io.malob.algorithm.subflow.Score;
import java.util.SplittableRandom;

/**
 * Searches for a better plan by changing one route at a time. It also accepts a worse plan if the
 * difference is below a threshold, which falls over time (threshold accepting, Dueck and Scheuer
 * 1990: as simulated annealing, without its exponential function, whose last digit may differ
 * between machines).
 *
 * @param free the demands whose ways may be changed; at least one
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and not changed
record Annealing(Assignment assignment, int[] free, SplittableRandom random) {
  private static final double LAST_PART = 0.01;

  /**
   * Leaves the best plan that it finds, at least the given one.
   *
   * @param threshold the initial max increase of the energy by one change
   * @param steps how many changes are tried
   * @return whether it is better than the given one
   */
  boolean run(double threshold, int steps) {
    AnnealingLoads loads = assignment.loads();
    Score best = loads.score();
    int[][] bestWays = assignment.ways();
    boolean isBetter = false;
    double factor = StrictMath.pow(LAST_PART, 1.0 / steps);
    double allowed = threshold;
    for (int step = 0; step < steps; step++) {
      allowed *= factor;
      if (change(allowed) && loads.score().compareExtremes(best) < 0) {
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
