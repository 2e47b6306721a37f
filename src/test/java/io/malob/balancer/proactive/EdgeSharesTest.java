package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Server;
import io.malob.testing.Servers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EdgeSharesTest {
  private static final List<Server> MEMBERS = Servers.equal(2);
  private static final int BUCKETS = 64;

  private final EdgeShares shares = new EdgeShares();

  private void propose(double first, double second, int atSecond) {
    shares.propose(MEMBERS, new double[] {first, second}, seconds(atSecond));
  }

  private static long seconds(int count) {
    return TimeUnit.SECONDS.toNanos(count);
  }

  @Test
  void firstProposal_countsInFull() {
    propose(0.75, 0.25, 0);

    assertEquals(Map.of(1, 0.75, 2, 0.25), shares.byMember());
  }

  /** A fifth of the way in each second. */
  @Test
  void laterProposals_areSmoothed() {
    propose(0.5, 0.5, 0);

    propose(1, 0, 1);
    assertArrayEquals(new double[] {0.6, 0.4}, shares.of(MEMBERS), 1e-9);
    propose(1, 0, 2);
    assertArrayEquals(new double[] {0.68, 0.32}, shares.of(MEMBERS), 1e-9);
  }

  @Test
  void proposalForMoreMembers_countsInFull() {
    propose(0.5, 0.5, 0);
    List<Server> three = Servers.equal(3);

    shares.propose(three, new double[] {0.2, 0.2, 0.6}, seconds(1));

    assertArrayEquals(new double[] {0.2, 0.2, 0.6}, shares.of(three), 1e-9);
  }

  @Test
  void sharesOfSomeMembers_sumToOne() {
    List<Server> three = Servers.equal(3);
    shares.propose(three, new double[] {0.2, 0.2, 0.6}, 0);

    assertArrayEquals(new double[] {0.5, 0.5}, shares.of(MEMBERS), 1e-9);
    assertArrayEquals(new double[] {0}, shares.of(List.of(Servers.of(9, 1))));
  }

  @Test
  void unreachableMembers_haveNoShares() {
    propose(0, 0, 0);

    assertArrayEquals(new double[] {0, 0}, shares.of(MEMBERS));
  }

  @Test
  void proposal_isDueOnceASecond_andAtOnceForOtherMembersBeforeThereAreBuckets() {
    propose(0.5, 0.5, 10);

    assertFalse(shares.isDue(false, 2, seconds(11) - 1));
    assertTrue(shares.isDue(false, 2, seconds(11)));
    assertTrue(shares.isDue(false, 3, seconds(10)));
    assertFalse(shares.isDue(true, 3, seconds(10)));
  }

  /** A thousandth of a bucket. */
  @Test
  void sharesAreMet_untilTheyDiffer() {
    propose(0.5, 0.5, 0);
    assertFalse(shares.areMet(BUCKETS));
    shares.setMet(true);

    propose(0.5, 0.5, 1);
    assertTrue(shares.areMet(BUCKETS));
    propose(0.5 + 4e-6, 0.5 - 4e-6, 2);
    assertTrue(shares.areMet(BUCKETS));
    propose(0.6, 0.4, 3);
    assertFalse(shares.areMet(BUCKETS));
  }

  @Test
  void sharesOfAnotherAssignment_areNotMet() {
    propose(0.5, 0.5, 0);
    shares.setMet(true);

    shares.setMet(false);

    assertFalse(shares.areMet(BUCKETS));
  }

  @Test
  void sharesOfAGroup_areTheMeanByTraffic() {
    EdgeShares other = new EdgeShares();
    propose(1, 0, 0);
    other.propose(MEMBERS, new double[] {0, 1}, 0);

    shares.combine(Map.of(shares, 3.0, other, 1.0));
    other.follow(shares);

    assertArrayEquals(new double[] {0.75, 0.25}, shares.of(MEMBERS), 1e-9);
    assertArrayEquals(new double[] {0.75, 0.25}, other.of(MEMBERS), 1e-9);
    assertEquals(Map.of(1, 0.0, 2, 1.0), other.byMember());
    shares.combine(Map.of(shares, 3.0));
    assertArrayEquals(new double[] {1, 0}, shares.of(MEMBERS), 1e-9);
  }
}
