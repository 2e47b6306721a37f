package io.malob.simulation;

/**
 * The progress of a simulation: one line on stderr that is overwritten. Quiet unless the launcher
 * reports that stderr is a terminal ({@code -Dmalob.progress=true}). For one thread.
 */
final class ProgressLine implements AutoCloseable {
  private static final String CLEAR = "\r\u001b[K";

  private final boolean isShown = Boolean.getBoolean("malob.progress");
  private final long startNanos = System.nanoTime();
  private final int parts;

  /** The line of a simulation with a number of parts of about the same duration. */
  ProgressLine(int parts) {
    this.parts = parts;
  }

  /** Updates the number of finished parts, and the name of the current one. */
  void at(int done, String words) {
    if (isShown) {
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      String left =
          done == 0 ? "" : String.format(", about %.0f s left", seconds / done * (parts - done));
      System.err.print(CLEAR + done + " of " + parts + left + ": " + words);
    }
  }

  @Override
  public void close() {
    if (isShown) {
      System.err.print(CLEAR);
    }
  }
}
