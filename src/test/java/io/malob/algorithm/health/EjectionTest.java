package io.malob.algorithm.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.health.Ejection.Policy;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Times are whole units; a monotonic clock may begin anywhere, here shortly before it overflows.
 */
class EjectionTest {
  private static final long START = Long.MAX_VALUE - 100;
  private static final Policy POLICY = new Policy(3, 30, 100);

  private static Ejection failedThrice(Ejection before, long at) {
    return before.failed(at, POLICY).failed(at + 1, POLICY).failed(at + 2, POLICY);
  }

  @Test
  void failuresInARow_putItOut_andTimeLetsItInAgain() {
    Ejection two = Ejection.NONE.failed(START, POLICY).failed(START + 1, POLICY);
    assertFalse(two.isOut());

    Ejection out = two.failed(START + 2, POLICY);

    assertTrue(out.isOut());
    assertTrue(out.at(START + 31, POLICY).isOut());
    assertFalse(out.at(START + 32, POLICY).isOut());
  }

  @Test
  void eachTimeItIsOutForLonger_upToTheMost() {
    Ejection now = Ejection.NONE;
    long at = START;
    for (long expected : new long[] {30, 60, 90, 100, 100}) {
      now = failedThrice(now, at);
      assertTrue(now.isOut());
      assertEquals(expected, now.untilNanos() - (at + 2));
      at = now.untilNanos();
      now = now.at(at, POLICY);
      assertFalse(now.isOut());
    }
  }

  @Test
  void timeThatItStaysIn_forgives() {
    Ejection twice =
        failedThrice(failedThrice(Ejection.NONE, START).at(START + 32, POLICY), START + 32);
    long in = twice.untilNanos();
    Ejection back = twice.at(in, POLICY);
    assertEquals(2, back.times());

    assertEquals(2, failedThrice(back, in + 35).times(), "one forgiven, one more");
    assertEquals(Ejection.NONE, back.at(in + 60, POLICY));
  }

  @Test
  void connectionThatBeganSince_isGoodForAll_oneOfBeforeForNothing() {
    Ejection two = Ejection.NONE.failed(START, POLICY).failed(START + 5, POLICY);

    assertEquals(0, two.answered(START).failures());
    assertEquals(2, two.answered(START - 1).failures());
  }

  @Test
  void failuresFarApart_areNotInARow() {
    Ejection later = Ejection.NONE.failed(START, POLICY).failed(START + 1, POLICY);

    assertEquals(1, later.failed(START + 31, POLICY).failures());
    assertEquals(Ejection.NONE, later.at(START + 31, POLICY));
  }

  @Test
  void zeroFailures_isNever() {
    assertEquals(Ejection.NONE, Ejection.NONE.failed(START, new Policy(0, 30, 100)));
  }

  @Test
  void failureWhileItIsOut_changesNothing() {
    Ejection out = failedThrice(Ejection.NONE, START);

    assertEquals(out, failedThrice(out, START + 5));
  }

  @Test
  void halfOfAPool_canBeOut_notMore() {
    List<Integer> pool = List.of(1, 2, 3, 4);

    assertEquals(Set.of(1, 2), Ejection.heeded(pool, member -> member <= 2));
    assertEquals(Set.of(), Ejection.heeded(pool, member -> member <= 3));
    assertEquals(Set.of(), Ejection.heeded(List.of(1), member -> true));
  }
}
