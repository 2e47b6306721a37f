package io.malob.algorithm.graph;

import java.util.Arrays;

/**
 * Paths between a root and switches that share their parts: each is a shorter one and one more link
 * at its outer end. A path is known by a number, and has a greater one than the path that it
 * extends. Written by one search, then read only.
 */
final class Ways {
  static final int NONE = -1;

  private int[] links;
  private int[] inner;
  private int count;

  /** None yet, with room for so many. */
  Ways(int expected) {
    links = new int[expected];
    inner = new int[expected];
  }

  /** Adds the path of the root, which has no links. */
  int addRoot() {
    return add(NONE, NONE);
  }

  /** Adds the path that goes on over a link from the outer end of another one. */
  int add(int innerWay, int link) {
    if (count == links.length) {
      int more = 2 * count + 1;
      links = Arrays.copyOf(links, more);
      inner = Arrays.copyOf(inner, more);
    }
    links[count] = link;
    inner[count] = innerWay;
    return count++;
  }

  /**
   * Those of some paths that use no removed link, and no others but their parts.
   *
   * @param numbers is filled with their numbers, by number here; {@link #NONE} of the others
   */
  Ways without(RemovedLinks removed, int[] some, int[] numbers) {
    boolean[] isPart = parts(some);
    Ways left = new Ways(count);
    for (int way = 0; way < count; way++) {
      int link = links[way] == NONE ? NONE : removed.number(links[way]);
      if (!isPart[way]) {
        numbers[way] = NONE;
      } else if (inner[way] == NONE) {
        numbers[way] = left.addRoot();
      } else if (numbers[inner[way]] == NONE || link == RemovedLinks.NONE) {
        numbers[way] = NONE;
      } else {
        numbers[way] = left.add(numbers[inner[way]], link);
      }
    }
    return left;
  }

  int count() {
    return count;
  }

  /** The last link of a path, at its outer end; {@link #NONE} of the root's. */
  int link(int way) {
    return links[way];
  }

  /** The path without its last link; {@link #NONE} of the root's. */
  int inner(int way) {
    return inner[way];
  }

  /** The links of a path, beginning at its outer end. */
  int[] linksInwards(int way) {
    int length = 0;
    for (int at = way; inner[at] != NONE; at = inner[at]) {
      length++;
    }
    int[] inwards = new int[length];
    int at = way;
    for (int i = 0; i < length; i++) {
      inwards[i] = links[at];
      at = inner[at];
    }
    return inwards;
  }

  /** By link: whether one of some paths uses it. */
  boolean[] linksOf(int[] some, int linkCount) {
    boolean[] used = new boolean[linkCount];
    boolean[] isPart = parts(some);
    for (int way = 0; way < count; way++) {
      if (isPart[way] && links[way] != NONE) {
        used[links[way]] = true;
      }
    }
    return used;
  }

  /** By path: whether it is one of some, or a part of one. */
  private boolean[] parts(int[] some) {
    boolean[] isPart = new boolean[count];
    for (int way : some) {
      for (int at = way; at != NONE && !isPart[at]; at = inner[at]) {
        isPart[at] = true;
      }
    }
    return isPart;
  }
}
