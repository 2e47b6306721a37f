package io.malob.algorithm.graph;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * How wide the links of one topology are, by their place in {@link Topology#links()}, and in which
 * order. Immutable.
 */
@SuppressWarnings("ArrayRecordComponent") // compared by identity, and not changed
record LinkWidths(double[] widths, int[] widestFirst) {

  /** The widths of links; the array belongs to this object from now on. */
  static LinkWidths of(double[] widths) {
    return new LinkWidths(
        widths,
        IntStream.range(0, widths.length)
            .boxed()
            .sorted(Comparator.comparingDouble(link -> -widths[link]))
            .mapToInt(Integer::intValue)
            .toArray());
  }

  /** All links equally wide, so that only their costs count. */
  static LinkWidths alike(int links) {
    double[] widths = new double[links];
    Arrays.fill(widths, Double.POSITIVE_INFINITY);
    return new LinkWidths(widths, IntStream.range(0, links).toArray());
  }

  /**
   * The widths of some links.
   *
   * @param links the numbers here, by other numbers
   * @param others the other numbers, by the numbers here; negative of the rest
   */
  LinkWidths of(int[] links, int[] others) {
    return new LinkWidths(
        Arrays.stream(links).mapToDouble(link -> widths[link]).toArray(),
        Arrays.stream(widestFirst).map(link -> others[link]).filter(link -> link >= 0).toArray());
  }

  /** Whether all links are equally wide. */
  boolean areAlike() {
    return count() == 0 || of(atPlace(0)) == of(atPlace(count() - 1));
  }

  double of(int link) {
    return widths[link];
  }

  /** The link at a place of the order, the widest at place 0. */
  int atPlace(int place) {
    return widestFirst[place];
  }

  int count() {
    return widths.length;
  }
}
