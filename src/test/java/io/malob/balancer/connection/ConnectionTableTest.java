package io.malob.balancer.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.connection.Connection.State;
import io.malob.balancer.connection.ConnectionTable.Admission;
import io.malob.testing.Servers;
import io.malob.testing.Together;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class ConnectionTableTest {
  private static final int MAX_OPEN = 5;
  private static final int MAX_DORMANT = 3;
  private static final long DORMANT_NANOS = 1_000;
  private static final int CLIENT = IPv4Address.of("10.0.0.1").getInt();
  private static final int VIP_A = IPv4Address.of("10.0.0.100").getInt();
  private static final int VIP_B = IPv4Address.of("10.0.0.101").getInt();
  private static final ImmutableList<Server> SERVERS = Servers.equal(3);
  private static final Attachment AT_CLIENT =
      new Attachment(DatapathId.of(1), OFPort.of(1), MacAddress.of(1));

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 500);
  private final List<Connection> forgotten = new ArrayList<>();
  private final ConnectionTable table =
      new ConnectionTable(MAX_OPEN, MAX_DORMANT, DORMANT_NANOS, clock::get, forgotten::add);

  private static Connection connection(int clientPort, int vip, Server server) {
    return new Connection(
        FiveTuple.of(6, CLIENT, clientPort, vip, 80),
        1,
        Algorithm.DEFAULT,
        server,
        AT_CLIENT,
        1,
        0);
  }

  private static Connection connection(int clientPort) {
    return connection(clientPort, VIP_A, SERVERS.get(0));
  }

  private Connection added(int clientPort) {
    Connection connection = connection(clientPort);
    assertEquals(Admission.ADDED, table.add(connection));
    return connection;
  }

  private Connection asleep(int clientPort) {
    Connection connection = added(clientPort);
    assertTrue(table.expire(connection).happened());
    return connection;
  }

  /** The state of a connection in the table, of which an object may be an old picture. */
  private State state(Connection connection) {
    Connection known = table.byRequest(connection.request());
    assertSame(known == null, table.byReply(connection.reply()) == null);
    return known == null ? State.CLOSED : known.state();
  }

  private static List<FiveTuple> requests(List<Connection> connections) {
    return connections.stream().map(Connection::request).toList();
  }

  private void assertCounts(int open, int dormant) {
    assertEquals(List.of(open, dormant), List.of(table.open(), table.dormant()));
    assertEquals(open, table.find(each -> each.state().hasRules()).size());
    assertEquals(dormant, table.find(each -> each.state() == State.DORMANT).size());
  }

  @Test
  void add_ofNewConnection_isFoundByBothTuples() {
    Connection connection = added(1);
    assertSame(connection, table.byRequest(connection.request()));
    assertSame(connection, table.byReply(connection.reply()));
    assertNull(table.byRequest(connection.reply()));
    assertNull(table.byReply(connection.request()));
    assertCounts(1, 0);
  }

  @Test
  void tuples_ofConnection_areSeenFromEachSide() {
    Connection connection = connection(65_535);
    int member = SERVERS.get(0).address();
    assertEquals(FiveTuple.of(6, CLIENT, 65_535, member, 8_080), connection.requestAtMember());
    assertEquals(FiveTuple.of(6, member, 8_080, CLIENT, 65_535), connection.reply());
  }

  @Test
  void tuples_ofPingOrMemberWithoutPort_keepTheClientsPort() {
    Server any = SERVERS.get(0);
    Server keepsPort = new Server(9, any.address(), 0, 1, any.at(), any.load());
    FiveTuple request = FiveTuple.of(17, CLIENT, 5, VIP_A, 53);
    assertEquals(53, Connection.atMember(request, keepsPort).dstPort());
    FiveTuple ping = FiveTuple.of(1, CLIENT, 0, VIP_A, 0);
    assertEquals(FiveTuple.of(1, CLIENT, 0, any.address(), 0), Connection.atMember(ping, any));
  }

  @Test
  void add_ofSameTuple_existsWhateverTheMember() {
    Connection first = added(1);
    assertEquals(Admission.EXISTS, table.add(connection(1)));
    assertEquals(Admission.EXISTS, table.add(connection(1, VIP_A, SERVERS.get(1))));
    assertSame(first, table.byRequest(first.request()));
    assertNull(table.byReply(connection(1, VIP_A, SERVERS.get(1)).reply()));
    assertCounts(1, 0);
  }

  /** Two VIPs over one member: it would see the same client port twice. */
  @Test
  void add_ofConnectionThatLooksTheSameToTheMember_clashes() {
    Connection first = added(1);
    Connection other = connection(1, VIP_B, SERVERS.get(0));
    assertEquals(Admission.CLASH, table.add(other));
    assertNull(table.byRequest(other.request()));
    assertSame(first, table.byReply(first.reply()));
    assertEquals(Admission.ADDED, table.add(connection(1, VIP_B, SERVERS.get(1))));
    assertCounts(2, 0);
  }

  @Test
  void add_ofConnectionThatClashesWithDormantOne_clashesUntilThatIsForgotten() {
    Connection dormant = asleep(1);
    Connection other = connection(1, VIP_B, SERVERS.get(0));
    assertEquals(Admission.CLASH, table.add(other));
    assertTrue(table.forget(dormant).happened());
    assertEquals(Admission.ADDED, table.add(other));
    assertNull(table.byRequest(dormant.request()));
    assertSame(other, table.byReply(dormant.reply()));
    assertCounts(1, 0);
  }

  @Test
  void add_toFullTable_isRefusedUntilOneEnds() {
    List<Connection> open = new ArrayList<>();
    for (int port = 1; port <= MAX_OPEN; port++) {
      open.add(added(port));
    }
    assertEquals(Admission.FULL, table.add(connection(99)));
    assertCounts(MAX_OPEN, 0);
    assertTrue(table.close(open.get(2)).happened());
    added(99);
    assertCounts(MAX_OPEN, 0);
  }

  @Test
  void expireReactivateAndForget_changeCountsOnceOnly() {
    Connection connection = added(1);
    assertFalse(table.reactivate(connection).happened());
    assertFalse(table.forget(connection).happened());
    assertTrue(table.expire(connection).happened());
    assertFalse(table.expire(connection).happened());
    assertCounts(0, 1);
    assertTrue(table.reactivate(connection).happened());
    assertFalse(table.reactivate(connection).happened());
    assertCounts(1, 0);
    assertTrue(table.expire(connection).happened());
    assertTrue(table.forget(connection).happened());
    assertFalse(table.forget(connection).happened());
    assertFalse(table.close(connection).happened());
    assertFalse(table.expire(connection).happened());
    assertFalse(table.reactivate(connection).happened());
    assertCounts(0, 0);
    assertNull(table.byRequest(connection.request()));
    assertNull(table.byReply(connection.reply()));
  }

  @Test
  void close_ofADormantConnection_forgetsIt() {
    Connection connection = asleep(1);
    assertTrue(table.close(connection).happened());
    assertCounts(0, 0);
    assertNull(table.byRequest(connection.request()));
    assertFalse(table.reactivate(connection).happened());
  }

  @Test
  void forget_ofConnectionThatWasReplaced_leavesItsSuccessor() {
    Connection old = asleep(1);
    assertTrue(table.forget(old).happened());
    Connection successor = added(1);
    assertFalse(table.forget(old).happened());
    assertSame(successor, table.byRequest(old.request()));
    assertSame(successor, table.byReply(old.reply()));
  }

  @Test
  void reactivate_inFullTable_isRefused() {
    Connection dormant = asleep(100);
    for (int port = 1; port <= MAX_OPEN; port++) {
      added(port);
    }
    assertFalse(table.reactivate(dormant).happened());
    assertCounts(MAX_OPEN, 1);
    assertEquals(State.DORMANT, dormant.state());
  }

  @Test
  void expire_beyondTheBound_forgetsTheOldest() {
    Connection first = asleep(1);
    Connection second = asleep(2);
    Connection third = asleep(3);
    clock.incrementAndGet();
    assertTrue(table.reactivate(first).happened());
    assertTrue(table.expire(first).happened()); // now the youngest
    Connection fourth = asleep(4);
    assertEquals(State.CLOSED, state(second));
    assertEquals(requests(List.of(second)), requests(forgotten));
    assertEquals(State.CLOSED, forgotten.get(0).state());
    for (Connection kept : List.of(first, third, fourth)) {
      assertEquals(State.DORMANT, state(kept));
    }
    assertCounts(0, MAX_DORMANT);
  }

  /** Clients open these from as many addresses as there are ports. */
  private Connection asleep(int vipNumber, int client, int port, boolean isAnswered) {
    Connection connection =
        new Connection(
            FiveTuple.of(6, client, port, VIP_A + vipNumber, 80),
            vipNumber,
            Algorithm.DEFAULT,
            SERVERS.get(0),
            AT_CLIENT,
            1,
            0);
    assertEquals(Admission.ADDED, table.add(connection));
    if (isAnswered) {
      connection.hear();
    }
    assertTrue(table.expire(connection).happened());
    return connection;
  }

  @Test
  void expire_ofUnansweredConnections_displacesNoneThatWasAnswered() {
    Connection answered = asleep(1, CLIENT, 1, true);
    for (int i = 0; i < 50; i++) {
      asleep(1, CLIENT + i, 1_000 + i, false);
    }
    assertEquals(State.DORMANT, state(answered));
    assertCounts(0, MAX_DORMANT);
    for (int i = 0; i < 2; i++) {
      Connection other = asleep(1, CLIENT, 10 + i, true);
      assertEquals(State.DORMANT, state(other), "unanswered ones give way to it");
    }
    assertEquals(State.DORMANT, state(answered));
  }

  @Test
  void expire_ofEndedConnections_displacesNoneThatGoesOn() {
    Connection open = asleep(1, CLIENT, 1, true);
    Connection endsWhileDormant = asleep(1, CLIENT, 2, true);
    table.end(endsWhileDormant, 1);
    for (int i = 0; i < 2; i++) {
      asleep(1, CLIENT, 10 + i, true);
    }
    assertEquals(State.CLOSED, state(endsWhileDormant));
    assertEquals(State.DORMANT, state(open));
  }

  @Test
  void expire_beyondTheBound_takesRoomFromTheVipAndClientWithTheMost() {
    Connection ofOtherVip = asleep(2, CLIENT, 1, true);
    Connection ofOtherClient = asleep(1, CLIENT + 1, 2, true);
    for (int i = 0; i < 50; i++) {
      Connection last = asleep(1, CLIENT, 1_000 + i, true);
      assertEquals(State.DORMANT, state(last), "its client's earlier one gives way");
    }
    assertEquals(State.DORMANT, state(ofOtherVip));
    assertEquals(State.DORMANT, state(ofOtherClient));
    assertCounts(0, MAX_DORMANT);
  }

  /** Many stripes, each with room for some hundreds. */
  @Test
  void expire_beyondALargeBound_sharesItFairly() {
    int max = 4_096;
    ConnectionTable large =
        new ConnectionTable(10, max, Long.MAX_VALUE, clock::get, connection -> {});
    int[] kept = new int[3];
    for (int i = 0; i < 10 * max; i++) {
      int vipNumber = i % 40 == 0 ? 2 : 1; // forty times as many connect to one of them
      Connection connection =
          new Connection(
              FiveTuple.of(6, CLIENT + i, 1_000, VIP_A + vipNumber, 80),
              vipNumber,
              Algorithm.DEFAULT,
              SERVERS.get(0),
              AT_CLIENT,
              i,
              0);
      large.add(connection);
      connection.hear();
      large.expire(connection);
      assertTrue(large.dormant() <= max);
    }
    large.all().forEach(each -> kept[each.vipNumber()]++);
    assertEquals(max, kept[1] + kept[2]);
    assertEquals(10 * max / 40, kept[2], "none of the VIP with few is displaced");
  }

  @Test
  void sweep_ofDormantConnections_forgetsThoseThatAreOldEnough() {
    Connection first = asleep(1);
    clock.addAndGet(DORMANT_NANOS - 1);
    Connection second = asleep(2);
    table.sweep();
    assertCounts(0, 2);
    clock.addAndGet(1);
    table.sweep();
    assertEquals(State.CLOSED, state(first));
    assertEquals(State.DORMANT, state(second));
    clock.addAndGet(DORMANT_NANOS);
    table.sweep();
    assertCounts(0, 0);
    assertEquals(requests(List.of(first, second)), requests(forgotten));
  }

  @Test
  void sweep_ofConnectionThatWokeMeanwhile_countsFromItsLastSleep() {
    Connection connection = asleep(1);
    clock.addAndGet(DORMANT_NANOS / 2);
    assertTrue(table.reactivate(connection).happened());
    assertTrue(table.expire(connection).happened());
    clock.addAndGet(DORMANT_NANOS / 2);
    table.sweep();
    assertCounts(0, 1);
    assertTrue(table.reactivate(connection).happened());
    clock.addAndGet(10 * DORMANT_NANOS);
    table.sweep();
    assertCounts(1, 0);
  }

  @Test
  void expireAndReactivate_manyTimes_remembersNoMoreThanOnce() {
    asleep(1); // the oldest, so that nothing behind it leaves by age
    Connection restless = asleep(2);
    long bytes = table.bytesOfDormant();
    for (int i = 0; i < 5_000; i++) {
      if (i % 100 == 0) {
        clock.incrementAndGet();
        table.sweep();
      }
      assertTrue(table.reactivate(restless).happened());
      assertTrue(table.expire(restless).happened());
    }
    assertCounts(0, 2);
    assertEquals(bytes, table.bytesOfDormant(), "there was room for two");
  }

  @Test
  void pictures_ofADormantConnection_areAllOfIt_andOneOfThemGoesOn() {
    Connection old = added(1);
    Attachment elsewhere = new Attachment(DatapathId.of(7), OFPort.of(8), MacAddress.of(9));
    clock.addAndGet(5);
    table.expire(old);
    Connection picture = table.byRequest(old.request());
    Connection other = table.byReply(old.reply());
    assertNotSame(picture, other);
    assertNotNull(table.relocate(other, elsewhere, old.server(), clock.get(), 0));
    assertNull(table.relocate(picture, AT_CLIENT, old.server(), clock.get(), 1), "it rests");
    assertNotNull(table.end(old, 8));

    assertTrue(table.reactivate(picture).isEnded(), "as one of the others was told");

    assertEquals(elsewhere, picture.client());
    assertEquals(State.OPEN, picture.state());
    assertSame(picture, table.byRequest(old.request()));
    assertSame(picture, table.byReply(old.reply()));
    assertFalse(table.reactivate(other).happened());
    assertFalse(table.forget(old).happened());
    assertNull(table.relocate(other, AT_CLIENT, old.server(), clock.get(), 0));
    assertEquals(elsewhere, picture.client());
    assertCounts(1, 0);
    assertEquals(State.OPEN, table.close(other).before(), "whatever its state");
    assertEquals(State.CLOSED, picture.state());
    assertEquals(List.of(picture), forgotten);
    assertCounts(0, 0);
  }

  @Test
  void pictures_ofAForgottenConnection_doNothingToItsSuccessor() {
    Connection old = asleep(1);
    assertTrue(table.forget(table.byRequest(old.request())).happened());
    Connection successor =
        new Connection(old.request(), 1, Algorithm.DEFAULT, SERVERS.get(0), AT_CLIENT, 2, 0);
    assertEquals(Admission.ADDED, table.add(successor));
    assertFalse(table.close(old).happened());
    assertTrue(table.expire(successor).happened());
    assertFalse(table.close(old).happened());
    assertFalse(table.reactivate(old).happened());
    assertCounts(0, 1);
  }

  /** Its session is found by the object. */
  @Test
  void dormantControlConnectionOfFtp_staysAnObject() {
    Connection control =
        new Connection(
            FiveTuple.of(6, CLIENT, 1, VIP_A, 21),
            1,
            Algorithm.DEFAULT,
            SERVERS.get(0),
            AT_CLIENT,
            1,
            0);
    table.add(control);
    table.expire(control);
    assertSame(control, table.byRequest(control.request()));
    assertSame(control, table.byReply(control.reply()));
    assertEquals(List.of(control), table.find(any -> true));
    table.forget(control);
    assertEquals(List.of(control), forgotten);
  }

  @Test
  void dormantConnection_takesLessThanNinetyBytes() {
    int count = 100_000;
    ConnectionTable large =
        new ConnectionTable(10, count, Long.MAX_VALUE, clock::get, connection -> {});
    assertEquals(0, large.bytesOfDormant(), "nothing is reserved");
    for (int i = 0; i < count; i++) {
      Connection connection = connection(i % 50_000, VIP_A + i / 50_000, SERVERS.get(i / 50_000));
      large.add(connection);
      large.expire(connection);
    }
    assertEquals(count, large.dormant());
    long bytes = large.bytesOfDormant() / count;
    assertTrue(bytes < 90, bytes + " bytes");
    large.find(any -> true).forEach(large::forget);
    assertEquals(0, large.dormant());
    assertEquals(0, large.bytesOfDormant(), "all is given back");
  }

  /** A packet of a connection that is missed would be answered with a reset. */
  @Test
  void lookUps_ofConnectionsThatComeAndGo_missNone() throws Exception {
    int connections = 200;
    ConnectionTable busy =
        new ConnectionTable(connections, connections, Long.MAX_VALUE, clock::get, c -> {});
    List<FiveTuple> requests = new ArrayList<>();
    List<FiveTuple> replies = new ArrayList<>();
    for (int port = 1; port <= connections; port++) {
      Connection connection = connection(port);
      busy.add(connection);
      requests.add(connection.request());
      replies.add(connection.reply());
    }
    AtomicInteger reactivated = new AtomicInteger();
    AtomicInteger expired = new AtomicInteger();
    Together.run(
        4,
        thread -> {
          Random random = new Random(thread);
          for (int i = 0; i < 40_000; i++) {
            int which = random.nextInt(connections);
            Connection known =
                random.nextBoolean()
                    ? busy.byRequest(requests.get(which))
                    : busy.byReply(replies.get(which));
            assertNotNull(known, "missed in look-up " + i);
            assertEquals(requests.get(which), known.request());
            if (busy.expire(known).happened()) {
              expired.incrementAndGet();
            } else if (busy.reactivate(known).happened()) {
              reactivated.incrementAndGet();
            }
            if (i % 500 == 0) {
              Set<FiveTuple> walked = new HashSet<>();
              busy.all().forEach(each -> walked.add(each.request()));
              assertEquals(connections, walked.size(), "missed in a walk");
            }
          }
        });
    assertEquals(connections, busy.open() + busy.dormant());
    assertEquals(busy.dormant(), expired.get() - reactivated.get());
    assertEquals(connections, busy.find(any -> true).size());
  }

  @Test
  void reactivate_onEightThreads_happensOnce() throws Exception {
    Connection first = asleep(1);
    int rounds = 2_000;
    AtomicInteger times = new AtomicInteger();
    CyclicBarrier barrier = new CyclicBarrier(8);
    Together.run(
        8,
        thread -> {
          for (int round = 0; round < rounds; round++) {
            Connection mine = table.byRequest(first.request());
            barrier.await();
            if (table.reactivate(mine).happened()) {
              times.incrementAndGet();
            }
            barrier.await();
            Connection current = table.byRequest(first.request());
            assertSame(current, table.byReply(first.reply()));
            assertEquals(State.OPEN, current.state());
            barrier.await();
            table.expire(current);
            barrier.await();
          }
        });
    assertEquals(rounds, times.get());
    assertCounts(0, 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void operations_ofEightThreads_keepTheInvariants(int seed) throws Exception {
    int maxOpen = 40;
    int maxDormant = 20;
    ConnectionTable busy =
        new ConnectionTable(maxOpen, maxDormant, 2_000, clock::get, connection -> {});
    AtomicInteger counted = new AtomicInteger();
    Together.run(
        8,
        thread -> {
          Random random = new Random(100L * seed + thread);
          for (int i = 0; i < 20_000; i++) {
            operate(busy, random, counted);
          }
        });
    busy.sweep();
    List<Connection> all = busy.find(any -> true);
    assertEquals(busy.open(), all.stream().filter(c -> c.state().hasRules()).count());
    assertEquals(busy.dormant(), all.stream().filter(c -> c.state() == State.DORMANT).count());
    assertEquals(busy.open() + busy.dormant(), all.size(), "a closed connection was left");
    assertEquals(
        counted.get(), busy.open(), "who added, expired, reactivated and forgot knows the count");
    assertTrue(busy.open() <= maxOpen);
    assertTrue(busy.dormant() <= maxDormant);
    for (Connection connection : all) {
      assertEquals(
          connection.request(),
          busy.byReply(connection.reply()).request(),
          "a reply is of one connection");
    }
    for (Connection connection : all) {
      assertTrue(
          (connection.state().hasRules() ? busy.close(connection) : busy.forget(connection))
              .happened());
      assertNull(busy.byReply(connection.reply()));
    }
    assertEquals(List.of(0, 0), List.of(busy.open(), busy.dormant()));
  }

  private void operate(ConnectionTable busy, Random random, AtomicInteger counted) {
    Connection fresh =
        connection(
            1 + random.nextInt(30),
            random.nextBoolean() ? VIP_A : VIP_B,
            SERVERS.get(random.nextInt(3)));
    Connection known = busy.byRequest(fresh.request());
    clock.incrementAndGet();
    int choice = random.nextInt(10);
    if (known == null || choice < 3) {
      if (busy.add(fresh) == Admission.ADDED) {
        counted.incrementAndGet();
      }
    } else if (choice < 6) {
      counted.addAndGet(busy.expire(known).happened() ? -1 : 0);
    } else if (choice < 8) {
      counted.addAndGet(busy.reactivate(known).happened() ? 1 : 0);
    } else if (choice == 8) {
      counted.addAndGet(busy.close(known).before().hasRules() ? -1 : 0);
    } else if (random.nextBoolean()) {
      busy.forget(known);
    } else {
      busy.sweep();
    }
  }
}
