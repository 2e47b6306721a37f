package io.malob.simulation;

/**
 * How far a simulation is: one line on stderr that is written over. Quiet unless the launcher says
 * that stderr is a terminal ({@code -Dmalob.progress=true}). For one thread.
 */
final class ProgressLine implements AutoCloseable {
  private static final String CLEAR = "\r\u001b[K";

  private final boolean isShown = Boolean.getBoolean("malob.progress");
  private final long startNanos = System.nanoTime();
  private final int parts;

  /** The line of a simulation that has so many parts, which take about the same time each. */
  ProgressLine(int parts) {
    this.parts = parts;
  }

  /** So many parts are done, and what these words name has begun. */
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
