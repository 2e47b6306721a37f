package io.malob.balancer.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.connection.Connection.State;
import io.malob.testing.Servers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** The rows against a map of objects in the order in which they came. */
class DormantConnectionsTest {
  private static final int MAX_ROWS = 3_000;
  private static final List<Server> SERVERS = servers();
  private static final List<Algorithm> ALGORITHMS =
      Algorithm.names().stream().map(Algorithm::new).toList();

  private final DormantConnections rows = new DormantConnections(MAX_ROWS, new FairShares());
  private final Map<FiveTuple, Connection> model = new LinkedHashMap<>();
  private final Map<FiveTuple, Connection> spare = new LinkedHashMap<>();
  private final Map<FiveTuple, FiveTuple> requestOfReply = new HashMap<>();

  /** One of them keeps the ports of clients. */
  private static List<Server> servers() {
    List<Server> servers = new ArrayList<>(Servers.equal(4));
    servers.add(servers.remove(3).keepingPorts());
    return ImmutableList.copyOf(servers);
  }

  private static Attachment place(Random random) {
    return new Attachment(
        DatapathId.of(random.nextInt(9)), OFPort.of(1 + random.nextInt(9)), MacAddress.of(1));
  }

  private static FiveTuple request(Random random) {
    int protocol = new int[] {1, 6, 17, 132, 255}[random.nextInt(5)];
    int edge = random.nextInt(4);
    int srcPort = protocol == 1 ? 0 : edge == 0 ? 65_535 : random.nextInt(2_000);
    int dstPort = protocol == 1 ? 0 : edge == 1 ? 65_535 : 80;
    return FiveTuple.of(
        protocol, edge == 2 ? -1 : 10, srcPort, random.nextBoolean() ? -2 : 20, dstPort);
  }

  private static Connection dormant(FiveTuple request, Random random) {
    return Connection.dormant(
        request,
        1 + random.nextInt(4_095),
        ALGORITHMS.get(random.nextInt(ALGORITHMS.size())),
        random.nextInt(1 << 20),
        content(SERVERS.get(random.nextInt(4)), random));
  }

  private static Dormancy content(Server server, Random random) {
    return new Dormancy(
        server,
        place(random),
        random.nextBoolean(),
        random.nextBoolean(),
        random.nextLong(),
        random.nextLong(),
        random.nextLong());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void randomOperations_doWhatTheyDoToAMap(int seed) {
    Random random = new Random(seed);
    for (int phase = 0; phase < 4; phase++) {
      for (int i = 0; i < 20_000; i++) {
        operate(random, phase % 2 == 0 ? 7 : 3);
      }
      assertSameRows();
      if (phase == 2) {
        while (rows.next() != DormantConnections.NONE) {
          removeNext();
        }
        assertSameRows();
      }
    }
  }

  /** Adds, in so many of ten cases. */
  private void operate(Random random, int additions) {
    FiveTuple request = request(random);
    Connection known = model.get(request);
    int row = rows.find(request, false);
    assertEquals(known != null, row >= 0);
    assertEquals(row, rows.findOptimistically(request, false), "no chain is long");
    if (random.nextInt(10) >= additions) {
      if (random.nextInt(4) == 0 && !model.isEmpty()) {
        removeNext();
      } else if (known != null) {
        remove(known);
      }
    } else if (known == null) {
      add(dormant(request, random));
    } else {
      boolean wasSpare = isSpare(known);
      known.restore(content(known.server(), random));
      rows.put(row, known.dormancy());
      if (isSpare(known) != wasSpare) {
        spare.remove(request);
        noteIfSpare(known);
      }
    }
  }

  private void add(Connection connection) {
    if (model.size() >= MAX_ROWS) {
      removeNext();
    }
    if (requestOfReply.putIfAbsent(connection.reply(), connection.request()) == null) {
      model.put(connection.request(), connection);
      noteIfSpare(connection);
      rows.add(connection);
    }
  }

  private static boolean isSpare(Connection connection) {
    return connection.dormancy().isEnded() || !connection.dormancy().isAnswered();
  }

  private void noteIfSpare(Connection connection) {
    if (isSpare(connection)) {
      spare.put(connection.request(), connection);
    }
  }

  /** Spare ones give way to all others, the oldest first. */
  private void removeNext() {
    int row = rows.next();
    Connection next = model.get(rows.picture(row).request());
    assertEquals(row, rows.find(next));
    if (!spare.isEmpty()) {
      assertSame(spare.values().iterator().next(), next);
    }
    assertEquals(next.dormancy().sinceNanos(), rows.sinceNanos(row));
    remove(next);
  }

  private void remove(Connection connection) {
    assertIsKept(connection);
    rows.remove(rows.find(connection));
    model.remove(connection.request());
    spare.remove(connection.request());
    requestOfReply.remove(connection.reply());
    assertEquals(DormantConnections.NONE, rows.find(connection));
    assertEquals(DormantConnections.NONE, rows.find(connection.reply(), true));
    assertEquals(model.size(), rows.size());
  }

  private void assertIsKept(Connection connection) {
    int row = rows.find(connection);
    assertEquals(row, rows.find(connection.reply(), true));
    Connection picture = rows.picture(row);
    assertNotNull(picture);
    assertEquals(State.DORMANT, picture.state());
    assertEquals(connection.request(), picture.request());
    assertEquals(connection.reply(), picture.reply());
    assertEquals(connection.vipNumber(), picture.vipNumber());
    assertEquals(connection.algorithm(), picture.algorithm());
    assertEquals(connection.generation(), picture.generation());
    assertEquals(connection.dormancy(), picture.dormancy());
  }

  private void assertSameRows() {
    assertEquals(model.size(), rows.size());
    assertTrue(rows.capacity() <= MAX_ROWS + 64, rows.capacity() + " rows");
    model.values().forEach(this::assertIsKept);
    List<Connection> all = new ArrayList<>();
    for (int row = 0; row < rows.capacity(); row++) {
      Connection picture = rows.picture(row, any -> true);
      if (picture != null) {
        all.add(picture);
      }
    }
    assertEquals(model.size(), all.size());
    assertEquals(
        model.keySet(),
        Set.copyOf(all.stream().map(Connection::request).collect(Collectors.toSet())));
  }

  @Test
  void find_ofAnotherGeneration_findsNothing() {
    Random random = new Random(1);
    FiveTuple request = request(random);
    Connection connection = dormant(request, random);
    rows.add(connection);
    Connection later =
        Connection.dormant(
            request, 1, Algorithm.DEFAULT, connection.generation() ^ 1, connection.dormancy());
    assertEquals(DormantConnections.NONE, rows.find(later));
    assertTrue(rows.find(connection) >= 0);
  }

  /** The rows of one table are those of the clients under one lock, whose hashes are alike. */
  @Test
  void find_ofClientsUnderOneLock_followsNoLongChain() {
    Random random = new Random(1);
    List<Connection> added = new ArrayList<>();
    for (int port = 1_024; port <= 65_535; port++) {
      if (TupleHash.SECRET.ofClient(10, port, 6) >>> 24 == 17) {
        added.add(dormant(FiveTuple.of(6, 10, port, 20, 80), random));
      }
    }
    added.forEach(rows::add);
    assertTrue(added.size() > 100, added.size() + " clients");
    for (Connection connection : added) {
      assertTrue(rows.findOptimistically(connection.request(), false) >= 0);
      assertTrue(rows.findOptimistically(connection.reply(), true) >= 0);
    }
  }
}
