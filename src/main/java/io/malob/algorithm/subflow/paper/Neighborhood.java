package io.malob.algorithm.subflow.paper;

import io.malob.algorithm.subflow.Network;
import java.util.SplittableRandom;

/**
 * The routes similar to one route. A change is drawn, and its edges show whether it is useful; only
 * then the new route is built. One thread only.
 */
abstract class Neighborhood {
  private final int[] left;
  private final int[] entered;
  private int leftCount;
  private int enteredCount;

  /**
   * The changes of one way.
   *
   * @param changeable how many edges a change leaves or enters at most
   */
  Neighborhood(int changeable) {
    left = new int[changeable];
    entered = new int[changeable];
  }

  /** Draws a change; false if it is not possible. */
  abstract boolean draw(SplittableRandom random);

  /** The route after the drawn change. */
  abstract int[] changed();

  /** How many edges the change drawn last leaves. */
  final int leftCount() {
    return leftCount;
  }

  /** An edge that only the old way uses. */
  final int left(int number) {
    return left[number];
  }

  /** How many edges the change drawn last enters. */
  final int enteredCount() {
    return enteredCount;
  }

  /** An edge that only the new way uses. */
  final int entered(int number) {
    return entered[number];
  }

  /** Forgets the change drawn last. */
  final void clear() {
    leftCount = 0;
    enteredCount = 0;
  }

  /** Notes that the old way uses an edge and the new one does not. */
  final void leave(int edge) {
    left[leftCount++] = edge;
  }

  /** Notes that the new way uses an edge and the old one does not. */
  final void enter(int edge) {
    entered[enteredCount++] = edge;
  }

  /** Notes by which edges two ways differ. */
  final void compare(int[] before, int[] after, Network network) {
    boolean[] used = new boolean[network.edgeCount()];
    for (int link : before) {
      used[network.edge(link)] = true;
    }
    for (int link : after) {
      int edge = network.edge(link);
      if (used[edge]) {
        used[edge] = false;
      } else {
        enter(edge);
      }
    }
    for (int link : before) {
      if (used[network.edge(link)]) {
        leave(network.edge(link));
      }
    }
  }
}
