package io.malob.openflow.label;

import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.Path;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.RuleSender;
import io.malob.testing.FakeRule;
import io.malob.testing.LogLines;
import io.malob.testing.SwitchProfile;
import io.malob.testing.Together;
import io.malob.testing.Topologies;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;

@ParameterizedClass
@EnumSource(
    value = SwitchProfile.class,
    names = {"FOUR_TABLES", "ONE_TABLE_WITH_GROUPS", "ONE_TABLE", "NO_MASKS"})
class LabelTableTest {
  private static final Path PATH = path(1, 2, 3);
  private static final Path WITHIN = Path.within(DatapathId.of(1));

  private final SwitchProfile profile;
  private final FakeSwitches switches;
  private final RuleSender ruleSender;
  // close to where the clock's number turns negative, which is no reason for anything
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(20));
  private final LabelTable labels;

  LabelTableTest(SwitchProfile profile) {
    this.profile = profile;
    switches = new FakeSwitches(3, profile);
    ruleSender = switches.ruleSender();
    labels = new LabelTable(ruleSender, clock::get);
  }

  private void pass(long seconds) {
    clock.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }

  private int rules(long switchId) {
    return labelRules(switches, switchId).size();
  }

  private static List<FakeRule> labelRules(FakeSwitches of, long switchId) {
    return of.get(switchId).table().rules().stream()
        .filter(rule -> Cookie.is(rule.cookie(), CookieKind.LABEL))
        .toList();
  }

  private void assertRules(int first, int second, int third) {
    assertEquals(List.of(first, second, third), List.of(rules(1), rules(2), rules(3)));
  }

  /** Connections over it are refused at once, and do not wait. */
  private static void assertFailed(LabelledPath labelled) {
    assertEquals(false, labelled.ready().getNow(null));
  }

  @Test
  void acquire_ofNewPath_installsLastSwitchFirstAndAfterEachBarrier() {
    switches.holdBarriers();
    LabelledPath labelled = labels.acquire(PATH);
    assertRules(0, 0, 1);
    switches.get(3).answerBarrier();
    assertRules(0, 1, 1);
    switches.get(2).answerBarrier();
    assertRules(1, 1, 1);
    assertFalse(labelled.isReady());
    assertFalse(labelled.ready().isDone());
    switches.get(1).answerBarrier();
    assertTrue(labelled.isReady());
    assertEquals(List.of(3L, 2L, 1L), switches.takeWrites());
  }

  @Test
  void acquire_ofKnownPath_sharesItsLabel() {
    LabelledPath labelled = labels.acquire(PATH);
    assertEquals(List.of(3L, 2L, 1L), switches.takeWrites());
    assertSame(labelled, labels.acquire(path(1, 2, 3)));
    assertEquals(2, labelled.uses());
    assertEquals(List.of(), switches.takeWrites());
    assertNotEquals(labelled.label(), labels.acquire(path(1, 2)).label());
  }

  @Test
  void acquire_ofPathWithinOneSwitch_needsNoRule() {
    LabelledPath labelled = labels.acquire(WITHIN);
    assertTrue(labelled.isReady());
    assertEquals(List.of(), switches.takeWrites());
    labels.release(labelled);
    pass(31);
    labels.sweep();
    assertEquals(List.of(), switches.takeWrites());
    assertEquals(0, labels.all().size());
    assertEquals(List.of(), labels.rulesOf(DatapathId.of(1)));
  }

  @Test
  void acquire_whenASwitchIsMissing_failsAndIsGone() {
    switches.disconnect(2);
    LabelledPath labelled = labels.acquire(PATH);
    assertTrue(labelled.ready().isDone());
    assertFalse(labelled.isReady());
    assertEquals(0, labels.all().size());
    assertEquals(List.of(0, 0), List.of(rules(1), rules(3)));
    labels.release(labelled);
    switches.connect(2);
    LabelledPath again = labels.acquire(PATH);
    assertTrue(again.isReady());
    assertNotEquals(labelled.label(), again.label());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void acquire_whenABarrierFails_failsAndLeavesNoRule(int failing) {
    switches.holdBarriers();
    LabelledPath labelled = labels.acquire(PATH);
    for (int id = 3; id > failing; id--) {
      switches.get(id).answerBarrier();
    }
    switches.get(failing).failBarrier();
    assertTrue(labelled.ready().isDone());
    assertFalse(labelled.isReady());
    assertEquals(0, labels.all().size());
    for (int id = 1; id <= 3; id++) {
      assertEquals(1, switches.get(id).openBarriers(), "deletion on " + id);
      switches.get(id).answerBarrier();
    }
    assertRules(0, 0, 0);
  }

  @Test
  void acquire_whenASwitchDoesNotTakeItsRule_failsAndLeavesNoRule() {
    switches.get(2).refuse();
    LabelledPath labelled = labels.acquire(PATH);
    assertTrue(labelled.ready().isDone());
    assertFalse(labelled.isReady());
    assertRules(0, 0, 0);
  }

  @Test
  void sweep_afterThirtySecondsWithoutUse_removesFirstSwitchFirst() {
    LabelledPath labelled = labels.acquire(PATH);
    switches.takeWrites();
    pass(100);
    labels.release(labelled);
    pass(29);
    labels.sweep();
    assertRules(1, 1, 1);
    switches.holdBarriers();
    pass(1);
    labels.sweep();
    assertRules(0, 1, 1);
    assertEquals(0, labels.all().size());
    switches.get(1).answerBarrier();
    assertRules(0, 0, 1);
    switches.get(2).answerBarrier();
    assertRules(0, 0, 0);
    assertEquals(List.of(1L, 2L, 3L), switches.takeWrites());
  }

  @Test
  void sweep_whereASwitchFails_goesOnWithTheNext() {
    labels.release(labels.acquire(PATH));
    switches.get(1).refuse();
    pass(30);
    labels.sweep();
    assertRules(1, 0, 0);
  }

  @Test
  void sweep_ofLabelInUse_neverRemovesIt() {
    LabelledPath labelled = labels.acquire(PATH);
    labels.acquire(PATH);
    labels.release(labelled);
    pass(10_000);
    labels.sweep();
    assertRules(1, 1, 1);
    assertSame(labelled, labels.acquire(PATH));
  }

  @Test
  void sweep_ofLabelThatIsUsedNowAndThen_countsFromItsLastUse() {
    for (int i = 0; i < 10; i++) {
      labels.release(labels.acquire(PATH));
      pass(29);
      labels.sweep();
      assertEquals(1, labels.all().size());
    }
    pass(1);
    labels.sweep();
    assertEquals(0, labels.all().size());
  }

  @Test
  void sweep_ofLabelThatIsNotReadyYet_waits() {
    switches.holdBarriers();
    labels.release(labels.acquire(PATH));
    pass(60);
    labels.sweep();
    assertEquals(1, labels.all().size());
  }

  @Test
  void keepReady_again_keepsTheLabelWithoutUses() {
    for (int i = 0; i < 5; i++) {
      labels.keepReady(PATH);
      pass(20);
      labels.sweep();
    }
    assertRules(1, 1, 1);
    assertEquals(0, labels.all().iterator().next().uses());
    labels.keepReady(WITHIN);
    assertEquals(1, labels.all().size());
  }

  @Test
  void id_ofRemovedLabel_restsForSixtySeconds() {
    LabelTable three =
        new LabelTable(ruleSender, clock::get, new LinkLoads(), () -> new LabelRange(1, 3), 0);
    LabelledPath first = three.acquire(path(1, 2));
    three.acquire(path(2, 1));
    three.acquire(path(2, 3));
    three.release(first);
    pass(30);
    three.sweep();
    pass(59);
    three.sweep();
    assertFailed(three.acquire(path(3, 2)));
    pass(1);
    three.sweep();
    assertEquals(first.label(), three.acquire(path(3, 2)).label());
  }

  @Test
  void id_ofFailedLabel_isUsedAgainAfterItsRest() {
    LabelTable one =
        new LabelTable(ruleSender, clock::get, new LinkLoads(), () -> new LabelRange(1, 1), 0);
    switches.disconnect(3);
    LabelledPath failed = one.acquire(PATH);
    one.release(failed);
    assertFailed(one.acquire(path(1, 2)));
    pass(60);
    one.sweep();
    assertEquals(failed.label(), one.acquire(path(1, 2)).label());
  }

  private final AtomicInteger askedToRepair = new AtomicInteger();

  /** Switches 1, 2, 3 in a row, and a link from 1 to 3 that is there when 2 has gone. */
  private List<LabelledPath> repairAround2() {
    return labels.repair(
        Topologies.of(3, new int[] {1, 3}),
        (src, dst) -> Optional.of(path(1, 3)),
        askedToRepair::incrementAndGet,
        any -> false);
  }

  private void repairOver2() {
    labels.repair(
        Topologies.of(3, new int[] {1, 2}, new int[] {2, 3}),
        (src, dst) -> Optional.of(PATH),
        askedToRepair::incrementAndGet,
        any -> false);
  }

  @Test
  void repair_ofLabelThatIsBeingMoved_waits() {
    LabelledPath labelled = labels.acquire(PATH);
    switches.holdBarriers();
    repairAround2();
    switches.takeWrites();

    repairOver2();
    assertEquals(List.of(), switches.takeWrites(), "would overtake what is under way");

    switches.get(1).answerBarrier();
    assertEquals(0, askedToRepair.get());
    switches.get(2).answerBarrier();
    assertEquals(path(1, 3), labelled.path());
    assertRules(1, 0, 1);
    assertEquals(1, askedToRepair.get(), "nobody has to wait for anything else");
  }

  @Test
  void repair_ofLabelThatIsBeingInstalled_isAskedForWhenThatIsDone() {
    switches.holdBarriers();
    labels.acquire(PATH);
    repairAround2();
    switches.get(3).answerBarrier();
    switches.get(2).answerBarrier();
    assertEquals(0, askedToRepair.get());
    switches.get(1).answerBarrier();
    assertEquals(1, askedToRepair.get());
  }

  @Test
  void repair_thatFailsAtOnce_isNotAskedForAgainBecauseOfAnotherLabel() {
    labels.acquire(path(1, 2));
    switches.holdBarriers();
    labels.acquire(PATH);
    switches.disconnect(1);
    switches.disconnect(2);
    for (int round = 0; round < 3; round++) {
      labels.repair(
          Topologies.of(3, new int[] {1, 3}),
          (src, dst) -> Optional.of(path(1, 2)),
          askedToRepair::incrementAndGet,
          any -> false);
      assertEquals(0, askedToRepair.get(), "would be repeated without end");
    }
    switches.get(3).answerBarrier();
    assertEquals(1, askedToRepair.get(), "switch 2 does not take the rule, so this has ended");
  }

  @Test
  void repair_ofLabelsAtRest_isNotAskedForAgain() {
    labels.acquire(PATH);
    repairAround2();
    repairOver2();
    assertEquals(0, askedToRepair.get());
  }

  @Test
  void acquire_whenASwitchHasNoRoom_failsThoughTheBarrierIsAnswered() {
    switches.holdBarriers();
    LabelledPath labelled = labels.acquire(PATH);
    switches.get(3).answerBarrier();
    labels.refused(labelled.label().id());
    for (long id : new long[] {2, 1, 1, 2, 3}) {
      switches.get(id).answerBarrier();
    }
    assertTrue(labelled.ready().isDone());
    assertFalse(labelled.isReady());
    assertRules(0, 0, 0);
  }

  @Test
  void repair_whenASwitchHasNoRoom_isDoneAgain() {
    LabelledPath labelled = labels.acquire(PATH);
    switches.holdBarriers();
    repairAround2();
    labels.refused(labelled.label().id());
    switches.get(1).answerBarrier();
    switches.get(2).answerBarrier();
    switches.takeWrites();

    repairAround2();
    assertEquals(List.of(3L), switches.takeWrites());
  }

  @Test
  void refusedRule_ofNoLabel_isNobodysBusiness() {
    labels.refused(1);
    assertEquals(1, labels.acquire(PATH).label().id());
    assertEquals(1, labels.all().size());
  }

  @Test
  void sweep_ofLabelThatIsBeingMoved_waits() {
    labels.release(labels.acquire(PATH));
    switches.holdBarriers();
    repairAround2();
    pass(30);

    labels.sweep();
    switches.get(1).answerBarrier();
    switches.get(2).answerBarrier();
    assertEquals(1, labels.all().size());

    labels.sweep();
    switches.get(1).answerBarrier();
    switches.get(3).answerBarrier();
    assertEquals(0, labels.all().size());
    assertRules(0, 0, 0);
  }

  @Test
  void restore_ofLabelThatIsBeingMoved_leavesItsRulesToTheMove() {
    LabelledPath labelled = labels.acquire(PATH);
    switches.holdBarriers();
    repairAround2();
    switches.takeWrites();

    labels.restore(labelled, DatapathId.of(1));
    assertEquals(List.of(), switches.takeWrites(), "nothing is confirmed yet");

    switches.get(1).failBarrier();
    switches.takeWrites();
    labels.restore(labelled, DatapathId.of(1));
    assertEquals(List.of(), switches.takeWrites(), "is to be moved again");
  }

  @Test
  void repair_thatASwitchDidNotConfirm_isDoneAgain() {
    LabelledPath labelled = labels.acquire(PATH);
    switches.holdBarriers();
    repairAround2();
    switches.get(1).failBarrier();
    assertRules(1, 1, 1);
    switches.takeWrites();

    repairAround2();
    switches.get(3).answerBarrier();
    switches.get(1).answerBarrier();
    switches.get(2).answerBarrier();
    assertEquals(List.of(3L, 1L, 2L), switches.takeWrites());
    assertRules(1, 0, 1);

    repairAround2();
    assertEquals(List.of(), switches.takeWrites(), "is settled now");
    assertEquals(path(1, 3), labelled.path());
  }

  @Test
  void sweep_ofLabelThatWasNotFullyMoved_removesAllItsRules() {
    labels.release(labels.acquire(PATH));
    switches.holdBarriers();
    repairAround2();
    switches.get(1).failBarrier();
    pass(30);

    labels.sweep();
    for (long id : new long[] {1, 3, 2}) {
      switches.get(id).answerBarrier();
    }
    assertRules(0, 0, 0);
  }

  @Test
  void rulesOf_switch_areThoseItHas() {
    labels.acquire(PATH);
    labels.acquire(path(3, 2, 1));
    labels.acquire(path(1, 2));
    labels.acquire(WITHIN);
    FakeSwitches fresh = new FakeSwitches(3, profile);
    RuleSender toFresh = fresh.ruleSender();
    for (int id = 1; id <= 3; id++) {
      assertTrue(toFresh.send(DatapathId.of(id), labels.rulesOf(DatapathId.of(id))));
      List<FakeRule> rules = labelRules(fresh, id);
      assertEquals(Map.of(1, 3, 2, 3, 3, 2).get(id), rules.size(), "rules of switch " + id);
      assertEquals(
          java.util.Set.copyOf(switches.get(id).table().rules()), java.util.Set.copyOf(rules));
    }
    assertEquals(List.of(), labels.rulesOf(DatapathId.of(99)));
  }

  @Test
  void acquireReleaseAndSweep_byEightThreads_neverGiveARetiredLabel() throws Exception {
    List<Path> paths = List.of(PATH, path(3, 2, 1), path(1, 2), path(2, 1), path(2, 3), WITHIN);
    Map<Integer, AtomicInteger> users = new ConcurrentHashMap<>();
    Together.run(
        8,
        thread -> {
          Random random = new Random(thread);
          for (int i = 0; i < 5_000; i++) {
            if (thread == 0) {
              pass(31);
              labels.sweep();
              continue;
            }
            Path path = paths.get(random.nextInt(paths.size()));
            LabelledPath labelled = labels.acquire(path);
            users
                .computeIfAbsent(labelled.label().id(), any -> new AtomicInteger())
                .incrementAndGet();
            assertEquals(path, labelled.path());
            assertTrue(labelled.uses() >= 1, "given a retired label");
            assertTrue(labels.all().contains(labelled), "in use, and yet gone from the table");
            labels.release(labelled);
          }
        });
    assertEquals(35_000, users.values().stream().mapToInt(AtomicInteger::get).sum());
    assertEquals(0, labels.all().stream().mapToInt(LabelledPath::uses).sum());
    pass(31);
    labels.sweep();
    assertEquals(0, labels.all().size());
    assertRules(0, 0, 0);
  }

  @Test
  void recoveredLabel_isSharedRepairedAndRemovedLikeAnyOther() {
    Label found = new Label(77);
    assertTrue(labels.reserve(found));
    LabelledPath recovered = labels.recover(found, PATH);
    assertEquals(List.of(), switches.takeWrites());
    assertTrue(recovered.isReady());

    assertSame(recovered, labels.acquire(PATH));
    assertTrue(labels.share(recovered));
    assertEquals(3, recovered.uses());
    for (int use = 0; use < 3; use++) {
      labels.release(recovered);
    }
    pass(31);
    labels.sweep();
    assertEquals(List.of(1L, 2L, 3L), switches.takeWrites());
    assertFalse(labels.share(recovered), "it is being removed");
  }

  @Test
  void acquire_whereAllLabelsAreInUse_fails_andChangesNothing() {
    LabelTable one =
        new LabelTable(ruleSender, clock::get, new LinkLoads(), () -> new LabelRange(1, 1), 0);
    LabelledPath first = one.acquire(path(1, 2));
    int before = rules(3);
    LabelledPath failed = one.acquire(PATH);
    assertFailed(failed);
    failed.countActive(1);
    failed.countActive(-1);
    one.release(failed);

    assertEquals(before, rules(3));
    assertEquals(List.of(first), List.copyOf(one.all()));
    one.keepReady(PATH);
    one.release(first);
    pass(30);
    one.sweep();
    pass(60);
    one.sweep();
    assertTrue(one.acquire(PATH).isReady(), "the label is free again");
  }

  @Test
  void exhaustedLabels_areToldOnceAMinute() {
    LabelTable one =
        new LabelTable(ruleSender, clock::get, new LinkLoads(), () -> new LabelRange(1, 1), 0);
    one.acquire(path(1, 2));
    try (LogLines log = LogLines.of(LabelTable.class)) {
      one.acquire(PATH);
      one.acquire(PATH);
      pass(59);
      one.acquire(PATH);
      assertEquals(1, log.lines().size());
      assertEquals("labels_exhausted labels=1", log.takeEvents().get(0));
      pass(1);
      one.acquire(PATH);
      assertEquals(List.of("labels_exhausted labels=1"), log.takeEvents());
    }
  }

  @Test
  void reservedLabel_isNotGivenOutUntilItHasRested() {
    LabelTable two =
        new LabelTable(ruleSender, clock::get, new LinkLoads(), () -> new LabelRange(1, 2), 1);
    Label found = new Label(2);
    assertTrue(two.reserve(found));
    assertFalse(two.reserve(found));
    assertEquals(new Label(1), two.acquire(PATH).label());
    assertFailed(two.acquire(path(1, 2)));

    two.discard(found, List.of(DatapathId.of(2)));
    pass(61);
    two.sweep();

    assertEquals(found, two.acquire(path(1, 2)).label());
  }

  @Test
  void discardedLabel_losesItsRules() {
    LabelTable earlier =
        new LabelTable(ruleSender, clock::get, new LinkLoads(), () -> LabelRange.ALL, 500);
    Label old = earlier.acquire(PATH).label();
    assertEquals(new Label(501), old);
    assertRules(1, 1, 1);

    labels.reserve(old);
    labels.discard(old, PATH.switches());

    assertRules(0, 0, 0);
  }

  @Test
  void restore_sendsARuleAgainWhereTheLabelLeads() {
    LabelledPath labelled = labels.acquire(path(1, 2));
    switches.connect(1);
    ruleSender.compiler().groups().ask(DatapathId.of(1));
    ruleSender.compiler().groups().read(DatapathId.of(1), Map.of());
    switches.takeWrites();

    labels.restore(labelled, DatapathId.of(1));
    labels.restore(labelled, DatapathId.of(3));

    assertRules(1, 1, 0);
    assertEquals(List.of(1L), switches.takeWrites());
  }

  @Test
  void slots_ofControllers_shareNoIdAndCoverAll() {
    int next = 1;
    for (int slot = 0; slot < LabelRange.SLOTS; slot++) {
      LabelRange range = LabelRange.ofSlot(slot);
      assertEquals(next, range.first());
      next = range.last() + 1;
    }
    assertEquals(Label.MAX_CONNECTION_ID + 1, next);
  }

  @Test
  void acquire_afterJoiningACluster_allocatesWithinTheSlot_andOtherIdsCanBeRecovered() {
    AtomicReference<LabelRange> range = new AtomicReference<>(LabelRange.ALL);
    LabelTable table =
        new LabelTable(ruleSender, clock::get, new LinkLoads(), range::get, 3 * 524_288 + 7);
    Label other = new Label(3 * 524_288 + 9);
    assertTrue(table.reserve(other));

    range.set(LabelRange.ofSlot(3));

    LabelRange own = LabelRange.ofSlot(3);
    assertEquals(own.first() + 7, table.acquire(PATH).label().id());
    assertEquals(own.first() + 8, table.acquire(path(3, 2, 1)).label().id());
    // the id of the recovered label is left out
    assertEquals(own.first() + 10, table.acquire(path(1, 2)).label().id());
    assertTrue(table.reserve(new Label(1)));
  }

  @Test
  void acquire_withAFullSlot_failsThoughOtherSlotsAreFree() {
    LabelTable table =
        new LabelTable(ruleSender, clock::get, new LinkLoads(), () -> new LabelRange(5, 6), 0);
    assertTrue(table.reserve(new Label(9)));
    assertEquals(5, table.acquire(PATH).label().id());
    assertEquals(6, table.acquire(path(3, 2, 1)).label().id());
    assertFailed(table.acquire(path(1, 2)));
  }
}
