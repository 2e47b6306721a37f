package io.malob.state.network;

/**
 * One measured value. Its unit is in the name of its field.
 *
 * @param value the value; finite, and not negative
 * @param atNanos when it was measured, on the controller's steady clock
 * @param source its source
 */
public record Measurement(double value, long atNanos, Source source) {

  /** The sources of values. */
  public enum Source {
    /** Probe frames that the controller sends over the link. */
    PROBE,
    /** An agent's report. */
    AGENT,
    /** The counters of a switch's port. */
    PORT_STATISTICS
  }

  /** Rejects impossible values. */
  public Measurement {
    if (!Double.isFinite(value) || value < 0) {
      throw new IllegalArgumentException("a measurement cannot be " + value);
    }
  }

  /** Its age, in nanoseconds. */
  public long ageNanos(long nowNanos) {
    return nowNanos - atNanos;
  }
}
