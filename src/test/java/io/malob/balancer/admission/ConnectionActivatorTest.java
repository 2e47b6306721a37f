package io.malob.balancer.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.State;
import io.malob.openflow.CookieKind;
import io.malob.openflow.packet.Packet;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.DatapathId;

/** How connections get their paths, without the module around it. */
class ConnectionActivatorTest {
  private static final int PORT = 40_000;

  private final LifecycleFixture all = new LifecycleFixture();

  private void fromClient(Connection connection, int flags) {
    all.activator.forward(
        connection,
        all.arrival(LifecycleFixture.fromClient(connection.request().srcPort(), flags)));
  }

  private long known() {
    return all.packetIns.with(0, all.rejects).get("known");
  }

  private long packetsToTheMember() {
    return all.switches.get(3).messages().stream()
        .filter(message -> message.getType() == OFType.PACKET_OUT)
        .count();
  }

  private long refused(RejectReason reason) {
    return all.rejects.byReason().get(reason.text());
  }

  @Test
  void firstPacketOfAConnection_getsARuleAtEachEdge() {
    Connection connection = all.open(PORT);

    assertEquals(State.OPENING, connection.state());
    assertEquals(1, all.rules(LifecycleFixture.S1, CookieKind.REQUEST).size());
    assertEquals(1, all.rules(LifecycleFixture.S3, CookieKind.REPLY).size());
    all.assertCounts(1);
  }

  @Test
  void firstPacket_waitsUntilBothPathsAreReady() {
    all.switches.holdBarriers();
    Connection connection = all.open(PORT);
    assertEquals(0, all.rules(LifecycleFixture.S1, CookieKind.REQUEST).size());
    assertNotNull(connection.route());

    answerAllBarriers();

    assertEquals(1, all.rules(LifecycleFixture.S1, CookieKind.REQUEST).size());
    assertEquals(1, all.rules(LifecycleFixture.S3, CookieKind.REPLY).size());
  }

  private void answerAllBarriers() {
    boolean any = true;
    while (any) {
      any = false;
      for (int id = 1; id <= 4; id++) {
        while (all.switches.get(id).openBarriers() > 0) {
          all.switches.get(id).answerBarrier();
          any = true;
        }
      }
    }
  }

  @Test
  void pathThatFails_endsItsConnection() {
    all.switches.holdBarriers();
    Connection connection = all.open(PORT);

    all.switches.get(3).failBarrier();
    all.switches.get(1).failBarrier();

    assertEquals(State.CLOSED, connection.state());
    assertNull(all.connections.byRequest(connection.request()));
    assertEquals(1, refused(RejectReason.PATH_FAILED));
    all.assertCounts(0);
  }

  @Test
  void pathThatFails_letsAConnectionSleepThatHadBegunBefore() {
    Connection connection = all.open(PORT);
    all.teardown.switchReset(LifecycleFixture.S1);
    all.switches.holdBarriers();
    all.detourOver(DatapathId.of(4));
    fromClient(connection, Packet.TCP_ACK);

    failAllBarriers();

    Connection asleep = all.connections.byRequest(connection.request());
    assertEquals(State.DORMANT, asleep.state());
    assertEquals(1, refused(RejectReason.PATH_FAILED));
    all.assertCounts(0);

    fromClient(asleep, Packet.TCP_ACK);
    answerAllBarriers();

    assertEquals(State.OPEN, all.connections.byRequest(connection.request()).state());
    assertEquals(1, all.rules(LifecycleFixture.S1, CookieKind.REQUEST).size());
    all.assertCounts(1);
  }

  private void failAllBarriers() {
    for (int id = 1; id <= 4; id++) {
      while (all.switches.get(id).openBarriers() > 0) {
        all.switches.get(id).failBarrier();
      }
    }
  }

  /** It slept because its client's switch was started afresh, and woke when there was another. */
  private Connection onAnotherPathMeanwhile() {
    all.switches.holdBarriers();
    Connection connection = all.open(PORT);
    all.teardown.switchReset(LifecycleFixture.S1);
    all.detourOver(DatapathId.of(4));
    fromClient(connection, Packet.TCP_ACK);
    assertEquals(DatapathId.of(4), connection.route().request().path().switches().get(1));
    return connection;
  }

  @Test
  void pathThatFails_whenItsConnectionIsOnAnother_endsNothing() {
    Connection connection = onAnotherPathMeanwhile();

    all.switches.get(3).failBarrier();
    all.switches.get(1).failBarrier();

    assertEquals(State.OPEN, connection.state());
    assertEquals(0, refused(RejectReason.PATH_FAILED));
    answerAllBarriers();
    assertEquals(1, all.rules(LifecycleFixture.S1, CookieKind.REQUEST).size());
    all.assertCounts(1);
  }

