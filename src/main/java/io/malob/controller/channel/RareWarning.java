package io.malob.controller.channel;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A warning that may concern every message: always counted, but logged at a limited rate. Safe for
 * use by several threads, never blocks.
 */
public final class RareWarning {
  private static final long INTERVAL_NANOS = 10_000_000_000L;

  private final Logger logger;
  private final String line;
  private final LongSupplier nanoTime;
  private final AtomicLong count = new AtomicLong();
  private final AtomicLong nextNanos;

  /**
   * A warning on this log.
   *
   * @param event the name of the event
   * @param nanoTime counts nanoseconds
   */
  public RareWarning(Logger logger, String event, LongSupplier nanoTime) {
    this.logger = logger;
    this.line = event + " what=\"{}\" count={}";
    this.nanoTime = nanoTime;
    nextNanos = new AtomicLong(nanoTime.getAsLong());
  }

  /** Counts one more without a cause, and logs it if it is due. */
  public void warn(String text) {
    warn(text, null);
  }

  /** Counts one more, and logs it if it is due. */
  public void warn(String text, @Nullable Throwable cause) {
    long total = count.incrementAndGet();
    long now = nanoTime.getAsLong();
    long next = nextNanos.get();
    if (now - next >= 0 && nextNanos.compareAndSet(next, now + INTERVAL_NANOS)) {
      logger.warn(line, text, total, cause);
    }
  }

  /** How often it happened. */
  public long count() {
    return count.get();
  }
}
