package io.malob.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ProgressBarTest {
  private static final long SECOND = 1_000_000_000;

  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  private final PrintStream terminal = new PrintStream(shown, true, StandardCharsets.UTF_8);
  private long now = 5;

  @Test
  void terminal_hasBarAndTimeLeftAndIsEmptyInTheEnd() {
    try (ProgressBar bar = new ProgressBar(4, terminal, () -> now)) {
      bar.at(0, "one");
      now += 45 * SECOND;
      bar.at(1, "two");
      now += 4000 * SECOND;
      bar.at(2, "three");
    }

    assertEquals(
        "\r\u001b[K[........................] one"
            + "\r\u001b[K[######..................] about 2 min 15 s left; two"
            + "\r\u001b[K[############............] about 1 h 07 min left; three"
            + "\r\u001b[K",
        shown.toString(StandardCharsets.UTF_8));
  }

  @Test
  void fastParts_areNotAllShown() {
    ProgressBar bar = new ProgressBar(1000, terminal, () -> now);
    for (int done = 0; done < 1000; done++) {
      bar.at(done, "x");
      now += SECOND / 1000;
    }

    assertEquals(10, shown.toString(StandardCharsets.UTF_8).split("x", -1).length - 1);
  }

  @Test
  void moreThanTheWhole_isTheWhole() {
    ProgressBar bar = new ProgressBar(2, terminal, () -> now);
    bar.at(3, "x");

    assertEquals(
        "\r\u001b[K[########################] about 0 s left; x",
        shown.toString(StandardCharsets.UTF_8));
  }

  @Test
  void noTerminal_isQuiet() {
    try (ProgressBar bar = new ProgressBar(2, null, () -> now)) {
      bar.at(1, "x");
    }

    assertEquals(0, shown.size());
  }
}
