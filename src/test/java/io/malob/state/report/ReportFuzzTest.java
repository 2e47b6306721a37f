package io.malob.state.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.FuzzCorpus;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A million mutated reports. Three quarters are mutated as an attacker without the key can, and
 * must be dropped unless nothing has changed; one quarter is signed after the mutation, so that it
 * gets as far as a report can.
 */
class ReportFuzzTest {
  private static final int REPORTS = 200_000;
  private static final String[] PIECES = {
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "-",
    "NaN",
    "1e999",
    "null",
    "true",
    "99999999999999999999",
    "\"server\"",
    "\"links\"",
    "\"cpu\"",
    "\\u0000",
    "\u00e9",
    "0",
    "7.3",
    "\n",
    " "
  };

  /** Each round begins afresh, as a valid report with a high number makes others replays. */
  private static final int ROUND = 1_000;

  private static final List<byte[]> BODIES =
      List.of(
          bytes(
              ReportFixture.server(
                  1, "{\"cpu\":0.25,\"connections\":{\"80\":7},\"response_ms\":1}")),
          bytes(ReportFixture.server(2, "{}")),
          bytes(ReportFixture.links(1, "[{\"neighbour\":\"10.0.0.22\",\"up_mbps\":9.5}]")),
          bytes(ReportFixture.links(2, "[]")));
  private static final List<byte[]> SIGNED =
      List.of(
          ReportFixture.signed("w1", BODIES.get(0)),
          ReportFixture.signed("w1", BODIES.get(1)),
          ReportFixture.signed("n1", BODIES.get(2)),
          ReportFixture.signed("n1", BODIES.get(3)));

  private final Random random = new Random(20_061_016);
  private final Map<String, Long> dropped = new HashMap<>();
  private long accepted;
  private long intact;

  @Test
  void mutatedReports_changeNothingUnlessTheyAreStillValid() {
    for (int round = 0; round < REPORTS / ROUND; round++) {
      ReportFixture fixture = new ReportFixture();
      for (int i = 0; i < ROUND; i++) {
        sendOne(fixture, i % 4 == 0);
      }
      accepted += fixture.counts.accepted();
      fixture.counts.dropped().forEach((reason, count) -> dropped.merge(reason, count, Long::sum));
    }

    long allDropped = dropped.values().stream().mapToLong(Long::longValue).sum();
    assertEquals(REPORTS, accepted + allDropped);
    // else this would not be much of a test
    assertTrue(accepted > REPORTS / 1_000, accepted + " accepted");
    assertTrue(intact < REPORTS / 50, intact + " not mutated");
    for (Rejection reason :
        List.of(
            Rejection.MALFORMED,
            Rejection.UNKNOWN_AGENT,
            Rejection.UNSIGNED,
            Rejection.WRONG_SIGNATURE,
            Rejection.ABSURD,
            Rejection.REPLAYED)) {
      assertTrue(dropped.containsKey(reason.label()), reason + " never came up");
    }
  }

  @Test
  void corpus_isTakenOrDropped_howeverItIsSpoiled() throws Exception {
    FuzzCorpus.run("reports.txt", 5_000, ReportFuzz::fuzzerTestOneInput);
  }

  private void sendOne(ReportFixture fixture, boolean signAfterwards) {
    int which = random.nextInt(BODIES.size());
    byte[] report =
        signAfterwards
            ? ReportFixture.signed(which < 2 ? "w1" : "n1", mutated(BODIES.get(which)))
            : mutated(SIGNED.get(which));
    boolean isIntact = Arrays.equals(SIGNED.get(which), report);
    intact += isIntact ? 1 : 0;
    Map<String, ReplayGuard.Memory> memory = fixture.intake.memory();
    int takenBefore = fixture.taken.size();

    Rejection rejection =
        fixture.send(report, which < 2 ? ReportFixture.SERVER : ReportFixture.NODE);

    if (rejection == null) {
      assertTrue(signAfterwards || isIntact, () -> "forged: " + new String(report, UTF_8));
      assertEquals(takenBefore + 1, fixture.taken.size());
      ReportFuzz.checkPlausible(fixture.taken.get(takenBefore));
    } else {
      assertEquals(takenBefore, fixture.taken.size());
      assertEquals(memory, fixture.intake.memory());
    }
  }

  private byte[] mutated(byte[] bytes) {
    byte[] mutated = bytes;
    for (int times = 1 + random.nextInt(3); times > 0; times--) {
      mutated = mutatedOnce(mutated);
    }
    return mutated;
  }

  private byte[] mutatedOnce(byte[] bytes) {
    int at = random.nextInt(bytes.length + 1);
    return switch (random.nextInt(6)) {
      case 0 -> {
        byte[] flipped = bytes.clone();
        if (at < flipped.length) {
          flipped[at] ^= (byte) (1 << random.nextInt(8));
        }
        yield flipped;
      }
      case 1 -> spliced(bytes, at, Math.min(bytes.length, at + 1 + random.nextInt(8)), new byte[0]);
      case 2 -> spliced(bytes, at, at, bytes(PIECES[random.nextInt(PIECES.length)]));
      case 3 -> withAnotherDigit(bytes, at);
      case 4 -> Arrays.copyOf(bytes, Math.max(1, at));
      default -> {
        byte[] again =
            Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + random.nextInt(40)));
        yield spliced(bytes, at, at, again);
      }
    };
  }

  /** Most likely to stay valid: a number becomes another. */
  private byte[] withAnotherDigit(byte[] bytes, int from) {
    byte[] changed = bytes.clone();
    for (int i = from; i < changed.length; i++) {
      if (changed[i] >= '0' && changed[i] <= '9') {
        changed[i] = (byte) ('0' + random.nextInt(10));
        break;
      }
    }
    return changed;
  }

  private static byte[] spliced(byte[] bytes, int from, int to, byte[] piece) {
    byte[] result = new byte[bytes.length - (to - from) + piece.length];
    System.arraycopy(bytes, 0, result, 0, from);
    System.arraycopy(piece, 0, result, from, piece.length);
    System.arraycopy(bytes, to, result, from + piece.length, bytes.length - to);
    return result.length == 0 ? bytes : result;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
