package io.malob.algorithm.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class EwmaTest {
  private final Ewma average = new Ewma(100);

  @Test
  void average_withoutValues_isEmpty() {
    assertEquals(OptionalDouble.empty(), average.get());
  }

  @Test
  void average_ofOneValue_isThatValueWheneverItComes() {
    average.add(8, 12_345);
    assertEquals(OptionalDouble.of(8), average.get());
  }

  @Test
  void before_afterOneTimeConstant_countsForOneOverE() {
    average.add(10, 0);
    average.add(0, 100);
    assertEquals(10 / Math.E, average.get().getAsDouble(), 1e-9);
  }

  @Test
  void weight_dependsOnTimeAndNotOnTheNumberOfValues() {
    average.add(10, 0);
    for (int at = 20; at <= 100; at += 20) {
      average.add(0, at);
    }
    assertEquals(10 / Math.E, average.get().getAsDouble(), 1e-9);
  }
}
