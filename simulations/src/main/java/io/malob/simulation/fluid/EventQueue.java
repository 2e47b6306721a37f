package io.malob.simulation.fluid;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The clock of a simulation and what is to happen on it, in nanoseconds. Events of one moment
 * happen in the order in which they were planned, so that a run can be repeated exactly. For one
 * thread.
 */
public final class EventQueue {
  /** Nanoseconds in a second. */
  public static final double SECOND = 1e9;

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          Comparator.comparingLong((Event event) -> event.atNanos)
              .thenComparingLong(event -> event.number));
  private long nowNanos;
  private long planned;

  /** Something that is to happen. */
  public static final class Event {
    private final long atNanos;
    private final long number;
    private final Runnable action;

    private Event(long atNanos, long number, Runnable action) {
      this.atNanos = atNanos;
      this.number = number;
      this.action = action;
    }
  }

  /** Now. */
  public long nowNanos() {
    return nowNanos;
  }

  /** Plans something for so many seconds from now, rounded up to a nanosecond. */
  public Event after(double seconds, Runnable action) {
    if (!(seconds >= 0)) {
      throw new IllegalArgumentException("nothing can happen " + seconds + " seconds from now");
    }
    Event event = new Event(nowNanos + (long) Math.ceil(seconds * SECOND), planned++, action);
    events.add(event);
    return event;
  }

  /** Keeps an event from happening; nothing if it has happened. */
  public void cancel(Event event) {
    events.remove(event);
  }

  /** Goes from event to event until there is none, or until this is so. */
  public void runUntil(BooleanSupplier over) {
    while (!over.getAsBoolean()) {
      @Nullable Event next = events.poll();
      if (next == null) {
        return;
      }
      nowNanos = next.atNanos;
      next.action.run();
    }
  }
}
