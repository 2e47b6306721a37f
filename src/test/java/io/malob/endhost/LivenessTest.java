package io.malob.endhost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LivenessTest {
  private static final long MILLI = 1_000_000;

  private final Liveness liveness = new Liveness();
  private long now = 1_000 * MILLI;

  LivenessTest() {
    liveness.heard();
  }

  /** Looks every 25 ms and asks every 250 ms, as long as it is there at most; how long it was. */
  private long millisAlive(long max) {
    for (long at = 0; at < max; at += 25, now += 25 * MILLI) {
      if (!liveness.isThere(now)) {
        return at;
      }
      if (at % 250 == 0) {
        liveness.asked(now);
      }
    }
    return max;
  }

  @Test
  void routerThatIsSilent_isThereForAsLongAsItsAnswersMayTake() {
    assertEquals(1_250, millisAlive(10_000));
  }

  @Test
  void routerOfABusyUplink_isThereForLonger() {
    liveness.busy(true);
    assertEquals(5_000, millisAlive(10_000));
  }

  @Test
  void silence_whileNobodyLooked_isNoSilence() {
    assertEquals(1_200, millisAlive(1_200));
    now += 10_000 * MILLI;
    assertTrue(liveness.isThere(now));
    assertEquals(1_250, millisAlive(10_000), "then it has to answer again");
    assertFalse(liveness.isThere(now));
  }

  @Test
  void questionsThatAreFew_proveNothing() {
    liveness.asked(now);
    liveness.asked(now);
    for (int looks = 0; looks < 100; looks++, now += 100 * MILLI) {
      assertTrue(liveness.isThere(now));
    }
  }
}
