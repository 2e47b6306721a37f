package io.malob.algorithm.subflow;

/**
 * How good a plan is: the smallest maximum is the best, then the smallest spread, then the smallest
 * sum of squares. What differs by rounding alone is equal.
 *
 * @param squares the sum of the squares of all loads
 */
public record Score(double maximum, double minimum, double squares) implements Comparable<Score> {
  private static final double TOLERANCE = 1e-7;

  public double spread() {
    return maximum - minimum;
  }

  @Override
  public int compareTo(Score other) {
    int byExtremes = compareExtremes(other);
    return byExtremes != 0 ? byExtremes : compare(squares, other.squares);
  }

  /** The comparison without the sum of squares. */
  public int compareExtremes(Score other) {
    int byMaximum = compare(maximum, other.maximum);
    return byMaximum != 0 ? byMaximum : compare(spread(), other.spread());
  }

  public boolean isBetterThan(Score other) {
    return compareTo(other) < 0;
  }

  /** The order of two loads, those that differ by rounding alone being equal. */
  public static int compare(double one, double other) {
    double difference = one - other;
    double max = TOLERANCE * Math.max(1e-3, Math.max(Math.abs(one), Math.abs(other)));
    return Math.abs(difference) <= max ? 0 : Double.compare(one, other);
  }

  /** A load for readers, with at most three decimal places; whole numbers without a point. */
  public static Number rounded(double value) {
    double rounded = Math.rint(value * 1_000) / 1_000;
    return rounded == Math.rint(rounded) ? (Number) (long) rounded : (Number) rounded;
  }
}
