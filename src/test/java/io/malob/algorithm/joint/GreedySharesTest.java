package io.malob.algorithm.joint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.NetworkSnapshot;
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
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

/** Servers 1, 2, 3 at switches of their own around switch 4, where the client is. */
class GreedySharesTest {
  private static final Topology STAR =
      Topologies.of(4, new int[] {1, 4}, new int[] {2, 4}, new int[] {3, 4});
  private static final Request REQUEST = Request.from(DatapathId.of(4));

  private static int[] units(
      NetworkSnapshot network, ImmutableList<Server> servers, double connections, int units) {
    double[] slowness = new double[servers.size()];
    Arrays.fill(slowness, 1);
    return new GreedyShares(REQUEST, network, /* isByNetwork= */ true)
        .of(
            servers,
            slowness,
            new GreedyShares.Load(connections, 1, new double[servers.size()]),
            units);
  }

  /** All links with this latency; those of each server with this free capacity. */
  private static NetworkSnapshot network(double... bps) {
    return new NetworkSnapshot(
        LinkValues.of(
            STAR,
            STAR.links().stream().collect(Collectors.toMap(link -> link, link -> value(link, bps))),
            new LinkLoads(),
            Counting.PLACED_SINCE));
  }

  private static LinkValue value(DirectedLink link, double... bps) {
    double free = bps[(int) Math.min(link.src().getLong(), link.dst().getLong()) - 1];
    return Graphs.value(1_000_000, free, free);
  }

  /** What each of so many connections to a server costs when it is placed, in milliseconds. */
  private static double costMillis(int connections, int foreign, int weight, double bps) {
    return IntStream.range(0, connections)
        .mapToDouble(
            others ->
                // two round trips, twice 2 KiB and 64 KiB, and twice 10 ms at the server
                4
                    + 2 * 8e3 * (2_048 + 65_536) * (1 + others) / bps
                    + 20.0 * (foreign + others + 1) / weight)
        .sum();
  }

  /** Each unit is one connection. The links are so narrow that TCP's window does not matter. */
  @Test
  void units_costTheLeastOfAllDistributions() {
    Random random = new Random(7);
    for (int round = 0; round < 50; round++) {
      double[] bps = random.doubles(3, 5e6, 20e6).toArray();
      int[] weights = random.ints(3, 1, 5).toArray();
      int[] foreign = random.ints(3, 0, 6).toArray();
      ImmutableList<Server> servers = Servers.weighing(weights);
      for (int i = 0; i < 3; i++) {
        servers.get(i).load().setDirect(foreign[i]);
      }
      int[] given = units(network(bps), servers, 12, 12);
      double least = Double.POSITIVE_INFINITY;
      for (int first = 0; first <= 12; first++) {
        for (int second = 0; first + second <= 12; second++) {
          least = Math.min(least, total(bps, weights, foreign, first, second, 12 - first - second));
        }
      }
      assertEquals(least, total(bps, weights, foreign, given), 1e-6, Arrays.toString(given));
    }
  }

  private static double total(double[] bps, int[] weights, int[] foreign, int... units) {
    return IntStream.range(0, 3)
        .mapToDouble(i -> costMillis(units[i], foreign[i], weights[i], bps[i]))
        .sum();
  }

  /** Each unit changes the costs of all, which are not all renewed each time. */
  @Test
  void manyServersBehindOneLink_getAboutEqualParts() {
    ImmutableList<Server> servers =
        IntStream.rangeClosed(1, 500)
            .mapToObj(number -> Servers.on(number, 1, 1))
            .collect(ImmutableList.toImmutableList());
    int[] given = units(network(1e9, 1e9, 1e9), servers, 5_000, 5_000);
    assertTrue(Arrays.stream(given).allMatch(units -> Math.abs(units - 10) <= 1));
  }

  @Test
  void serverThatCannotBeReached_getsNothing() {
    ImmutableList<Server> servers = ImmutableList.of(Servers.of(1, 1), Servers.on(2, 1, 9));
    assertArrayEquals(new int[] {8, 0}, units(network(1e9, 1e9, 1e9), servers, 8, 8));
  }
}
