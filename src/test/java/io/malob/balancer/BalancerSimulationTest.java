package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.testing.SwitchProfile;
import java.util.List;
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
  private static final List<SwitchProfile> MIXED =
      List.of(
          SwitchProfile.FOUR_TABLES, SwitchProfile.ONE_TABLE_WITH_GROUPS, SwitchProfile.ONE_TABLE);

  static LongStream seeds() {
    return seeds(40);
  }

  static LongStream fewerSeeds() {
    return seeds(25);
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
    run(seed);
  }

  /** Each switch has four tables or one, with or without groups. */
  @ParameterizedTest
  @MethodSource("fewerSeeds")
  void connections_onSwitchesOfSeveralLayouts_doSoToo(long seed) {
    run(seed, new Simulation(seed, MIXED));
  }

  @Test
  void seed_givesTheSameEventsAgain() {
    assertEquals(run(7), run(7));
  }

  private static String run(long seed) {
    return run(seed, new Simulation(seed));
  }

  private static String run(long seed, Simulation simulation) {
    try {
      simulation.run(STEPS);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed " + seed + ": " + e.getMessage() + "\n" + simulation.journal(), e);
    }
    return simulation.fingerprint();
  }
}