  @Test
  void pathThatIsReady_whenItsConnectionIsOnAnother_getsNoPackets() {
    onAnotherPathMeanwhile();
    // the other path waits for its middle, switch 4
    for (int id : new int[] {3, 1, 2, 2, 1, 1, 3, 3}) {
      all.switches.get(id).answerBarrier();
    }

    assertEquals(0, all.rules(LifecycleFixture.S1, CookieKind.REQUEST).size());
    answerAllBarriers();
    assertEquals(1, all.rules(LifecycleFixture.S1, CookieKind.REQUEST).size());
  }

  @Test
  void packetOfADormantConnection_opensItAndCountsIt() {
    Connection connection = all.dormant(PORT);
    all.assertCounts(0);

    fromClient(connection, Packet.TCP_ACK);

    assertEquals(State.OPEN, connection.state());
    assertEquals(1, known());
    all.assertCounts(1);
  }

  @Test
  void packetOfAMember_opensADormantConnection() {
    Connection connection = all.dormant(PORT);

    all.activator.forward(connection, all.arrival(LifecycleFixture.fromMember(PORT)));

    assertEquals(State.OPEN, connection.state());
    all.assertCounts(1);
  }

  /** Two threads have found it dormant; the other one was faster. */
  @Test
  void packetOfADormantConnection_thatHasGoneOnMeanwhile_goesOnAsWell() {
    Connection dormant = all.dormant(PORT);
    Connection mine = all.connections.byRequest(dormant.request());
    Connection others = all.connections.byRequest(dormant.request());
    fromClient(others, Packet.TCP_ACK);
    long before = packetsToTheMember();

    fromClient(mine, Packet.TCP_ACK);

    assertEquals(2, known());
    assertEquals(before + 1, packetsToTheMember());
    assertSame(others, all.connections.byRequest(dormant.request()));
    assertEquals(0, all.rejects.byReason().values().stream().mapToLong(each -> each).sum());
    all.assertCounts(1);
  }

  @Test
  void packetOfADormantConnection_withoutAPath_isDroppedAndEndsNothing() {
    Connection connection = all.dormant(PORT);
    all.cut();

    fromClient(connection, Packet.TCP_ACK);

    assertEquals(State.DORMANT, connection.state());
    assertEquals(1, refused(RejectReason.NO_ROUTE));
    assertEquals(0, known());
    all.assertCounts(0);
  }

  @Test
  void packetOfADormantConnection_whenTheTableIsFull_isRefused() {
    LifecycleFixture small = new LifecycleFixture(1, LifecycleFixture.NO_BOUND);
    Connection connection = small.dormant(PORT);
    small.open(PORT + 1);

    small.activator.forward(
        connection, small.arrival(LifecycleFixture.fromClient(PORT, Packet.TCP_ACK)));

    assertEquals(State.DORMANT, connection.state());
    assertEquals(1L, small.rejects.byReason().get(RejectReason.LIMIT.text()));
    small.assertCounts(1);
  }

  @Test
  void packetOfAClosedConnection_opensNothing() {
    Connection connection = all.open(PORT);
    all.teardown.close(connection);

    fromClient(connection, Packet.TCP_ACK);

    assertEquals(State.CLOSED, connection.state());
    all.assertCounts(0);
  }

  @Test
  void laterPacketOfTheClient_endsItsBeingHalfOpen_butNotTheSameSynAgain() {
    Connection connection = all.open(PORT);
    assertEquals(1, all.halfOpen.now(all.vipNumber()));

    fromClient(connection, Packet.TCP_SYN);
    assertEquals(1, all.halfOpen.now(all.vipNumber()));
    all.activator.forward(connection, all.arrival(LifecycleFixture.fromMember(PORT)));
    assertEquals(1, all.halfOpen.now(all.vipNumber()));
    fromClient(connection, Packet.TCP_ACK);

    assertEquals(0, all.halfOpen.now(all.vipNumber()));
  }

  @Test
  void packetsBeyondThoseThatMayWait_areDropped() {
    all.switches.holdBarriers();
    Connection connection = all.open(PORT);
    for (int i = 0; i < 8; i++) {
      fromClient(connection, Packet.TCP_SYN);
    }

    assertEquals(1, refused(RejectReason.QUEUE_FULL));
    assertEquals(7, known());
  }
}
