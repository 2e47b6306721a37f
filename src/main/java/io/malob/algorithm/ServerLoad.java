package io.malob.algorithm;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The connections of one server, counted as they are placed and as they end. Thread-safe. */
public final class ServerLoad {
  private final AtomicInteger active = new AtomicInteger();
  private final LongAdder total = new LongAdder();
  private volatile int foreign;

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

  /**
   * Takes over how many connections the server has that were not placed on it, as far as that is
   * known. To be called by one thread at a time.
   */
  public void setForeign(int connections) {
    foreign = connections;
  }

  /** How many connections the server has that were not placed on it, as was last reported. */
  public int foreign() {
    return foreign;
  }

  /** How many connections the server has: those that are open, and foreign ones. */
  public long present() {
    return (long) active.get() + foreign;
  }

  /** How many connections were ever placed. */
  public long total() {
    return total.sum();
  }
}
