package io.malob.cluster.election;

import static io.malob.cluster.election.SimulatedCluster.MILLI;
import static io.malob.cluster.election.SimulatedCluster.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.cluster.peer.PeerAddress;
import io.malob.module.ClusterView;
import io.malob.module.ClusterView.Problem;
import io.malob.module.ClusterView.Role;
import io.malob.module.MastershipPolicy;
import io.malob.openflow.label.LabelRange;
import io.malob.testing.LogLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

/** The election, by its inputs; messages take 1 ms. */
class ElectionTest {
  private final SimulatedCluster cluster = new SimulatedCluster(() -> MILLI);

  private SimulatedCluster.Controller controller(String name) {
    SimulatedCluster.Controller started = cluster.start(name);
    cluster.pass(200 * MILLI);
    return started;
  }

  private boolean allHaveMaster(String name) {
    return cluster.switches.values().stream().allMatch(sw -> name.equals(sw.masterName()));
  }

  private void addSwitches(int count) {
    for (int i = 1; i <= count; i++) {
      cluster.addSwitch(i);
    }
  }

  // ---- claims ----

  @Test
  void onlyController_claimsWithTheRevisionOfItsKey() {
    controller("a");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.master != null, SECOND / 4);
    assertEquals(cluster.etcd.get(Keys.master(sw.id)).createRevision(), sw.generation);
    assertEquals("a", cluster.etcd.get(Keys.master(sw.id)).value());
    cluster.pass(2 * SECOND);
    assertEquals(Role.MASTER, cluster.controllers.get("a").election.view().roles().get(sw.id));
    assertEquals(1, sw.claims.size(), "one claim is enough");
  }

  @Test
  void thousandSwitches_areMasteredWithinASecondByFewTransactions() {
    controller("a");
    controller("b");
    addSwitches(1_000);
    int before = cluster.etcd.transactions;
    cluster.passUntil(() -> allHaveMaster("a"), SECOND);
    assertTrue(cluster.etcd.transactions - before < 60, "" + (cluster.etcd.transactions - before));
  }

  @Test
  void thousandSwitches_changeTheirMasterWithinASecondAfterItsLease() {
    SimulatedCluster.Controller a = controller("a");
    controller("b");
    addSwitches(1_000);
    cluster.passUntil(() -> allHaveMaster("a"), SECOND);
    int before = cluster.etcd.transactions;
    a.kill();
    cluster.passUntil(() -> allHaveMaster("b"), 4 * SECOND);
    assertTrue(cluster.etcd.transactions - before < 60, "" + (cluster.etcd.transactions - before));
  }

  @Test
  void claim_whoseAnswerIsLost_isFoundAndUsed() {
    SimulatedCluster.Controller a = controller("a");
    cluster.pass(SECOND);
    a.client.losesAnswers = true;
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.pass(SECOND / 2);
    assertNull(sw.master);
    a.client.losesAnswers = false;
    cluster.passUntil(() -> sw.master != null, 3 * SECOND);
    assertEquals(cluster.etcd.get(Keys.master(sw.id)).createRevision(), sw.generation);
  }

  /** The key would otherwise live as long as its controller, and no other one would claim. */
  @Test
  void claim_whoseAnswerIsLost_isReleased_ifTheSwitchHasLeftMeanwhile() {
    for (boolean isWatchLost : List.of(false, true)) {
      SimulatedCluster.Controller a = controller(isWatchLost ? "c" : "a");
      SimulatedCluster.Controller b = controller(isWatchLost ? "d" : "b");
      SimulatedCluster.Switch sw = cluster.addSwitch(isWatchLost ? 2 : 1);
      cluster.passUntil(() -> sw.links.get(a).isOpen(), SECOND / 4);
      a.client.losesAnswers = true;
      cluster.passUntil(() -> cluster.etcd.get(Keys.master(sw.id)) != null, SECOND / 4);
      if (isWatchLost) {
        a.client.loseWatches();
      }
      sw.links.get(a).setCut(true);
      sw.links.get(a).reset();
      cluster.pass(SECOND);
      a.client.losesAnswers = false;
      cluster.passUntil(() -> b.name.equals(sw.masterName()), 4 * SECOND);
      a.kill();
      b.kill();
      cluster.pass(4 * SECOND);
    }
  }

  @Test
  void switchThatDisconnects_isReleased_andClaimedAnewWithALaterId() {
    controller("a");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.master != null, SECOND / 4);
    long first = sw.generation;
    sw.link("a").setCut(true);
    sw.link("a").reset();
    cluster.pass(SECOND);
    assertNull(cluster.etcd.get(Keys.master(sw.id)));
    sw.link("a").setCut(false);
    cluster.passUntil(() -> sw.master != null, SECOND);
    assertTrue(sw.generation > first);
  }

  // ---- preference ----

  @Test
  void firstController_isPreferred_evenIfASwitchReachesTheSecondBefore() {
    SimulatedCluster.Controller a = controller("a");
    controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    sw.links.get(a).setCut(true);
    cluster.pass(500 * MILLI);
    assertNull(sw.master);
    sw.links.get(a).setCut(false);
    cluster.passUntil(() -> sw.master != null, SECOND / 2);
    assertEquals("a", sw.masterName());
  }

  @Test
  void switchThatDoesNotReachTheFirstController_getsTheSecondAfterASecond() {
    SimulatedCluster.Controller a = controller("a");
    controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    sw.links.get(a).setCut(true);
    cluster.passUntil(() -> sw.master != null, 1_300 * MILLI);
    assertEquals("b", sw.masterName());
  }

  @Test
  void formerMasterThatReturns_standsBy() {
    SimulatedCluster.Controller a = controller("a");
    controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.master != null, SECOND);
    a.kill();
    cluster.passUntil(() -> "b".equals(sw.masterName()), 5 * SECOND);
    controller("a");
    cluster.pass(20 * SECOND);
    assertEquals("b", sw.masterName());
    assertEquals(2, sw.claims.size());
  }

  @Test
  void firstControllerWithoutConnection_losesTheSwitchToTheSecondAtOnce() {
    controller("a");
    controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.master != null, SECOND);
    cluster.pass(2 * SECOND);
    sw.link("a").setCut(true);
    sw.link("a").reset();
    long took = cluster.passUntil(() -> sw.master != null, SECOND);
    assertEquals("b", sw.masterName());
    assertTrue(took < 30 * MILLI, took / MILLI + " ms");
  }

  // ---- faults ----

  @Test
  void masterThatIsKilled_hasASuccessorWithinTheLeaseAndASecond() {
    SimulatedCluster.Controller a = controller("a");
    controller("b");
    addSwitches(3);
    cluster.passUntil(() -> allHaveMaster("a"), SECOND);
    a.kill();
    cluster.passUntil(() -> allHaveMaster("b"), SimulatedCluster.LEASE.toNanos() + SECOND);
  }

  @Test
  void suspendedMaster_isRejectedByTheSwitch_andStepsDown() {
    SimulatedCluster.Controller a = controller("a");
    controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.master != null, SECOND);
    SimulatedCluster.Link former = sw.link("a");
    cluster.passUntil(former::believesToBeMaster, SECOND);
    a.setPaused(true);
    cluster.pass(10 * SECOND);
    assertEquals("b", sw.masterName());
    assertTrue(former.believesToBeMaster());
    int before = sw.rejectedWrites;
    a.setPaused(false);
    cluster.passUntil(() -> !former.believesToBeMaster(), SECOND);
    assertTrue(sw.rejectedWrites - before <= 1);
    cluster.pass(10 * SECOND);
    assertEquals("b", sw.masterName());
  }

  @Test
  void masterThatIsCutOffFromEtcd_servesUntilAnotherTakesOver_thenStepsDown() {
    SimulatedCluster.Controller a = controller("a");
    controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.master != null, SECOND);
    a.client.setCut(true);
    cluster.pass(2 * SECOND);
    assertEquals("a", sw.masterName());
    cluster.passUntil(() -> "b".equals(sw.masterName()), 2 * SECOND);
    cluster.pass(SECOND);
    assertFalse(sw.link("a").believesToBeMaster());
    a.client.setCut(false);
    cluster.pass(10 * SECOND);
    assertEquals("b", sw.masterName());
  }

  @Test
  void onlyControllerThatIsCutOffFromEtcd_keepsItsSwitches_andTakesTheKeysAgain() {
    SimulatedCluster.Controller a = controller("a");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.master != null, SECOND);
    long before = sw.generation;
    a.client.setCut(true);
    cluster.pass(30 * SECOND);
    assertTrue(sw.link("a").believesToBeMaster());
    assertNull(cluster.etcd.get(Keys.master(sw.id)));
    assertEquals(Problem.Kind.ETCD_SILENT, a.election.view().problems().get(0).kind());
    a.client.setCut(false);
    cluster.passUntil(() -> sw.generation > before, 4 * SECOND);
    assertEquals("a", sw.masterName());
    cluster.pass(2 * SECOND);
    assertEquals(List.of(), a.election.view().problems());
  }

  @Test
  void withoutQuorum_mastersStay_andASwitchThatReconnectsGetsItsMasterBack() {
    SimulatedCluster.Controller a = controller("a");
    controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.master != null, SECOND);
    cluster.etcd.setQuorum(false);
    cluster.pass(20 * SECOND);
    assertEquals("a", sw.masterName());
    sw.link("a").reset();
    cluster.passUntil(() -> sw.master != null, SECOND / 2);
    assertEquals("a", sw.masterName());
    a.kill();
    cluster.pass(40 * SECOND);
    assertNull(sw.master, "no take-over without a quorum");
    cluster.etcd.setQuorum(true);
    cluster.passUntil(() -> "b".equals(sw.masterName()), 5 * SECOND);
  }

  /** As after a suspension of etcd's leader. */
  @Test
  void mastersKeepTheirSwitches_whenTheLeasesOfAllHaveExpired() {
    SimulatedCluster.Controller a = controller("a");
    SimulatedCluster.Controller b = controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.master != null, SECOND);
    cluster.pass(SECOND);
    for (int i = 0; i < 4; i++) {
      a.client.setCut(true);
      b.client.setCut(true);
      cluster.pass(5 * SECOND + i * (70 * MILLI));
      b.client.setCut(false); // the standby is heard first
      cluster.pass(200 * MILLI);
      a.client.setCut(false);
      cluster.pass(5 * SECOND);
      assertEquals("a", sw.masterName());
    }
  }

  @Test
  void standbyWhoseLeaseHasExpired_takesOverASecondLater() {
    SimulatedCluster.Controller a = controller("a");
    SimulatedCluster.Controller b = controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.master != null, SECOND);
    a.client.setCut(true);
    b.client.setCut(true);
    cluster.pass(5 * SECOND);
    a.kill();
    b.client.setCut(false);
    long took = cluster.passUntil(() -> "b".equals(sw.masterName()), 2_500 * MILLI);
    assertTrue(took >= 900 * MILLI, "masters come first: " + took / MILLI);
  }

  @Test
  void lostWatch_isReadAnew() {
    controller("a");
    SimulatedCluster.Controller b = controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.master != null, SECOND);
    b.client.loseWatches();
    cluster.pass(50 * MILLI);
    cluster.controllers.get("a").kill();
    cluster.passUntil(() -> "b".equals(sw.masterName()), 5 * SECOND);
  }

  @Test
  void controllerOutsideOfTheCluster_thatTakesASwitch_isFoughtRarely() {
    try (LogLines log = LogLines.of(MasterKeys.class)) {
      controller("a");
      SimulatedCluster.Switch sw = cluster.addSwitch(1);
      cluster.passUntil(() -> sw.master != null, SECOND);
      for (int i = 0; i < 200; i++) {
        sw.master = null; // Floodlight has claimed it, with the same generation id
        cluster.pass(SECOND / 10);
      }
      assertTrue(sw.claims.size() >= 4, "every 5 s: " + sw.claims);
      assertTrue(sw.claims.size() <= 5, sw.claims.toString());
      assertTrue(log.lines().get(0).startsWith("mastership_contested"), log.lines().toString());
      cluster.pass(7 * SECOND);
      assertEquals("a", sw.masterName());
    }
  }

  // ---- names and slots ----

  @Test
  void secondControllerOfAName_isRefused() {
    controller("a");
    SimulatedCluster.Controller second = cluster.new Controller("a");
    cluster.pass(4 * SECOND);
    assertFalse(second.started.isDone(), "the lease of an ended process may still be there");
    cluster.pass(2 * SECOND);
    assertTrue(second.started.isCompletedExceptionally());
    ExecutionException refused = assertThrows(ExecutionException.class, second.started::get);
    assertEquals(
        "another live controller of this cluster is named \"a\": choose another",
        refused.getCause().getMessage());
  }

  @Test
  void controllerBeyondTheMax_isRefused_untilOneHasLeft() {
    for (int number = 0; number < LabelRange.SLOTS; number++) {
      controller("c" + number);
    }
    SimulatedCluster.Controller further = cluster.new Controller("further");
    cluster.pass(4 * SECOND);
    assertFalse(further.started.isDone(), "the lease of an ended process may still be there");
    cluster.passUntil(further.started::isDone, 10 * SECOND);
    ExecutionException refused = assertThrows(ExecutionException.class, further.started::get);
    assertEquals(
        "this cluster has 16 live controllers, which is the max: stop one of them (GET"
            + " /wm/malob/cluster names them); a dead one leaves when its lease ends",
        refused.getCause().getMessage());

    further.kill();
    cluster.controllers.get("c3").kill();
    SimulatedCluster.Controller next = cluster.new Controller("next");
    cluster.passUntil(next.started::isDone, 4 * SECOND);
    assertFalse(next.started.isCompletedExceptionally());
  }

  @Test
  void controllerThatRestarts_getsItsNameWhenTheLeaseHasExpired() {
    controller("a").kill();
    SimulatedCluster.Controller again = cluster.start("a");
    cluster.passUntil(again.started::isDone, 4 * SECOND);
    assertFalse(again.started.isCompletedExceptionally());
  }

  /** With a long election timeout, etcd grants longer leases than asked for. */
  @Test
  void controllerThatRestarts_waitsForTheLeaseThatWasGranted() {
    cluster.etcd.minLifetime = Duration.ofSeconds(8);
    controller("a").kill();
    SimulatedCluster.Controller again = cluster.start("a");
    cluster.passUntil(again.started::isDone, 9 * SECOND);
    assertFalse(again.started.isCompletedExceptionally());
  }

  @Test
  void slot_isNotReusedAtOnce_asItsControllerMayOnlyBeCutOff() {
    SimulatedCluster.Controller a = controller("a");
    controller("b");
    a.client.setCut(true);
    cluster.pass(4 * SECOND);
    assertNull(cluster.etcd.get(Keys.node("a")));
    assertEquals(0, a.election.view().slot());
    assertEquals(2, viewAfterJoining("c").slot(), "a still allocates labels by its slot");
    a.client.setCut(false);
    cluster.pass(SECOND);
    assertTrue(a.election.view().isMember());
    assertEquals(0, a.election.view().slot(), "its labels stay its own");
  }

  @Test
  void slot_ofAControllerThatRestarts_isItsOwn() {
    controller("a").kill();
    controller("b");
    SimulatedCluster.Controller again = cluster.start("a");
    cluster.passUntil(again.started::isDone, 4 * SECOND);
    cluster.pass(SECOND);
    assertEquals(0, again.election.view().slot());
  }

  @Test
  void slot_ofAControllerThatLeaves_isFreeAtOnce() {
    SimulatedCluster.Controller a = controller("a");
    controller("b");
    var unused = a.election.leave();
    cluster.pass(SECOND);
    assertEquals(0, viewAfterJoining("c").slot());
  }

  @Test
  void slots_areUniqueAmongLiveControllers_andReused() {
    Set<Integer> slots = new HashSet<>();
    for (String name : List.of("a", "b", "c")) {
      cluster.start(name); // at the same time
    }
    cluster.pass(SECOND);
    cluster.controllers.values().forEach(each -> slots.add(each.election.view().slot()));
    assertEquals(Set.of(0, 1, 2), slots);
    int freed = cluster.controllers.get("b").election.view().slot();
    cluster.controllers.get("b").kill();
    cluster.pass(4 * SECOND);
    assertEquals(3, viewAfterJoining("d").slot());
    cluster.pass(SlotChoice.LIFETIME.toNanos());
    assertEquals(freed, viewAfterJoining("e").slot());
  }

  private ClusterView viewAfterJoining(String name) {
    SimulatedCluster.Controller joined = cluster.start(name);
    cluster.passUntil(joined.started::isDone, SECOND);
    cluster.pass(SECOND);
    return joined.election.view();
  }

  @Test
  void view_showsNodesInTheirOrder_andMasters() {
    controller("z");
    controller("a");
    addSwitches(2);
    cluster.pass(2 * SECOND);
    ClusterView view = cluster.controllers.get("a").election.view();
    assertEquals(
        List.of(
            new ClusterView.Member("z", "z:8080", 0, 2, false),
            new ClusterView.Member("a", "a:8080", 1, 2, false)),
        view.nodes());
    assertEquals("z", view.masters().get(DatapathId.of(2)));
    assertEquals(Role.SLAVE, view.roles().get(DatapathId.of(2)));
    assertTrue(view.isMember());
  }

  @Test
  void masterOf_followsTheKeysAtOnce_withoutATick() {
    SimulatedCluster.Controller a = controller("a");
    SimulatedCluster.Controller b = controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    assertEquals(Optional.empty(), b.election.masterOf(sw.id));
    cluster.passUntil(() -> sw.master != null, SECOND);
    assertEquals(Optional.of("a"), a.election.masterOf(sw.id));
    assertEquals(Optional.of("a"), b.election.masterOf(sw.id));
    a.kill();
    cluster.passUntil(() -> "b".equals(sw.masterName()), 5 * SECOND);
    assertEquals(Optional.of("b"), b.election.masterOf(sw.id));
    cluster.etcd.put("masters/nonsense", "x");
    cluster.pass(SECOND);
    assertEquals(Optional.empty(), b.election.masterOf(DatapathId.of(2)));
  }

  /** Both keys would otherwise be those of one switch. */
  @Test
  void keyOfAnOtherSpelling_isNoSwitchs() {
    SimulatedCluster.Controller a = controller("a");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.master != null, SECOND / 4);
    cluster.etcd.put("masters/1", "x");
    cluster.pass(2 * SECOND);
    assertEquals(Map.of(sw.id, "a"), a.election.view().masters());
    SimulatedCluster.Controller b = controller("b");
    assertEquals(Optional.of("a"), b.election.masterOf(sw.id));
  }

  @Test
  void keys_areTheSameEverywhere_andNotOfAnotherPurposeOrCluster() throws Exception {
    controller("a");
    controller("b");
    List<String> ofA = keys("a");
    cluster.pass(SECOND);
    assertEquals(2, ofA.size());
    assertEquals(64, ofA.get(0).length());
    assertNotEquals(ofA.get(0), ofA.get(1));
    List<String> ofB = keys("b");
    cluster.pass(SECOND);
    assertEquals(ofA, ofB);
    SimulatedCluster other = new SimulatedCluster(() -> MILLI);
    SimulatedCluster.Controller c = other.start("c");
    other.pass(SECOND);
    List<String> ofC = new ArrayList<>();
    c.election.followProbeKey(key -> ofC.add(HexFormat.of().formatHex(key)));
    other.pass(SECOND);
    assertFalse(ofA.contains(ofC.get(0)));
  }

  /** The keys of link probes and of peers that a controller is told of. */
  private List<String> keys(String controller) {
    List<String> keys = new ArrayList<>();
    Election election = cluster.controllers.get(controller).election;
    election.followProbeKey(key -> keys.add(HexFormat.of().formatHex(key)));
    election.followPeerKey(key -> keys.add(HexFormat.of().formatHex(key)));
    return keys;
  }

  @Test
  void keyThatAnOperatorDeletes_isReplaced_atAllControllers_andTheOtherStays() {
    controller("a");
    controller("b");
    List<String> ofA = keys("a");
    List<String> ofB = keys("b");
    cluster.pass(SECOND);
    cluster.etcd.delete(Keys.PEER_KEY);
    cluster.pass(SECOND);
    assertEquals(3, ofA.size());
    assertEquals(3, Set.copyOf(ofA).size(), "a new one");
    assertEquals(ofA, ofB);
    assertEquals(ofA.get(0), cluster.etcd.get(Keys.PROBE_KEY).value());
    assertEquals(ofA.get(2), cluster.etcd.get(Keys.PEER_KEY).value());
  }

  // ---- a restored etcd ----

  @Test
  void restoredEtcd_isNamed_andASwitchIsNotClaimedInAStorm_untilTheBaseIsRaised() throws Exception {
    try (LogLines log = LogLines.of(Generations.class)) {
      SimulatedCluster.Controller a = controller("a");
      controller("b");
      for (int i = 0; i < 50; i++) {
        cluster.etcd.put("catalog", "" + i);
      }
      addSwitches(2);
      SimulatedCluster.Switch sw = cluster.switches.get(DatapathId.of(1));
      cluster.passUntil(() -> allHaveMaster("a"), SECOND);
      long before = sw.generation;
      cluster.etcd.restore();
      cluster.pass(4 * SECOND);
      sw.link("a").reset();
      cluster.pass(10 * SECOND);
      assertNull(sw.master);
      assertEquals(before, sw.generation);
      assertEquals(
          "Switches that reject this controller: 1. They have accepted later generation ids than"
              + " etcd's revisions give, so etcd was restored or replaced.",
          problemOf(Problem.Kind.ETCD_BEHIND));
      assertTrue(log.lines().stream().anyMatch(l -> l.contains("./malob cluster raise-base")));
      long lines =
          log.lines().stream().filter(l -> l.startsWith("cluster_behind_switches")).count();
      assertTrue(lines <= 2, "once by each controller at most");

      CompletableFuture<Long> raised = a.election.raiseBase(0);
      cluster.passUntil(() -> sw.master != null, SECOND);
      assertEquals(before, raised.get());
      assertTrue(sw.generation > before);
      cluster.pass(SECOND);
      assertEquals(List.of(), a.election.view().problems());
      assertEquals(before, a.election.view().generationBase());
    }
  }

  private String problemOf(Problem.Kind kind) {
    return cluster.controllers.values().stream()
        .flatMap(each -> each.election.view().problems().stream())
        .filter(problem -> problem.kind() == kind)
        .map(Problem::text)
        .findFirst()
        .orElse("none");
  }

  @Test
  void raiseBase_neverLowersIt() throws Exception {
    SimulatedCluster.Controller a = controller("a");
    CompletableFuture<Long> first = a.election.raiseBase(1_000);
    cluster.pass(SECOND);
    CompletableFuture<Long> second = a.election.raiseBase(10);
    cluster.pass(SECOND);
    assertEquals(1_000, first.get());
    assertEquals(1_000, second.get());
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.master != null, SECOND);
    assertTrue(sw.generation > 1_000);
  }

  /** Another cluster may have left any id on a switch, and ids are compared by their difference. */
  @Test
  void base_isRaisedBeyondTheGreatestSignedNumber_andAgain() throws Exception {
    SimulatedCluster.Controller a = controller("a");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    sw.generation = Long.MAX_VALUE - 1;
    cluster.pass(SECOND);
    assertNull(sw.master);
    var unused = a.election.raiseBase(0);
    cluster.passUntil(() -> sw.master != null, SECOND);
    assertTrue(sw.generation < 0, "as a signed number: " + sw.generation);
    long before = sw.generation;

    sw.generation = before + 1_000;
    sw.link("a").reset();
    cluster.pass(2 * SECOND);
    assertNull(sw.master);
    CompletableFuture<Long> raised = a.election.raiseBase(0);
    cluster.passUntil(() -> sw.master != null, SECOND);
    assertEquals(before + 1_000, raised.get());
  }

  // ---- hand-over ----

  @Test
  void handOver_movesAllSwitchesWithoutAGapOfMoreThanAFewMessages() throws Exception {
    SimulatedCluster.Controller a = controller("a");
    controller("b");
    addSwitches(300);
    cluster.passUntil(() -> allHaveMaster("a"), SECOND);
    cluster.pass(2 * SECOND);
    CompletableFuture<Integer> handedOver = a.election.handOver(true);
    boolean[] neverWithout = {true};
    cluster.queue.pass(
        150 * MILLI,
        () ->
            neverWithout[0] &=
                cluster.switches.values().stream().allMatch(sw -> sw.master != null));
    assertTrue(neverWithout[0]);
    assertTrue(allHaveMaster("b"));
    cluster.passUntil(handedOver::isDone, 200 * MILLI);
    assertEquals(300, handedOver.get());
    CompletableFuture<Void> left = a.election.leave();
    cluster.passUntil(left::isDone, 100 * MILLI);
    assertNull(cluster.etcd.get(Keys.node("a")));
    cluster.pass(5 * SECOND);
    assertTrue(allHaveMaster("b"));
  }

  @Test
  void handOver_withoutAnotherController_keepsTheSwitches() throws Exception {
    SimulatedCluster.Controller a = controller("a");
    addSwitches(2);
    cluster.passUntil(() -> allHaveMaster("a"), SECOND);
    CompletableFuture<Integer> handedOver = a.election.handOver(false);
    cluster.pass(2 * SECOND);
    assertEquals(0, handedOver.get());
    assertTrue(allHaveMaster("a"));
  }

  @Test
  void handOver_onRequest_leavesTheControllerAsAStandbyThatTakesOver() throws Exception {
    SimulatedCluster.Controller a = controller("a");
    SimulatedCluster.Controller b = controller("b");
    addSwitches(2);
    cluster.passUntil(() -> allHaveMaster("a"), SECOND);
    cluster.pass(2 * SECOND);
    var unused = a.election.handOver(false);
    cluster.passUntil(() -> allHaveMaster("b"), SECOND / 4);
    cluster.pass(20 * SECOND);
    assertTrue(allHaveMaster("b"), "no flapping");
    b.kill();
    cluster.passUntil(() -> allHaveMaster("a"), 4 * SECOND);
  }

  /** A packet-in each millisecond, during a hand-over from a to b. */
  private static SimulatedCluster.Switch packetInsInHandOver(long seed, boolean areStreamsThere) {
    Random random = new Random(seed);
    SimulatedCluster cluster =
        new SimulatedCluster(() -> MILLI / 5 + (long) (random.nextDouble() * 6 * MILLI));
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    SimulatedCluster.Controller a = cluster.start("a");
    cluster.passUntil(() -> sw.link("a").believesToBeMaster(), 2 * SECOND);
    cluster.start("b");
    cluster.pass(2 * SECOND);
    a.streams.areThere = areStreamsThere;
    for (int i = 0; i < 1_000; i++) {
      if (i == 200) {
        var unused = a.election.handOver(false);
      }
      sw.sendPacketIn();
      cluster.pass(MILLI);
    }
    cluster.pass(2 * SECOND);
    assertEquals("b", sw.masterName());
    return sw;
  }

  @Test
  void handOver_losesAndDelaysNoPacketIn() {
    for (int seed = 0; seed < 50; seed++) {
      SimulatedCluster.Switch sw = packetInsInHandOver(seed, true);
      assertEquals(Map.of(), sw.unhandled, "seed " + seed);
      assertTrue(sw.slowestNanos < 100 * MILLI, "seed " + seed + ": " + sw.slowestNanos / MILLI);
    }
  }

  @Test
  void handOver_withoutStreams_losesOnlyWhatIsUnderWayWhenTheRoleChanges() {
    for (int seed = 0; seed < 50; seed++) {
      SimulatedCluster.Switch sw = packetInsInHandOver(seed, false);
      assertTrue(sw.unhandled.size() < 30, "seed " + seed + ": " + sw.unhandled);
    }
  }

  @Test
  void handOver_whoseSwitchDoesNotAnswerTheBarrier_goesOn() {
    SimulatedCluster.Controller a = controller("a");
    controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> sw.link("a").believesToBeMaster(), SECOND);
    cluster.pass(2 * SECOND);
    sw.link("a").setCut(true);
    var unused = a.election.handOver(false);
    cluster.passUntil(() -> "b".equals(sw.masterName()), 400 * MILLI);
  }

  @Test
  void offerWhoseAnswerIsLost_isPublishedAnew() {
    controller("a");
    SimulatedCluster.Controller b = controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.pass(2 * SECOND);
    b.client.losesAnswers = true;
    var unused = b.election.handOver(false);
    cluster.pass(SECOND / 2);
    assertFalse(cluster.etcd.get(Keys.node("b")).value().contains(sw.id.toString()));
    b.client.losesAnswers = false;
    cluster.pass(4 * SECOND);
    assertTrue(cluster.etcd.get(Keys.node("b")).value().contains(sw.id.toString()));
  }

  @Test
  void masterWhoseProcessHasEnded_isReplacedAtOnce_andPacketsWait() {
    controller("a");
    SimulatedCluster.Controller b = controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> allHaveMaster("a"), 2 * SECOND);
    cluster.pass(SECOND);
    cluster.controllers.get("a").kill();
    b.election.ended(PeerAddress.of("a", SimulatedCluster.peer("a")).orElseThrow());
    cluster.passUntil(() -> allHaveMaster("b"), SECOND / 10);
    assertTrue(sw.links.get(b).masterSilent);
  }

  @Test
  void packetsWait_whenTheirMasterIsSilent_andNoOther() {
    controller("a");
    SimulatedCluster.Controller b = controller("b");
    SimulatedCluster.Switch sw = cluster.addSwitch(1);
    cluster.passUntil(() -> allHaveMaster("a"), 2 * SECOND);
    cluster.pass(SECOND);
    b.election.silent(PeerAddress.of("c", SimulatedCluster.peer("c")).orElseThrow());
    cluster.pass(SECOND / 10);
    assertFalse(sw.links.get(b).masterSilent);
    b.election.silent(PeerAddress.of("a", SimulatedCluster.peer("a")).orElseThrow());
    cluster.pass(SECOND / 10);
    assertTrue(sw.links.get(b).masterSilent);
    assertTrue(allHaveMaster("a"));
  }

  // ---- spread ----

  private boolean areSpread() {
    return cluster.switches.values().stream()
        .allMatch(sw -> cluster.preferred(sw).equals(sw.masterName()));
  }

  private void assertSlowMoves() {
    List<Long> moves = cluster.moves();
    for (int i = 1; i < moves.size(); i++) {
      long pause = moves.get(i) - moves.get(i - 1);
      assertTrue(pause >= PolicyMoves.PAUSE_NANOS, pause / MILLI + " ms between moves");
    }
  }

  @Test
  void spread_givesEachSwitchToItsPreferredController_withoutMoves() {
    cluster.policy = Optional.of(MastershipPolicy.SPREAD);
    List.of("a", "b", "c").forEach(this::controller);
    addSwitches(30);
    cluster.passUntil(this::areSpread, 2 * SECOND);
    assertEquals(
        3, cluster.switches.values().stream().map(sw -> sw.masterName()).distinct().count());
    cluster.pass(20 * SECOND);
    cluster.switches.values().forEach(sw -> assertEquals(1, sw.claims.size()));
    assertEquals(List.of(), cluster.moves());
  }

  @Test
  void spread_failuresAreTakenOverAtOnce_andSwitchesReturnSlowly() {
    cluster.policy = Optional.of(MastershipPolicy.SPREAD);
    cluster.weights.put("b", 2);
    List.of("a", "b", "c").forEach(this::controller);
    addSwitches(12);
    cluster.passUntil(this::areSpread, 2 * SECOND);
    cluster.pass(2 * SECOND);
    long moved =
        cluster.switches.values().stream().filter(sw -> "b".equals(sw.masterName())).count();
    cluster.controllers.get("b").kill();
    cluster.passUntil(this::areSpread, SimulatedCluster.LEASE.toNanos() + SECOND);
    assertEquals(List.of(), cluster.moves());
    controller("b");
    cluster.passUntil(this::areSpread, (moved + 2) * 6 * SECOND + PolicyMoves.WARM_NANOS);
    assertEquals(moved, cluster.moves().size());
    assertSlowMoves();
  }

  /** With all faults of messages, at each moment. */
  @Test
  void spread_partsOfALimitNeverExceedIt_andAddUpToIt() {
    cluster.policy = Optional.of(MastershipPolicy.SPREAD);
    List.of("a", "b", "c").forEach(this::controller);
    addSwitches(12);
    passDividing(3 * SECOND);
    assertEquals(100, partsOf(100));
    cluster.controllers.get("b").kill();
    passDividing(5 * SECOND);
    assertEquals(100, partsOf(100));
    assertEquals(50, cluster.controllers.get("a").election.partOf(100));
    controller("b");
    passDividing(60 * SECOND);
    assertEquals(33, cluster.controllers.get("b").election.partOf(100));
    assertEquals(100, partsOf(100));
  }

  private int partsOf(int limit) {
    return cluster.controllers.values().stream().mapToInt(c -> c.election.partOf(limit)).sum();
  }

  private void passDividing(long nanos) {
    cluster.queue.pass(nanos, () -> assertTrue(partsOf(100) <= 100, cluster::describe));
  }

  @Test
  void single_givesTheMasterTheWholeLimit() {
    SimulatedCluster.Controller a = controller("a");
    assertEquals(100, a.election.partOf(100));
  }

  @Test
  void spread_movesNothingToAControllerThatIsNotReached() {
    cluster.policy = Optional.of(MastershipPolicy.SPREAD);
    SimulatedCluster.Controller a = controller("a");
    addSwitches(6);
    cluster.passUntil(() -> allHaveMaster("a"), SECOND);
    a.streams.areThere = false;
    controller("b");
    cluster.pass(30 * SECOND);
    assertTrue(allHaveMaster("a"));
    a.streams.areThere = true;
    cluster.passUntil(this::areSpread, 60 * SECOND);
  }

  @Test
  void spread_movesNothingToAControllerThatHasJustConnected() {
    cluster.policy = Optional.of(MastershipPolicy.SPREAD);
    controller("a");
    addSwitches(6);
    cluster.pass(20 * SECOND);
    controller("b");
    cluster.pass(PolicyMoves.WARM_NANOS - SECOND);
    assertTrue(allHaveMaster("a"));
    cluster.passUntil(this::areSpread, 60 * SECOND);
  }

  @Test
  void policyOfTheCluster_isThatOfTheFirstController_andAnotherIsRefused() {
    controller("a");
    assertEquals("single", cluster.etcd.get(Keys.MASTERSHIP).value());
    cluster.policy = Optional.of(MastershipPolicy.SPREAD);
    SimulatedCluster.Controller b = controller("b");
    ExecutionException refused = assertThrows(ExecutionException.class, b.started::get);
    assertEquals(
        "the setting mastership of this controller is \"spread\", but the cluster's is \"single\":"
            + " change the setting, or the cluster by './malob cluster mastership spread'",
        refused.getCause().getMessage());
    cluster.pass(2 * SECOND);
    assertNull(cluster.etcd.get(Keys.node("b")));
  }

  @Test
  void changedPolicy_isThatOfAllControllers() throws Exception {
    SimulatedCluster.Controller a = controller("a");
    SimulatedCluster.Controller b = controller("b");
    addSwitches(6);
    cluster.passUntil(() -> allHaveMaster("a"), SECOND);
    CompletableFuture<MastershipPolicy> changed = b.election.setMastership(MastershipPolicy.SPREAD);
    cluster.passUntil(changed::isDone, SECOND);
    assertEquals(MastershipPolicy.SPREAD, changed.get());
    cluster.passUntil(this::areSpread, 60 * SECOND);
    assertSlowMoves();
    assertEquals(MastershipPolicy.SPREAD, a.election.view().mastership());
    cluster.etcd.setQuorum(false);
    CompletableFuture<MastershipPolicy> unanswered =
        b.election.setMastership(MastershipPolicy.SINGLE);
    cluster.pass(5 * SECOND);
    assertTrue(unanswered.isCompletedExceptionally());
  }

  // ---- wrong values in etcd ----

  @Test
  void unreadableValues_areLoggedAndIgnored() {
    try (LogLines log = LogLines.of(Keys.class)) {
      cluster.etcd.put("nodes/x", "{}");
      cluster.etcd.put("masters/nonsense", "x");
      cluster.etcd.put(Keys.BASE, "many");
      controller("a");
      SimulatedCluster.Switch sw = cluster.addSwitch(1);
      cluster.passUntil(() -> sw.master != null, SECOND);
      assertNotEquals(-1, sw.generation);
      assertTrue(
          log.lines().stream().anyMatch(l -> l.startsWith("cluster_key_unreadable key=nodes/x")),
          log.lines().toString());
    }
  }
}
