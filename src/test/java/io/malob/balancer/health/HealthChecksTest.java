package io.malob.balancer.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.health.Health;
import io.malob.json.RejectedException;
import io.malob.openflow.RuleSender;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Fields;
import io.malob.state.network.Routing;
import io.malob.state.network.ServerMeasurements;
import io.malob.store.MemoryStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When members are asked. By their agents' reports, so that asking costs nothing. */
class HealthChecksTest {
  private static final int MEMBERS = 500;
  private static final int DELAY_SECONDS = 5;
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(HealthChecks.TICK_MILLIS);

  private final ConcurrentLinkedQueue<Probe> answers = new ConcurrentLinkedQueue<>();
  private long nanos;
  private int asked;
  private boolean standsBy;
  private final HealthChecks checks =
      new HealthChecks(
          () -> nanos,
          new Random(20_261_122)::nextInt,
          new Probes(
              new FrameProbes(new RuleSender(none -> Optional.empty()), bound -> 0, answers::add),
              new HttpProbes(answers::add),
              address -> {
                asked++;
                return ServerMeasurements.UNKNOWN;
              },
              none -> true,
              () -> standsBy,
              Routing.DIRECT,
              answers::add),
          answers,
          anyMember -> {},
          null);

  private static CatalogSnapshot catalog() throws IOException, RejectedException {
    Catalog catalog = Catalog.open(new MemoryStore(Runnable::run));
    var unusedPool = catalog.create(Catalog.POOLS, Fields.of("id", "p"));
    for (int i = 0; i < MEMBERS; i++) {
      String address = "10.0." + (1 + i / 250) + "." + (1 + i % 250);
      var unused = catalog.create(Catalog.MEMBERS, Fields.of("address", address, "pool_id", "p"));
    }
    var unusedMonitor =
        catalog.create(
            Catalog.MONITORS,
            Fields.of("type", "AGENT", "pool_id", "p", "delay", Integer.toString(DELAY_SECONDS)));
    return catalog.snapshot();
  }

  /** How many were asked in each tick of some seconds. */
  private List<Integer> askedInTicks(int seconds) {
    List<Integer> counts = new ArrayList<>();
    for (long tick = 0; tick < TimeUnit.SECONDS.toNanos(seconds) / TICK_NANOS; tick++) {
      nanos += TICK_NANOS;
      asked = 0;
      checks.tick(Map.of());
      counts.add(asked);
    }
    return counts;
  }

  @Test
  void membersOfOnePool_areNotAskedAllAtATime() throws Exception {
    checks.follow(CatalogSnapshot.empty(), catalog(), Map.of());

    List<Integer> firstSecond = askedInTicks(1);
    List<Integer> later = askedInTicks(60);

    assertEquals(MEMBERS, sum(firstSecond.subList(0, 100)), 30);
    assertEquals(MEMBERS * 60.0 / DELAY_SECONDS, sum(later), MEMBERS);
    // one per tick on average; all of them at a time would be 500
    assertTrue(later.stream().allMatch(count -> count <= 12), later.toString());
  }

  /** Without a monitor, there are no ticks; that is no pause of the controller. */
  @Test
  void firstMonitor_afterAnHourWithoutOne_checksWithinASecond() throws Exception {
    nanos += TimeUnit.HOURS.toNanos(1);
    checks.follow(CatalogSnapshot.empty(), catalog(), Map.of());

    assertEquals(MEMBERS, sum(askedInTicks(1)), 30);
  }

  @Test
  void memberThatIsNotFoundYetAfterAStart_isNotJudged_forTenSeconds() throws Exception {
    int member = followOneMember();

    askedInTicks(9);
    assertEquals(Health.UP, checks.health().get(member));

    askedInTicks(10);
    assertEquals(Health.DOWN, checks.health().get(member), "it was not located");
  }

  /** A controller that is a slave of all switches sends nothing, so silence proves nothing. */
  @Test
  void memberThatIsNotFound_whileTheControllerStandsBy_isNotJudged() throws Exception {
    standsBy = true;
    int member = followOneMember();

    askedInTicks(60);
    assertEquals(Health.UP, checks.health().get(member));

    standsBy = false;
    askedInTicks(9);
    assertEquals(Health.UP, checks.health().get(member), "it has its time to be found");
    askedInTicks(10);
    assertEquals(Health.DOWN, checks.health().get(member));
  }

  private int followOneMember() throws IOException, RejectedException {
    Catalog catalog = Catalog.open(new MemoryStore(Runnable::run));
    var unusedVip = catalog.create(Catalog.VIPS, Fields.of("id", "v", "address", "10.0.0.100"));
    var unusedPool = catalog.create(Catalog.POOLS, Fields.of("id", "p", "vip_id", "v"));
    var unusedMember =
        catalog.create(
            Catalog.MEMBERS, Fields.of("address", "10.0.0.1", "port", "80", "pool_id", "p"));
    var unusedMonitor =
        catalog.create(Catalog.MONITORS, Fields.of("type", "TCP", "pool_id", "p", "delay", "1"));
    checks.follow(CatalogSnapshot.empty(), catalog.snapshot(), Map.of());
    return catalog.snapshot().membersOfPool("p").iterator().next().number();
  }

  private static int sum(List<Integer> counts) {
    return counts.stream().mapToInt(Integer::intValue).sum();
  }
}
