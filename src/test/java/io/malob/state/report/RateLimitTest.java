package io.malob.state.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RateLimitTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final RateLimit limit = new RateLimit(20, 0);

  private int allowed(int tries, long nowNanos) {
    int allowed = 0;
    for (int i = 0; i < tries; i++) {
      allowed += limit.allows(nowNanos) ? 1 : 0;
    }
    return allowed;
  }

  @Test
  void burst_isOneSecondsWorth() {
    assertEquals(20, allowed(100, 0));
    assertEquals(0, allowed(100, SECOND / 20 - 1));
    assertEquals(1, allowed(100, SECOND / 20));
  }

  @Test
  void flood_getsTheRateThrough() {
    int allowed = 0;
    for (int i = 0; i < 100_000; i++) {
      allowed += allowed(1, i * SECOND / 10_000);
    }
    assertEquals(20 + 10 * 20 - 1, allowed, 1);
  }

  @Test
  void pause_savesUpNoMoreThanOneSecond() {
    assertEquals(20, allowed(100, 0));
    assertEquals(20, allowed(100, 3_600 * SECOND));
  }

  @Test
  void steadyClock_mayWrapAround() {
    RateLimit other = new RateLimit(1, Long.MAX_VALUE - 5);
    assertEquals(true, other.allows(Long.MAX_VALUE));
    assertEquals(false, other.allows(Long.MIN_VALUE + 5));
    assertEquals(true, other.allows(Long.MIN_VALUE + SECOND));
  }
}
