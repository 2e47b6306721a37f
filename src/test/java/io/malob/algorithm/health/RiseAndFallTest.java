package io.malob.algorithm.health;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RiseAndFallTest {

  /** Checks are P for pass and F for failure; the verdict after each is U, D or C for checking. */
  @ParameterizedTest
  @CsvSource({
    "new,     1, 1, PFPF,     UDUD",
    "new,     3, 2, FP,       CU",
    "new,     2, 3, FFFPP,    CCDDU",
    "present, 2, 3, FFPFFFP,  UUUUUDD",
    "present, 2, 3, FFFPFPPF, UUDDDDUU",
    "present, 1, 1, PFFP,     UDDU"
  })
  void verdict_changesAfterAsManyInARowAsAsked(
      String start, int rise, int fall, String checks, String verdicts) {
    RiseAndFall now = start.equals("new") ? RiseAndFall.NEW : RiseAndFall.PRESUMED_UP;
    StringBuilder seen = new StringBuilder();
    for (int i = 0; i < checks.length(); i++) {
      char check = checks.charAt(i);
      now = now.after(check == 'P', rise, fall);
      seen.append(now.health().name().charAt(0));
    }
    assertEquals(verdicts, seen.toString());
  }
}
