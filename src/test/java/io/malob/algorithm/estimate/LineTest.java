package io.malob.algorithm.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.estimate.Line.Point;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineTest {
  private static final double EXACT = 1e-9;

  @Test
  void line_throughPointsOnIt_isThatLine() {
    Line line = Line.through(List.of(new Point(0, 5, 1), new Point(2, 9, 1), new Point(10, 25, 1)));
    assertEquals(5, line.at(), EXACT);
    assertEquals(2, line.slope(), EXACT);
    assertEquals(45, line.y(20), EXACT);
  }

  @Test
  void slopeError_ofPointsOnTheLine_isWhatThesePointsMayBeWrongBy() {
    Line line = Line.through(List.of(new Point(-1, 0, 3), new Point(0, 0, 3), new Point(1, 0, 3)));
    assertEquals(3 / Math.sqrt(2), line.slopeError(), EXACT);
  }

  @Test
  void slopeError_ofPointsFarFromTheLine_isLarger() {
    Line near = Line.through(List.of(new Point(0, 0, 1), new Point(1, 1, 1), new Point(2, 2, 1)));
    Line far = Line.through(List.of(new Point(0, 0, 1), new Point(1, 50, 1), new Point(2, 2, 1)));
    assertTrue(far.slopeError() > 10 * near.slopeError());
  }

  @Test
  void point_thatMayBeWrongByMuch_countsLittle() {
    Line line =
        Line.through(
            List.of(
                new Point(0, 0, 1), new Point(1, 1, 1), new Point(2, 2, 1), new Point(3, 90, 1e6)));
    assertEquals(1, line.slope(), 1e-6);
  }
}
