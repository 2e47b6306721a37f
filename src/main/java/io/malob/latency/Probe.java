package io.malob.latency;

/**
 * One probe on its way. Times are nanoseconds of the monitor's clock. Whoever takes it out of
 * {@link OutstandingProbes} owns it; only {@link #written} may be called by another thread.
 */
final class Probe {
  private final long number;
  private final Target target;
  private final ControlMethod method;
  private final long createdNanos;
  private volatile long writtenNanos;
  private long answeredNanos;

  Probe(long number, Target target, ControlMethod method, long createdNanos) {
    this.number = number;
    this.target = target;
    this.method = method;
    this.createdNanos = createdNanos;
    writtenNanos = createdNanos;
  }

  long number() {
    return number;
  }

  Target target() {
    return target;
  }

  /** How it is sent. */
  ControlMethod method() {
    return method;
  }

  long createdNanos() {
    return createdNanos;
  }

  /** It is written into its connection's buffer now. */
  void written(long nowNanos) {
    writtenNanos = nowNanos;
  }

  void answered(long nowNanos) {
    answeredNanos = nowNanos;
  }

  long answeredNanos() {
    return answeredNanos;
  }

  long tookNanos() {
    return answeredNanos - writtenNanos;
  }
}
