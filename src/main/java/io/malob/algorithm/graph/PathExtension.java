package io.malob.algorithm.graph;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Finds all paths over all switches of a graph, one after the other, by adding one switch after
 * another and going back if the rest can no longer be covered. Switches with the fewest neighbours
 * left come first (H. C. von Warnsdorff's rule for the knight's tour, 1823), equal ones in random
 * order. Used by one thread.
 */
final class PathExtension {
  private static final int[] NOTHING = {};

  private final SwitchGraph graph;
  private final StepBudget steps;
  private final SplittableRandom random;
  private final Remainder rest;
  private final int[] order;

  /** By place on the path: what may come next, and how many of that have been tried. */
  private final int[][] choices;

  private final int[] tried;
  private int length;
  private boolean begun;

  PathExtension(SwitchGraph graph, StepBudget steps, SplittableRandom random) {
    this.graph = graph;
    this.steps = steps;
    this.random = random;
    rest = new Remainder(graph, steps);
    order = new int[graph.size()];
    choices = new int[graph.size()][];
    tried = new int[graph.size()];
  }

  /** Goes on to the next path; false if there is none, or if the budget is spent. */
  boolean advance() {
    if (!begun) {
      begun = true;
      push(graph.start());
      if (length == order.length) {
        return true;
      }
    }
    while (length > 0 && !steps.isSpent()) {
      int last = length - 1;
      if (tried[last] == choices[last].length) {
        length--;
        rest.add(order[last]);
      } else {
        push(choices[last][tried[last]++]);
        if (length == order.length) {
          return true;
        }
      }
    }
    return false;
  }

  /** The switches of the path that was found last, in order. */
  int[] order() {
    return order.clone();
  }

  private void push(int next) {
    rest.remove(next);
    order[length] = next;
    tried[length] = 0;
    choices[length] = rest.obstacle(next) == Obstacle.NONE ? choices(next) : NOTHING;
    length++;
  }

  private int[] choices(int at) {
    int[] neighbors = graph.neighbors(at);
    int[] found = new int[neighbors.length];
    int count = 0;
    for (int neighbor : neighbors) {
      if (rest.contains(neighbor)) {
        // inserted where it belongs among those found so far; equals by chance
        int place = count++;
        while (place > 0 && isBefore(neighbor, found[place - 1])) {
          found[place] = found[place - 1];
          place--;
        }
        found[place] = neighbor;
      }
    }
    return Arrays.copyOf(found, count);
  }

  private boolean isBefore(int a, int b) {
    int difference = rest.degree(a) - rest.degree(b);
    return difference < 0 || (difference == 0 && random.nextBoolean());
  }
}
