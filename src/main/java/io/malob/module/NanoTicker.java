package io.malob.module;

import com.google.common.base.Ticker;
import java.util.function.LongSupplier;

/** A module's clock, in nanoseconds from anywhere, as Guava's caches want it. */
public final class NanoTicker extends Ticker {
  private final LongSupplier nanoTime;

  /** A ticker that tells what this clock tells. */
  public NanoTicker(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public long read() {
    return nanoTime.getAsLong();
  }
}
