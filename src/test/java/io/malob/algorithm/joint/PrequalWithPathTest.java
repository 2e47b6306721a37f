package io.malob.algorithm.joint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Explanation;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Placer.Refusal;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValue;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Topology;
import io.malob.testing.Graphs;
import io.malob.testing.Servers;
import io.malob.testing.Topologies;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Server 1 at switch 2, server 2 at switch 3.
 *
 * <pre>
 *   2 ---- 1 (client) ---- 3       direct links
 *    `---- 4 ----'                 a detour to 2
 * </pre>
 */
class PrequalWithPathTest {
  private static final DatapathId CLIENT = DatapathId.of(1);
  private static final Topology TOPOLOGY =
      Topologies.of(4, new int[] {1, 2}, new int[] {1, 3}, new int[] {1, 4}, new int[] {4, 2});

  private final LinkLoads loads = new LinkLoads();
  private final Server near = Servers.on(1, 1, 2);
  private final Server far = Servers.on(2, 1, 3);
  private final Request request = Request.from(CLIENT);

  private static Placer placer(Server... servers) {
    return JointRules.placer(
        new Algorithm("PREQUAL"),
        ImmutableList.copyOf(servers),
        new AtomicInteger(),
        Counting.PLACED_SINCE);
  }

  /** All links alike but for one, given by its ends. */
  private NetworkSnapshot network(LinkValue usual, int src, int dst, LinkValue other) {
    ImmutableMap<DirectedLink, LinkValue> values =
        ImmutableMap.copyOf(
            TOPOLOGY.links().stream()
                .collect(
                    Collectors.toMap(
                        link -> link,
                        link ->
                            link.src().getLong() == src && link.dst().getLong() == dst
                                ? other
                                : usual)));
    return new NetworkSnapshot(LinkValues.of(TOPOLOGY, values, loads, Counting.PLACED_SINCE));
  }

  private NetworkSnapshot alike() {
    LinkValue usual = Graphs.value(1_000_000, 100e6, 100e6);
    return network(usual, 1, 1, usual);
  }

  private Placement place(Placer placer, NetworkSnapshot network) {
    return assertInstanceOf(Placement.class, placer.place(request, network));
  }

  @Test
  void place_ofEqualServers_takesTheOneThatTheNetworkReachesSooner() {
    LinkValue usual = Graphs.value(1_000_000, 100e6, 100e6);
    NetworkSnapshot network = network(usual, 3, 1, Graphs.value(9_000_000, 100e6, 100e6));
    for (int i = 0; i < 4; i++) {
      assertEquals(near, place(placer(near, far), network).server());
    }
  }

  /** The direct link back from switch 2 is nearly full: the detour is quicker. */
  @Test
  void place_takesTheDetourAroundABottleneck() {
    LinkValue usual = Graphs.value(1_000_000, 100e6, 100e6);
    Placement placed = place(placer(near), network(usual, 2, 1, Graphs.value(1_000_000, 1e6, 1e6)));
    assertEquals(2, placed.replyPath().hops());
    assertEquals(1, placed.requestPath().hops());
  }

  /** However near it is: with more connections than the median and as fast, it is hot. */
  @Test
  void place_leavesOutHotServers() {
    LinkValue usual = Graphs.value(1_000_000, 100e6, 100e6);
    NetworkSnapshot network = network(usual, 3, 1, Graphs.value(90_000_000, 100e6, 100e6));
    near.load().add(2);
    assertEquals(far, place(placer(near, far), network).server());
  }

  @Test
  void place_ofEqualPaths_takesTheServerThatIsFasterLately() {
    for (int i = 0; i < 8; i++) {
      request.profile().responded(near.number(), 0, 30e6);
      request.profile().responded(far.number(), 0, 10e6);
    }
    for (int i = 0; i < 4; i++) {
      assertEquals(far, place(placer(near, far), alike()).server());
    }
  }

  @Test
  void place_whereTheCandidateIsNotAcceptable_takesTheOther() {
    near.load().opened();
    Request onlyNear = new Request(CLIENT, server -> server.equals(near));
    assertEquals(
        near,
        assertInstanceOf(Placement.class, placer(near, far).place(onlyNear, alike())).server());
  }

  /** Of 40 servers, 16 are candidates. */
  @Test
  void place_whereOnlyOneOfManyIsAcceptable_findsIt() {
    List<Server> many =
        IntStream.rangeClosed(1, 40)
            .mapToObj(number -> Servers.on(number, 1, 2 + number % 2))
            .toList();
    Placer placer = placer(many.toArray(Server[]::new));
    for (Server one : many) {
      Request only = new Request(CLIENT, server -> server.equals(one));
      assertEquals(one, assertInstanceOf(Placement.class, placer.place(only, alike())).server());
    }
  }

  @Test
  void refusals_sayWhy() {
    assertEquals(Refusal.NO_SERVER, placer().place(request, alike()));
    Request none = new Request(CLIENT, any -> false);
    assertEquals(Refusal.NOT_ACCEPTABLE, placer(near, far).place(none, alike()));
    Server island = Servers.on(3, 1, 9);
    assertEquals(Refusal.NO_ROUTE, placer(island).place(request, alike()));
    assertEquals(Refusal.NO_ROUTE, placer(island).placeOn(island, request, alike()));
    assertEquals(near, place(placer(island, near), alike()).server());
  }

  @Test
  void explain_isWhatPlaceDoes_andChangesNothing() {
    far.load().add(2);
    request.profile().responded(near.number(), 0, 3e6);
    request.profile().responded(far.number(), 2, 9e6);
    Placer placer = placer(near, far);
    for (int i = 0; i < 10; i++) {
      Explanation explained = placer.explain(request, alike());
      assertEquals(explained.result(), placer.explain(request, alike()).result());
      for (Explanation.Candidate candidate : explained.candidates()) {
        assertEquals(candidate.server().equals(far) ? 1.0 : 0.0, candidate.values().get("hot"));
        assertTrue(candidate.values().values().stream().allMatch(Double::isFinite));
        assertTrue(candidate.values().containsKey("predicted_ms"));
      }
      assertEquals(explained.result(), placer.place(request, alike()));
    }
  }

  @Test
  void place_takesTheLowestCostOfAllColdCandidates() {
    Random random = new Random(1);
    Server[] servers =
        IntStream.rangeClosed(1, 16)
            .mapToObj(number -> Servers.on(number, 1, 1 + number % 4))
            .toArray(Server[]::new);
    LinkValue usual = Graphs.value(1_000_000, 100e6, 100e6);
    for (int i = 0; i < 200; i++) {
      for (Server server : servers) {
        server.load().add(random.nextInt(6) - server.load().active());
        request
            .profile()
            .responded(server.number(), random.nextInt(3), 1e6 + random.nextInt(20) * 1e6);
      }
      int narrow = 2 + random.nextInt(2);
      double bps = 1e6 * (1 + random.nextInt(100));
      NetworkSnapshot network = network(usual, narrow, 1, Graphs.value(2_000_000, bps, bps));
      Explanation explained = placer(servers).explain(request, network);
      double least =
          explained.candidates().stream()
              .filter(candidate -> candidate.values().get("hot") == 0)
              .mapToDouble(candidate -> candidate.values().get("cost_ms"))
              .min()
              .orElseThrow();
      Server chosen = assertInstanceOf(Placement.class, explained.result()).server();
      assertEquals(
          least,
          explained.candidates().stream()
              .filter(candidate -> candidate.server().equals(chosen))
              .mapToDouble(candidate -> candidate.values().get("cost_ms"))
              .sum());
    }
  }

  @Test
  void place_withoutData_spreadsByConnections() {
    NetworkSnapshot unknown = new NetworkSnapshot(TOPOLOGY);
    Placer placer = placer(near, far);
    for (int i = 0; i < 31; i++) {
      place(placer, unknown).server().load().opened();
    }
    assertEquals(15.5, near.load().active(), 0.5);
  }
}
