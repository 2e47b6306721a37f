package io.malob.controller.network;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A steady clock that also shows the date. */
public final class SteadyClock {
  private SteadyClock() {}

  /**
   * Milliseconds since the epoch that never jump after this call: a change of the machine's clock
   * does not make links and hosts disappear.
   */
  public static LongSupplier millis() {
    long offset = System.currentTimeMillis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    return () -> offset + TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }
}
