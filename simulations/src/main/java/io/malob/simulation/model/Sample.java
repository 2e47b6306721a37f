package io.malob.simulation.model;

import com.google.common.collect.ImmutableList;
import java.util.Collection;

/** Some values, at least one. Immutable. */
public final class Sample {
  private final ImmutableList<Double> inOrder;
  private final ImmutableList<Double> sorted;

  /** The values, whose order is kept. */
  public Sample(Collection<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("a sample needs a value");
    }
    this.inOrder = ImmutableList.copyOf(values);
    this.sorted = ImmutableList.sortedCopyOf(values);
  }

  /**
   * The smallest value that is not below the given percentage of all: one of the values, not
   * interpolated.
   */
  public double percentile(double percent) {
    int rank = (int) Math.ceil(percent / 100 * sorted.size());
    return sorted.get(Math.max(0, Math.min(sorted.size(), rank) - 1));
  }

  /** The percentile of 50. */
  public double median() {
    return percentile(50);
  }

  /** The arithmetic mean. */
  public double mean() {
    return sorted.stream().mapToDouble(Double::doubleValue).sum() / sorted.size();
  }

  /** The smallest. */
  public double min() {
    return sorted.get(0);
  }

  /** The largest. */
  public double max() {
    return sorted.get(sorted.size() - 1);
  }

  /** All, in the order in which they were given. */
  public ImmutableList<Double> inOrder() {
    return inOrder;
  }
}
