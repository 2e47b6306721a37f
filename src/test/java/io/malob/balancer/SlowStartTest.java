package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.health.SlowStart;
import io.malob.state.catalog.Catalog;
import org.junit.jupiter.api.Test;

/** Members that join, or come back, and get their share bit by bit. */
class SlowStartTest {
  private static final double FIRST = SlowStart.FIRST_SHARE;

  private final PolicyFixture fixture = new PolicyFixture();
  private final BalancerNetwork net = fixture.net;
  private int port = 10_000;

  private double share(String member) {
    return net.stats(member).share();
  }

  /** How many of so many new connections the second member gets. */
  private long ofSecond(int connections) {
    long before = net.stats("m2").totalConnections();
    for (int i = 0; i < connections; i++) {
      fixture.open(port);
      fixture.close(port++);
    }
    return net.stats("m2").totalConnections() - before;
  }

  private void comeBack() {
    fixture.setMember("m2", "admin_state", "drain");
    fixture.setMember("m2", "admin_state", "up");
  }

  @Test
  void memberThatIsBack_getsItsShareBitByBit() {
    fixture.setPool("slow_start", "60");
    comeBack();

    assertEquals(FIRST, share("m2"), 1e-9);
    long first = ofSecond(400);
    assertTrue(first > 10 && first < 70, "got " + first);

    net.pass(30);
    assertEquals(FIRST + (1 - FIRST) / 2, share("m2"), 1e-9);
    long half = ofSecond(400);
    assertTrue(half > 110 && half < 175, "got " + half);

    net.pass(30);
    assertEquals(1, share("m2"));
    assertEquals(200, ofSecond(400));
  }

  @Test
  void withoutSlowStart_memberThatIsBackHasItsWholeShare() {
    comeBack();

    assertEquals(200, ofSecond(400));
  }

  @Test
  void newMember_startsSlowly_andThoseThatAreThereDoNot() {
    fixture.setPool("slow_start", "60");
    assertEquals(1, share("m2"));

    net.delete(Catalog.MEMBERS, "m2");
    net.create(
        Catalog.MEMBERS, "id", "m2", "address", fixture.second.ip().toString(), "pool_id", "p");

    assertEquals(FIRST, share("m2"), 1e-9);
    assertEquals(1, share("m1"));
  }

  @Test
  void memberThatFailsAgain_beginsAgain() {
    fixture.setPool("slow_start", "60");
    comeBack();
    net.pass(40);

    comeBack();

    assertEquals(FIRST, share("m2"), 1e-9);
  }

  @Test
  void slowStartThatIsTakenAway_endsAtOnce() {
    fixture.setPool("slow_start", "60");
    comeBack();

    fixture.setPool("slow_start", null);

    assertEquals(1, share("m2"));
    assertEquals(200, ofSecond(400));
  }

  /** There is nobody to spare them. */
  @Test
  void membersThatAreAllNew_areAlike() {
    fixture.setPool("slow_start", "60");
    fixture.setMember("m1", "admin_state", "drain");
    comeBack();
    fixture.setMember("m1", "admin_state", "up");

    assertEquals(1, share("m1"));
    assertEquals(1, share("m2"));

    net.pass(10);
    fixture.setMember("m1", "weight", "0");
    fixture.setMember("m1", "weight", "1");
    assertEquals(1, share("m2"));
    assertEquals(FIRST / (FIRST + (1 - FIRST) / 6), share("m1"), 1e-9);
  }
}
