package io.malob.simulation.fluid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventQueueTest {
  private final EventQueue events = new EventQueue();
  private final List<String> happened = new ArrayList<>();

  private Runnable note(String what) {
    return () -> happened.add(what + " at " + events.nowNanos());
  }

  @Test
  void events_happenInTheOrderOfTheirTimes() {
    events.after(2, note("second"));
    events.after(1, note("first"));
    events.runUntil(() -> false);
    assertEquals(List.of("first at 1000000000", "second at 2000000000"), happened);
  }

  @Test
  void eventsOfOneMoment_happenInTheOrderOfPlanning() {
    events.after(1, note("a"));
    events.after(1, note("b"));
    events.after(1, note("c"));
    events.runUntil(() -> false);
    assertEquals(List.of("a at 1000000000", "b at 1000000000", "c at 1000000000"), happened);
  }

  @Test
  void cancelledEvent_doesNotHappen() {
    events.after(1, note("kept"));
    events.cancel(events.after(1, note("cancelled")));
    events.runUntil(() -> false);
    assertEquals(List.of("kept at 1000000000"), happened);
  }

  @Test
  void eventsPlannedByEvents_countFromTheirTime() {
    events.after(1, () -> events.after(0.5, note("later")));
    events.runUntil(() -> false);
    assertEquals(List.of("later at 1500000000"), happened);
  }

  @Test
  void run_endsWhenItIsOver() {
    events.after(1, note("first"));
    events.after(2, note("second"));
    events.runUntil(() -> happened.size() == 1);
    assertEquals(List.of("first at 1000000000"), happened);
  }

  @Test
  void timesBetweenNanoseconds_areRoundedUp() {
    events.after(0.1e-9, note("soon"));
    events.runUntil(() -> false);
    assertEquals(List.of("soon at 1"), happened);
  }

  @Test
  void pastAndNever_areRefused() {
    assertThrows(IllegalArgumentException.class, () -> events.after(-1, note("past")));
    assertThrows(IllegalArgumentException.class, () -> events.after(Double.NaN, note("never")));
  }
}
