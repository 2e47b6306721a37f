package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.Together;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Operators write while others read: what is read is always whole. */
class CatalogStressTest {
  private static final int WRITERS = 3;
  private static final int READERS = 2;
  private static final int ROUNDS = 300;

  @Test
  void snapshots_takenWhileSeveralWrite_referToNothingThatIsNotInThem() throws Exception {
    CatalogFixture fixture = CatalogFixture.inMemory();
    AtomicInteger writing = new AtomicInteger(WRITERS);
    Together.run(
        WRITERS + READERS,
        thread -> {
          if (thread < WRITERS) {
            try {
              write(fixture, "w" + thread, thread);
            } finally {
              writing.decrementAndGet();
            }
          } else {
            while (writing.get() > 0) {
              assertIsWhole(fixture.now());
            }
          }
        });
    assertIsWhole(fixture.now());
    assertEquals(0, fixture.now().vips().size());
    assertEquals(0, fixture.now().pools().size());
    assertEquals(WRITERS * ROUNDS, fixture.now().members().size());
  }

  private static void write(CatalogFixture fixture, String name, int host) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      fixture.vip("id", name, "address", "10.0.0." + (100 + host), "port", "80");
      fixture.pool("id", name, "vip_id", name);
      fixture.member("id", name + "-" + round, "address", "10.0.1." + host, "pool_id", name);
      if (round % 2 == 0) {
        fixture.catalog.delete(Catalog.VIPS, name);
        fixture.catalog.delete(Catalog.POOLS, name);
      } else {
        fixture.catalog.delete(Catalog.POOLS, name);
        fixture.catalog.delete(Catalog.VIPS, name);
      }
    }
  }

  private static void assertIsWhole(CatalogSnapshot snapshot) {
    for (Pool pool : snapshot.pools().values()) {
      assertTrue(pool.vipId() == null || snapshot.vips().containsKey(pool.vipId()), pool::id);
      List<Member> members = snapshot.membersOfPool(pool.id());
      assertTrue(snapshot.members().values().containsAll(members), pool::id);
    }
    for (Member member : snapshot.members().values()) {
      String pool = member.poolId();
      assertTrue(pool == null || snapshot.membersOfPool(pool).contains(member), member::id);
    }
    for (Vip vip : snapshot.vips().values()) {
      assertTrue(snapshot.isVipAddress(vip.address()), vip::id);
    }
  }
}
