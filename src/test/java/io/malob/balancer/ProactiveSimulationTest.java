package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.testing.SwitchProfile;
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
    return seeds(6);
  }

  static LongStream fewerSeeds() {
    return seeds(2);
  }

  private static LongStream seeds(long count) {
    Long one = Long.getLong("malob.simulation.seed");
    return one != null
        ? LongStream.of(one)
        : LongStream.rangeClosed(1, Long.getLong("malob.simulation.seeds", count));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void connections_whateverHappens_keepTheirMembersAndLeaveNothingBehind(long seed) {
    run(seed, SwitchProfile.FOUR_TABLES);
  }

  @ParameterizedTest
  @MethodSource("fewerSeeds")
  void connectionsInOneTable_whateverHappens_keepTheirMembersAndLeaveNothingBehind(long seed) {
    run(seed, seed % 2 == 0 ? SwitchProfile.ONE_TABLE : SwitchProfile.ONE_TABLE_WITH_GROUPS);
  }

  @Test
  void seed_givesTheSameEventsAgain() {
    assertEquals(run(7, SwitchProfile.FOUR_TABLES), run(7, SwitchProfile.FOUR_TABLES));
  }

  private static String run(long seed, SwitchProfile profile) {
    ProactiveSimulation simulation = new ProactiveSimulation(seed, profile);
    try {
      simulation.run(STEPS);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed " + seed + ": " + e.getMessage() + "\n" + simulation.journal(), e);
    }
    return simulation.fingerprint();
  }
}
