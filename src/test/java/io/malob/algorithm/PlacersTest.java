package io.malob.algorithm;

import static io.malob.testing.Topologies.link;
import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Placer.Refusal;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.graph.Path;
import io.malob.testing.Servers;
import io.malob.testing.Topologies;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.types.DatapathId;

class PlacersTest {
  private static final DatapathId CLIENT_SWITCH = DatapathId.of(9);

  /** A star: servers 1, 2, 3 on their own switches around switch 8, the client on 9. */
  private static final NetworkSnapshot STAR =
      new NetworkSnapshot(
          Topologies.of(9, new int[] {1, 8}, new int[] {2, 8}, new int[] {3, 8}, new int[] {9, 8}));

  static Stream<Algorithm> available() {
    return Algorithm.names().stream().map(name -> Algorithm.named(name).orElseThrow());
  }

  /** Those that take servers in turn while all are idle. */
  static Stream<Algorithm> takingTurns() {
    return available()
        .filter(algorithm -> !algorithm.isJoint() && !algorithm.serverRule().equals("P2C"));
  }

  private static Placer placer(Algorithm algorithm, ImmutableList<Server> servers) {
    return Placers.of(algorithm, servers, new AtomicInteger(), Counting.PLACED_SINCE);
  }

  private static Request request(Predicate<Server> acceptable) {
    return new Request(CLIENT_SWITCH, acceptable);
  }

  private static Request request() {
    return request(server -> true);
  }

  @Test
  void of_nameThatIsNoAlgorithm_throws() {
    ImmutableList<Server> servers = Servers.equal(2);
    assertThrows(IllegalArgumentException.class, () -> placer(new Algorithm("RR+XXX"), servers));
  }

  @ParameterizedTest
  @MethodSource("available")
  void place_withoutServers_refuses(Algorithm algorithm) {
    Placer placer = placer(algorithm, ImmutableList.of());
    assertEquals(Refusal.NO_SERVER, placer.place(request(), STAR));
  }

  @ParameterizedTest
  @MethodSource("takingTurns")
  void place_ofIdleServers_usesAllOfThem(Algorithm algorithm) {
    Placer placer = placer(algorithm, Servers.equal(3));
    List<Integer> numbers =
        IntStream.range(0, 3)
            .mapToObj(i -> ((Placement) placer.place(request(), STAR)).server().number())
            .toList();
    assertEquals(List.of(1, 2, 3), numbers);
  }

  /** Floodlight's round robin looped for ever on the packet-in thread. */
  @ParameterizedTest
  @MethodSource("available")
  void place_whenNoServerIsAcceptable_refusesAfterAskingEachTwiceAtMost(Algorithm algorithm) {
    Placer placer = placer(algorithm, Servers.equal(3));
    AtomicInteger asked = new AtomicInteger();
    Request none =
        request(
            server -> {
              asked.incrementAndGet();
              return false;
            });
    assertEquals(Refusal.NOT_ACCEPTABLE, placer.place(none, STAR));
    assertTrue(asked.get() >= 3 && asked.get() <= 6, "asked " + asked);
  }

  @ParameterizedTest
  @MethodSource("available")
  void place_whenNoServerCanBeReached_refuses(Algorithm algorithm) {
    Placer placer = placer(algorithm, Servers.equal(3));
    NetworkSnapshot withoutLinks = new NetworkSnapshot(Topologies.of(9));
    assertEquals(Refusal.NO_ROUTE, placer.place(request(), withoutLinks));
    assertEquals(Refusal.NO_ROUTE, placer.place(request(), NetworkSnapshot.EMPTY));
  }

  @ParameterizedTest
  @MethodSource("available")
  void place_whenOnlyUnacceptableServersCanBeReached_refusesForTheRoute(Algorithm algorithm) {
    NetworkSnapshot onlyFirst =
        new NetworkSnapshot(Topologies.of(9, new int[] {1, 8}, new int[] {9, 8}));
    Placer placer = placer(algorithm, Servers.equal(3));
    assertEquals(
        Refusal.NO_ROUTE, placer.place(request(server -> server.number() != 1), onlyFirst));
  }

