package io.malob.balancer.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.AddressKey;
import io.malob.state.catalog.Persistence;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPAddress;

class AffinityTableTest {
  private static final int NONE = AffinityTable.NONE;

  /** The bits of addresses outside 240.0.0.0/4: keys there are of IPv6 addresses. */
  private static final int NOT_RESERVED = 0xdfff_ffff;

  private final AtomicLong nanoTime = new AtomicLong(-5);
  private final AffinityTable memory = new AffinityTable(nanoTime::get);

  @BeforeEach
  void keep() {
    memory.keep(true);
  }

  private void pass(long seconds) {
    nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }

  @Test
  void client_hasItsMember_untilItHasBeenSilentForTooLong() {
    assertEquals(NONE, memory.memberOf(7, 0x0a000001, 100));
    assertEquals(65_535, memory.remember(7, 0x0a000001, 65_535, NONE, 100));
    pass(100);
    assertEquals(65_535, memory.memberOf(7, 0x0a000001, 100));
    memory.remember(7, 0x0a000001, 65_535, 65_535, 100);
    pass(100);
    assertEquals(65_535, memory.memberOf(7, 0x0a000001, 100));
    pass(1);
    assertEquals(NONE, memory.memberOf(7, 0x0a000001, 100));
  }

  @Test
  void clientOfAnotherVip_isAnother() {
    memory.remember(1, 0x0a000001, 5, NONE, 100);
    memory.remember(4_095, 0x0a000001, 6, NONE, 100);

    assertEquals(5, memory.memberOf(1, 0x0a000001, 100));
    assertEquals(6, memory.memberOf(4_095, 0x0a000001, 100));
    assertEquals(NONE, memory.memberOf(2, 0x0a000001, 100));
  }

  /** An idle client's address loses its key long before its entry ends. */
  @Test
  void clientOverIpv6_keepsItsMember_whenItsAddressGetsAnotherKey() {
    IPAddress<?> address = IPAddress.of("2001:db8:aff1::7");
    int before = AddressKey.of(address);
    memory.remember(1, before, 5, NONE, 100);

    AddressKey.sweep(0);
    AddressKey.sweep(0);
    int other = AddressKey.of(IPAddress.of("2001:db8:aff1::8"));

    assertEquals(NONE, memory.memberOf(1, other, 100));
    assertEquals(5, memory.memberOf(1, AddressKey.of(address), 100));
  }

  @Test
  void whoIsFaster_decides() {
    assertEquals(5, memory.remember(1, 9, 5, NONE, 100));
    assertEquals(5, memory.remember(1, 9, 6, NONE, 100));
    assertEquals(6, memory.remember(1, 9, 6, 5, 100));
    pass(101);
    assertEquals(7, memory.remember(1, 9, 7, NONE, 100));
  }

  /** Half of the room is taken: none is mistaken for another one, and hardly any is forgotten. */
  @Test
  void manyClients_areNeverMistakenForEachOther() {
    Random random = new Random(1);
    Map<Long, Integer> expected = new HashMap<>();
    for (int i = 0; i < AffinityTable.ENTRIES / 2; i++) {
      int vip = 1 + random.nextInt(4_095);
      int client = random.nextInt() & NOT_RESERVED;
      int member = 1 + random.nextInt(65_535);
      if (expected.putIfAbsent(((long) vip << 32) | Integer.toUnsignedLong(client), member)
          == null) {
        assertEquals(member, memory.remember(vip, client, member, NONE, 100));
      }
    }
    int forgotten = 0;
    for (Map.Entry<Long, Integer> each : expected.entrySet()) {
      int found = memory.memberOf((int) (each.getKey() >>> 32), each.getKey().intValue(), 100);
      forgotten += found == NONE ? 1 : 0;
      assertTrue(found == NONE || found == each.getValue());
    }
    assertTrue(forgotten < expected.size() / 50, "forgotten " + forgotten);
    for (int i = 0; i < 100_000; i++) {
      long key =
          ((long) (1 + random.nextInt(4_095)) << 32)
              | Integer.toUnsignedLong(random.nextInt() & NOT_RESERVED);
      if (!expected.containsKey(key)) {
        assertEquals(NONE, memory.memberOf((int) (key >>> 32), (int) key, 100));
      }
    }
  }

  @Test
  void moreClientsThanThereIsRoomFor_pushOutThoseThatAreSilent() {
    for (int client = 0; client < 1_000; client++) {
      memory.remember(1, client, 3, NONE, 10_000);
    }
    int strangers = 1_000;
    for (int round = 0; round < 20; round++) {
      pass(1);
      for (int client = 0; client < 1_000; client++) {
        assertEquals(3, memory.remember(1, client, 3, 3, 10_000));
      }
      for (int i = 0; i < AffinityTable.ENTRIES / 8; i++) {
        memory.remember(1, strangers++, 4, NONE, 10_000);
      }
    }
    int kept = 0;
    for (int client = 0; client < 1_000; client++) {
      kept += memory.memberOf(1, client, 10_000) == 3 ? 1 : 0;
    }
    assertTrue(kept > 990, "kept " + kept);
  }

  /** Seconds are counted in 21 bits, which are 24 days. */
  @Test
  void sweep_forgetsBeforeTheSecondsWrapAround() {
    memory.remember(1, 9, 5, NONE, 100);
    for (int day = 0; day < 30; day++) {
      pass(TimeUnit.DAYS.toSeconds(1));
      for (int i = 0; i < 128; i++) {
        memory.sweep();
      }
      boolean mayBeKnown = day < 7;
      int known = memory.memberOf(1, 9, Persistence.MAX_SECONDS);
      assertEquals(mayBeKnown ? 5 : NONE, known, "after day " + day);
    }
  }

  @Test
  void memoryThatNobodyWants_knowsNothing() {
    memory.remember(1, 9, 5, NONE, 100);
    memory.keep(true);
    assertEquals(5, memory.memberOf(1, 9, 100));

    memory.keep(false);

    assertEquals(NONE, memory.memberOf(1, 9, 100));
    assertEquals(6, memory.remember(1, 9, 6, NONE, 100));
    memory.sweep();
    memory.keep(true);
    assertEquals(NONE, memory.memberOf(1, 9, 100));
  }
}
