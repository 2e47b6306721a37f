package io.malob.algorithm;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The connections of one server, counted as they are placed and as they end. Thread-safe. */
public final class ServerLoad {
  private final AtomicInteger active = new AtomicInteger();
  private final LongAdder total = new LongAdder();

  /** Counts a connection that was placed on the server. */
  public void opened() {
    active.incrementAndGet();
    total.increment();
  }

  /** Counts a connection that went on after a pause in which it had been counted as ended. */
  public void resumed() {
    active.incrementAndGet();
  }

  /** Counts the end of a connection. */
  public void closed() {
    active.decrementAndGet();
  }

  /** How many connections are open. */
  public int active() {
    return active.get();
  }

  /** How many connections were ever placed. */
  public long total() {
    return total.sum();
  }
}
