package io.malob.algorithm.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class CapacitiesTest {
  private static final double EXACT = 1e-12;

  @Test
  void shares_ofKnownCapacities_areInProportion() {
    assertArrayEquals(
        new double[] {0.25, 0.75}, Capacities.shares(Loads.ofCapacities(10e6, 30e6)), EXACT);
  }

  @Test
  void shares_withoutAnyCapacity_areEqual() {
    assertArrayEquals(new double[] {0.5, 0.5}, Capacities.shares(Loads.ofCapacities(0, 0)), EXACT);
  }

  @Test
  void unknownCapacity_countsAsTheMeanOfTheKnown() {
    assertArrayEquals(
        new double[] {10e6, 20e6, 30e6}, Capacities.bps(Loads.ofCapacities(10e6, 0, 30e6)), EXACT);
  }

  @Test
  void unknownCapacity_countsAsAtLeastTwiceTheRecentMaxRate() {
    List<UplinkLoad> uplinks =
        List.of(
            new UplinkLoad(1, 0, 4_000_000, 4_000_000, 4_000_000, 0, 0),
            new UplinkLoad(2, 0, 0, 1_000_000, 5_000_000, 0, 0));
    assertArrayEquals(new double[] {4e6, 10e6}, Capacities.bps(uplinks), EXACT);
  }

  @Test
  void capacities_besideWeights_areBroughtToTheirScale() {
    List<UplinkLoad> uplinks =
        List.of(
            new UplinkLoad(1, 2, 10_000_000, 0, 0, 0, 0),
            new UplinkLoad(2, 0, 20_000_000, 0, 0, 0, 0));
    assertArrayEquals(new double[] {1.0 / 3, 2.0 / 3}, Capacities.shares(uplinks), EXACT);
  }

  @Test
  void uplinkWithoutWeight_ifNothingTellsTheScale_countsAsTheMeanOfTheWeights() {
    assertArrayEquals(
        new double[] {0.5, 1.0 / 6, 1.0 / 3}, Capacities.shares(Loads.ofWeights(3, 1, 0)), EXACT);
  }
}
