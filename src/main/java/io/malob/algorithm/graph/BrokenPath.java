package io.malob.algorithm.graph;

import java.util.Arrays;

/**
 * All switches of a graph in an order that is a path except for gaps: places where a switch is not
 * a neighbour of the next one. Keeps track of gaps while parts of it are reversed. Used by one
 * thread.
 */
final class BrokenPath {
  private static final int NONE = -1;

  private final SwitchGraph graph;
  private final int[] order;

  /** By switch: its place in the order. */
  private final int[] places;

  /** The places before gaps, in any order. */
  private final int[] gaps;

  /** By place: its index in the gaps, if a gap follows. */
  private final int[] gapNumbers;

  private int gapCount;

  /**
   * A path in pieces.
   *
   * @param order all switches of the graph; kept and changed
   */
  BrokenPath(SwitchGraph graph, int[] order) {
    this.graph = graph;
    this.order = order;
    places = new int[order.length];
    gaps = new int[order.length];
    gapNumbers = new int[order.length];
    Arrays.fill(gapNumbers, NONE);
    for (int place = 0; place < order.length; place++) {
      places[order[place]] = place;
      updateGap(place);
    }
  }

  int gapCount() {
    return gapCount;
  }

  /** The place before one of the gaps. */
  int gap(int number) {
    return gaps[number];
  }

  /** The place of the last switch. */
  int end() {
    return order.length - 1;
  }

  int switchAt(int place) {
    return order[place];
  }

  int placeOf(int switchNumber) {
    return places[switchNumber];
  }

  /** The switches in order. */
  int[] order() {
    return order.clone();
  }

  /** How many gaps a reversal of a part removes. The part does not begin at place 0. */
  int gain(int from, int to) {
    int before = (gapNumbers[from - 1] == NONE ? 0 : 1) + (gapNumbers[to] == NONE ? 0 : 1);
    int after = (isJoined(from - 1, to) ? 0 : 1) + (to == end() || isJoined(from, to + 1) ? 0 : 1);
    return before - after;
  }

  /** Reverses a part that does not begin at place 0; its last switch becomes its first. */
  void turn(int from, int to) {
    // the gap between two places of the part moves between two others
    for (int low = from, high = to - 1; low <= high; low++, high--) {
      int number = gapNumbers[low];
      moveGap(gapNumbers[high], low);
      moveGap(number, high);
    }
    for (int low = from, high = to; low < high; low++, high--) {
      int moved = order[low];
      put(order[high], low);
      put(moved, high);
    }
    updateGap(from - 1);
    updateGap(to);
  }

  private void moveGap(int number, int place) {
    gapNumbers[place] = number;
    if (number != NONE) {
      gaps[number] = place;
    }
  }

  private void put(int switchNumber, int place) {
    order[place] = switchNumber;
    places[switchNumber] = place;
  }

  private boolean isJoined(int place, int other) {
    return graph.joins(order[place], order[other]);
  }

  private void updateGap(int place) {
    boolean gap = place != end() && !isJoined(place, place + 1);
    int number = gapNumbers[place];
    if (gap && number == NONE) {
      moveGap(gapCount++, place);
    } else if (!gap && number != NONE) {
      gapNumbers[place] = NONE;
      gapCount--;
      if (number != gapCount) {
        moveGap(number, gaps[gapCount]);
      }
    }
  }
}
