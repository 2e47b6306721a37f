package io.malob.balancer.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Algorithm;
import io.malob.algorithm.FiveTuple;
import io.malob.balancer.api.ConnectionRecord;
import io.malob.balancer.api.ConnectionRecord.End;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.Connection.State;
import io.malob.balancer.connection.ConnectionTable.Admission;
import io.malob.openflow.CookieKind;
import io.malob.openflow.RuleCounts;
import io.malob.openflow.label.LabelledPath;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

/** How connections end, without the module around it. */
class ConnectionTeardownTest {
  private static final int PORT = 40_000;
  private static final DatapathId S1 = LifecycleFixture.S1;

  private final LifecycleFixture all = new LifecycleFixture();

  private void timeOut(Connection connection, long packets) {
    all.teardown.timedOut(S1, connection.request(), connection.generation(), packets);
  }

  private List<End> recorded() {
    all.records.end();
    return all.recorded.stream().map(ConnectionRecord::end).toList();
  }

  private int uses() {
    return all.labels.all().stream().mapToInt(LabelledPath::uses).sum();
  }

  @Test
  void end_byTheClient_takesTheConnectionOffTheCountsOnce_andKeepsItsRules() {
    Connection connection = all.open(PORT);

    all.teardown.ended(connection.request(), false);
    all.teardown.ended(connection.request(), false);

    assertEquals(State.ENDED, connection.state());
    assertEquals(0, all.halfOpen.now(all.vipNumber()));
    assertEquals(1, all.rules(S1, CookieKind.REQUEST).size());
    assertEquals(2, uses());
    assertEquals(List.of(), recorded());
    all.assertCounts(0);
  }

  @Test
  void end_ofAConnectionThatIsNotKnown_isNothing() {
    all.teardown.ended(LifecycleFixture.request(PORT), false);
    all.assertCounts(0);
  }

  @Test
  void timeOut_makesTheConnectionDormant_andReleasesItsPaths() {
    Connection connection = all.open(PORT);

    timeOut(connection, RuleCounts.UNKNOWN);

    assertEquals(State.DORMANT, connection.state());
    assertEquals(1, all.connections.dormant());
    assertEquals(0, all.halfOpen.now(all.vipNumber()));
    assertEquals(0, uses());
    assertEquals(List.of(End.IDLE), recorded());
    all.assertCounts(0);
  }

  @Test
  void timeOut_toldTwice_countsOnce() {
    Connection connection = all.open(PORT);
    timeOut(connection, RuleCounts.UNKNOWN);
    timeOut(connection, RuleCounts.UNKNOWN);

    assertEquals(List.of(End.IDLE), recorded());
    all.assertCounts(0);
  }

  @Test
  void timeOut_ofAnEarlierConnectionOfTheTuple_isIgnored() {
    Connection connection = all.open(PORT);
    all.teardown.timedOut(
        S1, connection.request(), connection.generation() + 1, RuleCounts.UNKNOWN);

    assertEquals(State.OPENING, connection.state());
    all.assertCounts(1);
  }

  @Test
  void timeOut_atASwitchThatTheClientHasLeft_isIgnored() {
    Connection connection = all.open(PORT);
    all.teardown.timedOut(
        LifecycleFixture.S2, connection.request(), connection.generation(), RuleCounts.UNKNOWN);

    assertEquals(State.OPENING, connection.state());
    all.assertCounts(1);
  }

  @Test
  void timeOut_ofAnEndedConnection_isRecordedAsItsClients() {
    Connection connection = all.open(PORT);
    all.teardown.ended(connection.request(), false);

    timeOut(connection, RuleCounts.UNKNOWN);

    assertEquals(State.DORMANT, connection.state());
    assertEquals(List.of(End.CLIENT), recorded());
    all.assertCounts(0);
  }

  @Test
  void timeOut_ofAnEndedConnection_whenHalfTheRoomIsTaken_forgetsIt() {
    LifecycleFixture small = new LifecycleFixture(LifecycleFixture.NO_BOUND, 2);
    small.dormant(PORT);
    Connection connection = small.open(PORT + 1);
    small.teardown.ended(connection.request(), false);

    small.teardown.timedOut(S1, connection.request(), connection.generation(), RuleCounts.UNKNOWN);

    assertEquals(State.CLOSED, connection.state());
    assertNull(small.connections.byRequest(connection.request()));
    assertEquals(1, small.connections.dormant());
    small.assertCounts(0);
  }

  @Test
  void timeOut_ofABriefRuleWithoutAPacket_forgetsTheConnection() {
    Connection connection = all.open(PORT, true);

    timeOut(connection, 0);

    assertEquals(State.CLOSED, connection.state());
    assertEquals(0, all.halfOpen.now(all.vipNumber()));
    all.assertCounts(0);
  }

  @Test
  void timeOut_ofABriefRule_ofAClientThatWasHeard_isRemembered() {
    Connection connection = all.open(PORT, true);
    all.teardown.heard(connection);

    timeOut(connection, 0);

    assertEquals(State.DORMANT, connection.state());
  }

