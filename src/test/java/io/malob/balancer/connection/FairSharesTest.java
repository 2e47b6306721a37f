package io.malob.balancer.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FairSharesTest {
  private final FairShares shares = new FairShares();

  private static long of(int vip, int client) {
    return (long) vip << Integer.SIZE | Integer.toUnsignedLong(client);
  }

  /** The positions of those that give way first. */
  private int[] first(long[] holders, int count) {
    for (int i = 0; i < holders.length; i++) {
      shares.add(i, (int) (holders[i] >>> Integer.SIZE), (int) holders[i]);
    }
    return shares.takeFirst(count);
  }

  @Test
  void first_ofNone_isNone() {
    assertArrayEquals(new int[0], first(new long[0], 0));
  }

  @Test
  void first_ofEqualHolders_isTheOldest() {
    long[] holders = {of(1, 1), of(1, 2), of(1, 3)};
    assertArrayEquals(new int[] {0, 1, 2}, first(holders, 3));
  }

  @Test
  void first_isOfTheVipWithTheMost_andOfItsClientWithTheMost() {
    long[] holders = {of(2, 9), of(2, 9), of(1, -1), of(1, 5), of(1, 5), of(4_095, 5), of(1, 7)};
    assertArrayEquals(new int[] {3, 2, 0, 4}, first(holders, 4));
  }

  @Test
  void first_afterMoreEntries_dependsOnTheNewOnesOnly() {
    long[] many = new long[200];
    Arrays.fill(many, of(1, 1));
    many[0] = of(2, 1);
    assertArrayEquals(new int[] {1, 2}, first(many, 2));
    assertArrayEquals(new int[] {1}, first(new long[] {of(1, 1), of(2, 1), of(2, 1)}, 1));
  }

  /** Against the same, one after the other. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void first_ofRandomHolders_isAsTakenOneByOne(int seed) {
    Random random = new Random(seed);
    long[] holders = new long[400];
    for (int i = 0; i < holders.length; i++) {
      int vip = 1 + (int) Math.abs(random.nextGaussian() * 3);
      holders[i] = of(vip, (int) (random.nextGaussian() * 10));
    }
    List<Integer> left = new ArrayList<>();
    for (int i = 0; i < holders.length; i++) {
      left.add(i);
    }
    for (int position : first(holders, holders.length)) {
      Map<Long, Integer> byVip = new HashMap<>();
      Map<Long, Integer> byHolder = new HashMap<>();
      left.forEach(i -> byVip.merge(holders[i] >>> Integer.SIZE, 1, Integer::sum));
      left.forEach(i -> byHolder.merge(holders[i], 1, Integer::sum));
      long vip = holders[position] >>> Integer.SIZE;
      assertEquals(Collections.max(byVip.values()), byVip.get(vip));
      int mostOfAClient =
          byHolder.entrySet().stream()
              .filter(each -> each.getKey() >>> Integer.SIZE == vip)
              .mapToInt(Map.Entry::getValue)
              .max()
              .orElseThrow();
      assertEquals(mostOfAClient, byHolder.get(holders[position]));
      left.remove((Integer) position);
    }
  }
}
