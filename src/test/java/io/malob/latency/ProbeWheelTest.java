package io.malob.latency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A turn is 500, a slot 10. */
class ProbeWheelTest {
  private static final int SLOTS = 50;

  private final ProbeWheel<Integer> wheel = new ProbeWheel<>(500, 10);

  @ParameterizedTest
  @ValueSource(ints = {1, 28, 49, 50, 51, 1_000, 1_999})
  void turn_eachHasItsTurnOnceAndAllAreSpreadEvenly(int count) {
    wheel.set(alone(count), 1);
    List<List<Integer>> turn = slots(1_000, SLOTS);
    List<Integer> all = new ArrayList<>();
    turn.forEach(all::addAll);
    Collections.sort(all);
    assertEquals(numbers(count), all);
    for (List<Integer> slot : turn) {
      assertTrue(slot.size() == count / SLOTS || slot.size() == (count + SLOTS - 1) / SLOTS);
    }
  }

  @Test
  void turns_followEachOtherInTheSameOrder() {
    wheel.set(alone(70), 1);
    assertEquals(slots(0, SLOTS), slots(500, SLOTS));
  }

  @Test
  void groups_ofOneSwitch_neverLeaveAtOnce() {
    wheel.set(Lists.partition(numbers(1_000), 20), 1);
    Map<Integer, Integer> slotOf = slotOf(slots(0, SLOTS));
    for (int first = 0; first + 20 <= 1_000; first += 20) {
      HashSet<Integer> used = new HashSet<>();
      IntStream.range(first, first + 20).forEach(number -> used.add(slotOf.get(number)));
      assertEquals(20, used.size(), "slots of the twenty from " + first);
    }
  }

  @Test
  void groups_ofNeighbours_leaveAtOnceOrOneAfterTheOther() {
    wheel.set(alone(1_000), 1);
    Map<Integer, Integer> slotOf = slotOf(slots(0, SLOTS));
    for (int number = 0; number < 1_000; number++) {
      assertEquals(number / 20, slotOf.get(number));
    }
  }

  private static Map<Integer, Integer> slotOf(List<List<Integer>> turn) {
    Map<Integer, Integer> slotOf = new HashMap<>();
    for (int slot = 0; slot < SLOTS; slot++) {
      for (int number : turn.get(slot)) {
        slotOf.put(number, slot);
      }
    }
    return slotOf;
  }

  @Test
  void call_thatComesTooEarly_handsOutNothing() {
    wheel.set(alone(1_000), 1);
    assertEquals(20, due(1_000).size());
    assertEquals(0, due(1_009).size());
    assertEquals(20, due(1_010).size());
  }

  @Test
  void call_thatComesLate_makesUpForLittleAndForgetsTheRest() {
    wheel.set(alone(1_000), 1);
    due(1_000);
    assertEquals(60, due(1_030).size());
    assertEquals(80, due(1_400).size());
    assertEquals(20, due(1_410).size());
  }

  @Test
  void turns_several_areAtRegularDistances() {
    wheel.set(alone(28), 4);
    List<List<Integer>> turn = slots(0, SLOTS);
    assertEquals(28 * 4, turn.stream().mapToInt(List::size).sum());
    assertTrue(turn.stream().allMatch(slot -> slot.size() <= 4), turn.toString());
    for (int number = 0; number < 28; number++) {
      int each = number;
      int[] at = IntStream.range(0, SLOTS).filter(i -> turn.get(i).contains(each)).toArray();
      for (int i = 0; i < 4; i++) {
        int distance = Math.floorMod(at[(i + 1) % 4] - at[i], SLOTS);
        assertTrue(distance == 12 || distance == 13, "distance " + distance);
      }
    }
  }

  @Test
  void turns_moreThanSlots_areAsManyAsSlots() {
    ProbeWheel<Integer> fast = new ProbeWheel<>(5, 10);
    fast.set(alone(3), 4);
    List<Integer> out = new ArrayList<>();
    fast.due(100, out::add);
    assertEquals(numbers(3), out);
  }

  @Test
  void set_replacesAll() {
    wheel.set(alone(1_000), 1);
    wheel.set(List.of(), 1);
    slots(0, SLOTS).forEach(slot -> assertEquals(List.of(), slot));
  }

  @Test
  void turn_shorterThanASlot_handsAllOutEachTime() {
    ProbeWheel<Integer> fast = new ProbeWheel<>(5, 10);
    fast.set(alone(3), 1);
    List<Integer> out = new ArrayList<>();
    fast.due(100, out::add);
    assertEquals(numbers(3), out);
  }

  /** Each by itself. */
  private static List<List<Integer>> alone(int count) {
    return Lists.partition(numbers(count), 1);
  }

  private static List<Integer> numbers(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  private List<List<Integer>> slots(long from, int count) {
    return IntStream.range(0, count).mapToObj(slot -> due(from + slot * 10L)).toList();
  }

  private List<Integer> due(long now) {
    List<Integer> out = new ArrayList<>();
    wheel.due(now, out::add);
    return out;
  }
}
