package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Proactive placement against a model, from many seeds. {@code -Dmalob.simulation.seed=N} replays
 * one, {@code -Dmalob.simulation.seeds=N} takes more of them.
 */
class ProactiveSimulationTest {
  private static final int STEPS = 120;

  static LongStream seeds() {
    Long one = Long.getLong("malob.simulation.seed");
    return one != null
        ? LongStream.of(one)
        : LongStream.rangeClosed(1, Long.getLong("malob.simulation.seeds", 6));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void connections_whateverHappens_keepTheirMembersAndLeaveNothingBehind(long seed) {
    run(seed);
  }

  @Test
  void seed_givesTheSameEventsAgain() {
    assertEquals(run(7), run(7));
  }

  private static String run(long seed) {
    ProactiveSimulation simulation = new ProactiveSimulation(seed);
    try {
      simulation.run(STEPS);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed " + seed + ": " + e.getMessage() + "\n" + simulation.journal(), e);
    }
    return simulation.fingerprint();
  }
}
