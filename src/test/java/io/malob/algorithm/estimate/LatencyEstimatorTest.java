package io.malob.algorithm.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.estimate.LatencyEstimator.Limits;
import io.malob.algorithm.estimate.LatencyEstimator.Outcome;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Times are in units of one microsecond here: the estimator does not care. */
class LatencyEstimatorTest {
  private static final long WINDOW = 4_000_000;
  private static final long STEP = 500_000;

  private final LatencyEstimator estimator =
      new LatencyEstimator(new Limits(WINDOW, 800_000, 1_000, 1_000_000));
  private final WindowMinimum first = new WindowMinimum(WINDOW);
  private final WindowMinimum second = new WindowMinimum(WINDOW);
  private long now;

  @Test
  void latency_withoutProbes_isUnknown() {
    assertEquals(OptionalLong.empty(), estimator.latencyNanos());
  }

  @Test
  void latency_isTheTripLessHalfOfBothRoundTrips() {
    control(40_000, 2_000);
    assertEquals(Outcome.USED, add(36_000));
    assertEquals(OptionalLong.of(15_000), estimator.latencyNanos());
  }

  @Test
  void probe_roundTripOfOneSwitchUnknown_isNotUsed() {
    assertEquals(Outcome.NO_CONTROL, add(36_000));
    first.add(40_000, now);
    assertEquals(Outcome.NO_CONTROL, add(36_000));
    assertEquals(OptionalLong.empty(), estimator.latencyNanos());
    second.add(2_000, now);
    assertEquals(Outcome.USED, add(90_000));
    assertEquals(OptionalLong.of(15_000), estimator.latencyNanos(), "the earlier ones count now");
  }

  @Test
  void roundTrip_olderThanTheWindow_isUnknown() {
    control(2_000, 2_000);
    now += WINDOW + 1;
    assertEquals(Outcome.NO_CONTROL, add(17_000));
  }

  @Test
  void probe_thatWaitedInAQueue_changesNothing() {
    control(2_000, 2_000);
    add(17_000);
    now += STEP;
    assertEquals(Outcome.USED, add(90_000));
    assertEquals(OptionalLong.of(15_000), estimator.latencyNanos());
  }

  @Test
  void roundTrip_thatWaitedInAQueue_changesNothing() {
    control(2_000, 2_000);
    add(17_000);
    now += STEP;
    control(80_000, 90_000);
    add(17_000);
    assertEquals(OptionalLong.of(15_000), estimator.latencyNanos());
  }

  @ParameterizedTest
  @CsvSource({"-1, CLAMPED", "-1000, CLAMPED", "-1001, NEGATIVE", "0, USED"})
  void result_belowZero_isZeroWithinNoiseAndElseNotUsed(long result, Outcome outcome) {
    control(2_000, 2_000);
    assertEquals(outcome, add(2_000 + result));
    assertEquals(
        outcome == Outcome.NEGATIVE ? OptionalLong.empty() : OptionalLong.of(0),
        estimator.latencyNanos());
  }

  @ParameterizedTest
  @CsvSource({"0, ABSURD", "-5, ABSURD", "1002000, USED", "1002001, ABSURD"})
  void trip_thatCannotBe_isNotUsed(long took, Outcome outcome) {
    control(2_000, 2_000);
    assertEquals(outcome, add(took));
    assertEquals(outcome == Outcome.USED, estimator.latencyNanos().isPresent());
  }

  @Test
  void trip_withoutTime_doesNotBecomeTheMinimum() {
    control(2_000, 2_000);
    add(-5);
    add(17_000);
    assertEquals(OptionalLong.of(15_000), estimator.latencyNanos());
  }

  @Test
  void absurdResult_leavesTheLatencyAsItWas() {
    control(2_000, 2_000);
    add(17_000);
    now += WINDOW + 1;
    control(2_000, 2_000);
    assertEquals(Outcome.ABSURD, add(5_000_000));
    assertEquals(OptionalLong.of(15_000), estimator.latencyNanos());
  }

  /** Four probes per interval of two seconds: within 1 ms + 10 % after three intervals. */
  @ParameterizedTest
  @CsvSource({"0, 36000", "1000, 10000", "36000, 1000", "10000, 0", "2000, 500000"})
  void jump_isSeenWithinThreeIntervals(long before, long after) {
    for (int i = 0; i < 40; i++) {
      step(before);
    }
    assertEquals(OptionalLong.of(before), estimator.latencyNanos());
    for (int i = 0; i < 12; i++) {
      step(after);
    }
    assertNear(after);
  }

  private void step(long latency) {
    now += STEP;
    control(3_000, 5_000);
    add(4_000 + latency);
  }

  private void assertNear(long expected) {
    long off = Math.abs(estimator.latencyNanos().getAsLong() - expected);
    assertTrue(off <= 1_000 + expected / 10, expected + " is missed by " + off);
  }

  private void control(long firstTrip, long secondTrip) {
    first.add(firstTrip, now);
    second.add(secondTrip, now);
  }

  private Outcome add(long took) {
    return estimator.add(took, first, second, now);
  }
}
