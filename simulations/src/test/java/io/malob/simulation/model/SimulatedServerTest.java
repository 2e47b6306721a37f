package io.malob.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.simulation.fluid.EventQueue;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulatedServerTest {
  private final EventQueue events = new EventQueue();
  private final List<Double> ends = new ArrayList<>();

  private void compute(SimulatedServer server, double cpuSeconds) {
    server.compute(cpuSeconds, () -> ends.add(events.nowNanos() / EventQueue.SECOND));
  }

  @Test
  void computations_uptoOnePerProcessor_areAsFastAsAlone() {
    SimulatedServer server = new SimulatedServer(events, 4);
    for (int i = 0; i < 4; i++) {
      compute(server, 30);
    }
    events.runUntil(() -> false);
    assertEquals(List.of(30.0, 30.0, 30.0, 30.0), ends);
  }

  @Test
  void computations_onOneProcessor_shareIt() {
    SimulatedServer server = new SimulatedServer(events, 1);
    compute(server, 30);
    compute(server, 10);
    events.runUntil(() -> false);
    assertEquals(List.of(20.0, 40.0), ends);
  }

  @Test
  void busyTime_isThatOfAllProcessors() {
    SimulatedServer server = new SimulatedServer(events, 4);
    compute(server, 3);
    compute(server, 3);
    events.after(2, () -> ends.add(server.busySeconds()));
    events.runUntil(() -> !ends.isEmpty());
    assertEquals(List.of(4.0), ends);
  }

  @Test
  void slowness_countsTheComputationThatComes() {
    SimulatedServer server = new SimulatedServer(events, 2);
    assertEquals(1, server.slowness());
    compute(server, 9);
    assertEquals(1, server.slowness());
    compute(server, 9);
    assertEquals(1.5, server.slowness());
  }

  /** A second at full speed, then 2 of 4 processors for 4 computations. */
  @Test
  void quota_appliesToTheRestOfComputations() {
    SimulatedServer server = new SimulatedServer(events, 4);
    for (int i = 0; i < 4; i++) {
      compute(server, 3);
    }
    events.after(1, () -> server.setQuota(0.5));
    events.runUntil(() -> false);
    assertEquals(List.of(5.0, 5.0, 5.0, 5.0), ends);
    assertEquals(12, server.busySeconds(), 1e-9);
  }
}
