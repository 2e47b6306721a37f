package io.malob.algorithm.subflow.paper;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.subflow.Footprint;
import io.malob.algorithm.subflow.Score;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Changes existing routes only to lower the maximum, or else the spread: first by one change, and
 * by several together only if fewer do not help. Each change is the one that reduces the energy
 * outside the aim most.
 *
 * @param free the demands whose ways may be changed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and not changed
record Improvement(Assignment assignment, int[] free, Bounds bounds, SplittableRandom random) {
  private static final int MAX_TOGETHER = 4;
  private static final int DRAWS_PER_DEMAND = 64;

  @SuppressWarnings("ArrayRecordComponent") // never compared, and not changed
  private record Change(int index, int[] way, double energy) {}

  /** Leaves a plan that is equal or better; makes max one change per demand. */
  void run() {
    int left = free.length;
    while (left > 0 && !bounds.areReachedBy(assignment.loads().score()) && step()) {
      left--;
    }
    assignment.loads().setWindow(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
  }

  private boolean step() {
    AnnealingLoads loads = assignment.loads();
    Score before = loads.score();
    int[][] ways = assignment.ways();
    setWindow(before);
    for (int i = 0; i < MAX_TOGETHER; i++) {
      @Nullable Change best = best();
      if (best == null || best.energy >= loads.energy()) {
        break;
      }
      assignment.set(best.index, best.way);
      if (loads.score().compareExtremes(before) < 0) {
        return true;
      }
    }
    assignment.restore(ways);
    return false;
  }

  private void setWindow(Score score) {
    double unit = BalancedMethod.unit(assignment);
    if (Score.compare(score.maximum(), bounds.maximum()) > 0) {
      assignment.loads().setWindow(Double.NEGATIVE_INFINITY, score.maximum() - unit);
    } else {
      assignment.loads().setWindow(score.minimum() + unit, score.maximum());
    }
  }

  private @Nullable Change best() {
    @Nullable Change best = null;
    for (int index : free) {
      ImmutableList<int[]> all = assignment.choice(index).ways().all();
      for (int[] way : all) {
        double energy = energy(index, way);
        if (best == null || energy < best.energy) {
          best = new Change(index, way, energy);
        }
      }
      Neighborhood around = assignment.around(index);
      for (int i = 0; all.isEmpty() && i < DRAWS_PER_DEMAND; i++) {
        if (around.draw(random)) {
          double energy = assignment.loads().energy() + assignment.energyChange(index, around);
          if (best == null || energy < best.energy) {
            best = new Change(index, around.changed(), energy);
          }
        }
      }
    }
    return best;
  }

  /** The energy after a change. */
  private double energy(int index, int[] way) {
    Footprint footprint = assignment.choice(index).counter().count(way);
    AnnealingLoads loads = assignment.loads();
    return loads.energy() + loads.energyChange(assignment.footprint(index), footprint);
  }
}
