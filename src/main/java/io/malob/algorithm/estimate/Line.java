package io.malob.algorithm.estimate;

import java.util.List;

/**
 * The straight line that is nearest to some points (least squares, where a point counts the more
 * the less it may be wrong), and how far its slope may be from the truth. Immutable.
 *
 * @param at where it is at 0
 * @param slope how much it rises per unit
 * @param slopeError the standard error of the slope: from what the points may be wrong by, and more
 *     if they are farther from the line than that explains
 */
record Line(double at, double slope, double slopeError) {

  /**
   * A point.
   *
   * @param error what y may be wrong by; above 0
   */
  record Point(double x, double y, double error) {
    double weight() {
      return 1 / (error * error);
    }
  }

  /** The line through at least three points that are not all above each other. */
  static Line through(List<Point> points) {
    double weights = 0;
    double sumX = 0;
    double sumY = 0;
    for (Point each : points) {
      weights += each.weight();
      sumX += each.weight() * each.x;
      sumY += each.weight() * each.y;
    }
    double meanX = sumX / weights;
    double meanY = sumY / weights;
    double squares = 0;
    double products = 0;
    for (Point each : points) {
      squares += each.weight() * (each.x - meanX) * (each.x - meanX);
      products += each.weight() * (each.x - meanX) * (each.y - meanY);
    }
    double slope = products / squares;
    double at = meanY - slope * meanX;
    double distances = 0;
    for (Point each : points) {
      double distance = each.y - at - slope * each.x;
      distances += each.weight() * distance * distance;
    }
    double unexplained = Math.max(1, distances / (points.size() - 2));
    return new Line(at, slope, Math.sqrt(unexplained / squares));
  }

  /** Where it is at x. */
  double y(double x) {
    return at + slope * x;
  }
}
