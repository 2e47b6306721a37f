package io.malob.balancer.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.balancer.admission.LifecycleFixture;
import io.malob.balancer.api.PlacedConnection;
import io.malob.balancer.connection.Connection.Moved;
import io.malob.balancer.connection.Connection.Route;
import io.malob.balancer.connection.Connection.State;
import io.malob.openflow.packet.Packet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Each transition of a connection in each state that it can be in. */
class ConnectionTest {
  private static final long NOW = 5_000;
  private static final Attachment ELSEWHERE =
      new Attachment(LifecycleFixture.S2, OFPort.of(3), LifecycleFixture.CLIENT.mac());

  private final LifecycleFixture all = new LifecycleFixture();
  private final Route route = all.route();

  /** The states of the table, and what they are entered from where that matters. */
  enum Situation {
    /** It has no paths yet. */
    NEW,
    OPENING,
    OPEN,
    ENDED,
    DORMANT,
    /** Its client ended it before its rules timed out. */
    ENDED_DORMANT,
    CLOSED
  }

  /** The transitions of the table. */
  enum Event {
    HEAR,
    END,
    START_AGAIN,
    EXPIRE,
    REACTIVATE,
    CLOSE,
    FORGET,
    CLOSE_ON,
    CLOSE_ON_OTHER,
    TAKE,
    MOVE,
    MOVE_FROM_OTHER,
    RELOCATE,
    RELOCATE_NOWHERE,
    PROGRAM
  }

  private static final Map<Situation, Consumer<Connection>> WAYS = ways();

  private static Map<Situation, Consumer<Connection>> ways() {
    Map<Situation, Consumer<Connection>> ways = new EnumMap<>(Situation.class);
    ways.put(Situation.NEW, connection -> {});
    ways.put(Situation.OPENING, connection -> {});
    ways.put(Situation.OPEN, Connection::hear);
    ways.put(Situation.ENDED, connection -> connection.end(1));
    ways.put(Situation.DORMANT, connection -> connection.expire(2));
    ways.put(
        Situation.ENDED_DORMANT,
        connection -> {
          connection.end(1);
          connection.expire(2);
        });
    ways.put(Situation.CLOSED, Connection::close);
    return ways;
  }

  private Connection in(Situation situation) {
    Connection connection = all.connection(40_000);
    if (situation != Situation.NEW) {
      assertNull(connection.take(route));
    }
    WAYS.get(situation).accept(connection);
    return connection;
  }

  /** What a transition gives: "-" if it does nothing, what its caller has to do if it does. */
  private String result(Connection connection, Event event) {
    Route other = all.otherRoute();
    return switch (event) {
      case HEAR -> text(connection.hear());
      case END -> text(connection.end(NOW));
      case START_AGAIN -> text(connection.reopen(NOW));
      case EXPIRE -> text(connection.expire(NOW));
      case REACTIVATE -> text(connection.reactivate());
      case CLOSE -> text(connection.close());
      case FORGET -> text(connection.forget());
      case CLOSE_ON -> text(connection.closeOn(route));
      case CLOSE_ON_OTHER -> text(connection.closeOn(other));
      case TAKE -> taken(connection.take(other), other);
      case MOVE -> connection.move(route, other, NOW) ? "done" : "-";
      case MOVE_FROM_OTHER -> connection.move(other, route, NOW) ? "done" : "-";
      case RELOCATE -> text(connection.relocate(ELSEWHERE, connection.server(), NOW, 0));
      case RELOCATE_NOWHERE ->
          text(connection.relocate(connection.client(), connection.server(), NOW, 0));
      case PROGRAM -> connection.program(NOW, 1) ? "done" : "-";
    };
  }

  private static String text(Effects effects) {
    if (!effects.happened()) {
      assertEquals(Effects.NONE, effects);
      return "-";
    }
    String counts = effects.countsNoMore() ? "uncount" : effects.countsAgain() ? "count" : "leave";
    return counts
        + (effects.isEnded() ? " ended" : "")
        + (effects.released() == null ? "" : " release");
  }

  private static String text(Moved moved) {
    if (moved == null) {
      return "-";
    }
    return (moved.hasRules() ? "reroute" : "done") + (moved.route() == null ? "" : " release");
  }

