package io.malob.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class HealthCommandTest {
  @Test
  void mostWithin_countsTheFullestWindow_withoutItsEnd() {
    assertEquals(0, HealthCommand.mostWithin(new long[0], 10));
    assertEquals(3, HealthCommand.mostWithin(new long[] {0, 10, 12, 19, 20, 40}, 10));
    assertEquals(1, HealthCommand.mostWithin(new long[] {0, 10, 20}, 10));
  }
}
