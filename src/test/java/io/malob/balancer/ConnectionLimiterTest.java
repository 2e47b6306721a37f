package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Server;
import io.malob.balancer.admission.LifecycleFixture;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionLimiter;
import io.malob.balancer.view.BalancerView;
import io.malob.testing.Servers;
import io.malob.testing.Together;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** How many connections are open, and whether there is room for one more. */
class ConnectionLimiterTest {
  private static final int VIP = 7;
  private static final int OTHER_VIP = 8;
  private static final int ANY_NUMBER = Server.NO_LIMIT;

  private final ConnectionLimiter connectionLimiter =
      new ConnectionLimiter(IntUnaryOperator.identity());
  private final Server server = Servers.of(1, 1);

  @Test
  void place_countsAtVipAndMember() {
    assertNull(connectionLimiter.take(VIP, ANY_NUMBER, server));
    assertNull(connectionLimiter.take(VIP, ANY_NUMBER, server));
    assertEquals(2, connectionLimiter.atVip(VIP));
    assertEquals(0, connectionLimiter.atVip(OTHER_VIP));
    assertEquals(2, server.load().active());
  }

  @Test
  void fullVip_takesNoPlace_ofTheMemberNeither() {
    assertNull(connectionLimiter.take(VIP, 1, server));
    assertEquals(RejectReason.VIP_FULL, connectionLimiter.take(VIP, 1, server));
    assertEquals(1, connectionLimiter.atVip(VIP));
    assertEquals(1, server.load().active());
    assertNull(connectionLimiter.take(OTHER_VIP, 1, server), "a limit is of one VIP");
  }

  @Test
  void refusals_areCountedByVip() {
    connectionLimiter.refused(VIP);
    connectionLimiter.refused(VIP);
    assertEquals(2, connectionLimiter.refusedAtVip(VIP));
    assertEquals(0, connectionLimiter.refusedAtVip(OTHER_VIP));
  }

  @Test
  void manyThreads_neverTakeMorePlacesThanThereAre() throws Exception {
    AtomicInteger taken = new AtomicInteger();
    Together.run(
        8,
        thread -> {
          for (int i = 0; i < 1_000; i++) {
            if (connectionLimiter.take(VIP, 100, server) == null) {
              taken.incrementAndGet();
            }
          }
        });
    assertEquals(100, taken.get());
    assertEquals(100, connectionLimiter.atVip(VIP));
    assertEquals(100, server.load().active());
  }

  @Test
  void placeGivenBack_isFreeAtVipAndMember() {
    assertNull(connectionLimiter.take(VIP, 1, server));
    connectionLimiter.giveBack(VIP, server, BalancerView.EMPTY);
    assertEquals(0, connectionLimiter.atVip(VIP));
    assertEquals(0, server.load().active());
    assertNull(connectionLimiter.take(VIP, 1, server), "the only place is free again");
    assertEquals(0, server.load().total(), "it was not admitted");
  }

  @Test
  void resumedConnection_countsBeyondTheLimitButNotAsPlaced() {
    Connection connection = connection();
    assertNull(connectionLimiter.take(connection.vipNumber(), 1, server));
    connectionLimiter.resumed(connection, BalancerView.EMPTY);
    assertEquals(2, connectionLimiter.atVip(connection.vipNumber()));
    assertEquals(2, server.load().active());
    assertEquals(0, server.load().total(), "it was placed before");
    assertEquals(
        RejectReason.VIP_FULL, connectionLimiter.take(connection.vipNumber(), 2, server), "counts");
  }

  @Test
  void connectionThatBeganAgain_countsAsOpenAndAsPlaced() {
    Connection connection = connection();
    connectionLimiter.reopened(connection, BalancerView.EMPTY);
    assertEquals(1, connectionLimiter.atVip(connection.vipNumber()));
    assertEquals(1, server.load().active());
    assertEquals(1, server.load().total());
  }

  @Test
  void connectionThatResumedAndLeft_leavesNothing() {
    Connection connection = connection();
    connectionLimiter.resumed(connection, BalancerView.EMPTY);
    connectionLimiter.left(connection, BalancerView.EMPTY);
    assertEquals(0, connectionLimiter.atVip(connection.vipNumber()));
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
