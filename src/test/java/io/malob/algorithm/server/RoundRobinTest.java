package io.malob.algorithm.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Server;
import io.malob.testing.Servers;
import io.malob.testing.Together;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class RoundRobinTest extends ServerPickerContract {

  @Override
  ServerPicker picker(ImmutableList<Server> servers, AtomicInteger turn) {
    return new RoundRobin(servers, turn);
  }

  @Test
  void pick_whereTurnTurnsNegative_goesOnInOrder() {
    ServerPicker picker =
        new RoundRobin(Servers.equal(3), new AtomicInteger(Integer.MAX_VALUE - 2));
    int expected = (Integer.MAX_VALUE - 2) % 3;
    for (int i = 0; i < 10; i++) {
      assertEquals(expected, picker.pick(SERVICE));
      expected = (expected + 1) % 3;
    }
  }

  @Test
  void pick_whereTurnComesBackToZero_startsAtTheFirst() {
    AtomicInteger turn = new AtomicInteger(-1);
    ServerPicker picker = new RoundRobin(Servers.equal(7), turn);
    assertEquals((int) (0xffffffffL % 7), picker.pick(SERVICE));
    assertEquals(0, picker.pick(SERVICE));
    assertEquals(1, picker.pick(SERVICE));
  }

  @Test
  void pick_afterServersChange_goesOnWithThePoolsTurn() {
    AtomicInteger turn = new AtomicInteger();
    ServerPicker three = new RoundRobin(Servers.equal(3), turn);
    assertEquals(0, three.pick(SERVICE));
    assertEquals(1, three.pick(SERVICE));
    ServerPicker four = new RoundRobin(Servers.equal(4), turn);
    assertEquals(2, four.pick(SERVICE));
    assertEquals(3, four.pick(SERVICE));
    assertEquals(0, four.pick(SERVICE));
  }

  @Test
  void pick_whateverTheLoads_keepsItsOrder() {
    ImmutableList<Server> servers = Servers.equal(3);
    ServerPicker picker = picker(servers, new AtomicInteger());
    for (int i = 0; i < 50; i++) {
      open(picker, servers.get(0));
    }
    for (int i = 0; i < 9; i++) {
      assertEquals(i % 3, picker.pick(SERVICE));
    }
  }

  @Test
  void pick_byEightThreads_givesEachServerExactlyItsShare() throws Exception {
    ServerPicker picker =
        new RoundRobin(Servers.equal(5), new AtomicInteger(Integer.MAX_VALUE - 1_000));
    AtomicIntegerArray picks = new AtomicIntegerArray(5);
    Together.run(
        8,
        thread -> {
          for (int i = 0; i < 10_000; i++) {
            picks.incrementAndGet(picker.pick(SERVICE));
          }
        });
    for (int i = 0; i < 5; i++) {
      assertEquals(16_000, picks.get(i));
    }
  }
}
