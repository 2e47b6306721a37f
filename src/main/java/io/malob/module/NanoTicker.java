package io.malob.module;

import com.google.common.base.Ticker;
import java.util.function.LongSupplier;

/** A clock in nanoseconds, as Guava's caches take it. */
public final class NanoTicker extends Ticker {
  private final LongSupplier nanoTime;

  /** A ticker that reads this clock. */
  public NanoTicker(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public long read() {
    return nanoTime.getAsLong();
  }
}
