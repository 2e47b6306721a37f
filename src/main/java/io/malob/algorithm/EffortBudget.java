package io.malob.algorithm;

import java.util.concurrent.atomic.AtomicLong;

/** The number of links that searches may still examine. Thread-safe. */
final class EffortBudget {
  private final AtomicLong left;

  EffortBudget(long links) {
    left = new AtomicLong(links);
  }

  boolean isSpent() {
    return left.get() <= 0;
  }

  void spend(long links) {
    left.addAndGet(-links);
  }

  long left() {
    return left.get();
  }
}
