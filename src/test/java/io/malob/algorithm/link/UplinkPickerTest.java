package io.malob.algorithm.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UplinkPickerTest {
  private final FlowSizes sizes = new FlowSizes();

  private UplinkPicker picker(String name) {
    return UplinkPicker.byName(name, sizes).orElseThrow();
  }

  private static List<Integer> turns(UplinkPicker picker, List<UplinkLoad> uplinks, int count) {
    return IntStream.range(0, count).mapToObj(i -> picker.pick(uplinks).number()).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"GROUP", "rr", ""})
  void name_ofNoPicker_givesNone(String name) {
    assertTrue(UplinkPicker.byName(name, sizes).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"RR", "MBW", "WRR", "ADAPTIVE"})
  void capacities_ifAllAreUnknown_giveTurns(String name) {
    assertEquals(
        List.of(1, 2, 3, 1, 2, 3), turns(picker(name), Loads.ofCapacities(0, 0, 0), 6), name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"RR", "MBW", "WRR", "ADAPTIVE"})
  void pick_ofAnything_isOneOfThoseThatAreUsable(String name) {
    Random random = new Random(7);
    UplinkPicker picker = picker(name);
    for (int flow = 0; flow < 5_000; flow++) {
      List<UplinkLoad> usable =
          random
              .ints(1 + random.nextInt(5), 1, 9)
              .distinct()
              .sorted()
              .mapToObj(number -> any(number, random))
              .toList();
      assertTrue(usable.contains(picker.pick(usable)));
    }
  }

  private static UplinkLoad any(int number, Random random) {
    return new UplinkLoad(
        number,
        random.nextInt(3) == 0 ? 5 * random.nextDouble() : 0,
        random.nextInt(3) == 0 ? 0 : random.nextInt(50_000_000),
        random.nextInt(50_000_000),
        random.nextInt(50_000_000),
        random.nextInt(20),
        1e7 * random.nextDouble());
  }

  @Test
  void roundRobin_whenAnUplinkGoesAndComesBack_goesOnAfterTheLast() {
    UplinkPicker picker = picker("RR");
    List<UplinkLoad> three = Loads.ofCapacities(1, 2, 3);
    assertEquals(List.of(1, 2), turns(picker, three, 2));
    List<UplinkLoad> without3 = three.subList(0, 2);
    assertEquals(List.of(1, 2), turns(picker, without3, 2));
    assertEquals(List.of(3, 1), turns(picker, three, 2));
  }

  @Test
  void maximumBandwidth_looksAtWhatIsLeft() {
    List<UplinkLoad> uplinks =
        List.of(
            new UplinkLoad(1, 0, 20_000_000, 15_000_000, 15_000_000, 0, 0),
            new UplinkLoad(2, 9, 10_000_000, 4_000_000, 4_000_000, 0, 0),
            new UplinkLoad(3, 0, 5_000_000, 0, 0, 0, 0));
    assertEquals(List.of(2, 2, 2), turns(picker("MBW"), uplinks, 3));
  }

  @Test
  void maximumBandwidth_ofAnUnknownCapacity_isTheMeanLessItsRate() {
    List<UplinkLoad> uplinks =
        List.of(
            new UplinkLoad(1, 0, 8_000_000, 0, 0, 0, 0),
            new UplinkLoad(2, 0, 0, 3_000_000, 3_000_000, 0, 0),
            new UplinkLoad(3, 0, 12_000_000, 4_000_000, 4_000_000, 0, 0));
    assertEquals(List.of(1, 3, 1), turns(picker("MBW"), uplinks, 3));
  }

  @Test
  void adaptive_goesWhereOneMoreFlowWouldBeDoneFirst() {
    UplinkPicker picker = picker("ADAPTIVE");
    Random random = new Random(11);
    for (int trial = 0; trial < 2_000; trial++) {
      List<UplinkLoad> uplinks =
          List.of(withCapacity(1, random), withCapacity(2, random), withCapacity(3, random));
      UplinkLoad chosen = picker.pick(uplinks);
      for (UplinkLoad each : uplinks) {
        assertTrue(seconds(chosen) <= seconds(each) * (1 + 1e-9), "trial " + trial);
      }
    }
  }

  private static UplinkLoad withCapacity(int number, Random random) {
    return new UplinkLoad(
        number, 0, 1_000_000 + random.nextInt(49_000_000), 0, 0, 0, 1e6 * random.nextDouble());
  }

  private double seconds(UplinkLoad load) {
    return (load.expectedBytes() + sizes.meanBytes()) * 8 / load.capacityBps();
  }
}
