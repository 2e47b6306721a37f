package io.malob.algorithm.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.algorithm.estimate.ResponseTimes.Newest;
import org.junit.jupiter.api.Test;

class ResponseTimesTest {
  private final ResponseTimes times = new ResponseTimes();

  @Test
  void newest_beforeAnyConnectionEnded_isNone() {
    assertEquals(new Newest(0, 0, 0), times.newest());
  }

  @Test
  void newest_countsTheMeasuredConnectionsThemselves() {
    times.add(0, 5e6);
    times.add(3, 20e6);
    assertEquals(new Newest(25e6, 1 + 4, 2), times.newest());
  }

  @Test
  void newest_replacesTheOldest() {
    for (int i = 1; i <= ResponseTimes.KEPT + 2; i++) {
      times.add(i, i);
    }
    assertEquals(new Newest(3 + 4 + 5 + 6 + 7 + 8 + 9 + 10, 52 + 8, 8), times.newest());
  }

  /** A float has 24 bits: far better than what is measured. */
  @Test
  void newest_ofDays_isAsLong() {
    times.add(Integer.MAX_VALUE + 5L, 86_400e9);
    assertEquals(86_400e9, times.newest().nanos(), 86_400e9 * 1e-6);
    assertEquals(Integer.MAX_VALUE + 1.0, times.newest().inFlight());
  }

  /** Fewer than none can be counted for a moment while a connection moves. */
  @Test
  void add_belowNoConnections_isNone() {
    times.add(-1, 1);
    assertEquals(1, times.newest().inFlight());
  }
}
