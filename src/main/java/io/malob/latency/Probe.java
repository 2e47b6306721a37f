package io.malob.latency;

/**
 * One pending probe. Times are nanoseconds of the monitor's clock. The thread that removes it from
 * {@link OutstandingProbes} owns it; only {@link #written} may be called by another thread.
 */
final class Probe {
  final long number;
  final Target target;

  /** The method by which it is sent. */
  final ControlMethod method;

  final long createdNanos;
  private volatile long writtenNanos;
  long answeredNanos;

  Probe(long number, Target target, ControlMethod method, long createdNanos) {
    this.number = number;
    this.target = target;
    this.method = method;
    this.createdNanos = createdNanos;
    writtenNanos = createdNanos;
  }

  /** It is written into its connection's buffer now. */
  void written(long nowNanos) {
    writtenNanos = nowNanos;
  }

  long tookNanos() {
    return answeredNanos - writtenNanos;
  }
}