  @Test
  void timeOut_ofAPing_forgetsIt() {
    FiveTuple ping =
        FiveTuple.of(
            1, LifecycleFixture.CLIENT_ADDRESS.getInt(), 0, LifecycleFixture.VIP.getInt(), 0);
    Connection connection =
        new Connection(
            ping, all.vipNumber(), Algorithm.DEFAULT, all.server(), LifecycleFixture.CLIENT, 9, 0);
    assertNull(all.connectionLimiter.take(all.vipNumber(), Integer.MAX_VALUE, all.server()));
    assertEquals(Admission.ADDED, all.connections.add(connection));

    timeOut(connection, RuleCounts.UNKNOWN);

    assertEquals(State.CLOSED, connection.state());
    all.assertCounts(0);
  }

  @Test
  void switchReset_makesTheConnectionsOfItsClientsDormant() {
    Connection connection = all.open(PORT);
    all.teardown.switchReset(LifecycleFixture.S3);
    assertEquals(State.OPENING, connection.state());

    all.teardown.switchReset(S1);

    assertEquals(State.DORMANT, connection.state());
    assertEquals(List.of(End.SWITCH_RESET), recorded());
    all.assertCounts(0);
  }

  @Test
  void switchLost_makesAnOpenConnectionDormant() {
    Connection connection = all.open(PORT);

    assertTrue(all.teardown.expire(connection, ConnectionRecord.End.SWITCH_AWAY));
    assertFalse(all.teardown.expire(connection, ConnectionRecord.End.SWITCH_AWAY));

    assertEquals(List.of(End.SWITCH_AWAY), recorded());
    all.assertCounts(0);
  }

  @Test
  void strand_makesAnOpenConnectionDormant() {
    Connection connection = all.open(PORT);

    all.teardown.expire(connection, ConnectionRecord.End.MOVED);
    all.teardown.expire(connection, ConnectionRecord.End.MOVED);

    assertEquals(State.DORMANT, connection.state());
    assertEquals(List.of(End.MOVED), recorded());
    all.assertCounts(0);
  }

  @Test
  void cutOff_forgetsTheConnection_andTakesItsRulesAway() {
    Connection connection = all.open(PORT);

    all.teardown.cutOff(connection);

    assertEquals(State.CLOSED, connection.state());
    assertEquals(List.of(), all.rules(S1, CookieKind.REQUEST));
    assertEquals(List.of(), all.rules(LifecycleFixture.S3, CookieKind.REPLY));
    assertEquals(List.of(End.CUT_OFF), recorded());
    all.assertCounts(0);
  }

  @Test
  void close_forgetsAnOpenConnection_andLeavesItsRules() {
    Connection connection = all.open(PORT);

    assertTrue(all.teardown.close(connection).happened());
    assertFalse(all.teardown.close(connection).happened());

    assertEquals(1, all.rules(S1, CookieKind.REQUEST).size());
    assertEquals(0, uses());
    assertEquals(List.of(End.CLOSED), recorded());
    all.assertCounts(0);
  }

  @Test
  void close_forgetsADormantConnection_whoseRecordIsThereAlready() {
    Connection connection = all.dormant(PORT);

    assertTrue(all.teardown.close(connection).happened());

    assertEquals(State.CLOSED, connection.state());
    assertEquals(List.of(End.IDLE), recorded());
    assertEquals(0, all.connections.dormant());
  }

  @Test
  void closeOn_endsAConnectionOnThesePathsOnly() {
    Connection connection = all.open(PORT);
    Route route = connection.route();
    assertFalse(all.teardown.closeOn(connection, all.otherRoute()));
    all.assertCounts(1);

    assertTrue(all.teardown.closeOn(connection, route));

    assertEquals(State.CLOSED, connection.state());
    all.assertCounts(0);
  }

  @Test
  void makeRoom_forgetsWhatHasEndedOrSleeps_andNothingElse() {
    Connection open = all.open(PORT);
    Connection ended = all.open(PORT + 1);
    all.teardown.ended(ended.request(), false);
    Connection dormant = all.dormant(PORT + 2);

    assertFalse(all.teardown.makeRoom(open));
    assertTrue(all.teardown.makeRoom(ended));
    assertTrue(all.teardown.makeRoom(dormant));

    assertEquals(State.OPENING, open.state());
    assertEquals(State.CLOSED, ended.state());
    assertEquals(State.CLOSED, dormant.state());
    assertEquals(1, all.rules(S1, CookieKind.REQUEST).size() - 1, "the dormant one's is stale");
    all.assertCounts(1);
  }

  @Test
  void replaced_recordsTheFirstConnectionAtOnce() {
    Connection connection = all.open(PORT);
    all.teardown.ended(connection.request(), false);

    all.records.replaced(connection, connection.reopen(0));

    assertEquals(List.of(End.CLIENT), all.recorded.stream().map(ConnectionRecord::end).toList());
  }
}
