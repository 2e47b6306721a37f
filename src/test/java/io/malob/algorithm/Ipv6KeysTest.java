package io.malob.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class Ipv6KeysTest {
  private static final int MAX = 8_192;
  private static final int PATIENCE = 2;

  private final Ipv6Keys keys = new Ipv6Keys(MAX);

  private void sweepUnused(int times) {
    for (int i = 0; i < times; i++) {
      keys.sweep(new BitSet(), PATIENCE);
    }
  }

  @Test
  void address_hasOneNumber_fromWhichItCanBeRead() {
    int first = keys.add(7, -1, true);
    int second = keys.add(7, -2, false);
    assertNotEquals(first, second);
    assertEquals(first, keys.add(7, -1, false));
    assertEquals(first, keys.find(7, -1));
    assertEquals(Ipv6Keys.NONE, keys.find(8, -1));
    assertEquals(7, keys.upper(second));
    assertEquals(-2, keys.lower(second));
    assertEquals(2, keys.size());
  }

  @Test
  void packets_cannotUseTheReserve() {
    int forPackets = MAX - MAX / 16;
    for (int i = 0; i < forPackets; i++) {
      assertNotEquals(Ipv6Keys.NONE, keys.add(1, i, false));
    }
    assertEquals(Ipv6Keys.NONE, keys.add(1, -1, false));
    assertEquals(0, keys.add(1, 0, false), "those that have a number keep it");
    for (int i = 0; i < MAX / 16; i++) {
      assertNotEquals(Ipv6Keys.NONE, keys.add(2, i, true));
    }
    assertEquals(Ipv6Keys.NONE, keys.add(2, -1, true));
  }

  @Test
  void unusedAddress_isForgotten_andOneInUseOrJustSeenIsNot() {
    int unused = keys.add(1, 1, false);
    int inUse = keys.add(1, 2, false);
    int seen = keys.add(1, 3, false);
    BitSet used = new BitSet();
    used.set(inUse);
    for (int i = 0; i <= PATIENCE; i++) {
      keys.find(1, 3);
      keys.sweep(used, PATIENCE);
    }
    assertEquals(Ipv6Keys.NONE, keys.find(1, 1));
    assertEquals(inUse, keys.find(1, 2));
    assertEquals(seen, keys.find(1, 3));
    assertEquals(2, keys.size());
    assertNotEquals(unused, keys.add(1, 4, false), "threads may still compare with it");
    keys.sweep(used, PATIENCE);
    assertEquals(unused, keys.add(1, 5, false));
  }

  @Test
  void freedNumberThatAThreadHasBroughtIntoUse_isNotGivenAgain() {
    int number = keys.add(1, 1, false);
    sweepUnused(PATIENCE + 1);
    assertEquals(Ipv6Keys.NONE, keys.find(1, 1));
    BitSet used = new BitSet();
    used.set(number);
    keys.sweep(used, PATIENCE);
    assertNotEquals(number, keys.add(1, 2, false));
    assertEquals(1, keys.upper(number));
    sweepUnused(1);
    assertEquals(1, keys.size());
    sweepUnused(1);
    assertEquals(number, keys.add(1, 3, false));
  }

  @Test
  void fullTable_hasRoomAgain_afterTwoSweepsMore() {
    for (int i = 0; i < MAX; i++) {
      keys.add(1, i, true);
    }
    sweepUnused(PATIENCE + 1);
    assertEquals(0, keys.size());
    sweepUnused(1);
    for (int i = 0; i < MAX; i++) {
      assertNotEquals(Ipv6Keys.NONE, keys.add(2, i, true));
    }
  }

  @Test
  void randomAddressesAndSweeps_matchAModel() {
    Random random = new Random(4);
    Map<Long, Integer> model = new HashMap<>();
    for (int step = 0; step < 200_000; step++) {
      long lower = random.nextInt(2_000);
      int number = keys.add(step % 3 == 0 ? 1 : 2, lower, true);
      long address = lower << 1 | (step % 3 == 0 ? 1 : 0);
      Integer before = model.put(address, number);
      assertTrue(before == null || before == number);
      if (step % 20_000 == 0) {
        BitSet used = new BitSet();
        model.values().forEach(used::set);
        keys.sweep(used, PATIENCE);
      }
      if (step % 70_000 == 69_999) {
        model.clear();
        sweepUnused(PATIENCE + 2);
      }
    }
    Set<Integer> numbers = new HashSet<>(model.values());
    assertEquals(model.size(), numbers.size());
  }

  @Test
  void threads_agree() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      Callable<int[]> task =
          () -> IntStream.range(0, 5_000).map(i -> keys.add(9, i * 31L, false)).toArray();
      var results = threads.invokeAll(Collections.nCopies(4, task));
      int[] first = results.get(0).get();
      for (var each : results) {
        assertTrue(Arrays.equals(first, each.get()));
      }
      assertEquals(5_000, IntStream.of(first).distinct().count());
    } finally {
      threads.shutdownNow();
    }
  }
}
