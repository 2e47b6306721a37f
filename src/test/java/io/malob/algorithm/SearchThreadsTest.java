package io.malob.algorithm;

import static io.malob.testing.Topologies.path;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValue;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.testing.CodeWatch;
import io.malob.testing.Graphs;
import io.malob.testing.Servers;
import io.malob.testing.Topologies;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.types.DatapathId;

/** Paths are searched for by the writer of snapshots, never by those who place connections. */
class SearchThreadsTest {
  private static final int SWITCHES = 30;
  private static final Set<DatapathId> SERVER_SWITCHES =
      Set.of(DatapathId.of(3), DatapathId.of(17), DatapathId.of(29));
  private static final ImmutableList<Server> SERVERS =
      ImmutableList.of(Servers.on(1, 1, 3), Servers.on(2, 2, 17), Servers.on(3, 1, 29));

  private final Queue<Runnable> writersTasks = new ArrayDeque<>();
  private final LinkLoads loads = new LinkLoads();
  private final Topology topology = Graphs.random(SWITCHES, 40, new Random(1));
  private final Map<DirectedLink, LinkValue> known = Graphs.values(topology, 10, new Random(2));

  private LinkValues values() {
    return LinkValues.of(topology, known, loads, Counting.PLACED_SINCE);
  }

  private NetworkSnapshot prepared() {
    NetworkSnapshot network = new NetworkSnapshot(values(), writersTasks::add);
    assertTrue(network.prepare(SERVER_SWITCHES, true));
    return network;
  }

  private void runWritersTasks() {
    while (!writersTasks.isEmpty()) {
      writersTasks.remove().run();
    }
  }

  private static Placer placer(Algorithm algorithm) {
    return Placers.of(algorithm, SERVERS, new AtomicInteger(), Counting.PLACED_SINCE);
  }

  private static Stream<Algorithm> algorithms() {
    return Algorithm.names().stream().map(Algorithm::new);
  }

  /** All that looks at a whole network. */
  private static CodeWatch searches() {
    return CodeWatch.ofMethods(
        namedOneOf(
            "io.malob.algorithm.graph.BestPathSearch",
            "io.malob.algorithm.graph.KShortestPaths",
            "io.malob.algorithm.graph.PathTree"),
        isMethod().and(namedOneOf("search", "repair", "find", "to", "fewestHops", "cheapest")));
  }

