package io.malob.algorithm.subflow.paper;

import io.malob.algorithm.subflow.Score;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Chooses routes as "SDN-Based Load Balancing for Multi-Path TCP" does: random paths (algorithm 1),
 * then section III.B. While one link alone has the most sub-flows, a route over it is drawn anew in
 * the network without this link. Then the target range of all links is set, the mean plus and minus
 * the standard deviation, and routes over the link with the most sub-flows are drawn anew until all
 * links are in it. Routes that begin with it are not changed.
 *
 * <p>The paper does this by hand, and does not define when to stop; here it ends after a number of
 * draws per route, with the best plan since the range was set.
 */
record PaperMethod(Assignment assignment, SplittableRandom random) {
  private static final int DRAWS_PER_ROUTE = 20;

  /** Leaves the final plan of the method; returns how it ended, in a sentence. */
  String run() {
    int draws = DRAWS_PER_ROUTE * assignment.size();
    while (draws > 0 && maxLoaded().size() == 1 && redraw(maxLoaded().get(0))) {
      draws--;
    }
    Range range = range();
    draws = DRAWS_PER_ROUTE * assignment.size();
    Score best = assignment.loads().score();
    int[][] bestWays = assignment.ways();
    while (draws > 0 && !range.holds(assignment.loads().score()) && redrawAny(maxLoaded())) {
      draws--;
      if (assignment.loads().score().isBetterThan(best)) {
        best = assignment.loads().score();
        bestWays = assignment.ways();
      }
    }
    if (range.holds(assignment.loads().score())) {
      return "The paper's method ended with all links in its range, " + range + ".";
    }
    assignment.restore(bestWays);
    return "The paper's method ended without bringing all links into its range, " + range + ".";
  }

  /** The target loads of links, both inclusive. */
  private record Range(double lowest, double highest) {
    boolean holds(Score score) {
      return Score.compare(score.minimum(), lowest) >= 0
          && Score.compare(score.maximum(), highest) <= 0;
    }

    @Override
    public String toString() {
      return Score.rounded(lowest) + " to " + Score.rounded(highest);
    }
  }

  /**
   * Rounded inwards where sub-flows are counted in whole numbers, as far as the numbers next to the
   * mean: 9.7 to 15.4 is 10 to 15.
   */
  private Range range() {
    AnnealingLoads loads = assignment.loads();
    double mean = 0;
    boolean isWhole = true;
    for (int edge = 0; edge < loads.edgeCount(); edge++) {
      mean += loads.value(edge) / loads.edgeCount();
      isWhole &= loads.value(edge) == Math.rint(loads.value(edge));
    }
    double variance = 0;
    for (int edge = 0; edge < loads.edgeCount(); edge++) {
      variance += Math.pow(loads.value(edge) - mean, 2) / loads.edgeCount();
    }
    double low = mean - Math.sqrt(variance);
    double high = mean + Math.sqrt(variance);
    return isWhole
        ? new Range(
            Math.min(Math.ceil(low), Math.floor(mean)), Math.max(Math.floor(high), Math.ceil(mean)))
        : new Range(low, high);
  }

  private List<Integer> maxLoaded() {
    AnnealingLoads loads = assignment.loads();
    double maximum = loads.score().maximum();
    List<Integer> edges = new ArrayList<>();
    for (int edge = 0; edge < loads.edgeCount(); edge++) {
      if (Score.compare(loads.value(edge), maximum) == 0) {
        edges.add(edge);
      }
    }
    return edges;
  }

  private boolean redrawAny(List<Integer> edges) {
    List<Integer> left = new ArrayList<>(edges);
    while (!left.isEmpty()) {
      if (redraw(left.remove(random.nextInt(left.size())))) {
        return true;
      }
    }
    return false;
  }

  /** Draws one of the routes over a link anew; false if all of them need it. */
  private boolean redraw(int edge) {
    List<Integer> over = new ArrayList<>();
    for (int i = 0; i < assignment.size(); i++) {
      if (assignment.footprint(i).on(edge) > 0) {
        over.add(i);
      }
    }
    while (!over.isEmpty()) {
      int index = over.remove(random.nextInt(over.size()));
      int[] way = assignment.way(index);
      int[] other = assignment.choice(index).ways().without(edge, way, random);
      if (other.length > 0) {
        assignment.set(index, other);
        return true;
      }
    }
    return false;
  }
}
