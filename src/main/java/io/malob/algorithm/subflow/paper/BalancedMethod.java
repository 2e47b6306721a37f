package io.malob.algorithm.subflow.paper;

import io.malob.algorithm.subflow.Footprint;
import io.malob.algorithm.subflow.Score;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Searches for the plan with the smallest maximum, then the smallest spread, then the smallest sum
 * of squares. Annealing first lowers the sum of squares alone, which brings all links together;
 * then, in turns, it lowers the maximum and the spread by a penalty for values outside a window. It
 * ends early when bounds prove that no better plan exists.
 */
final class BalancedMethod {
  private static final int STEPS_PER_DEMAND = 1250;
  private static final int MAX_STEPS = 100_000;

  /** The target increase of the minimum in one round, in units of one demand's load on a link. */
  private static final int FAR = 5;

  private static final int ROUNDS = 8;

  /** The number of rounds without improvement after which each aim has been tried. */
  private static final int MAX_ROUNDS_IN_VAIN = 3;

  /** The initial threshold, in squares of one demand's load on a link. */
  private static final double THRESHOLD = 8;

  /** With a window, energies are higher. */
  private static final double THRESHOLD_WITH_WINDOW = 2000;

  private final Assignment assignment;
  private final Bounds bounds;
  private final SplittableRandom random;
  private final double unit;

  BalancedMethod(Assignment assignment, Bounds bounds, SplittableRandom random) {
    this.assignment = assignment;
    this.bounds = bounds;
    this.random = random;
    this.unit = unit(assignment);
  }

  /** The mean load of one demand on a link. */
  static double unit(Assignment assignment) {
    double sum = 0;
    double count = 0;
    for (int i = 0; i < assignment.size(); i++) {
      Footprint footprint = assignment.footprint(i);
      for (int edge : footprint.edges()) {
        AnnealingLoads loads = assignment.loads();
        sum += loads.value(edge, footprint.on(edge)) - loads.value(edge, 0);
        count++;
      }
    }
    return count == 0 ? 1 : sum / count;
  }

  /** Examines all plans, or leaves the best one found; returns whether it is proven optimal. */
  Verdict plan() {
    spread(all());
    Exhaustion exhaustion = new Exhaustion(assignment, bounds);
    if (exhaustion.run()) {
      return Verdict.byExhaustion(assignment.loads().score(), exhaustion.looked());
    }
    if (assignment.size() > 0) {
      refine(all());
    }
    return Verdict.byBounds(assignment.loads().score(), bounds);
  }

  /**
   * Chooses the routes of some demands, and others only if that helps.
   *
   * @param free the demands whose ways are not in use yet
   */
  Verdict repair(int[] free) {
    if (free.length > 0) {
      spread(free);
      refine(free);
    }
    new Improvement(assignment, all(), bounds, random).run();
    return Verdict.byBounds(assignment.loads().score(), bounds);
  }

  /** Brings all links together. */
  private void spread(int[] free) {
    if (free.length > 0) {
      new Annealing(assignment, free, random).run(THRESHOLD * unit * unit, steps(free));
    }
  }

  /** Lowers the maximum, then the spread. */
  private void refine(int[] free) {
    AnnealingLoads loads = assignment.loads();
    Annealing annealing = new Annealing(assignment, free, random);
    Improvement improvement = new Improvement(assignment, free, bounds, random);
    int inVain = 0;
    for (int round = 0;
        round < ROUNDS && inVain < MAX_ROUNDS_IN_VAIN && !bounds.areReachedBy(loads.score());
        round++) {
      Score before = loads.score();
      improvement.run();
      setWindow(round % 2 == 0);
      annealing.run(THRESHOLD_WITH_WINDOW * unit * unit, steps(free));
      inVain = loads.score().compareExtremes(before) < 0 ? 0 : inVain + 1;
    }
    improvement.run();
  }

  /** Sets the next aim: the bound, or a little better than the present value. */
  private void setWindow(boolean isFar) {
    Score score = assignment.loads().score();
    double tooMuch = score.maximum() - bounds.maximum();
    if (Score.compare(score.maximum(), bounds.maximum()) > 0) {
      double aim = isFar ? bounds.maximum() : score.maximum() - Math.min(unit, tooMuch);
      assignment.loads().setWindow(Double.NEGATIVE_INFINITY, aim);
    } else {
      double tooLittle = bounds.minimum() - score.minimum();
      double step = isFar ? FAR * unit : unit;
      double aim = score.minimum() + Math.min(step, tooLittle);
      assignment.loads().setWindow(aim, score.maximum());
    }
  }

  private static int steps(int[] free) {
    return Math.min(MAX_STEPS, STEPS_PER_DEMAND * free.length);
  }

  private int[] all() {
    return IntStream.range(0, assignment.size()).toArray();
  }
}
