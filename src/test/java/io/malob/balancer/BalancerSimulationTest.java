package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The balancer against a model, from many seeds. {@code -Dmalob.simulation.seed=N} replays one,
 * {@code -Dmalob.simulation.seeds=N} takes more of them.
 */
class BalancerSimulationTest {
  private static final int STEPS = 200;

  static LongStream seeds() {
    Long one = Long.getLong("malob.simulation.seed");
    return one != null
        ? LongStream.of(one)
        : LongStream.rangeClosed(1, Long.getLong("malob.simulation.seeds", 70));
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
    Simulation simulation = new Simulation(seed);
    try {
      simulation.run(STEPS);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed " + seed + ": " + e.getMessage() + "\n" + simulation.journal(), e);
    }
    return simulation.fingerprint();
  }
}
