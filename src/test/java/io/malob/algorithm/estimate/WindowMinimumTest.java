package io.malob.algorithm.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WindowMinimumTest {
  private final WindowMinimum minimum = new WindowMinimum(10);

  @Test
  void window_withoutValues_hasNoMinimum() {
    assertEquals(OptionalLong.empty(), minimum.get(0));
  }

  @Test
  void value_isPartOfTheWindowToItsEndAndNotLonger() {
    minimum.add(7, 0);
    assertEquals(OptionalLong.of(7), minimum.get(10));
    assertEquals(OptionalLong.empty(), minimum.get(11));
  }

  @Test
  void minimum_thatLeaves_isFollowedByTheSmallestOfTheRest() {
    minimum.add(3, 0);
    minimum.add(9, 1);
    minimum.add(5, 2);
    minimum.add(8, 3);
    assertEquals(OptionalLong.of(3), minimum.get(10));
    assertEquals(OptionalLong.of(5), minimum.get(11));
    assertEquals(OptionalLong.of(8), minimum.get(13));
  }

  @Test
  void equalValues_countUntilTheLastOfThemLeaves() {
    minimum.add(3, 0);
    minimum.add(3, 8);
    assertEquals(OptionalLong.of(3), minimum.get(18));
  }

  @Test
  void clear_forgetsAll() {
    minimum.add(3, 0);
    minimum.clear();
    assertEquals(OptionalLong.empty(), minimum.get(0));
  }

  @Test
  void minimum_ofRandomValues_isThatOfAllInTheWindow() {
    Random random = new Random(1);
    Deque<long[]> all = new ArrayDeque<>();
    long now = 0;
    for (int step = 0; step < 10_000; step++) {
      now += random.nextInt(4);
      long value = random.nextInt(100);
      minimum.add(value, now);
      all.add(new long[] {value, now});
      while (now - all.getFirst()[1] > 10) {
        all.removeFirst();
      }
      assertEquals(all.stream().mapToLong(each -> each[0]).min(), minimum.get(now));
    }
  }
}
