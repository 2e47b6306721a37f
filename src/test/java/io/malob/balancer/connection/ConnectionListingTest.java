package io.malob.balancer.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.balancer.api.ConnectionPage;
import io.malob.balancer.api.PlacedConnection;
import io.malob.balancer.api.PlacedConnection.Phase;
import io.malob.testing.Servers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class ConnectionListingTest {
  private static final int CLIENT = IPv4Address.of("200.0.0.1").getInt();
  private static final int VIP = IPv4Address.of("10.0.0.100").getInt();
  private static final ImmutableList<Server> SERVERS = Servers.equal(2);
  private static final Attachment AT_CLIENT =
      new Attachment(DatapathId.of(1), OFPort.of(1), MacAddress.of(1));

  private final AtomicLong clock = new AtomicLong();
  private final ConnectionTable table =
      new ConnectionTable(100_000, 100_000, 1L << 60, clock::get, forgotten -> {});
  private final ConnectionListing listing = new ConnectionListing(table, clock::get);

  private static Connection connection(int client, int clientPort, Server server, long nowNanos) {
    return new Connection(
        FiveTuple.of(6, client, clientPort, VIP, 80),
        1,
        Algorithm.DEFAULT,
        server,
        AT_CLIENT,
        1,
        nowNanos);
  }

  private Connection added(int clientPort) {
    Connection connection = connection(CLIENT, clientPort, SERVERS.get(0), clock.get());
    assertEquals(ConnectionTable.Admission.ADDED, table.add(connection));
    return connection;
  }

  private List<Integer> ports(ConnectionPage page) {
    return page.connections().stream().map(each -> each.request().srcPort()).toList();
  }

  private PlacedConnection only() {
    ConnectionPage page = listing.page(any -> true, null, 10);
    assertEquals(1, page.connections().size());
    return page.connections().get(0);
  }

  @Test
  void emptyTable_hasOneEmptyPage() {
    ConnectionPage page = listing.page(any -> true, null, 10);

    assertTrue(page.connections().isEmpty());
    assertTrue(page.last().isEmpty());
  }

  @Test
  void pages_areInOrder_andTheLastOneSaysSo() {
    List<Integer> shuffled = new ArrayList<>(IntStream.rangeClosed(1, 10).boxed().toList());
    Collections.shuffle(shuffled, new Random(1));
    shuffled.forEach(this::added);

    ConnectionPage first = listing.page(any -> true, null, 4);
    ConnectionPage second = listing.page(any -> true, first.last().orElseThrow(), 4);
    ConnectionPage third = listing.page(any -> true, second.last().orElseThrow(), 2);

    assertEquals(List.of(1, 2, 3, 4), ports(first));
    assertEquals(List.of(5, 6, 7, 8), ports(second));
    assertEquals(List.of(9, 10), ports(third));
    assertTrue(third.last().isEmpty(), "ten are all");
  }

  @Test
  void order_isThatOfUnsignedAddresses() {
    added(1);
    table.add(connection(IPv4Address.of("10.0.0.1").getInt(), 2, SERVERS.get(0), 0));

    assertEquals(List.of(2, 1), ports(listing.page(any -> true, null, 10)));
  }

  @Test
  void wanted_countsForThePage_notWhatIsLeftOut() {
    IntStream.rangeClosed(1, 20).forEach(this::added);
    Predicate<PlacedConnection> even = each -> each.request().srcPort() % 2 == 0;

    ConnectionPage first = listing.page(even, null, 6);
    ConnectionPage second = listing.page(even, first.last().orElseThrow(), 6);

    assertEquals(List.of(2, 4, 6, 8, 10, 12), ports(first));
    assertEquals(List.of(14, 16, 18, 20), ports(second));
    assertTrue(second.last().isEmpty());
  }

  @Test
  void page_beginsAfterAConnectionThatHasGone() {
    List<Connection> all = IntStream.rangeClosed(1, 6).mapToObj(this::added).toList();
    ConnectionPage first = listing.page(any -> true, null, 3);
    table.close(all.get(2));
    table.close(all.get(3));

    assertEquals(List.of(5, 6), ports(listing.page(any -> true, first.last().orElseThrow(), 3)));
  }

  @Test
  void limitBelowOne_isRefused() {
    assertThrows(IllegalArgumentException.class, () -> listing.page(any -> true, null, 0));
  }

  @Test
  void phase_followsTheConnection() {
    Connection connection = added(1);
    assertEquals(Phase.OPEN, only().phase());

    connection.end(clock.get());
    assertEquals(Phase.ENDED, only().phase());

    table.expire(connection);
    assertEquals(Phase.DORMANT, only().phase());

    table.forget(connection);
    assertTrue(listing.page(any -> true, null, 1).connections().isEmpty());
  }

  @Test
  void age_countsFromTheFirstPacket_andAnewForAConnectionThatBeginsAgain() {
    clock.set(1_000);
    Connection connection = added(1);
    clock.set(5_000);
    assertEquals(4_000, only().ageNanos());

    assertTrue(connection.end(clock.get()).happened());
    assertTrue(connection.reopen(4_500).happened());
    assertEquals(500, only().ageNanos());
  }

  /** Against a plain sort of all. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 100, 1_000})
  void pages_areThoseOfASortedList(int limit) {
    Random random = new Random(limit);
    for (int i = 0; i < 500; i++) {
      table.add(
          connection(random.nextInt(), random.nextInt(65_536), SERVERS.get(i % 2), clock.get()));
    }
    List<FiveTuple> sorted = new ArrayList<>();
    table.all().forEach(each -> sorted.add(each.request()));
    sorted.sort(null);

    assertEquals(sorted, allPages(limit));
  }

  private List<FiveTuple> allPages(int limit) {
    List<FiveTuple> listed = new ArrayList<>();
    @Nullable FiveTuple after = null;
    do {
      ConnectionPage page = listing.page(any -> true, after, limit);
      page.connections().forEach(each -> listed.add(each.request()));
      after = page.last().orElse(null);
    } while (after != null);
    return listed;
  }

  @Test
  void connectionsThatStay_areListedOnce_whileOthersComeAndGo() throws Exception {
    Set<FiveTuple> staying =
        IntStream.rangeClosed(1, 2_000)
            .map(i -> i * 20)
            .mapToObj(port -> added(port).request())
            .collect(Collectors.toSet());
    AtomicBoolean done = new AtomicBoolean();
    Thread churn =
        new Thread(
            () -> {
              Random random = new Random(3);
              while (!done.get()) {
                Connection passing =
                    connection(CLIENT, random.nextInt(2_000) * 20 + 7, SERVERS.get(0), 0);
                table.add(passing);
                table.close(passing);
              }
            });
    churn.start();
    try {
      for (int round = 0; round < 5; round++) {
        List<FiveTuple> listed = allPages(150);
        assertEquals(listed.size(), new HashSet<>(listed).size(), "one is listed twice");
        assertTrue(listed.containsAll(staying), "one is missing");
      }
    } finally {
      done.set(true);
      churn.join();
    }
  }
}
