package io.malob.algorithm.graph;

import java.util.Arrays;

/**
 * Paths between a root and switches that share their parts: each is a shorter one and one more link
 * at its outer end. A path is known by a number, and has a greater one than the path that it
 * extends. Written by one search, then read only.
 */
final class SharedPaths {
  static final int NONE = -1;

  private int[] links;
  private int[] inner;
  private int count;

  /** No paths, with the given capacity. */
  SharedPaths(int expected) {
    links = new int[expected];
    inner = new int[expected];
  }

  private SharedPaths(int[] links, int[] inner, int count) {
    this.links = links;
    this.inner = inner;
    this.count = count;
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

  /** The same paths, none of which uses a removed link, by the same numbers. */
  SharedPaths unbrokenBy(RemovedLinks removed) {
    int[] renumbered = new int[count];
    for (int way = 0; way < count; way++) {
      renumbered[way] = links[way] == NONE ? NONE : removed.number(links[way]);
    }
    return new SharedPaths(renumbered, inner, count);
  }

  /**
   * The paths that use no removed link.
   *
   * @param some the numbers of paths; is filled with those that they have there, or {@link #NONE}
   */
  SharedPaths without(RemovedLinks removed, int[] some) {
    SharedPaths left = new SharedPaths(count);
    int[] numbers = new int[count];
    for (int way = 0; way < count; way++) {
      if (inner[way] == NONE) {
        numbers[way] = left.addRoot();
        continue;
      }
      int before = numbers[inner[way]];
      int link = removed.number(links[way]);
      numbers[way] = before == NONE || link == RemovedLinks.NONE ? NONE : left.add(before, link);
    }
    renumber(some, numbers);
    return left;
  }

  /**
   * Only some paths, and their parts.
   *
   * @param some the numbers of paths; is filled with those that they have there
   */
  SharedPaths only(int[] some) {
    boolean[] isPart = new boolean[count];
    for (int way : some) {
      if (way != NONE) {
        isPart[way] = true;
      }
    }
    for (int way = count - 1; way >= 0; way--) {
      if (isPart[way] && inner[way] != NONE) {
        isPart[inner[way]] = true;
      }
    }
    SharedPaths parts = new SharedPaths(some.length);
    int[] numbers = new int[count];
    for (int way = 0; way < count; way++) {
      if (isPart[way]) {
        numbers[way] = parts.add(inner[way] == NONE ? NONE : numbers[inner[way]], links[way]);
      }
    }
    renumber(some, numbers);
    return parts;
  }

  private static void renumber(int[] some, int[] numbers) {
    for (int i = 0; i < some.length; i++) {
      some[i] = some[i] == NONE ? NONE : numbers[some[i]];
    }
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

  /** By link: whether a path uses it. */
  boolean[] used(int linkCount) {
    boolean[] used = new boolean[linkCount];
    for (int way = 0; way < count; way++) {
      if (links[way] != NONE) {
        used[links[way]] = true;
      }
    }
    return used;
  }
}
