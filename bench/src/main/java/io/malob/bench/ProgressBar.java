package io.malob.bench;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The progress, and the remaining time: one line that is overwritten, for a terminal. Quiet unless
 * the launcher reports that stderr is a terminal ({@code -Dmalob.progress=true}). For one thread.
 */
final class ProgressBar implements AutoCloseable {
  private static final int WIDTH = 24;
  private static final String CLEAR = "\r\u001b[K";
  private static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final long whole;
  private final @Nullable PrintStream terminal;
  private final LongSupplier nanoTime;
  private final long start;
  private long shownAt;
  private boolean shown;

  /**
   * A bar.
   *
   * @param whole how much there is to do, in any unit; 1 or more
   * @param terminal null to be quiet
   */
  ProgressBar(long whole, @Nullable PrintStream terminal, LongSupplier nanoTime) {
    this.whole = whole;
    this.terminal = terminal;
    this.nanoTime = nanoTime;
    this.start = nanoTime.getAsLong();
  }

  /** A bar on stderr. */
  static ProgressBar of(long whole) {
    return new ProgressBar(
        whole, Boolean.getBoolean("malob.progress") ? System.err : null, System::nanoTime);
  }

  /**
   * Updates the progress.
   *
   * @param done from 0 to the whole
   * @param words the current step
   */
  void at(long done, String words) {
    long now = nanoTime.getAsLong();
    if (terminal == null || (shown && now - shownAt < MIN_NANOS)) {
      return;
    }
    shown = true;
    shownAt = now;
    int filled = (int) Math.min(WIDTH, WIDTH * done / whole);
    terminal.print(
        CLEAR
            + "["
            + "#".repeat(filled)
            + ".".repeat(WIDTH - filled)
            + "] "
            + left(done, now)
            + words);
    terminal.flush();
  }

  private String left(long done, long now) {
    if (done <= 0) {
      return "";
    }
    double seconds = (now - start) / 1e9 / done * Math.max(0, whole - done);
    return "about " + inWords(Math.round(seconds)) + " left; ";
  }

  /** Leaves an empty line, for what is printed next. */
  void clear() {
    if (shown && terminal != null) {
      terminal.print(CLEAR);
      terminal.flush();
      shown = false;
    }
  }

  @Override
  public void close() {
    clear();
  }

  /** Sleeps for some seconds. */
  static void sleep(int seconds, String words) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    try (ProgressBar bar = of(seconds)) {
      for (int second = 0; second < seconds; second++) {
        bar.at(second, words);
        long rest = end - TimeUnit.SECONDS.toNanos(seconds - 1L - second) - System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(rest);
      }
    }
  }

  private static String inWords(long seconds) {
    if (seconds < 60) {
      return seconds + " s";
    }
    return seconds < 3600
        ? String.format(Locale.ROOT, "%d min %02d s", seconds / 60, seconds % 60)
        : String.format(Locale.ROOT, "%d h %02d min", seconds / 3600, seconds % 3600 / 60);
  }
}
