package io.malob.cluster.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.google.common.collect.Iterables;
import com.google.common.collect.Maps;
import io.malob.module.MastershipPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.LoggerFactory;

/**
 * Random faults in a cluster: late messages, partitions, links that stay broken, suspended and
 * killed processes, times without a quorum, lost answers and watches, raised bases. Each schedule
 * has a seed; {@code -Dmalob.simulation.seeds=N} takes more of them. {@link SimulatedCluster}
 * asserts one writer per switch and generation, that only the creator of a key uses its generation,
 * and that no controller deletes another one's key.
 */
class ClusterSimulationTest {
  private static final int SCHEDULES = Integer.getInteger("malob.simulation.seeds", 1_000);
  private static final long SECOND = SimulatedCluster.SECOND;
  private static final long MILLI = SimulatedCluster.MILLI;

  private final Logger log = (Logger) LoggerFactory.getLogger("io.malob.cluster.election");

  /** Thousands of controllers start and fail. */
  @BeforeEach
  void logErrorsOnly() {
    log.setLevel(Level.ERROR);
  }

  @AfterEach
  void logAllAgain() {
    log.setLevel(null);
  }

  @Test
  void randomFaults_neverTwoWritersAndAlwaysAMasterAfterwards() {
    int takeOvers = 0;
    int rejected = 0;
    for (int seed = 0; seed < SCHEDULES; seed++) {
      Schedule schedule = new Schedule(seed);
      try {
        schedule.run();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage() + schedule.log, e);
      }
      for (SimulatedCluster.Switch sw : schedule.cluster.switches.values()) {
        takeOvers += sw.claims.size();
        rejected += sw.rejectedWrites;
      }
    }
    // the schedules do contain what they are to survive
    assertTrue(takeOvers > 5 * SCHEDULES, "take-overs: " + takeOvers);
    assertTrue(rejected > SCHEDULES / 10, "rejected writes of former masters: " + rejected);
  }

  /** One run. */
  private static final class Schedule {
    final Random random;
    final SimulatedCluster cluster;
    final List<String> log = new ArrayList<>();
    private final List<Runnable> repairs = new ArrayList<>();
    private final List<String> names;
    private final boolean isSpread;
    private int events;

    Schedule(int seed) {
      random = new Random(seed);
      long slow = random.nextInt(4) == 0 ? 40 : 3;
      cluster = new SimulatedCluster(() -> MILLI / 5 + (long) (random.nextDouble() * slow * MILLI));
      isSpread = seed % 3 == 0;
      if (isSpread) {
        cluster.policy = Optional.of(MastershipPolicy.SPREAD);
      }
      if (random.nextInt(4) == 0) {
        cluster.writeNanos = 60 * SECOND; // a former master must learn of its successor otherwise
      }
      names = List.of("a", "b", "c").subList(0, 1 + random.nextInt(3));
    }

    void run() {
      for (int i = 1; i <= 3; i++) {
        cluster.addSwitch(i).tellsRoles = random.nextBoolean();
      }
      for (String name : names) {
        cluster.start(name);
        cluster.pass(random.nextInt(500) * MILLI);
      }
      for (int i = 0; i < 12; i++) {
        pass(random.nextInt(2_000) * MILLI);
        fault();
      }
      pass(random.nextInt(3_000) * MILLI);
      repairs.forEach(Runnable::run);
      note("all repaired");
      settle();
    }

    private void pass(long nanos) {
      cluster.queue.pass(nanos, isSpread ? this::checkLimits : () -> {});
    }

    /**
     * The parts of the controllers whose leases are live; others may place by their earlier part
     * until they are replaced.
     */
    private int partsOf(int limit) {
      return cluster.controllers.values().stream()
          .filter(each -> cluster.etcd.get(Keys.node(each.name)) != null)
          .mapToInt(each -> each.election.partOf(limit))
          .sum();
    }

    /** At one of ten events: parts that are too large stay so for longer. */
    private void checkLimits() {
      if (++events % 10 != 0) {
        return;
      }
      assertTrue(partsOf(100) <= 100, () -> partsOf(100) + " of 100: " + cluster.describe());
    }

    /** All faults are over: each switch has a master soon, and keeps it. */
    private void settle() {
      cluster.pass(SimulatedCluster.LEASE.toNanos() + SECOND);
      if (cluster.isAnyLinkBroken()) {
        // the only controller that a switch reaches may stand aside, as no other can take over
        cluster.pass(MasterKeys.PAUSE_NANOS);
      }
      if (isSpread) {
        settleByPolicy();
        assertEquals(100, partsOf(100), "the whole limit is used");
      }
      Map<DatapathId, String> masters = new TreeMap<>();
      for (SimulatedCluster.Switch sw : cluster.switches.values()) {
        assertNotNull(sw.master, () -> "no master: " + cluster.describe());
        long believers =
            sw.links.values().stream().filter(SimulatedCluster.Link::believesToBeMaster).count();
        assertEquals(1, believers, cluster::describe);
        assertTrue(sw.master.believesToBeMaster(), cluster::describe);
        masters.put(sw.id, sw.masterName());
      }
      cluster.pass(6 * SECOND);
      cluster.switches.forEach(
          (id, sw) -> assertEquals(masters.get(id), sw.masterName(), cluster::describe));
    }

    /** Switches move to their preferred controllers, one in five seconds. */
    private void settleByPolicy() {
      Map<SimulatedCluster.Switch, String> preferred =
          Maps.toMap(cluster.switches.values(), cluster::preferred);
      cluster.passUntil(
          () ->
              preferred.entrySet().stream()
                  .allMatch(each -> each.getValue().equals(each.getKey().masterName())),
          (2L + cluster.switches.size()) * 6 * SECOND);
      int moves = cluster.moves().size();
      cluster.pass(6 * SECOND);
      assertEquals(moves, cluster.moves().size(), "moves go on");
      for (int i = 1; i < moves; i++) {
        long pause = cluster.moves().get(i) - cluster.moves().get(i - 1);
        assertTrue(pause >= PolicyMoves.PAUSE_NANOS, pause / MILLI + " ms between moves");
      }
    }

    private void fault() {
      SimulatedCluster.Controller one =
          Iterables.get(cluster.controllers.values(), random.nextInt(cluster.controllers.size()));
      SimulatedCluster.Link link =
          Iterables.get(cluster.switches.values(), random.nextInt(3)).links.get(one);
      switch (random.nextInt(11)) {
        case 0 ->
            during("pause " + one.name, () -> one.setPaused(true), () -> one.setPaused(false));
        case 1 ->
            during(
                "cut from etcd " + one.name,
                () -> one.client.setCut(true),
                () -> one.client.setCut(false));
        case 2 -> during("cut " + link, () -> link.setCut(true), () -> link.setCut(false));
        case 3 ->
            during(
                "no quorum",
                () -> cluster.etcd.setQuorum(false),
                () -> cluster.etcd.setQuorum(true));
        case 4 -> {
          note("reset " + link);
          link.reset();
        }
        case 5 -> restart(one);
        case 6 ->
            during(
                "no answers of etcd to " + one.name,
                () -> one.client.losesAnswers = true,
                () -> one.client.losesAnswers = false);
        case 7 -> {
          note("lost watches of " + one.name);
          one.client.loseWatches();
        }
        case 8 -> {
          note("hand-over of " + one.name);
          var unused = one.election.handOver(false);
        }
        case 9 -> {
          note("raise of the base by " + one.name);
          var unused = one.election.raiseBase(random.nextInt(100));
        }
        case 10 -> breakForGood(link);
        default -> throw new AssertionError();
      }
    }

    /** Another controller can still be master of the switch, unless that is to start anew. */
    private void breakForGood(SimulatedCluster.Link link) {
      if (link.sw.links.values().stream().anyMatch(l -> l != link && !l.isBroken())) {
        note("break " + link);
        link.breakForGood();
      }
    }

    private void during(String name, Runnable begin, Runnable end) {
      note(name);
      begin.run();
      Runnable once = once(name, end);
      repairs.add(once);
      cluster.queue.after(random.nextInt(7_000) * MILLI, once);
    }

    private Runnable once(String name, Runnable end) {
      boolean[] isDone = new boolean[1];
      return () -> {
        if (!isDone[0]) {
          isDone[0] = true;
          note("end of " + name);
          end.run();
        }
      };
    }

    private void restart(SimulatedCluster.Controller one) {
      note("kill " + one.name);
      one.kill();
      if (cluster.controllers.isEmpty() || random.nextBoolean()) {
        note("start " + one.name);
        cluster.start(one.name);
      } else {
        Runnable start = once("absence of " + one.name, () -> cluster.start(one.name));
        repairs.add(start);
        cluster.queue.after(random.nextInt(7_000) * MILLI, start);
      }
    }

    private void note(String event) {
      log.add("\n" + cluster.queue.now() / MILLI + " " + event);
    }
  }
}
