package io.malob.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class SampleTest {
  private final Sample four = new Sample(List.of(7.0, 1.0, 4.0, 2.0));

  @Test
  void percentile_isOneOfTheValues() {
    assertEquals(1, four.percentile(10));
    assertEquals(1, four.percentile(25));
    assertEquals(2, four.percentile(26));
    assertEquals(7, four.percentile(90));
    assertEquals(7, four.percentile(100));
    assertEquals(1, four.percentile(0));
  }

  @Test
  void median_ofFour_isTheSecond() {
    assertEquals(2, four.median());
  }

  @Test
  void mean_isThatOfAll() {
    assertEquals(3.5, four.mean());
  }

  @Test
  void range_isFromSmallestToLargest() {
    assertEquals(1, four.min());
    assertEquals(7, four.max());
  }

  @Test
  void order_isKept() {
    assertEquals(List.of(7.0, 1.0, 4.0, 2.0), four.inOrder());
  }

  @Test
  void noValues_areRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Sample(List.of()));
  }
}
