package io.malob.algorithm.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.testing.Servers;
import io.malob.testing.Together;
import java.util.BitSet;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every picker promises, whatever its rule. */
abstract class ServerPickerContract {
  /** One that nothing is known of. */
  static final ServiceProfile SERVICE = new ServiceProfile();

  /** The picker over these servers, from that turn on. */
  abstract ServerPicker picker(ImmutableList<Server> servers, AtomicInteger turn);

  private ServerPicker picker(ImmutableList<Server> servers) {
    return picker(servers, new AtomicInteger());
  }

  static void open(ServerPicker picker, Server server) {
    server.load().opened();
    picker.loadChanged(server);
  }

  static void close(ServerPicker picker, Server server) {
    server.load().closed();
    picker.loadChanged(server);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 100})
  void pick_ofIdleEqualServers_usesEachOncePerRound(int count) {
    ServerPicker picker = picker(Servers.equal(count));
    for (int round = 0; round < 5; round++) {
      BitSet used = new BitSet();
      for (int i = 0; i < count; i++) {
        used.set(picker.pick(SERVICE));
      }
      assertEquals(count, used.cardinality());
      assertEquals(count, used.length());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
  void pick_underRandomLoadsAndWeights_isAlwaysOneOfTheServers(int count) {
    Random random = new Random(count);
    for (int trial = 0; trial < 20; trial++) {
      ImmutableList<Server> servers = Servers.weighing(random.ints(count, 1, 257).toArray());
      ServerPicker picker = picker(servers, new AtomicInteger(random.nextInt()));
      for (int i = 0; i < 500; i++) {
        int picked = picker.pick(SERVICE);
        assertTrue(picked >= 0 && picked < count, "picked " + picked + " of " + count);
        open(picker, servers.get(picked));
        Server any = servers.get(random.nextInt(count));
        if (random.nextBoolean() && any.load().active() > 0) {
          close(picker, any);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8, 13})
  void next_isWhatPickGives_howeverOftenItIsAsked(int count) {
    Random random = new Random(count);
    ImmutableList<Server> servers = Servers.weighing(random.ints(count, 1, 9).toArray());
    ServerPicker picker = picker(servers, new AtomicInteger(random.nextInt()));
    for (int i = 0; i < 300; i++) {
      int next = picker.next(SERVICE);
      assertEquals(next, picker.next(SERVICE));
      for (int index = 0; index < count; index++) {
        assertTrue(picker.values(index, SERVICE).values().stream().allMatch(Double::isFinite));
      }
      assertEquals(next, picker.pick(SERVICE));
      open(picker, servers.get(next));
      Server any = servers.get(random.nextInt(count));
      if (random.nextInt(3) == 0 && any.load().active() > 0) {
        close(picker, any);
      }
    }
  }

  @Test
  void pick_whereTurnWraps_isAlwaysOneOfTheServers() {
    ImmutableList<Server> servers = Servers.weighing(3, 1, 2);
    for (int start : new int[] {Integer.MAX_VALUE - 20, -20}) {
      ServerPicker picker = picker(servers, new AtomicInteger(start));
      for (int i = 0; i < 40; i++) {
        int picked = picker.pick(SERVICE);
        assertTrue(picked >= 0 && picked < 3, "picked " + picked);
      }
    }
  }

  @Test
  void loadChanged_ofServerOfAnotherPool_changesNothing() {
    ServerPicker picker = picker(Servers.equal(3));
    open(picker, Servers.of(99, 1));
    BitSet used = new BitSet();
    for (int i = 0; i < 3; i++) {
      used.set(picker.pick(SERVICE));
    }
    assertEquals(3, used.cardinality());
  }

  @Test
  void pick_byEightThreads_usesAllServersAndOnlyThem() throws Exception {
    int count = 13;
    ImmutableList<Server> servers = Servers.equal(count);
    ServerPicker picker = picker(servers);
    AtomicIntegerArray picks = new AtomicIntegerArray(count);
    Together.run(
        8,
        thread -> {
          for (int i = 0; i < 10_000; i++) {
            int picked = picker.pick(SERVICE); // another index would throw below
            picks.incrementAndGet(picked);
            open(picker, servers.get(picked));
          }
        });
    int sum = 0;
    for (int i = 0; i < count; i++) {
      assertTrue(picks.get(i) > 0, "server " + i + " was never used");
      sum += picks.get(i);
    }
    assertEquals(80_000, sum);
  }
}
