package io.malob.balancer.connection;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.FiveTuple;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

class TupleHashTest {
  private static final int CLIENT = 0x0a00_0001;
  private static final int TUPLES = 10_000;
  private static final int BUCKETS = 256;
  private static final int DRAWS = 1_000;

  /** Six standard deviations above the mean, which random numbers do not reach. */
  private static final double MAX =
      (double) TUPLES / BUCKETS + 6 * Math.sqrt((double) TUPLES / BUCKETS);

  @Test
  void hashes_ofTheClientsOfANetwork_areSpreadEvenly_whateverTheFactors() {
    assertEven(hash -> i -> hash.ofClient(CLIENT + i, 40_000, 6));
    assertEven(hash -> i -> hash.ofClient(CLIENT + i / 100, 40_000 + i % 100, 6));
    assertEven(hash -> i -> hash.of(FiveTuple.of(6, CLIENT + i / 100, 40_000 + i % 100, 1, 80)));
  }

  @Test
  void hashes_ofThePortsOfAClient_areSpreadEvenly_whateverTheFactors() {
    assertEven(hash -> i -> hash.ofClient(CLIENT, 1_024 + i, 6));
    assertEven(hash -> i -> hash.ofClient(CLIENT, 1_024 + 2 * i, 6));
    assertEven(hash -> i -> hash.of(FiveTuple.of(6, 1, 80, CLIENT, 1_024 + i)));
  }

  private interface Hashed {
    IntUnaryOperator by(TupleHash hash);
  }

  private static void assertEven(Hashed hashed) {
    Random random = new Random(1);
    for (int draw = 0; draw < DRAWS; draw++) {
      TupleHash hash =
          new TupleHash(random.nextLong() | 1, random.nextLong() | 1, random.nextLong() | 1);
      IntUnaryOperator hashOf = hashed.by(hash);
      int[] upper = new int[BUCKETS];
      int[] lower = new int[BUCKETS];
      for (int i = 0; i < TUPLES; i++) {
        int value = hashOf.applyAsInt(i);
        upper[value >>> 24]++;
        lower[value >>> 16 & 0xff]++;
      }
      int max =
          Math.max(Arrays.stream(upper).max().orElse(0), Arrays.stream(lower).max().orElse(0));
      assertTrue(max <= MAX, () -> max + " in one bucket by " + hash);
    }
  }
}
