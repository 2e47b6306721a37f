package io.malob.algorithm.graph;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Searches for a path over all switches of a graph by repairing a path with gaps. Reversing a part
 * of the path moves a gap: one of the two switches beside it comes next to a neighbour (the
 * rotation of L. Pósa, Hamiltonian circuits in random graphs, 1976, at several places of one path).
 * Gaps that meet disappear; their number never grows. The search cannot prove that there is no
 * path. Used by one thread.
 *
 * <pre>
 *   s ... a | b ... c d ... e      a, c neighbours, | the gap
 *   s ... a c ... b | d ... e      closed, if b and d are neighbours, too
 * </pre>
 */
final class PathRotation {
  /** Reversing a part is faster than examining as many neighbours. */
  private static final int TURNED_PER_STEP = 8;

  private final SwitchGraph graph;
  private final StepBudget steps;
  private final SplittableRandom random;
  private final BrokenPath path;

  // the best move of one gap so far
  private int from;
  private int to;
  private int gain;
  private int equallyGood;

  PathRotation(SwitchGraph graph, StepBudget steps, SplittableRandom random) {
    this.graph = graph;
    this.steps = steps;
    this.random = random;
    path = new BrokenPath(graph, begin());
  }

  /** The switches of a path in order; null if the budget is spent before there is one. */
  int @Nullable [] search() {
    while (path.gapCount() > 0 && !steps.isSpent()) {
      moveGap(path.gap(random.nextInt(path.gapCount())));
      moveEnd();
    }
    return path.gapCount() == 0 ? path.order() : null;
  }

  /** All switches, from neighbour to neighbour as far as possible, by Warnsdorff's rule. */
  private int[] begin() {
    int size = graph.size();
    int[] shuffled = shuffled(size);
    int[] degrees = new int[size];
    Arrays.setAll(degrees, switchNumber -> graph.neighbors(switchNumber).length);
    boolean[] passed = new boolean[size];
    int[] order = new int[size];
    int skipped = 0;
    int at = graph.start();
    for (int place = 0; place < size; place++) {
      order[place] = at;
      passed[at] = true;
      at = next(at, degrees, passed);
      while (at < 0 && skipped < size) {
        int other = shuffled[skipped++];
        at = passed[other] ? -1 : other;
      }
    }
    return order;
  }

  private int[] shuffled(int size) {
    int[] shuffled = new int[size];
    for (int i = 0; i < size; i++) {
      int place = random.nextInt(i + 1);
      shuffled[i] = shuffled[place];
      shuffled[place] = i;
    }
    return shuffled;
  }

  /** The neighbour that is not passed and has the fewest such neighbours itself; -1 if none. */
  private int next(int at, int[] degrees, boolean[] passed) {
    int best = -1;
    for (int neighbor : graph.neighbors(at)) {
      degrees[neighbor]--;
      if (!passed[neighbor]
          && (best < 0
              || degrees[neighbor] < degrees[best]
              || (degrees[neighbor] == degrees[best] && random.nextBoolean()))) {
        best = neighbor;
      }
    }
    return best;
  }

  /** Closes a gap, or moves it elsewhere. */
  private void moveGap(int gap) {
    gain = 0;
    equallyGood = 0;
    int[] before = graph.neighbors(path.switchAt(gap));
    for (int neighbor : before) {
      int place = path.placeOf(neighbor);
      if (place > gap) {
        consider(gap + 1, place);
      } else if (place < gap - 1) {
        consider(place + 1, gap);
      }
    }
    int[] behind = graph.neighbors(path.switchAt(gap + 1));
    for (int neighbor : behind) {
      int place = path.placeOf(neighbor);
      if (place > gap + 2) {
        consider(gap + 1, place - 1);
      } else if (place < gap && place > 0) {
        consider(place, gap);
      }
    }
    steps.take(before.length + behind.length);
    if (equallyGood > 0) {
      turn(from, to);
    }
  }

  /** Remembers the turn that gains the most, of several one at random. */
  private void consider(int partFrom, int partTo) {
    int partGain = path.gain(partFrom, partTo);
    if (partGain > gain) {
      gain = partGain;
      equallyGood = 0;
    }
    if (partGain == gain && random.nextInt(++equallyGood) == 0) {
      from = partFrom;
      to = partTo;
    }
  }

  /** Lets the path end elsewhere, which is free. */
  private void moveEnd() {
    int[] neighbors = graph.neighbors(path.switchAt(path.end()));
    if (neighbors.length > 0) {
      int place = path.placeOf(neighbors[random.nextInt(neighbors.length)]);
      if (place < path.end() - 1) {
        turn(place + 1, path.end());
      }
    }
  }

  private void turn(int partFrom, int partTo) {
    steps.take(1 + (partTo - partFrom) / TURNED_PER_STEP);
    path.turn(partFrom, partTo);
  }
}
