package io.malob.algorithm.subflow.paper;

import java.util.stream.IntStream;

/** A union-find structure: which elements have been joined, directly or by others. */
final class Partition {
  private final int[] parents;

  Partition(int count) {
    parents = IntStream.range(0, count).toArray();
  }

  /** Joins two elements; false if they were already joined. */
  boolean join(int one, int other) {
    int rootOfOne = root(one);
    int rootOfOther = root(other);
    parents[rootOfOne] = rootOfOther;
    return rootOfOne != rootOfOther;
  }

  private int root(int thing) {
    int at = thing;
    while (parents[at] != at) {
      parents[at] = parents[parents[at]];
      at = parents[at];
    }
    return at;
  }
}
