package io.malob.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValue;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Topology;
import io.malob.testing.Graphs;
import io.malob.testing.Servers;
import io.malob.testing.Topologies;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * What servers get that have not come to their full share, by every rule. Servers 1, 2, 3 are on
 * their own switches around switch 8, the client on 9.
 */
class SlowStartSharesTest {
  private static final Topology STAR =
      Topologies.of(9, new int[] {1, 8}, new int[] {2, 8}, new int[] {3, 8}, new int[] {9, 8});
  private static final Request REQUEST = Request.from(DatapathId.of(9));

  private final ImmutableList<Server> servers = Servers.equal(3);
  private final Queue<Server> open = new ArrayDeque<>();

  private static Stream<Arguments> algorithmsAndShares() {
    return Algorithm.names().stream()
        .map(name -> Algorithm.named(name).orElseThrow())
        .flatMap(
            algorithm ->
                Stream.of(0.1, 0.4, 0.7, 1.0).map(share -> Arguments.of(algorithm, share)));
  }

  private Placer placer(Algorithm algorithm) {
    return Placers.of(algorithm, servers, new AtomicInteger(), Counting.PLACED_SINCE);
  }

  /**
   * The part of all connections that the first server gets when others have been placed before.
   *
   * @param lifetime after how many others a connection ends
   */
  private double partOfFirst(Placer placer, NetworkSnapshot network, int lifetime) {
    int placed = 8_000;
    int first = 0;
    for (int i = -5 * lifetime; i < placed; i++) {
      Server server = assertInstanceOf(Placement.class, placer.place(REQUEST, network)).server();
      first += i >= 0 && server.number() == 1 ? 1 : 0;
      server.load().opened();
      placer.loadChanged(server);
      open.add(server);
      if (open.size() > lifetime) {
        Server done = open.remove();
        done.load().closed();
        placer.loadChanged(done);
      }
    }
    return (double) first / placed;
  }

  @ParameterizedTest
  @MethodSource("algorithmsAndShares")
  void serverInSlowStart_getsItsShare(Algorithm algorithm, double share) {
    servers.forEach(server -> server.load().reported(0, Double.NaN));
    servers.get(0).load().setShare(share);

    double part = partOfFirst(placer(algorithm), new NetworkSnapshot(STAR), 300);

    assertEquals(share / (2 + share), part, 0.03);
  }

  @ParameterizedTest
  @MethodSource("algorithmsAndShares")
  void serverWhoseShareGrows_getsMore_withoutBeingMadeAnew(Algorithm algorithm, double share) {
    servers.forEach(server -> server.load().reported(0, Double.NaN));
    servers.get(0).load().setShare(0.1);
    Placer placer = placer(algorithm);
    partOfFirst(placer, new NetworkSnapshot(STAR), 300);

    servers.get(0).load().setShare(share);
    placer.loadChanged(servers.get(0));
    placer.sharesChanged();

    assertEquals(share / (2 + share), partOfFirst(placer, new NetworkSnapshot(STAR), 300), 0.03);
  }

  /** Where the first of these servers are near and well connected, and the others are not. */
  private static NetworkSnapshot near(int servers) {
    Map<DirectedLink, LinkValue> values = new HashMap<>();
    for (DirectedLink each : STAR.links()) {
      long end = Math.min(each.src().getLong(), each.dst().getLong());
      boolean good = end <= servers || end == 8;
      values.put(each, good ? Graphs.value(1_000, 0, 9e9) : Graphs.value(900_000_000, 0, 9e6));
    }
    return new NetworkSnapshot(LinkValues.of(STAR, values, new LinkLoads(), Counting.PLACED_SINCE));
  }

  /** A rule that would send everything to the server that has just come. */
  @ParameterizedTest
  @CsvSource({"SL-PS,0.1", "SL-PS,0.5", "SL-PS,1", "HT-PS,0.1", "HT-PS,0.5", "HT-PS,1"})
  void bestSiteInSlowStart_getsThatPartOfAll(String rule, double share) {
    servers.get(0).load().setShare(share);
    Placer placer = placer(Algorithm.named(rule).orElseThrow());

    assertEquals(share, partOfFirst(placer, near(1), 10), 0.03);
  }

  /** What the one is spared the other does not get. */
  @ParameterizedTest
  @CsvSource({"SL-PS", "HT-PS"})
  void twoBestSitesInSlowStart_leaveTheRestToTheOthers(String rule) {
    servers.get(0).load().setShare(0.2);
    servers.get(1).load().setShare(0.2);
    Placer placer = placer(Algorithm.named(rule).orElseThrow());

    assertEquals((1 - 0.8 * 0.8) / 2, partOfFirst(placer, near(2), 10), 0.03);
  }

  @ParameterizedTest
  @MethodSource("algorithmsAndShares")
  void serversThatAreAllInSlowStart_areAlike(Algorithm algorithm, double share) {
    List.of(0, 1, 2).forEach(i -> servers.get(i).load().setShare(share));
    servers.forEach(server -> server.load().reported(0, Double.NaN));

    assertEquals(1 / 3.0, partOfFirst(placer(algorithm), new NetworkSnapshot(STAR), 300), 0.03);
  }
}
