package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.FakeSwitches;
import io.malob.openflow.bucket.BucketKey;
import io.malob.openflow.bucket.BucketSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFPort;

class EdgeTrafficTest {
  private static final int BUCKETS = 64;
  private static final BucketKey BY_PORT = new BucketKey(BucketSource.PORT, BUCKETS);
  private static final BucketKey BY_ADDRESS = new BucketKey(BucketSource.ADDRESS, BUCKETS);

  private static final double[] EQUAL_SHARES = {0.5, 0.5};

  private final EdgeTraffic traffic = new EdgeTraffic();

  /** Even buckets belong to member 0, odd ones to member 1. */
  private static int[] alternating() {
    int[] assigned = new int[BUCKETS];
    Arrays.setAll(assigned, bucket -> bucket % 2);
    return assigned;
  }

  private static long seconds(int count) {
    return TimeUnit.SECONDS.toNanos(count);
  }

  private static Match rule(int port) {
    return FakeSwitches.FACTORY.buildMatch().setExact(MatchField.IN_PORT, OFPort.of(port)).build();
  }

  /** A bucket's counter goes from 0 to that many packets within a second. */
  private void rate(int bucket, long packets) {
    traffic.counted(bucket, 0, 1);
    traffic.counted(bucket, packets, 1);
  }

  private boolean judge(boolean isChanging, int atSecond) {
    return traffic.judge(alternating(), EQUAL_SHARES, isChanging, seconds(atSecond));
  }

  @Test
  void rate_needsTwoReadings() {
    traffic.begin(BY_PORT);
    traffic.counted(3, 1_000, 1);
    assertEquals(0, traffic.packetsPerSecond());
    assertFalse(traffic.takeNewRates());

    traffic.counted(3, 1_100, 2);

    assertEquals(50, traffic.packetsPerSecond());
    assertTrue(traffic.takeNewRates());
    assertFalse(traffic.takeNewRates());
  }

  @Test
  void counterOfAReplacedRule_isNotComparedWithTheOneBefore() {
    traffic.begin(BY_PORT);
    rate(3, 50);

    traffic.replaced(3);
    traffic.counted(3, 1_000_000, 1);

    assertEquals(50, traffic.packetsPerSecond());
  }

  @Test
  void counterThatBeginsAnew_countsFromZero() {
    traffic.begin(BY_PORT);
    traffic.counted(3, 1_000, 1);
    traffic.counted(3, 20, 1);

    assertEquals(20, traffic.packetsPerSecond());
  }

  /** The average of the first rates, then a fifth of each new one. */
  @Test
  void rates_areSmoothed() {
    traffic.begin(BY_PORT);
    traffic.counted(0, 0, 1);
    for (long packets = 100; packets <= 1_000; packets += 100) {
      traffic.counted(0, packets, 1);
    }
    assertEquals(100, traffic.packetsPerSecond(), 1e-9);

    traffic.counted(0, 1_000, 1);

    assertEquals(80, traffic.packetsPerSecond(), 1e-9);
  }

  @Test
  void bucketsByPort_countAsEqual_thoseByAddressByTheirTraffic() {
    traffic.begin(BY_PORT);
    rate(0, 50);
    assertEquals(1, traffic.sizes()[0]);
    assertEquals(1, traffic.sizes()[1]);

    traffic.begin(BY_ADDRESS);
    rate(0, 50);
    assertEquals(50, traffic.sizes()[0]);
    assertEquals(0, traffic.sizes()[1]);
  }

  @Test
  void bucketsThatSplit_shareTheTraffic() {
    traffic.begin(BY_ADDRESS);
    rate(1, 50);

    traffic.split(2 * BUCKETS);

    assertArrayEquals(new int[] {1, 1 + BUCKETS}, traffic.active());
    assertEquals(25, traffic.sizes()[1]);
    assertEquals(25, traffic.sizes()[1 + BUCKETS]);
  }

  @Test
  void arrivals_areEstimated_untilSwitchesCountSyns() {
    traffic.begin(BY_PORT);
    rate(0, 400);
    assertEquals(100, traffic.arrivalsPerSecond());

    traffic.synsCounted(rule(1), 1_000, 1);
    assertEquals(0, traffic.arrivalsPerSecond());
    traffic.synsCounted(rule(1), 1_030, 1);
    traffic.synsCounted(rule(2), 0, 1);
    traffic.synsCounted(rule(2), 40, 2);

    assertEquals(50, traffic.arrivalsPerSecond());
  }

  /** Only members' first buckets have traffic, and they differ by far. */
  @Test
  void unbalancedTraffic_hasTooFewSources_afterFiveSeconds() {
    traffic.begin(BY_ADDRESS);
    rate(0, 90);
    rate(1, 10);

    assertFalse(judge(false, 0));
    assertTrue(traffic.imbalance() > 0.3, () -> "imbalance " + traffic.imbalance());
    assertFalse(judge(false, 4));
    assertFalse(traffic.hasTooFewSources());
    assertTrue(judge(false, 5));
    assertTrue(traffic.hasTooFewSources());
    assertFalse(judge(false, 6), "is reported once");
    assertTrue(traffic.isIdle(2));
    assertFalse(traffic.isIdle(0));
  }

  @Test
  void bucketsThatMove_mayYetMeetTheShares() {
    traffic.begin(BY_ADDRESS);
    rate(0, 90);
    rate(1, 10);

    for (int second = 0; second < 20; second++) {
      assertFalse(judge(true, second));
    }

    traffic.awaitBalance(seconds(24));
    assertFalse(judge(false, 28));
    assertTrue(judge(false, 29));
  }

  @Test
  void balancedTraffic_hasEnoughSources() {
    traffic.begin(BY_ADDRESS);
    rate(0, 50);
    rate(1, 50);

    assertFalse(judge(false, 60));
    assertEquals(0, traffic.imbalance(), 1e-9);
    assertFalse(traffic.isIdle(2));
  }

  /** Less than a packet per second and bucket. */
  @Test
  void littleTrafficByPort_isChance() {
    traffic.begin(BY_PORT);
    rate(0, BUCKETS - 1);
    assertFalse(judge(false, 60));

    rate(2, 2);
    assertTrue(judge(false, 120));
  }

  @Test
  void clearedTraffic_isUnknown() {
    traffic.begin(BY_ADDRESS);
    rate(0, 90);
    traffic.synsCounted(rule(1), 0, 1);
    traffic.synsCounted(rule(1), 40, 1);
    assertTrue(judge(false, 60));

    traffic.clear();

    assertEquals(0, traffic.packetsPerSecond());
    assertEquals(0, traffic.arrivalsPerSecond());
    assertEquals(0, traffic.imbalance());
    assertFalse(traffic.hasTooFewSources());
  }

  /** Buckets by address have sizes; those of an edge with other buckets do not count. */
  @Test
  void trafficOfFollowers_counts() {
    EdgeTraffic follower = new EdgeTraffic();
    EdgeTraffic finer = new EdgeTraffic();
    traffic.begin(BY_ADDRESS);
    follower.begin(BY_ADDRESS);
    finer.begin(new BucketKey(BucketSource.ADDRESS, 2 * BUCKETS));
    for (EdgeTraffic each : List.of(follower, finer)) {
      each.counted(3, 0, 1);
      each.counted(3, 50, 1);
    }
    rate(3, 100);

    traffic.setFollowers(List.of(follower, finer));

    assertEquals(150, traffic.sizes()[3]);
    assertEquals(100, traffic.packetsPerSecond());
    traffic.leaveJudgement(0);
    assertEquals(100, traffic.sizes()[3]);
  }
}
