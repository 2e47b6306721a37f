package io.malob.algorithm.server;

import static io.malob.algorithm.server.ServerPickerContract.SERVICE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Server;
import io.malob.testing.Servers;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TwoChoicesTest {

  private static ServerPicker picker(ImmutableList<Server> servers, int turn) {
    return new TwoChoices(servers, new AtomicInteger(turn), Counting.PLACED_SINCE);
  }

  @Test
  void pick_whereConnectionsStay_isInProportionToWeights() {
    ImmutableList<Server> servers = Servers.weighing(1, 3, 6);
    ServerPicker picker = picker(servers, 0);
    int[] picks = new int[3];
    for (int i = 0; i < 100_000; i++) {
      int picked = picker.pick(SERVICE);
      picks[picked]++;
      servers.get(picked).load().opened();
    }
    assertEquals(10_000, picks[0], 500);
    assertEquals(30_000, picks[1], 500);
    assertEquals(60_000, picks[2], 500);
  }

  @Test
  void pick_ofManyServers_keepsLoadsNearTheMean() {
    int count = 1_000;
    ImmutableList<Server> servers = Servers.equal(count);
    ServerPicker picker = picker(servers, 7);
    for (int i = 0; i < 10 * count; i++) {
      servers.get(picker.pick(SERVICE)).load().opened();
    }
    // one choice would give a maximum of about 22
    int max = servers.stream().mapToInt(server -> server.load().active()).max().orElseThrow();
    assertTrue(max <= 14, "the fullest has " + max);
  }

  @Test
  void pick_isOneOfTheTwoThatValuesNameAsDrawn_andHasNoMoreConnections() {
    Random random = new Random(1);
    ImmutableList<Server> servers = Servers.equal(9);
    servers.forEach(
        server -> IntStream.range(0, random.nextInt(5)).forEach(i -> server.load().opened()));
    for (int turn = -500; turn < 500; turn++) {
      ServerPicker picker = picker(servers, turn);
      int[] drawn =
          IntStream.range(0, 9)
              .filter(i -> picker.values(i, SERVICE).get("drawn") == 1.0)
              .toArray();
      assertTrue(drawn.length == 1 || drawn.length == 2);
      int picked = picker.pick(SERVICE);
      assertTrue(IntStream.of(drawn).anyMatch(index -> index == picked));
      for (int index : drawn) {
        assertTrue(servers.get(picked).load().active() <= servers.get(index).load().active());
      }
    }
  }

  @Test
  void pick_fromTheSameTurn_isTheSame() {
    ImmutableList<Server> servers = Servers.weighing(2, 5, 1, 9);
    for (int turn = -50; turn < 50; turn++) {
      ServerPicker picker = picker(servers, turn);
      assertEquals(picker.next(SERVICE), picker(servers, turn).pick(SERVICE));
      assertEquals(picker.next(SERVICE), picker.pick(SERVICE));
    }
  }
}