  private static List<Placement> placeFromAll(Placer placer, NetworkSnapshot network) {
    List<Placement> placed = new ArrayList<>();
    for (DatapathId client : network.topology().switches()) {
      placed.add(assertInstanceOf(Placement.class, placer.place(Request.from(client), network)));
    }
    return placed;
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void place_inAPreparedNetwork_neverSearches(Algorithm algorithm) throws Exception {
    List<Placement> placed = new ArrayList<>();
    try (CodeWatch searches = searches()) {
      NetworkSnapshot network = prepared();
      assertNotEquals(List.of(), searches.by(Thread.currentThread()), "the writer searches");
      Placer placer = placer(algorithm);
      Thread thread = new Thread(() -> placed.addAll(placeFromAll(placer, network)), "openflow-0");
      thread.start();
      thread.join();
      assertEquals(List.of(), searches.by(thread));
    }
    assertEquals(SWITCHES, placed.size());
    boolean byAlternatives = Set.of("PCT", "PREQUAL").contains(algorithm.name());
    assertEquals(byAlternatives, !writersTasks.isEmpty(), "only their pairs are not known yet");
  }

  /** Once the writer has done what it was asked for, nothing differs from a search at once. */
  @ParameterizedTest
  @MethodSource("algorithms")
  void place_inAPreparedNetwork_isAsIfSearchedAtOnce(Algorithm algorithm) {
    NetworkSnapshot network = prepared();
    placeFromAll(placer(algorithm), network);
    runWritersTasks();
    assertEquals(
        placeFromAll(placer(algorithm), new NetworkSnapshot(values())),
        placeFromAll(placer(algorithm), network));
  }

  @Test
  void paths_ofSwitchesWithoutServers_areSearchedForOnceByTheWriter() {
    NetworkSnapshot network = prepared();
    DatapathId a = DatapathId.of(5);
    DatapathId b = DatapathId.of(6);
    assertFalse(network.isSearching());
    for (int i = 0; i < 3; i++) {
      assertEquals(Optional.empty(), network.fewestHops(a, b));
      assertTrue(network.isSearching());
    }
    assertEquals(1, writersTasks.size());
    runWritersTasks();
    assertFalse(network.isSearching());
    assertEquals(new NetworkSnapshot(values()).fewestHops(a, b), network.fewestHops(a, b));
    assertEquals(Optional.of(Path.within(a)), network.widest(a, a));
    assertEquals(0, writersTasks.size());
  }

  @Test
  void searchingAtOnce_ofANetworkWithWriter_asksNobody() {
    NetworkSnapshot network = prepared();
    DatapathId a = DatapathId.of(5);
    DatapathId b = DatapathId.of(6);
    assertTrue(network.searchingAtOnce().lowestLatency(a, b).isPresent());
    assertEquals(0, writersTasks.size());
  }

  /** The trial tells what is so once the writer has searched, and asks it for nothing. */
  @Test
  void trial_ofPathsThatAreNotKnown_searchesForItself() {
    NetworkSnapshot network = prepared();
    DatapathId a = DatapathId.of(5);
    DatapathId b = DatapathId.of(6);
    assertEquals(new NetworkSnapshot(values()).widest(a, b), network.trial().widest(a, b));
    assertEquals(0, writersTasks.size());
    assertFalse(network.isSearching());
  }

  @Test
  void shortest_ofAPairThatIsNotKnown_isTheBestAloneUntilTheWriterHasSearched() {
    NetworkSnapshot network = prepared();
    DatapathId client = DatapathId.of(5);
    DatapathId server = DatapathId.of(17);
    assertEquals(
        List.of(network.lowestLatency(client, server).orElseThrow()),
        network.shortest(client, server));
    runWritersTasks();
    assertEquals(
        new NetworkSnapshot(values()).shortest(client, server), network.shortest(client, server));
  }

  /* 1 - 2 - 4 and 1 - 3 - 4, of 100 and 90 Mbit/s. */
  @Test
  void widest_whenItHasBecomeTooNarrow_isTheBestOfThoseKnownUntilTheWriterHasSearched() {
    Topology square =
        Topologies.of(4, new int[] {1, 2}, new int[] {2, 4}, new int[] {1, 3}, new int[] {3, 4});
    LinkValues measured =
        LinkValues.of(
            square,
            square.links().stream()
                .collect(
                    java.util.stream.Collectors.toMap(
                        link -> link,
                        link ->
                            Graphs.value(
                                2_000_000,
                                link.src().getLong() == 3 || link.dst().getLong() == 3
                                    ? 90e6
                                    : 100e6,
                                100e6))),
            loads,
            Counting.PLACED_SINCE);
    NetworkSnapshot network = new NetworkSnapshot(measured, writersTasks::add);
    DatapathId client = DatapathId.of(1);
    DatapathId server = DatapathId.of(4);
    assertTrue(network.prepare(Set.of(server), true));
    assertEquals(Optional.of(path(1, 2, 4)), network.widest(client, server));
    loads.along(path(1, 2, 4)).forEach(load -> load.add(3));
    assertEquals(Optional.of(path(1, 2, 4)), network.widest(client, server), "the only one known");
    assertEquals(Optional.of(path(1, 2, 4)), network.widest(client, server));
    assertEquals(1, writersTasks.size());
    runWritersTasks();
    assertEquals(Optional.of(path(1, 3, 4)), network.widest(client, server));
    assertEquals(0, writersTasks.size());
  }

  @Test
  void with_theSameValues_isTheSameSnapshot() {
    NetworkSnapshot network = prepared();
    assertSame(network, network.with(values()));
    known.put(topology.links().get(0), Graphs.value(9_000_000, 1e6, 1e6));
    NetworkSnapshot next = network.with(values());
    assertNotEquals(network, next);
    Placer placer = placer(Algorithm.DEFAULT);
    placer.place(Request.from(DatapathId.of(5)), network);
    placer.prepare(next);
    placeFromAll(placer, next);
    assertEquals(0, writersTasks.size());
  }

  /** What one go does not search for, the next ones do. */
  @Test
  void prepare_ofALargeNetwork_takesSeveralGoes() {
    Topology large = Graphs.random(1_000, 4_000, new Random(3));
    NetworkSnapshot network = new NetworkSnapshot(LinkValues.unknown(large), writersTasks::add);
    Set<DatapathId> servers =
        Set.copyOf(LongStream.rangeClosed(1, 100).mapToObj(DatapathId::of).toList());
    int goes = 1;
    while (!network.prepare(servers, true)) {
      assertTrue(network.isSearching());
      goes++;
    }
    assertFalse(network.isSearching());
    assertTrue(goes > 2 && goes < 20, goes + " goes");
    DatapathId client = DatapathId.of(777);
    for (DatapathId server : servers) {
      assertTrue(network.fewestHops(client, server).isPresent());
      assertTrue(network.widest(server, client).isPresent());
    }
    assertEquals(0, writersTasks.size());
  }
}
