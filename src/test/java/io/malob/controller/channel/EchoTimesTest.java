package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class EchoTimesTest {
  private static final long LOST = 1_000_000;

  private final EchoTimes echoes = new EchoTimes(LOST);

  @Test
  void answer_ofSeveralOutstanding_isMeasuredFromItsOwnRequestToTheNanosecond() {
    echoes.sent(7, 1_000);
    echoes.sent(8, 2_000);
    assertTrue(echoes.answered(8, 2_001));
    assertEquals(1, echoes.roundTripNanos());
    assertTrue(echoes.answered(7, 4_321));
    assertEquals(3_321, echoes.roundTripNanos());
  }

  @Test
  void answer_toNoRequest_isNobodys() {
    echoes.sent(7, 1_000);
    assertFalse(echoes.answered(9, 2_000));
    assertEquals(0, echoes.roundTripNanos());
  }

  @Test
  void answer_thatComesTwice_isMeasuredOnce() {
    echoes.sent(7, 1_000);
    assertTrue(echoes.answered(7, 1_500));
    assertTrue(echoes.answered(7, 9_000));
    assertEquals(500, echoes.roundTripNanos());
  }

  @Test
  void answer_afterItsRequestCountsAsLost_isRecognisedAndNotMeasured() {
    echoes.sent(7, 1_000);
    assertTrue(echoes.answered(7, 1_000 + LOST + 1));
    assertEquals(0, echoes.roundTripNanos());
  }

  @Test
  void requests_moreThanAreRemembered_oldestIsForgotten() {
    for (int xid = 0; xid <= 16; xid++) {
      echoes.sent(xid, 1_000);
    }
    assertFalse(echoes.answered(0, 2_000));
    assertTrue(echoes.answered(1, 2_000));
  }

  @Test
  void clock_overflows_roundTripIsRight() {
    echoes.sent(7, Long.MAX_VALUE);
    assertTrue(echoes.answered(7, Long.MIN_VALUE + 9));
    assertEquals(10, echoes.roundTripNanos());
  }
}
