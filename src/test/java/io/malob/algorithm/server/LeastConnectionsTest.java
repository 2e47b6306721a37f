package io.malob.algorithm.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Server;
import io.malob.testing.Servers;
import io.malob.testing.Together;
import java.util.Comparator;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeastConnectionsTest extends ServerPickerContract {

  @Override
  ServerPicker picker(ImmutableList<Server> servers, AtomicInteger turn) {
    return new LeastConnections(servers, Counting.PLACED_SINCE);
  }

  /** Looks at every server at each pick. */
  private static final class Oracle {
    private final ImmutableList<Server> servers;
    private final int[] picked;
    private int turn;

    Oracle(ImmutableList<Server> servers) {
      this.servers = servers;
      this.picked = new int[servers.size()];
    }

    int pick() {
      int best =
          IntStream.range(0, servers.size())
              .boxed()
              .min(
                  Comparator.comparingDouble(
                          (Integer i) ->
                              (servers.get(i).load().active() + 1.0) / servers.get(i).weight())
                      .thenComparingInt(i -> picked[i])
                      .thenComparingInt(i -> i))
              .orElseThrow();
      picked[best] = ++turn;
      return best;
    }
  }

  @Test
  void foreignConnections_countLikeOnesThatWerePlaced() {
    ImmutableList<Server> servers = Servers.equal(2);
    ServerPicker picker = new LeastConnections(servers, Counting.PLACED_SINCE);
    servers.get(0).load().setDirect(3);
    picker.loadChanged(servers.get(0));

    for (int i = 0; i < 3; i++) {
      assertEquals(1, picker.pick(SERVICE));
      open(picker, servers.get(1));
    }
    assertEquals(0, picker.pick(SERVICE), "its turn is longer ago");
    servers.get(0).load().setDirect(0);
    picker.loadChanged(servers.get(0));
    assertEquals(0, picker.pick(SERVICE));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
  void pick_underRandomOperations_isWhatAFullSearchFinds(int count) {
    Random random = new Random(100 + count);
    for (int trial = 0; trial < 30; trial++) {
      ImmutableList<Server> servers = Servers.weighing(random.ints(count, 1, 6).toArray());
      for (Server server : servers) {
        random.ints(random.nextInt(4)).forEach(any -> server.load().opened());
      }
      ServerPicker picker = new LeastConnections(servers, Counting.PLACED_SINCE);
      Oracle oracle = new Oracle(servers);
      for (int i = 0; i < 300; i++) {
        Server any = servers.get(random.nextInt(count));
        switch (random.nextInt(4)) {
          case 0 -> open(picker, any);
          case 1 -> {
            if (any.load().active() > 0) {
              close(picker, any);
            }
          }
          default -> {
            int expected = oracle.pick();
            assertEquals(expected, picker.pick(SERVICE), "operation " + i + " of trial " + trial);
            open(picker, servers.get(expected));
          }
        }
      }
    }
  }

  @Test
  void pick_ofEquallyLoaded_takesTheOnePickedLongestAgo() {
    ImmutableList<Server> servers = Servers.equal(3);
    ServerPicker picker = new LeastConnections(servers, Counting.PLACED_SINCE);
    open(picker, servers.get(0));
    assertEquals(1, picker.pick(SERVICE));
    assertEquals(2, picker.pick(SERVICE));
    close(picker, servers.get(0));
    assertEquals(0, picker.pick(SERVICE));
    assertEquals(1, picker.pick(SERVICE));
    assertEquals(2, picker.pick(SERVICE));
    assertEquals(0, picker.pick(SERVICE));
  }

  @Test
  void pick_whenConnectionsOfOneEnd_takesThatOne() {
    ImmutableList<Server> servers = Servers.equal(4);
    ServerPicker picker = new LeastConnections(servers, Counting.PLACED_SINCE);
    for (int i = 0; i < 40; i++) {
      open(picker, servers.get(picker.pick(SERVICE)));
    }
    servers.forEach(server -> assertEquals(10, server.load().active()));
    for (int i = 0; i < 3; i++) {
      close(picker, servers.get(2));
    }
    for (int i = 0; i < 3; i++) {
      int picked = picker.pick(SERVICE);
      assertEquals(2, picked);
      open(picker, servers.get(picked));
    }
  }

  @Test
  void pick_withWeights_keepsLoadsInProportion() {
    ImmutableList<Server> servers = Servers.weighing(5, 3, 2);
    ServerPicker picker = new LeastConnections(servers, Counting.PLACED_SINCE);
    for (int i = 0; i < 1_000; i++) {
      open(picker, servers.get(picker.pick(SERVICE)));
    }
    assertEquals(500, servers.get(0).load().active());
    assertEquals(300, servers.get(1).load().active());
    assertEquals(200, servers.get(2).load().active());
  }

  @Test
  void pick_atHighestLoadsAndWeights_doesNotOverflow() {
    ImmutableList<Server> servers = Servers.weighing(256, 256);
    for (int i = 0; i < 20_000_000; i++) {
      servers.get(0).load().resumed();
    }
    ServerPicker picker = new LeastConnections(servers, Counting.PLACED_SINCE);
    assertEquals(1, picker.pick(SERVICE));
    assertEquals(1, picker.pick(SERVICE));
  }

  @Test
  void pick_byEightThreads_endsWithLoadsWithinAsMany() throws Exception {
    int threads = 8;
    ImmutableList<Server> servers = Servers.equal(9);
    ServerPicker picker = new LeastConnections(servers, Counting.PLACED_SINCE);
    Together.run(
        threads,
        thread -> {
          for (int i = 0; i < 9_000; i++) {
            open(picker, servers.get(picker.pick(SERVICE)));
          }
        });
    assertEquals(72_000, servers.stream().mapToInt(server -> server.load().active()).sum());
    for (Server server : servers) {
      int off = Math.abs(server.load().active() - 8_000);
      assertTrue(off <= threads, server.number() + " has " + server.load().active());
    }
  }

  @Test
  void pick_afterThreadsOpenedAndClosed_isWhatAFullSearchFinds() throws Exception {
    ImmutableList<Server> servers = Servers.weighing(1, 2, 3, 4, 5, 1, 2);
    ServerPicker picker = new LeastConnections(servers, Counting.PLACED_SINCE);
    Together.run(
        8,
        thread -> {
          Random random = new Random(thread);
          for (int i = 0; i < 10_000; i++) {
            Server server = servers.get(picker.pick(SERVICE));
            open(picker, server);
            if (random.nextInt(10) < 8) {
              close(picker, server);
            }
          }
        });
    // no load changes any more: what the tree says has to be true now
    for (int i = 0; i < 100; i++) {
      double min =
          servers.stream()
              .mapToDouble(server -> (server.load().active() + 1.0) / server.weight())
              .min()
              .orElseThrow();
      Server picked = servers.get(picker.pick(SERVICE));
      assertEquals(min, (picked.load().active() + 1.0) / picked.weight());
      open(picker, picked);
    }
  }
}
