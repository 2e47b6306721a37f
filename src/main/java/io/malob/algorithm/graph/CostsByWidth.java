package io.malob.algorithm.graph;

import java.util.Arrays;

/**
 * The cost of the cheapest path between a root and each switch over links of a min width: for each
 * switch, one entry for each width below which the path is cheaper. Written by one search, then
 * read only.
 */
final class CostsByWidth {
  static final int NONE = -1;

  private final int[] newest;
  private int[] wider;
  private double[] widths;
  private long[] primary;
  private long[] secondary;
  private int count;

  CostsByWidth(int switches) {
    newest = new int[switches];
    Arrays.fill(newest, NONE);
    wider = new int[switches];
    widths = new double[switches];
    primary = new long[switches];
    secondary = new long[switches];
  }

  /** Adds an entry of a switch for a smaller width than those before. */
  void add(int switchNumber, double width, long primaryCost, long secondaryCost) {
    if (count == widths.length) {
      int more = 2 * count;
      wider = Arrays.copyOf(wider, more);
      widths = Arrays.copyOf(widths, more);
      primary = Arrays.copyOf(primary, more);
      secondary = Arrays.copyOf(secondary, more);
    }
    wider[count] = newest[switchNumber];
    widths[count] = width;
    primary[count] = primaryCost;
    secondary[count] = secondaryCost;
    newest[switchNumber] = count++;
  }

  /** The entry of a switch for the smallest width; {@link #NONE} if it cannot be reached. */
  int narrowest(int switchNumber) {
    return newest[switchNumber];
  }

  /** The entry of the same switch for the next greater width, or {@link #NONE}. */
  int wider(int entry) {
    return wider[entry];
  }

  /** The greatest width for which an entry holds. */
  double width(int entry) {
    return widths[entry];
  }

  long primary(int entry) {
    return primary[entry];
  }

  long secondary(int entry) {
    return secondary[entry];
  }

  /** Whether the path over a link from one entry is at least as cheap as another entry. */
  boolean isAsCheap(int from, int link, LinkCosts costs, int to) {
    long first = primary[from] + costs.primary(link);
    return first != primary[to]
        ? first < primary[to]
        : secondary[from] + costs.secondary(link) <= secondary[to];
  }
}
