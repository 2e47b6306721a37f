package io.malob.state.network;

/**
 * One value as it was measured. Its unit is in the name of the field that holds it.
 *
 * @param value the value; finite, and not negative
 * @param atNanos when it was measured, on the controller's steady clock
 * @param source where it comes from
 */
public record Measurement(double value, long atNanos, Source source) {

  /** Where values come from. */
  public enum Source {
    /** Probe frames that the controller sends over the link. */
    PROBE,
    /** An agent's report. */
    AGENT,
    /** The counters of a switch's port. */
    PORT_STATISTICS
  }

  /** Refuses what cannot be a measurement. */
  public Measurement {
    if (!Double.isFinite(value) || value < 0) {
      throw new IllegalArgumentException("a measurement cannot be " + value);
    }
  }

  /** How old it is, in nanoseconds. */
  public long ageNanos(long nowNanos) {
    return nowNanos - atNanos;
  }
}
