package io.malob.algorithm.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.testing.Servers;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HotColdTest {
  private final ServiceProfile service = new ServiceProfile();

  private HotCold candidates(ImmutableList<Server> servers) {
    return new HotCold(servers, 0, Counting.PLACED_SINCE, service);
  }

  /** Servers of weight 1 with these connections, in the order of candidates of turn 0. */
  private static ImmutableList<Server> with(int... connections) {
    ImmutableList<Server> servers = Servers.equal(connections.length);
    for (int i = 0; i < connections.length; i++) {
      servers.get(i).load().add(connections[i]);
    }
    return servers;
  }

  private static IntToDoubleFunction times(double... times) {
    return candidate -> times[candidate];
  }

  @Test
  void choose_takesTheQuickestOfTheCold() {
    // median 2: the last two are hot
    HotCold candidates = candidates(with(1, 0, 2, 3, 9));
    assertEquals(2, candidates.choose(times(6, 7, 5, 4, 1)));
  }

  @Test
  void choose_ofEqualTimes_takesTheFewestConnections() {
    assertEquals(1, candidates(with(1, 0, 2, 3)).choose(times(5, 5, 5, 5)));
  }

  @Test
  void choose_whereNoColdOneCanBeChosen_takesTheHotOneWithTheFewestConnections() {
    double never = Double.POSITIVE_INFINITY;
    HotCold candidates = candidates(with(0, 0, 0, 9, 3));
    assertEquals(4, candidates.choose(times(never, never, never, 1, 5)));
    assertEquals(3, candidates.choose(times(never, never, never, 1, never)));
    assertEquals(-1, candidates.choose(times(never, never, never, never, never)));
  }

  /** With twice the weight, four connections are as many as two. */
  @Test
  void hot_isByWeight() {
    ImmutableList<Server> servers = Servers.weighing(1, 1, 4);
    servers.get(0).load().add(1);
    servers.get(1).load().add(5);
    servers.get(2).load().add(6);
    HotCold candidates = candidates(servers);
    assertFalse(candidates.isHot(0));
    assertTrue(candidates.isHot(1));
    assertFalse(candidates.isHot(2));
  }

  /** It has four processors, and no weight says so. */
  @Test
  void hot_isNotWhoRespondsSoonerInSpiteOfMoreConnections() {
    ImmutableList<Server> servers = with(2, 2, 3);
    assertTrue(candidates(servers).isHot(2));
    for (int i = 0; i < 8; i++) {
      service.responded(servers.get(0).number(), 0, 40e6);
      service.responded(servers.get(1).number(), 0, 40e6);
      service.responded(servers.get(2).number(), 0, 10e6);
    }
    HotCold candidates = candidates(servers);
    assertFalse(candidates.isHot(2));
    assertTrue(candidates.response(2) < candidates.response(0));
  }

  /** Where few connections are open, the median says little. */
  @Test
  void hot_isNotWhoHasOneConnection() {
    HotCold candidates = candidates(with(0, 0, 1));
    assertFalse(candidates.isHot(2));
    assertTrue(candidates(with(0, 0, 2)).isHot(2));
  }

  @Test
  void slowness_withoutMeasurements_isTheSameForAll() {
    HotCold candidates = candidates(with(3, 0, 1));
    for (int i = 0; i < 3; i++) {
      assertEquals(1, candidates.slowness(i));
      assertEquals(candidates.connections(i), candidates.response(i));
    }
  }

  /**
   * Both take 10 ms for each connection in flight, 12 measurements in all. The third takes 40 ms, 8
   * of 20: it is 2.5 times as slow as usual, and counts as (16 + 8 * 2.5) / 24.
   */
  @Test
  void slowness_isTimeByConnectionsInFlight_nearTheMean() {
    ImmutableList<Server> servers = with(0, 0, 0);
    for (int i = 0; i < 6; i++) {
      service.responded(servers.get(0).number(), 0, 10e6);
      service.responded(servers.get(1).number(), 0, 10e6);
    }
    for (int i = 0; i < 4; i++) {
      service.responded(servers.get(2).number(), 1, 35e6);
    }
    HotCold candidates = candidates(servers);
    // 2 * 60 + 4 * 35 ms for 12 + 8 in flight
    double usual = (2 * 60 + 4 * 35) / 20.0;
    assertEquals((16 + 6 * 10 / usual) / 22, candidates.slowness(0), 1e-6);
    assertEquals(candidates.slowness(0), candidates.slowness(1));
    assertEquals((16 + 4 * 17.5 / usual) / 20, candidates.slowness(2), 1e-6);
  }

  /** A server of weight 4 that takes a quarter of the time is as fast as its weight says. */
  @Test
  void slowness_isByWeight() {
    ImmutableList<Server> servers = Servers.weighing(1, 4);
    service.responded(servers.get(0).number(), 0, 20e6);
    service.responded(servers.get(1).number(), 0, 5e6);
    HotCold candidates = candidates(servers);
    assertEquals(1, candidates.slowness(0), 1e-6);
    assertEquals(1, candidates.slowness(1), 1e-6);
  }

  /** Else a server with long computations would seem slow for pages. */
  @Test
  void slowness_ofAnotherService_doesNotCount() {
    ImmutableList<Server> servers = with(0, 0);
    ServiceProfile computations = new ServiceProfile();
    computations.responded(servers.get(0).number(), 0, 3_000e6);
    service.responded(servers.get(1).number(), 0, 10e6);
    HotCold candidates = candidates(servers);
    assertEquals(1, candidates.slowness(0));
    assertEquals(1, candidates.slowness(1));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 15, 16, 17, 100, 65_535})
  void candidates_areDifferentServersOfAllParts(int count) {
    ImmutableList<Server> servers = Servers.equal(count);
    for (int turn : new int[] {0, 1, 77, Integer.MAX_VALUE, Integer.MIN_VALUE, -1}) {
      HotCold candidates = new HotCold(servers, turn, Counting.PLACED_SINCE, service);
      assertEquals(Math.min(16, count), candidates.count());
      int[] inOrder =
          IntStream.range(0, candidates.count()).map(candidates::index).sorted().toArray();
      for (int part = 0; part < inOrder.length; part++) {
        assertTrue(inOrder[part] >= part * count / inOrder.length);
        assertTrue(inOrder[part] < (part + 1) * count / inOrder.length);
        assertEquals(inOrder[part], candidates.index(candidates.candidate(inOrder[part])));
      }
    }
  }

  @Test
  void candidates_ofManyServers_areEachAsOften() {
    int[] drawn = new int[100];
    ImmutableList<Server> servers = Servers.equal(100);
    for (int turn = 0; turn < 10_000; turn++) {
      HotCold candidates = new HotCold(servers, turn, Counting.PLACED_SINCE, service);
      IntStream.range(0, 16).forEach(i -> drawn[candidates.index(i)]++);
    }
    // 10,000 of a part of 6 or 7 servers
    IntStream.of(drawn).forEach(times -> assertEquals(1_550, times, 300));
  }
}