  @ParameterizedTest
  @MethodSource("available")
  void place_whenPickedServerIsNotAcceptable_takesTheNext(Algorithm algorithm) {
    Placer placer = placer(algorithm, Servers.equal(3));
    for (int i = 0; i < 6; i++) {
      Placement placement =
          assertInstanceOf(
              Placement.class, placer.place(request(server -> server.number() == 2), STAR));
      assertEquals(2, placement.server().number());
    }
  }

  /* 1 -> 8 but not back: server 1 is cut off from its clients. */
  @ParameterizedTest
  @MethodSource("available")
  void place_whenPickedServerHasNoWayBack_takesTheNext(Algorithm algorithm) {
    NetworkSnapshot oneWay =
        new NetworkSnapshot(
            Topologies.directed(
                9, List.of(link(8, 1), link(9, 8), link(8, 9), link(8, 3), link(3, 8))));
    Placer placer = placer(algorithm, Servers.equal(3));
    for (int i = 0; i < 6; i++) {
      Placement placement = assertInstanceOf(Placement.class, placer.place(request(), oneWay));
      assertEquals(3, placement.server().number());
    }
  }

  /*
   * One-way links: there 9 -> 8 -> 1, back 1 -> 7 -> 6 -> 9.
   */
  @Test
  void place_whereWaysDiffer_givesEachDirectionItsOwn() {
    NetworkSnapshot ring =
        new NetworkSnapshot(
            Topologies.directed(
                9, List.of(link(9, 8), link(8, 1), link(1, 7), link(7, 6), link(6, 9))));
    Placer placer = placer(Algorithm.DEFAULT, Servers.equal(1));
    Placement placement = assertInstanceOf(Placement.class, placer.place(request(), ring));
    assertEquals(path(9, 8, 1), placement.requestPath());
    assertEquals(path(1, 7, 6, 9), placement.replyPath());
  }

  @Test
  void place_onClientsOwnSwitch_hasPathsWithoutLinks() {
    ImmutableList<Server> servers = ImmutableList.of(Servers.on(1, 1, 9));
    Placement placement =
        assertInstanceOf(
            Placement.class, placer(Algorithm.DEFAULT, servers).place(request(), STAR));
    assertEquals(Path.within(CLIENT_SWITCH), placement.requestPath());
    assertEquals(Path.within(CLIENT_SWITCH), placement.replyPath());
  }

  @ParameterizedTest
  @MethodSource("available")
  void placeOn_chosenServer_takesNoTurn(Algorithm algorithm) {
    ImmutableList<Server> servers = Servers.equal(3);
    Placer placer = placer(algorithm, servers);
    for (int i = 0; i < 5; i++) {
      Placement placement =
          assertInstanceOf(
              Placement.class,
              placer.placeOn(servers.get(2), Placer.Request.from(CLIENT_SWITCH), STAR));
      assertEquals(servers.get(2), placement.server());
      assertEquals(path(9, 8, 3), placement.requestPath());
    }
    Placer untouched = placer(algorithm, Servers.equal(3));
    assertEquals(
        ((Placement) untouched.place(request(), STAR)).server().number(),
        ((Placement) placer.place(request(), STAR)).server().number());
    assertEquals(
        Refusal.NO_ROUTE,
        placer.placeOn(servers.get(2), Placer.Request.from(CLIENT_SWITCH), NetworkSnapshot.EMPTY));
  }

  @Test
  void loadChanged_reachesThePicker() {
    ImmutableList<Server> servers = Servers.equal(2);
    Placer placer = placer(Algorithm.named("LC").orElseThrow(), servers);
    for (int i = 0; i < 5; i++) {
      servers.get(0).load().opened();
      placer.loadChanged(servers.get(0));
    }
    for (int i = 0; i < 3; i++) {
      assertEquals(2, ((Placement) placer.place(request(), STAR)).server().number());
    }
  }
}
