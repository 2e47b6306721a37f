package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Server;
import io.malob.testing.Servers;
import io.malob.testing.Together;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How many connections are open, and whether there is room for one more. */
class OccupancyTest {
  private static final int VIP = 7;
  private static final int OTHER_VIP = 8;
  private static final int ANY_NUMBER = Server.NO_LIMIT;

  private final Occupancy occupancy = new Occupancy();
  private final Server server = Servers.of(1, 1);

  @Test
  void place_countsAtVipAndMember() {
    assertNull(occupancy.take(VIP, ANY_NUMBER, server));
    assertNull(occupancy.take(VIP, ANY_NUMBER, server));
    assertEquals(2, occupancy.atVip(VIP));
    assertEquals(0, occupancy.atVip(OTHER_VIP));
    assertEquals(2, server.load().active());
  }

  @Test
  void fullVip_takesNoPlace_ofTheMemberNeither() {
    assertNull(occupancy.take(VIP, 1, server));
    assertEquals(RefusalReason.VIP_FULL, occupancy.take(VIP, 1, server));
    assertEquals(1, occupancy.atVip(VIP));
    assertEquals(1, server.load().active());
    assertNull(occupancy.take(OTHER_VIP, 1, server), "a limit is of one VIP");
  }

  @Test
  void refusals_areCountedByVip() {
    occupancy.refused(VIP);
    occupancy.refused(VIP);
    assertEquals(2, occupancy.refusedAtVip(VIP));
    assertEquals(0, occupancy.refusedAtVip(OTHER_VIP));
  }

  @Test
  void manyThreads_neverTakeMorePlacesThanThereAre() throws Exception {
    AtomicInteger taken = new AtomicInteger();
    Together.run(
        8,
        thread -> {
          for (int i = 0; i < 1_000; i++) {
            if (occupancy.take(VIP, 100, server) == null) {
              taken.incrementAndGet();
            }
          }
        });
    assertEquals(100, taken.get());
    assertEquals(100, occupancy.atVip(VIP));
    assertEquals(100, server.load().active());
  }

  @Test
  void placeGivenBack_isFreeAtVipAndMember() {
    assertNull(occupancy.take(VIP, 1, server));
    occupancy.giveBack(VIP, server, BalancerView.EMPTY);
    assertEquals(0, occupancy.atVip(VIP));
    assertEquals(0, server.load().active());
    assertNull(occupancy.take(VIP, 1, server), "the only place is free again");
    assertEquals(0, server.load().total(), "it was not admitted");
  }

  @Test
  void resumedConnection_countsBeyondTheLimitButNotAsPlaced() {
    Connection connection = connection();
    assertNull(occupancy.take(connection.vipNumber(), 1, server));
    occupancy.resumed(connection, BalancerView.EMPTY);
    assertEquals(2, occupancy.atVip(connection.vipNumber()));
    assertEquals(2, server.load().active());
    assertEquals(0, server.load().total(), "it was placed before");
    assertEquals(
        RefusalReason.VIP_FULL, occupancy.take(connection.vipNumber(), 2, server), "counts");
  }

  @Test
  void connectionThatBeganAgain_countsAsOpenAndAsPlaced() {
    Connection connection = connection();
    occupancy.again(connection, BalancerView.EMPTY);
    assertEquals(1, occupancy.atVip(connection.vipNumber()));
    assertEquals(1, server.load().active());
    assertEquals(1, server.load().total());
  }

  @Test
  void connectionThatResumedAndLeft_leavesNothing() {
    Connection connection = connection();
    occupancy.resumed(connection, BalancerView.EMPTY);
    occupancy.left(connection, BalancerView.EMPTY);
    assertEquals(0, occupancy.atVip(connection.vipNumber()));
    assertEquals(0, server.load().active());
  }

  private Connection connection() {
    return new Connection(
        LifecycleFixture.request(40_000),
        VIP,
        Algorithm.DEFAULT,
        server,
        LifecycleFixture.CLIENT,
        1,
        0);
  }

  /** What a connection does to the counts, over its life. */
  @Test
  void connection_givesItsPlaceBackOnce_andTakesItAgainWhateverTheLimit() {
    PolicyFixture fixture = new PolicyFixture();
    fixture.setVip("connection_limit", "1");
    fixture.open(40_000);
    assertEquals(1, fixture.net.module.vipStats().get("v").activeConnections());
    fixture.close(40_000);
    fixture.close(40_000);
    assertEquals(0, fixture.net.module.vipStats().get("v").activeConnections());
  }
}
