package io.malob.algorithm.graph;

import java.util.Arrays;

/**
 * The switches that a path has not been at, and whether a path from its end could still cover them
 * all. Uses the blocks of the rest (the parts that no single switch separates): they must be a
 * chain that begins at the path's end, because a switch that separates is passed only once. If each
 * link joins switches of different colours, they alternate on a path, also behind each switch that
 * separates. Used by one thread.
 */
final class Remainder {
  private static final int NONE = -1;

  private final SwitchGraph graph;
  private final StepBudget steps;
  private final boolean[] left;
  private final int[] degrees;
  private int count;

  /** 1 or -1 by colour; all 0 if two colours are not enough. */
  private final int[] colours;

  /** The colour of the last switch of each path that there may be; 0 if not known. */
  private final int endColour;

  // of one search, depth first, by switch
  private final int[] order;
  private final int[] low;
  private final int[] parents;
  private final int[] nextNeighbor;
  private final int[] balance;
  private final int[] blocksBefore;
  private final int[] parts;
  private int blocks;
  private int ends;
  private int culprit = NONE;
  private int otherCulprit = NONE;

  Remainder(SwitchGraph graph, StepBudget steps) {
    this.graph = graph;
    this.steps = steps;
    int size = graph.size();
    left = new boolean[size];
    degrees = new int[size];
    Arrays.fill(left, true);
    for (int i = 0; i < size; i++) {
      degrees[i] = graph.neighbors(i).length;
    }
    count = size;
    colours = TwoColours.of(graph);
    int surplus = TwoColours.surplus(colours);
    // as many of both, so that the last is of the other one; or one more of the start's
    endColour = surplus == 0 ? -colours[graph.start()] : colours[graph.start()];
    order = new int[size];
    low = new int[size];
    parents = new int[size];
    nextNeighbor = new int[size];
    balance = new int[size];
    blocksBefore = new int[size];
    parts = new int[size];
  }

  boolean contains(int switchNumber) {
    return left[switchNumber];
  }

  /** How many neighbours of a switch are left. */
  int degree(int switchNumber) {
    return degrees[switchNumber];
  }

  /** The path goes to a switch. */
  void remove(int switchNumber) {
    left[switchNumber] = false;
    count--;
    for (int neighbor : graph.neighbors(switchNumber)) {
      degrees[neighbor]--;
    }
  }

  /** The path goes back from a switch. */
  void add(int switchNumber) {
    left[switchNumber] = true;
    count++;
    for (int neighbor : graph.neighbors(switchNumber)) {
      degrees[neighbor]++;
    }
  }

  /** The obstacle that keeps a path at a visited switch from covering the rest. */
  Obstacle obstacle(int at) {
    Arrays.fill(order, 0);
    blocks = 0;
    ends = 0;
    int discovered = 1;
    discover(at, NONE, discovered);
    int top = at;
    while (top != NONE) {
      int[] neighbors = graph.neighbors(top);
      if (nextNeighbor[top] == neighbors.length) {
        Obstacle obstacle = leave(top);
        if (obstacle != Obstacle.NONE) {
          return obstacle;
        }
        top = parents[top];
      } else {
        steps.take(1);
        int next = neighbors[nextNeighbor[top]++];
        if (order[next] != 0) {
          low[top] = Math.min(low[top], order[next]);
        } else if (left[next]) {
          discover(next, top, ++discovered);
          top = next;
        }
      }
    }
    return discovered == count + 1 ? Obstacle.NONE : unreached();
  }

  private Obstacle unreached() {
    culprit = 0;
    while (!left[culprit] || order[culprit] != 0) {
      culprit++;
    }
    return Obstacle.UNREACHED;
  }

  private void discover(int found, int from, int number) {
    order[found] = number;
    low[found] = number;
    parents[found] = from;
    nextNeighbor[found] = 0;
    balance[found] = colours[found];
    blocksBefore[found] = blocks;
    parts[found] = 0;
  }

  /** All behind a switch is known: whether its parent separates it from the rest. */
  private Obstacle leave(int done) {
    int parent = parents[done];
    if (parent == NONE) {
      return Obstacle.NONE;
    }
    balance[parent] += balance[done];
    low[parent] = Math.min(low[parent], low[done]);
    return low[done] >= order[parent] ? separate(parent, done) : Obstacle.NONE;
  }

  private Obstacle separate(int parent, int child) {
    if (++parts[parent] > 1) {
      culprit = parent;
      return Obstacle.JUNCTION;
    }
    if (blocks++ == blocksBefore[child]) {
      if (++ends > 1) {
        otherCulprit = parent;
        return Obstacle.DEAD_ENDS;
      }
      culprit = parent;
    }
    // what is behind must begin with the other colour and end with that of the end
    int expected = colours[parent] == endColour ? 0 : -colours[parent];
    if (balance[child] != expected) {
      culprit = parent;
      return Obstacle.COLOURS;
    }
    return Obstacle.NONE;
  }

  /** The switch that is the obstacle, or is before it. */
  int culprit() {
    return culprit;
  }

  /** Behind which switch the other one of two dead ends is. */
  int otherCulprit() {
    return otherCulprit;
  }
}
