package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AutoModeTest {
  private static final int CALM_SECONDS = 30;

  private long now = Long.MAX_VALUE - 1_000_000_000L;
  private long arrivals = 1_000;
  private final AutoMode auto =
      new AutoMode(new AutoMode.Thresholds(100, 50, CALM_SECONDS), arrivals, now);

  /** Half a second passes with this many arrivals. */
  private boolean halfSecond(int more, double placedPerSecond, int halfOpen) {
    now += TimeUnit.MILLISECONDS.toNanos(500);
    arrivals += more;
    return auto.decide(arrivals, placedPerSecond, halfOpen, null, now);
  }

  @Test
  void rate_fromTheThresholdOn_isProactive() {
    assertFalse(halfSecond(49, 0, 0));
    assertTrue(halfSecond(50, 0, 0));
    assertTrue(auto.isProactive());
  }

  /** A burst within one tick is no rate yet. */
  @Test
  void rate_isOfHalfASecondAtLeast() {
    now += TimeUnit.MILLISECONDS.toNanos(250);
    assertFalse(auto.decide(arrivals + 40, 0, 0, null, now));
    now += TimeUnit.MILLISECONDS.toNanos(250);
    assertFalse(auto.decide(arrivals + 40, 0, 0, null, now));
  }

  @Test
  void connectionsThatBucketsPlace_count() {
    assertTrue(halfSecond(25, 50, 0));
  }

  @Test
  void halfOpenConnections_fromTheThresholdOn_areEnough() {
    assertFalse(halfSecond(0, 0, 49));
    assertTrue(halfSecond(0, 0, 50));
  }

  @Test
  void calm_forLongEnough_isReactiveAgain() {
    halfSecond(100, 0, 0);
    int halves = 0;
    while (halfSecond(24, 0, 24)) {
      halves++;
    }

    assertEquals(2 * CALM_SECONDS - 1, halves);
  }

  @Test
  void halfTheThreshold_isNotCalm() {
    halfSecond(100, 0, 0);
    for (int half = 0; half < 10 * CALM_SECONDS; half++) {
      assertTrue(halfSecond(25, 0, 0));
    }
    for (int half = 0; half < 10 * CALM_SECONDS; half++) {
      assertTrue(halfSecond(0, 0, 25));
    }
  }

  @Test
  void recoveredVip_staysProactiveWhileItIsNotCalmForLong() {
    auto.recovered(now);

    assertTrue(halfSecond(0, 0, 0));
    for (int half = 0; half < 2 * CALM_SECONDS - 2; half++) {
      assertTrue(halfSecond(0, 0, 0));
    }
    assertFalse(halfSecond(0, 0, 0));
  }
}
