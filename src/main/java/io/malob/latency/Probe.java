package io.malob.latency;

/**
 * One pending probe. Times are nanoseconds of the monitor's clock. The thread that removes it from
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

  /** The method by which it is sent. */
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
