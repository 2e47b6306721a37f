package io.malob.algorithm.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.testing.Servers;
import io.malob.testing.Together;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PrequalTest {
  private final ServiceProfile service = new ServiceProfile();

  private static ServerPicker picker(ImmutableList<Server> servers, int turn) {
    return new Prequal(servers, new AtomicInteger(turn), Counting.PLACED_SINCE);
  }

  @Test
  void pick_ofEqualServers_isInTurn() {
    ServerPicker picker = picker(Servers.equal(3), 4);
    for (int turn = 4; turn < 20; turn++) {
      assertEquals(turn % 3, picker.pick(service));
    }
  }

  @Test
  void pick_whereConnectionsStay_isInProportionToWeights() {
    ImmutableList<Server> servers = Servers.weighing(1, 3, 6);
    ServerPicker picker = picker(servers, 0);
    for (int i = 0; i < 10_000; i++) {
      servers.get(picker.pick(service)).load().opened();
    }
    assertEquals(1_000, servers.get(0).load().active(), 5);
    assertEquals(3_000, servers.get(1).load().active(), 5);
    assertEquals(6_000, servers.get(2).load().active(), 5);
  }

  /** Two are cold: the one that has lately been slower gets the next one only if it has fewer. */
  @Test
  void pick_amongTheCold_prefersTheFaster() {
    ImmutableList<Server> servers = Servers.equal(3);
    servers.forEach(server -> server.load().add(1));
    servers.get(2).load().add(4);
    for (int i = 0; i < 8; i++) {
      service.responded(servers.get(0).number(), 1, 60e6);
      service.responded(servers.get(1).number(), 1, 20e6);
      service.responded(servers.get(2).number(), 1, 1e6);
    }
    for (int turn = 0; turn < 3; turn++) {
      assertEquals(1, picker(servers, turn).pick(service));
    }
    servers.get(0).load().add(-1);
    assertEquals(0, picker(servers, 0).pick(service));
  }

  @Test
  void pick_ofManyServers_keepsLoadsNearTheMean() {
    int count = 1_000;
    ImmutableList<Server> servers = Servers.equal(count);
    ServerPicker picker = picker(servers, 7);
    for (int i = 0; i < 10 * count; i++) {
      servers.get(picker.pick(service)).load().opened();
    }
    int max = servers.stream().mapToInt(server -> server.load().active()).max().orElseThrow();
    assertTrue(max <= 12, "the fullest has " + max);
  }

  @Test
  void next_isWhatPickGives_andValuesAreThoseOfCandidates() {
    ImmutableList<Server> servers = Servers.equal(40);
    for (int turn = -50; turn < 50; turn++) {
      ServerPicker picker = picker(servers, turn);
      int next = picker.next(service);
      assertEquals(0.0, picker.values(next, service).get("hot"));
      long candidates =
          servers.stream()
              .filter(s -> !picker.values(servers.indexOf(s), service).isEmpty())
              .count();
      assertEquals(16, candidates);
      assertEquals(next, picker.pick(service));
    }
  }

  @Test
  void pick_byFourThreads_isAlwaysOneOfTheServers() throws Exception {
    ImmutableList<Server> servers = Servers.equal(20);
    ServerPicker picker = picker(servers, Integer.MAX_VALUE - 5_000);
    Together.run(
        4,
        thread -> {
          for (int i = 0; i < 5_000; i++) {
            Server server = servers.get(picker.pick(service)); // another index would throw
            server.load().opened();
            service.responded(server.number(), server.load().active(), 1e6 * (thread + 1));
          }
        });
    assertEquals(20_000, servers.stream().mapToInt(server -> server.load().active()).sum());
  }
}
