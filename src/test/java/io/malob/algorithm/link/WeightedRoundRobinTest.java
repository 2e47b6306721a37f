package io.malob.algorithm.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WeightedRoundRobinTest {
  private final UplinkPicker picker = new WeightedRoundRobin();

  /** How far any uplink's flows are from the sum of its shares, at worst. */
  private static double worstDistance(
      UplinkPicker picker, int flows, IntFunction<List<UplinkLoad>> uplinks) {
    double[] due = new double[uplinks.apply(0).size()];
    double worst = 0;
    for (int flow = 0; flow < flows; flow++) {
      List<UplinkLoad> now = uplinks.apply(flow);
      double[] shares = Capacities.shares(now);
      due[picker.pick(now).number() - 1] -= 1;
      for (int i = 0; i < due.length; i++) {
        due[i] += shares[i];
        worst = Math.max(worst, Math.abs(due[i]));
      }
    }
    return worst;
  }

  private static double[] random(Random random, int count) {
    // from nearly equal to four orders of magnitude apart
    double spread = 9 * random.nextDouble();
    return IntStream.range(0, count)
        .mapToDouble(i -> 1e6 * Math.exp(spread * random.nextDouble()))
        .toArray();
  }

  @Test
  void turns_ofOneAndTwo_alternateAsEvenlyAsTheyCan() {
    List<UplinkLoad> uplinks = Loads.ofCapacities(10e6, 20e6);
    List<Integer> turns =
        IntStream.range(0, 9).mapToObj(i -> picker.pick(uplinks).number()).toList();
    assertEquals(List.of(2, 1, 2, 2, 1, 2, 2, 1, 2), turns);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8, 13, 32})
  void flows_underConstantShares_areNeverOneAwayFromThem(int count) {
    for (int seed = 0; seed < 50; seed++) {
      List<UplinkLoad> uplinks = Loads.ofCapacities(random(new Random(seed), count));
      double worst = worstDistance(new WeightedRoundRobin(), 500, flow -> uplinks);
      assertTrue(worst < 1, "seed " + seed + ": " + worst);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void flows_underSharesThatChangeAtAnyTime_areNeverOneAwayFromTheSumOfThem(int count) {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      List<List<UplinkLoad>> changes =
          IntStream.range(0, 500).mapToObj(i -> Loads.ofCapacities(random(random, count))).toList();
      double worst = worstDistance(new WeightedRoundRobin(), 500, changes::get);
      assertTrue(worst < 1, "seed " + seed + ": " + worst);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8, 32})
  void flows_ofManyUplinksUnderChangingShares_stayNearTheSumOfThem(int count) {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      List<List<UplinkLoad>> changes =
          IntStream.range(0, 500).mapToObj(i -> Loads.ofCapacities(random(random, count))).toList();
      double worst = worstDistance(new WeightedRoundRobin(), 500, changes::get);
      assertTrue(worst < 2, "seed " + seed + ": " + worst);
    }
  }

  @Test
  void rounds_ofThePaper_driftAwayFromSharesAndLookAtNewOnesLate() {
    List<UplinkLoad> uplinks = Loads.ofCapacities(10e6, 20e6);
    double paper = worstDistance(new PaperRounds(), 1_000, flow -> uplinks);
    assertTrue(paper > 10, "the paper's: " + paper);
    double ours = worstDistance(picker, 1_000, flow -> uplinks);
    assertTrue(ours < 1, "ours: " + ours);

    List<UplinkLoad> after = Loads.ofCapacities(10e6, 1e6);
    double late = worstDistance(new PaperRounds(), 200, flow -> flow < 1 ? uplinks : after);
    assertTrue(late > 50, "the paper's after a change: " + late);
    double soon = worstDistance(new WeightedRoundRobin(), 200, flow -> flow < 1 ? uplinks : after);
    assertTrue(soon < 1, "ours after a change: " + soon);
  }

  @Test
  void uplink_thatComesBack_getsNoBurst() {
    List<UplinkLoad> both = Loads.ofCapacities(10e6, 10e6);
    List<UplinkLoad> first = both.subList(0, 1);
    picker.pick(both);
    for (int flow = 0; flow < 1_000; flow++) {
      assertEquals(1, picker.pick(first).number());
    }
    int ofSecond = 0;
    for (int flow = 0; flow < 10; flow++) {
      ofSecond += picker.pick(both).number() == 2 ? 1 : 0;
    }
    assertEquals(5, ofSecond);
  }

  @Test
  void uplink_thatGoes_leavesItsCreditToTheOthers() {
    List<UplinkLoad> three = Loads.ofCapacities(10e6, 10e6, 10e6);
    List<UplinkLoad> two = three.subList(0, 2);
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      int balance = 0;
      for (int flow = 0; flow < 500; flow++) {
        int number = picker.pick(random.nextInt(10) == 0 ? three : two).number();
        balance += number == 1 ? 1 : number == 2 ? -1 : 0;
        assertTrue(Math.abs(balance) <= 3, "seed " + seed + ": " + balance);
      }
      balance = 0;
    }
  }

  @Test
  void weight_ofTheOperator_winsOverTheCapacity() {
    List<UplinkLoad> uplinks =
        List.of(
            new UplinkLoad(1, 3, 1_000_000, 0, 0, 0, 0),
            new UplinkLoad(2, 1, 50_000_000, 0, 0, 0, 0));
    int ofFirst = 0;
    for (int flow = 0; flow < 400; flow++) {
      ofFirst += picker.pick(uplinks).number() == 1 ? 1 : 0;
    }
    assertEquals(300, ofFirst);
  }
}
