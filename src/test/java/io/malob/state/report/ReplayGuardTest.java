package io.malob.state.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.malob.state.report.Report.Stamp;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReplayGuardTest {
  private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);

  private ReplayGuard guard = new ReplayGuard(Map.of(), 0);
  private long nowMillis = 1_000_000;

  /** Null if admitted. */
  private Rejection admit(String boot, long sequence, long timeMillis, long uptimeMillis) {
    try {
      guard.admit(
          "w1",
          new Stamp(boot, sequence, timeMillis, uptimeMillis),
          TimeUnit.MILLISECONDS.toNanos(nowMillis));
      return null;
    } catch (RejectedReportException e) {
      return e.reason();
    }
  }

  @Test
  void sequence_thatDoesNotGrow_isAReplay() {
    assertNull(admit("a", 5, 100, 0));
    assertEquals(Rejection.REPLAYED, admit("a", 5, 100, 0));
    assertEquals(Rejection.REPLAYED, admit("a", 4, 200, 0));
    assertNull(admit("a", 9, 100, 0), "some may be lost on the way");
  }

  @Test
  void clock_putBackDuringARun_changesNothing() {
    assertNull(admit("a", 1, 100 * DAY_MILLIS, 0));
    nowMillis += 5_000;
    assertNull(admit("a", 2, DAY_MILLIS, 5_000));
  }

  @Test
  void newRun_withALaterTime_isAdmitted_whateverTheClockIsWrongBy() {
    assertNull(admit("a", 7, 1_000, 0));
    assertNull(admit("b", 1, 1_001, 0));
    assertEquals(Rejection.REPLAYED, admit("a", 8, 2_000, 0), "the old run does not come back");
    assertNull(admit("b", 2, 1_002, 0));
  }

  @Test
  void newRun_withAnEarlierTime_waitsForQuiet() {
    assertNull(admit("a", 7, 100 * DAY_MILLIS, 0));
    nowMillis += TimeUnit.MINUTES.toMillis(5);
    assertEquals(Rejection.REPLAYED, admit("b", 1, DAY_MILLIS, 0));
    nowMillis += 1;
    assertNull(admit("b", 2, DAY_MILLIS, 0));
    assertNull(admit("b", 3, DAY_MILLIS + 1, 0));
  }

  @Test
  void oldRun_afterQuiet_isStillAReplay() {
    assertNull(admit("a", 7, 1_000, 0));
    assertNull(admit("b", 1, 2_000, 0));
    nowMillis += DAY_MILLIS;
    assertEquals(Rejection.REPLAYED, admit("a", 8, 3_000, 0));
  }

  @Test
  void earlierRuns_areRememberedUpToABound() {
    for (int run = 0; run <= ReplayGuard.MAX_RUNS + 1; run++) {
      assertNull(admit("run" + run, 1, run, 0));
    }
    nowMillis += DAY_MILLIS;
    assertEquals(Rejection.REPLAYED, admit("run1", 2, 0, 0));
    assertNull(admit("run0", 2, 0, 0), "documented: that is how far the memory reaches");
  }

  @Test
  void report_heldBack_isStale() {
    assertNull(admit("a", 1, 0, 1_000));
    nowMillis += 60_000;
    assertEquals(Rejection.STALE, admit("a", 2, 0, 1_000 + 29_000));
    assertNull(admit("a", 3, 0, 1_000 + 31_000), "late, but within the bound");
    nowMillis += 10;
    assertNull(admit("a", 4, 0, 1_000 + 60_000));
  }

  @Test
  void delays_doNotAddUp() {
    assertNull(admit("a", 1, 0, 0));
    // each report is held back by 20 s more than the one before
    nowMillis += 40_000;
    assertNull(admit("a", 2, 0, 20_000));
    nowMillis += 40_000;
    assertEquals(Rejection.STALE, admit("a", 3, 0, 40_000));
  }

  @Test
  void clocks_thatDriftApart_keepAnAgentHeard() {
    long uptimeMillis = 0;
    assertNull(admit("a", 1, 0, uptimeMillis));
    for (int day = 1; day <= 365; day++) {
      // five reports a day of a clock that is slow by 200 ppm: a minute in three days
      for (int fifth = 1; fifth <= 5 * 60; fifth++) {
        nowMillis += DAY_MILLIS / 300;
        uptimeMillis += DAY_MILLIS / 300 * 9_998 / 10_000;
        assertNull(admit("a", day * 1_000L + fifth, 0, uptimeMillis));
      }
    }
  }

  @Test
  void uptimePutBack_silencesForFiveMinutesAtMost() {
    assertNull(admit("a", 1, 0, DAY_MILLIS));
    nowMillis += 5_000;
    assertEquals(Rejection.STALE, admit("a", 2, 0, 0));
    nowMillis += TimeUnit.MINUTES.toMillis(5);
    assertNull(admit("a", 3, 0, 0));
  }

  @Test
  void restartedController_remembersWhatWasThere() {
    assertNull(admit("a", 7, 1_000, 0));
    assertNull(admit("b", 3, 2_000, 0));
    guard = new ReplayGuard(guard.memory(), 0);
    nowMillis = 5;

    assertEquals(Rejection.REPLAYED, admit("a", 9, 3_000, 0));
    assertEquals(Rejection.REPLAYED, admit("b", 3, 2_000, 0));
    assertEquals(Rejection.REPLAYED, admit("c", 1, 1_500, 0));
    assertNull(admit("b", 4, 2_000, 0));
    assertNull(admit("c", 1, 2_001, 0));
  }

  @Test
  void restartedController_withoutMemory_hearsEveryAgent() {
    assertNull(admit("a", 1_000, 5, 0));
  }

  @Test
  void agents_areIndependent_andForgottenOnes_areNew() throws Exception {
    assertNull(admit("a", 7, 1_000, 0));
    guard.admit("w2", new Stamp("a", 1, 0, 0), 0);
    guard.retain(Set.of("w2"));

    assertEquals(Set.of("w2"), guard.memory().keySet());
    assertNull(admit("a", 7, 1_000, 0));
  }

  @Test
  void memory_writtenAndRead_isTheSame() throws Exception {
    assertNull(admit("a", 7, 1_000, 0));
    assertNull(admit("b", 1L << 40, 2_000, 0));

    assertEquals(guard.memory(), GuardFormat.read(GuardFormat.write(guard.memory())));
  }
}
