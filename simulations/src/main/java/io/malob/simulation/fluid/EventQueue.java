package io.malob.simulation.fluid;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The clock of a simulation and its planned events, in nanoseconds. Events of one moment happen in
 * the order of planning, so that a run can be repeated exactly. For one thread.
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

  /** A planned event. */
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

  /** Plans an event after the given seconds, rounded up to a nanosecond. */
  public Event after(double seconds, Runnable action) {
    if (!(seconds >= 0)) {
      throw new IllegalArgumentException("nothing can happen " + seconds + " seconds from now");
    }
    Event event = new Event(nowNanos + (long) Math.ceil(seconds * SECOND), planned++, action);
    events.add(event);
    return event;
  }

  /** Cancels an event; no effect if it has happened. */
  public void cancel(Event event) {
    events.remove(event);
  }

  /** Runs events until there is none, or until the condition holds. */
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
