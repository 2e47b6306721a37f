package io.malob.algorithm.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.math.IntMath;
import io.malob.algorithm.Server;
import io.malob.testing.Servers;
import io.malob.testing.Together;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class WeightedRoundRobinTest extends ServerPickerContract {

  @Override
  ServerPicker picker(ImmutableList<Server> servers, AtomicInteger turn) {
    return new WeightedRoundRobin(servers, turn);
  }

  private static int[] picks(int count, int... weights) {
    ServerPicker picker = new WeightedRoundRobin(Servers.weighing(weights), new AtomicInteger());
    return IntStream.range(0, count).map(i -> picker.pick(SERVICE)).toArray();
  }

  private static int[] counts(int[] picks, int servers) {
    int[] counts = new int[servers];
    for (int pick : picks) {
      counts[pick]++;
    }
    return counts;
  }

  /** Servers as letters: two cycles, so that the seam between them shows. */
  @ParameterizedTest
  @CsvSource({
    "1:1, ABAB",
    "3:1, AABAAABA",
    "1:3, BABBBABB",
    "2:1, ABAABA",
    "5:3:2, ABCAABACBAABCAABACBA",
    "1:1:1, ABCABC",
    "7, AA",
  })
  void pick_overTwoCycles_comesInOrderOfDueDates(String weights, String expected) {
    int[] parsed = Arrays.stream(weights.split(":", -1)).mapToInt(Integer::parseInt).toArray();
    String actual =
        Arrays.stream(picks(expected.length(), parsed))
            .mapToObj(pick -> String.valueOf((char) ('A' + pick)))
            .collect(Collectors.joining());
    assertEquals(expected, actual);
  }

  static Stream<int[]> weights() {
    Stream<int[]> chosen =
        Stream.of(
            new int[] {3, 1},
            new int[] {5, 3, 2},
            new int[] {256, 1},
            new int[] {256, 255},
            new int[] {1, 256, 1},
            new int[] {100, 50, 25, 1},
            IntStream.rangeClosed(1, 256).toArray(),
            IntStream.range(0, 1_000).map(i -> 1 + i % 7).toArray());
    Random random = new Random(5);
    Stream<int[]> drawn =
        Stream.generate(() -> random.ints(1 + random.nextInt(9), 1, 257).toArray()).limit(30);
    return Stream.concat(chosen, drawn);
  }

  @ParameterizedTest
  @MethodSource("weights")
  void pick_overOneCycle_isExactlyProportional(int[] weights) {
    int divisor = Arrays.stream(weights).reduce(0, IntMath::gcd);
    int[] shares = Arrays.stream(weights).map(weight -> weight / divisor).toArray();
    int cycle = Arrays.stream(shares).sum();
    int[] picks = picks(2 * cycle, weights);
    assertArrayEquals(shares, counts(Arrays.copyOf(picks, cycle), shares.length));
    assertArrayEquals(
        Arrays.copyOf(picks, cycle), Arrays.copyOfRange(picks, cycle, 2 * cycle), "next cycle");
  }

  /**
   * A server's turns are at most its share of the cycle apart, and one turn of each other server: a
   * turn is never later than half a turn of everybody after its due date.
   */
  @ParameterizedTest
  @MethodSource("weights")
  void pick_betweenTurnsOfAServer_leavesNoLongGap(int[] weights) {
    int divisor = Arrays.stream(weights).reduce(0, IntMath::gcd);
    int cycle = Arrays.stream(weights).sum() / divisor;
    int[] picks = picks(2 * cycle, weights);
    int[] last = new int[weights.length];
    Arrays.fill(last, -1);
    for (int at = 0; at < picks.length; at++) {
      int server = picks[at];
      if (last[server] >= 0) {
        double share = (double) cycle * divisor / weights[server];
        int gap = at - last[server];
        assertTrue(gap <= share + weights.length, "gap " + gap + " of weight " + weights[server]);
      }
      last[server] = at;
    }
  }

  /** The longest run that no order can avoid is the share of the rest, rounded up. */
  @ParameterizedTest
  @CsvSource({"3, 1, 3", "1, 3, 3", "1, 1, 1", "2, 1, 2", "5, 2, 3", "256, 1, 256", "256, 255, 2"})
  void pick_ofTwoServers_hasNoLongerRunThanItMust(int a, int b, int longest) {
    int run = 1;
    int longestRun = 1;
    int[] picks = picks(3 * (a + b), a, b);
    for (int i = 1; i < picks.length; i++) {
      run = picks[i] == picks[i - 1] ? run + 1 : 1;
      longestRun = Math.max(longestRun, run);
    }
    assertEquals(longest, longestRun);
  }

  @Test
  void pick_ofWeightsWithCommonDivisor_hasTheShortCycle() {
    assertArrayEquals(picks(20, 3, 1), picks(20, 192, 64));
  }

  @Test
  void pick_ofThousandEqualServers_takesThemInOrder() {
    int[] weights = new int[1_000];
    Arrays.fill(weights, 256);
    assertArrayEquals(
        IntStream.range(0, 2_000).map(i -> i % 1_000).toArray(), picks(2_000, weights));
  }

  @Test
  void pick_ofSameWeights_isNoDraw() {
    assertArrayEquals(picks(10_000, 7, 5, 3, 1), picks(10_000, 7, 5, 3, 1));
  }

  @Test
  void pick_whereTurnTurnsNegative_staysProportional() {
    // 2^31 is a multiple of the cycle: 5 + 2 + 1 turns
    ServerPicker picker =
        new WeightedRoundRobin(
            Servers.weighing(5, 2, 1), new AtomicInteger(Integer.MAX_VALUE - 79));
    int[] picks = IntStream.range(0, 160).map(i -> picker.pick(SERVICE)).toArray();
    assertArrayEquals(new int[] {100, 40, 20}, counts(picks, 3));
  }

  @Test
  void pick_byEightThreads_isExactlyProportional() throws Exception {
    ServerPicker picker = new WeightedRoundRobin(Servers.weighing(5, 3, 2), new AtomicInteger());
    AtomicIntegerArray picks = new AtomicIntegerArray(3);
    Together.run(
        8,
        thread -> {
          for (int i = 0; i < 10_000; i++) {
            picks.incrementAndGet(picker.pick(SERVICE));
          }
        });
    assertEquals(40_000, picks.get(0));
    assertEquals(24_000, picks.get(1));
    assertEquals(16_000, picks.get(2));
  }
}
