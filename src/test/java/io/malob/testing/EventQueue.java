package io.malob.testing;

import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Simulated time: what is to happen, in order of time; of two things at one time, what was put in
 * first. The clock stands still while something happens. For one thread.
 */
public final class EventQueue {
  private final AtomicLong clock;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long numbers;

  private record Event(long atNanos, long number, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int order = Long.compare(atNanos, other.atNanos);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  /** An empty queue that moves this clock. */
  public EventQueue(AtomicLong clock) {
    this.clock = clock;
  }

  /** The time, in nanoseconds. */
  public long now() {
    return clock.get();
  }

  /** Lets something happen at that time; now, if that is over. */
  public void at(long nanos, Runnable action) {
    events.add(new Event(Math.max(nanos, now()), numbers++, action));
  }

  /** Lets something happen after that time. */
  public void after(long nanos, Runnable action) {
    at(now() + nanos, action);
  }

  /** Lets that time pass, with all that happens in it; tells after each event. */
  public void pass(long nanos, Runnable afterEach) {
    long until = now() + nanos;
    for (Event next = events.peek(); next != null && next.atNanos <= until; next = events.peek()) {
      events.remove();
      clock.set(next.atNanos);
      next.action.run();
      afterEach.run();
    }
    clock.set(until);
  }
}