  private static String taken(Route spare, Route given) {
    if (spare == null) {
      return "done";
    }
    return spare.equals(given) ? "-" : "release";
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    // state, transition, what its caller does, the state afterwards, whether it counts then
    "NEW, HEAR, leave, OPEN, true",
    "OPENING, HEAR, leave, OPEN, true",
    "OPEN, HEAR, -, OPEN, true",
    "ENDED, HEAR, -, ENDED, false",
    "DORMANT, HEAR, -, DORMANT, false",
    "ENDED_DORMANT, HEAR, -, DORMANT, false",
    "CLOSED, HEAR, -, CLOSED, false",
    "NEW, END, uncount, ENDED, false",
    "OPENING, END, uncount, ENDED, false",
    "OPEN, END, uncount, ENDED, false",
    "ENDED, END, -, ENDED, false",
    "DORMANT, END, -, DORMANT, false",
    "ENDED_DORMANT, END, -, DORMANT, false",
    "CLOSED, END, -, CLOSED, false",
    "NEW, START_AGAIN, -, OPENING, true",
    "OPENING, START_AGAIN, -, OPENING, true",
    "OPEN, START_AGAIN, -, OPEN, true",
    "ENDED, START_AGAIN, count ended, OPEN, true",
    "DORMANT, START_AGAIN, -, DORMANT, false",
    "ENDED_DORMANT, START_AGAIN, -, DORMANT, false",
    "CLOSED, START_AGAIN, -, CLOSED, false",
    "NEW, EXPIRE, uncount, DORMANT, false",
    "OPENING, EXPIRE, uncount release, DORMANT, false",
    "OPEN, EXPIRE, uncount release, DORMANT, false",
    "ENDED, EXPIRE, leave ended release, DORMANT, false",
    "DORMANT, EXPIRE, -, DORMANT, false",
    "ENDED_DORMANT, EXPIRE, -, DORMANT, false",
    "CLOSED, EXPIRE, -, CLOSED, false",
    "NEW, REACTIVATE, -, OPENING, true",
    "OPENING, REACTIVATE, -, OPENING, true",
    "OPEN, REACTIVATE, -, OPEN, true",
    "ENDED, REACTIVATE, -, ENDED, false",
    "DORMANT, REACTIVATE, count, OPEN, true",
    "ENDED_DORMANT, REACTIVATE, count ended, OPEN, true",
    "CLOSED, REACTIVATE, -, CLOSED, false",
    "NEW, CLOSE, uncount, CLOSED, false",
    "OPENING, CLOSE, uncount release, CLOSED, false",
    "OPEN, CLOSE, uncount release, CLOSED, false",
    "ENDED, CLOSE, leave ended release, CLOSED, false",
    "DORMANT, CLOSE, leave, CLOSED, false",
    "ENDED_DORMANT, CLOSE, leave ended, CLOSED, false",
    "CLOSED, CLOSE, -, CLOSED, false",
    "NEW, FORGET, -, OPENING, true",
    "OPENING, FORGET, -, OPENING, true",
    "OPEN, FORGET, -, OPEN, true",
    "ENDED, FORGET, -, ENDED, false",
    "DORMANT, FORGET, leave, CLOSED, false",
    "ENDED_DORMANT, FORGET, leave ended, CLOSED, false",
    "CLOSED, FORGET, -, CLOSED, false",
    "NEW, CLOSE_ON, -, OPENING, true",
    "OPENING, CLOSE_ON, uncount release, CLOSED, false",
    "OPEN, CLOSE_ON, uncount release, CLOSED, false",
    "ENDED, CLOSE_ON, leave ended release, CLOSED, false",
    "DORMANT, CLOSE_ON, -, DORMANT, false",
    "ENDED_DORMANT, CLOSE_ON, -, DORMANT, false",
    "CLOSED, CLOSE_ON, -, CLOSED, false",
    "NEW, CLOSE_ON_OTHER, -, OPENING, true",
    "OPENING, CLOSE_ON_OTHER, -, OPENING, true",
    "OPEN, CLOSE_ON_OTHER, -, OPEN, true",
    "ENDED, CLOSE_ON_OTHER, -, ENDED, false",
    "NEW, TAKE, done, OPENING, true",
    "OPENING, TAKE, release, OPENING, true",
    "OPEN, TAKE, release, OPEN, true",
    "ENDED, TAKE, release, ENDED, false",
    "DORMANT, TAKE, -, DORMANT, false",
    "ENDED_DORMANT, TAKE, -, DORMANT, false",
    "CLOSED, TAKE, -, CLOSED, false",
    "NEW, MOVE, -, OPENING, true",
    "OPENING, MOVE, done, OPENING, true",
    "OPEN, MOVE, done, OPEN, true",
    "ENDED, MOVE, done, ENDED, false",
    "DORMANT, MOVE, -, DORMANT, false",
    "ENDED_DORMANT, MOVE, -, DORMANT, false",
    "CLOSED, MOVE, -, CLOSED, false",
    "OPEN, MOVE_FROM_OTHER, -, OPEN, true",
    "ENDED, MOVE_FROM_OTHER, -, ENDED, false",
    "NEW, RELOCATE, reroute, OPENING, true",
    "OPENING, RELOCATE, reroute release, OPENING, true",
    "OPEN, RELOCATE, reroute release, OPEN, true",
    "ENDED, RELOCATE, reroute release, ENDED, false",
    "DORMANT, RELOCATE, done, DORMANT, false",
    "ENDED_DORMANT, RELOCATE, done, DORMANT, false",
    "CLOSED, RELOCATE, -, CLOSED, false",
    "OPEN, RELOCATE_NOWHERE, -, OPEN, true",
    "DORMANT, RELOCATE_NOWHERE, -, DORMANT, false",
    "NEW, PROGRAM, done, OPENING, true",
    "OPENING, PROGRAM, done, OPENING, true",
    "OPEN, PROGRAM, done, OPEN, true",
    "ENDED, PROGRAM, done, ENDED, false",
    "DORMANT, PROGRAM, -, DORMANT, false",
    "ENDED_DORMANT, PROGRAM, -, DORMANT, false",
    "CLOSED, PROGRAM, -, CLOSED, false",
  })
  void transition(
      Situation before, Event event, String result, State after, boolean countsAfterwards) {
    Connection connection = in(before);

    assertEquals(result, result(connection, event));

    assertEquals(after, connection.state());
    // it counts on the paths that it has, if it counts at all
    Route paths = connection.route();
    int onPaths = all.labels.all().stream().mapToInt(path -> path.active()).sum();
    assertEquals(paths != null && countsAfterwards ? 2 : 0, onPaths);
    // one that counts is taken off the counts once, whatever ends it
    assertEquals(countsAfterwards, connection.state().counts());
    if (connection.state().hasRules()) {
      assertEquals(countsAfterwards, connection.end(NOW + 1).countsNoMore());
    }
    assertFalse(connection.end(NOW + 2).happened());
  }

  @Test
  void leaving_tellsWhatTheConnectionWas() {
    all.clock.set(100);
    Connection connection = in(Situation.OPENING);
    connection.halfOpen(77, true);

    Effects effects = connection.expire(NOW);

    assertEquals(new Effects(State.OPENING, State.DORMANT, false, 77, 100, route), effects);
    assertEquals(Effects.NONE, connection.hear(), "told once");
    assertNull(connection.route());
    assertEquals(NOW, connection.dormancy().sinceNanos());
  }

  @Test
  void reopen_returnsThePreviousState_andKeepsThePaths() {
    Connection connection = in(Situation.ENDED);

    Effects earlier = connection.reopen(NOW);

    assertEquals(
        new Effects(State.ENDED, State.OPEN, true, Connection.NOT_HALF_OPEN, 0, route), earlier);
    assertNull(earlier.released());
    assertEquals(route, connection.route());
    assertFalse(connection.isEnded());
    assertEquals(1, connection.ageNanos(NOW + 1));
  }

  @Test
  void halfOpen_isConfirmedOnce() {
    Connection connection = in(Situation.OPENING);
    connection.halfOpen(9, true);
    assertTrue(connection.isBrief());
    assertEquals(State.OPENING, connection.state());

    Effects heard = connection.hear();

    assertEquals(State.OPEN, connection.state());
    assertEquals(9, heard.halfOpenUntil());
    assertEquals(Effects.NONE, connection.hear());
  }

  @ParameterizedTest
  @EnumSource(Situation.class)
  void halfOpen_isForAConnectionOfWhichNothingMoreHasCome(Situation situation) {
    Connection connection = in(situation);
    boolean isOpening = connection.state() == State.OPENING;

    Effects effects = connection.halfOpen(9, true);

    assertEquals(isOpening ? Connection.NOT_HALF_OPEN : 9, effects.halfOpenUntil());
    assertFalse(effects.happened());
    assertNull(effects.released());
    assertEquals(isOpening, connection.hear().halfOpenUntil() == 9);
  }

  @Test
  void halfOpen_staysSo_whenItsCountersBeginAnew() {
    Connection connection = in(Situation.OPENING);
    connection.halfOpen(9, true);

    connection.countersBeginAnew();

    assertEquals(State.OPEN, connection.state());
    assertEquals(9, connection.hear().halfOpenUntil());
  }

  @Test
  void reactivate_makesTheRulesLastAsLongAsUsual_andMustProgramThem() {
    Connection connection = in(Situation.OPENING);
    connection.halfOpen(9, true);
    assertTrue(connection.program(NOW, 1_000));
    connection.expire(NOW);

    connection.reactivate();

    assertFalse(connection.isBrief());
    assertEquals(State.OPEN, connection.state());
    assertFalse(connection.isProgrammed());
    assertTrue(connection.program(NOW + 1, 1_000));
  }

  @Test
  void program_isDueOnceInAWhile() {
    Connection connection = in(Situation.OPEN);
    assertFalse(connection.isProgrammedBefore(Long.MAX_VALUE));
    assertTrue(connection.program(NOW, 1_000));
    assertFalse(connection.program(NOW + 999, 1_000));
    assertTrue(connection.isProgrammedBefore(NOW + 1));
    assertFalse(connection.isProgrammedBefore(NOW));
    assertTrue(connection.program(NOW + 1_000, 1_000));
  }

  @Test
  void relocate_movesBothEnds_andMustProgramTheRules() {
    Connection connection = in(Situation.OPEN);
    connection.program(NOW, 1_000);
    Server before = connection.server();
    Attachment there = new Attachment(DatapathId.of(4), OFPort.of(1), MacAddress.of(9));

    Moved moved = connection.relocate(ELSEWHERE, before.movedTo(there), NOW, 0);

    assertEquals(new Moved(LifecycleFixture.CLIENT, before, route, true), moved);
    assertEquals(ELSEWHERE, connection.client());
    assertEquals(there, connection.server().at());
    assertEquals(before.number(), connection.server().number());
    assertFalse(connection.isProgrammed());
    assertTrue(connection.program(NOW, 1_000));
  }

  @Test
  void relocate_restsAfterwards_ifToldSo() {
    Connection connection = in(Situation.OPEN);
    Attachment home = connection.client();
    assertNotNull(connection.relocate(ELSEWHERE, connection.server(), NOW, 1_000));
    assertNull(connection.relocate(home, connection.server(), NOW + 999, 1_000));
    assertNotNull(connection.relocate(home, connection.server(), NOW + 1_000, 1_000));
    assertNotNull(connection.relocate(ELSEWHERE, connection.server(), NOW + 1_001, 0));
  }

  @Test
  void packets_waitForPaths_inTheirOrder_andEightAtMost() {
    Connection connection = in(Situation.NEW);
    Packet first = LifecycleFixture.fromClient(40_000, Packet.TCP_SYN);
    Packet second = LifecycleFixture.fromClient(40_000, Packet.TCP_ACK);
    assertEquals(Delivery.PENDING, connection.deliver(first));
    connection.take(route);
    assertEquals(Delivery.PENDING, connection.deliver(second), "not before the first");

    assertEquals(List.of(first, second), connection.takePending());
    assertEquals(List.of(), connection.takePending());
    assertEquals(Delivery.READY, connection.deliver(first));

    Connection other = in(Situation.NEW);
    for (int i = 0; i < 8; i++) {
      assertEquals(Delivery.PENDING, other.deliver(first));
    }
    assertEquals(Delivery.FULL, other.deliver(first));
  }

  @Test
  void packetsThatWait_areForgottenWithThePaths() {
    Connection connection = in(Situation.NEW);
    connection.deliver(LifecycleFixture.fromClient(40_000, Packet.TCP_SYN));
    connection.expire(NOW);
    assertEquals(List.of(), connection.takePending());
  }

  @Test
  void lastSign_isTheLatestOfWhatWasSentAndSeen() {
    all.clock.set(10);
    Connection connection = in(Situation.OPEN);
    assertEquals(10, connection.lastSignNanos());
    connection.program(20, 0);
    assertEquals(20, connection.lastSignNanos());
    connection.seenAtMember(40);
    assertEquals(40, connection.lastSignNanos());
    connection.program(50, 0);
    assertEquals(50, connection.lastSignNanos());
  }

  @Test
  void uses_isAboutEitherPath() {
    Connection connection = in(Situation.OPEN);
    assertTrue(connection.uses(Set.of(route.request())));
    assertTrue(connection.uses(Set.of(route.reply())));
    assertFalse(connection.uses(Set.of(all.otherRoute().request())));
    connection.expire(NOW);
    assertFalse(connection.uses(Set.of(route.request())));
  }

  @Test
  void shown_isEmptyForAConnectionThatIsClosed() {
    Connection connection = in(Situation.ENDED);
    assertEquals(PlacedConnection.Phase.ENDED, connection.shown(NOW).get().phase());
    connection.close();
    assertTrue(connection.shown(NOW).isEmpty());
  }
}
