package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.bucket.ReplyRules.Counted;
import io.malob.testing.Servers;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class MemberEstimatesTest {
  private static final DatapathId EDGE = DatapathId.of(3);

  private final MemberEstimates estimates = new MemberEstimates();
  private long now = 1;

  private void count(int member, Counted counted, long packets) {
    estimates.counted(EDGE, member, counted, packets, now);
  }

  /** A second passes, with these counters at its end. */
  private void poll(long opened, long finished, long reset) {
    now += TimeUnit.SECONDS.toNanos(1);
    count(1, Counted.ALL, 10 * opened);
    count(1, Counted.OPENED, opened);
    count(1, Counted.FINISHED, finished);
    count(1, Counted.RESET, reset);
    estimates.polled(now);
  }

  private void settle(long opened, long finished, long reset) {
    for (int second = 0; second < 30; second++) {
      poll(opened, finished, reset);
    }
  }

  @Test
  void open_isSynAcksMinusFinsAndResets() {
    poll(500, 400, 50); // from before: the first reading is where counting begins
    settle(530, 405, 55);

    assertEquals(20, estimates.open(1));
    assertEquals(30, estimates.opened(1));
    assertEquals(0, estimates.open(2));
  }

  /** The rules were sent again. */
  @Test
  void counterThatHasBegunAnew_countsFromZero() {
    poll(0, 0, 0);
    settle(100, 0, 0);
    settle(7, 0, 0);

    assertEquals(107, estimates.open(1));
  }

  @Test
  void negativeBalance_isNoConnections_andIsNotForgotten() {
    poll(0, 0, 0);
    settle(0, 10, 0);
    assertEquals(0, estimates.open(1));
    settle(15, 10, 0);

    assertEquals(5, estimates.open(1));
  }

  @Test
  void memberThatIsSilentForAMinute_hasNoConnections() {
    poll(0, 0, 0);
    poll(100, 0, 0);
    for (int second = 0; second < 59; second++) {
      poll(100, 0, 0);
    }
    assertEquals(100, estimates.open(1));
    poll(100, 0, 0);

    assertEquals(0, estimates.open(1));
  }

  @Test
  void report_replacesTheEstimate_lessWhatIsCountedExactly() {
    poll(0, 0, 0);
    settle(100, 0, 0);
    estimates.correct(1, OptionalInt.empty(), 3);
    settle(100, 0, 0);
    assertEquals(100, estimates.open(1));
    estimates.correct(1, OptionalInt.of(43), 3);
    settle(100, 0, 0);

    assertEquals(40, estimates.open(1));
  }

  @Test
  void lifetime_followsLittlesLaw() {
    poll(0, 0, 0);
    for (int second = 1; second <= 58; second++) {
      poll(20L * second, second <= 5 ? 0 : 20L * (second - 5), 0);
    }

    assertEquals(5, estimates.lifetimes(Servers.equal(1))[0], 0.1);
    assertTrue(Double.isNaN(estimates.lifetimes(Servers.equal(2))[1]));
  }

  @Test
  void open_forShares_isThePeak_andOneAtLeast() {
    poll(0, 0, 0);
    settle(100, 0, 0);
    settle(100, 100, 0);

    double[] open = estimates.open(Servers.equal(3), server -> server.number() == 3 ? 8 : 0);

    assertTrue(open[0] > 70 && open[0] < 100, () -> open[0] + " of 100 after half a minute");
    assertArrayEquals(new double[] {1, 8}, new double[] {open[1], open[2]});
  }

  @Test
  void retain_forgetsTheOthers() {
    poll(0, 0, 0);
    settle(100, 0, 0);

    estimates.retain(Set.of(2));

    assertEquals(0, estimates.open(1));
  }
}
