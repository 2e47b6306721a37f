package io.malob.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class HealthCommandTest {
  @Test
  void maxWithin_countsTheFullestWindow_withoutItsEnd() {
    assertEquals(0, HealthCommand.maxWithin(new long[0], 10));
    assertEquals(3, HealthCommand.maxWithin(new long[] {0, 10, 12, 19, 20, 40}, 10));
    assertEquals(1, HealthCommand.maxWithin(new long[] {0, 10, 20}, 10));
  }
}
