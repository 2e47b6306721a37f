package io.malob.mptcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.LabelGroups;
import io.malob.openflow.RuleCompiler;
import io.malob.openflow.RuleSender;
import io.malob.openflow.TableLayout;
import io.malob.openflow.label.Label;
import io.malob.openflow.subflow.SubflowRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** The three steps of a change, and what becomes of switches that do not follow. */
@ParameterizedClass
@ValueSource(strings = {"10.0.0.1", "fd00::1"})
class RuleInstallerTest {
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S2 = DatapathId.of(2);

  private static final Label LABEL = new Label(Label.MAX_CONNECTION_ID + 1);
  private static final Label OTHER = new Label(Label.MAX_CONNECTION_ID + 2);

  private static final SubflowRule CARRY = new SubflowRule.Carry(LABEL, Optional.of(OFPort.of(1)));
  private static final SubflowRule CARRY_OTHER =
      new SubflowRule.Carry(OTHER, Optional.of(OFPort.of(2)));

  private final SubflowRule divert;
  private final SubflowRule deliver;
  private final FakeSwitches switches = new FakeSwitches(2);
  private final List<Runnable> later = new ArrayList<>();
  private final List<String> done = new ArrayList<>();
  private int nextEpoch = 1;
  private @Nullable TableLayout layout = TableLayout.FOUR_TABLES;
  private final RuleInstaller installer =
      new RuleInstaller(
          new RuleSender(switches),
          MoreExecutors.directExecutor(),
          later::add,
          bound -> nextEpoch++,
          new RuleCompiler(any -> layout, new LabelGroups()));

  RuleInstallerTest(String host) {
    IPAddress<?> address = IPAddress.of(host);
    divert = new SubflowRule.Divert(LABEL, address, OTHER, OFPort.of(2));
    deliver = new SubflowRule.Deliver(0, false, address, MacAddress.of(1), OFPort.of(7));
  }

  @BeforeEach
  void connect() {
    installer.switchActive(S1);
    installer.switchActive(S2);
    switches.takeWrites();
  }

  private void install(String name, ImmutableSetMultimap<DatapathId, SubflowRule> rules) {
    installer.install(rules, () -> done.add(name));
  }

  private int rules(long id) {
    return switches.get(id).table().rules().size();
  }

  private void answer(long id) {
    switches.get(id).answerBarrier();
  }

  private void runLater() {
    List.copyOf(later).forEach(Runnable::run);
    later.clear();
  }

  @Test
  void whatLeadsPackets_isSentWhenAllSwitchesHaveConfirmedWhatItLeadsTo() {
    switches.holdBarriers();
    install("plan", ImmutableSetMultimap.of(S1, CARRY, S1, divert, S2, CARRY));
    assertEquals(1, rules(1));
    assertEquals(1, rules(2));
    answer(1);
    assertEquals(1, rules(1), "switch 2 has not confirmed");
    answer(2);
    assertEquals(2, rules(1));
    assertEquals(List.of(), done);
    answer(1);
    assertEquals(List.of("plan"), done);
    assertTrue(installer.isAtRest(S1));
  }

  @Test
  void whatLedPackets_goesAtOnce_andWhatItLedToLater() {
    install("plan", ImmutableSetMultimap.of(S1, CARRY, S1, divert, S2, CARRY));
    runLater();
    install("none", ImmutableSetMultimap.of());
    assertEquals(1, rules(1), "packets under way may need it");
    assertEquals(1, rules(2));
    runLater();
    assertEquals(0, rules(1));
    assertEquals(0, rules(2));
    assertEquals(0, installer.expected(S1));
  }

  @Test
  void rulesInUse_stayUntilTheNextChangeIsConfirmed_whateverTheOneBeforeRemovesMeanwhile() {
    install("plan", ImmutableSetMultimap.of(S1, CARRY, S1, divert));
    switches.holdBarriers();
    install("none", ImmutableSetMultimap.of(S1, CARRY_OTHER));
    runLater();
    assertEquals(3, rules(1), "packets still follow the first plan");
    answer(1);
    answer(1);
    assertEquals(List.of("plan", "none"), done);
    assertEquals(2, rules(1), "packets under way may need it");
    runLater();
    assertEquals(1, rules(1));
  }

  @Test
  void ruleThatIsNeededAgain_isRemovedAfterTheTimeOfTheLastChangeThatNeedsIt() {
    install("plan", ImmutableSetMultimap.of(S1, CARRY));
    install("other", ImmutableSetMultimap.of(S1, CARRY_OTHER));
    List<Runnable> ofOther = List.copyOf(later);
    later.clear();
    install("plan", ImmutableSetMultimap.of(S1, CARRY));
    install("none", ImmutableSetMultimap.of());
    ofOther.forEach(Runnable::run);
    assertEquals(2, rules(1), "packets of the last plan may be under way");
    runLater();
    assertEquals(0, rules(1));
  }

  @Test
  void earlierRules_areRemovedInTime_alsoWhileChangesFollowEachOther() {
    install("plan", ImmutableSetMultimap.of(S1, CARRY));
    install("none", ImmutableSetMultimap.of());
    switches.holdBarriers();
    install("other", ImmutableSetMultimap.of(S1, CARRY_OTHER));
    runLater();
    assertEquals(1, rules(1), "only what is being added");
  }

  @Test
  void change_isDoneWhenSwitchesHaveConfirmedThatNothingLeadsTheOldWay() {
    install("plan", ImmutableSetMultimap.of(S1, CARRY, S1, divert));
    switches.holdBarriers();
    install("none", ImmutableSetMultimap.of());
    assertEquals(List.of("plan"), done, "the switch may still lead by it");
    answer(1);
    assertEquals(List.of("plan", "none"), done);
  }

  @Test
  void condition_knowsOfASwitchThatDoesNotConfirmBeforeTheChangeIsDone() {
    List<ImmutableSet<DatapathId>> missing = new ArrayList<>();
    switches.holdBarriers();
    installer.install(
        ImmutableSetMultimap.of(S1, CARRY), () -> missing.add(installer.condition().missing()));
    switches.get(1).failBarrier();
    assertEquals(List.of(ImmutableSet.of(S1)), missing);
  }

  @Test
  void deliveryToAHostThatIsElsewhereNow_goesAtOnce() {
    install("here", ImmutableSetMultimap.of(S1, deliver));
    install("there", ImmutableSetMultimap.of(S2, deliver));
    assertEquals(0, rules(1));
    assertEquals(1, rules(2));
  }

  @Test
  void changesThatComeMeanwhile_waitAndOnlyTheLatestIsMade() {
    switches.holdBarriers();
    install("first", ImmutableSetMultimap.of(S1, CARRY));
    install("skipped", ImmutableSetMultimap.of(S2, CARRY));
    install("last", ImmutableSetMultimap.of(S1, CARRY_OTHER));
    assertEquals(List.of(1L), switches.takeWrites());
    answer(1);
    assertEquals(List.of("first"), done);
    answer(1);
    assertEquals(List.of("first", "skipped", "last"), done);
    runLater();
    assertEquals(1, rules(1));
    assertEquals(0, rules(2), "the change between was never made");
  }

  @Test
  void switchThatDoesNotConfirm_isMissing_andGetsAllRulesAgain() {
    switches.holdBarriers();
    install("plan", ImmutableSetMultimap.of(S1, CARRY));
    switches.get(1).failBarrier();
    assertEquals(List.of("plan"), done, "others do not wait for it for ever");
    assertEquals(ImmutableSet.of(S1), installer.condition().missing());
    switches.get(1).table().clear();
    installer.retry();
    assertEquals(1, rules(1));
    answer(1);
    assertEquals(ImmutableSet.of(), installer.condition().missing());
    assertTrue(installer.isAtRest(S1));
  }

  @Test
  void switchThatHasGone_isMissing_andGetsExactlyItsRulesWhenItIsBack() {
    install("plan", ImmutableSetMultimap.of(S1, CARRY, S1, divert));
    installer.switchGone(S1);
    assertEquals(ImmutableSet.of(S1), installer.condition().missing());
    assertEquals(0, installer.expected(S1));
    install("next", ImmutableSetMultimap.of(S1, CARRY_OTHER));
    assertEquals(List.of("plan", "next"), done);
    installer.switchActive(S1);
    assertEquals(1, rules(1), "what it had before is taken away");
    assertEquals(1, installer.expected(S1));
    assertEquals(ImmutableSet.of(), installer.condition().missing());
  }

  @Test
  void refusal_countsForMessagesUnderWayOnly() {
    switches.holdBarriers();
    install("plan", ImmutableSetMultimap.of(S1, CARRY));
    int last = switches.get(1).messages().size() - 1;
    long transaction = switches.get(1).messages().get(last).getXid();
    assertFalse(installer.refused(S2, transaction), "of another switch");
    assertFalse(installer.refused(S1, transaction + 1_000));
    assertTrue(installer.refused(S1, transaction));
    assertEquals(ImmutableSet.of(S1), installer.condition().refusing());
    answer(1);
    assertFalse(installer.refused(S1, transaction), "confirmed");
    assertEquals(ImmutableSet.of(S1), installer.condition().refusing());
  }

  @Test
  void switchOfUnknownLayout_isMissing_andGetsItsRulesOnceItIsKnown() {
    installer.switchGone(S1);
    layout = null;
    installer.switchActive(S1);
    install("plan", ImmutableSetMultimap.of(S1, CARRY));
    assertEquals(List.of(), switches.takeWrites());
    assertEquals(ImmutableSet.of(S1), installer.condition().missing());
    layout = TableLayout.ONE_TABLE;
    installer.retry();
    assertEquals(ImmutableSet.of(), installer.condition().missing());
    assertEquals(FlowLayout.CLASSIFY, switches.get(1).table().rules().get(0).table());
  }

  @Test
  void oneTable_whatLedPacketsToAHostOfTheSwitch_goesAtOnce() {
    layout = TableLayout.ONE_TABLE;
    installer.switchActive(S1);
    IPAddress<?> host = ((SubflowRule.Deliver) deliver).address();
    SubflowRule classify = new SubflowRule.Classify(0, 0, host, host.withMaskOfLength(24), LABEL);
    install("plan", ImmutableSetMultimap.of(S1, CARRY, S1, deliver, S1, classify));
    assertEquals(4, rules(1));
    install("none", ImmutableSetMultimap.of());
    assertEquals(2, rules(1), "those for packets with a label");
    runLater();
    assertEquals(0, rules(1));
  }

  @Test
  void doubtfulSwitch_isToldEverythingAgain_unlessItIsNotThere() {
    install("plan", ImmutableSetMultimap.of(S1, CARRY));
    switches.takeWrites();
    installer.doubt(S1);
    installer.doubt(DatapathId.of(9));
    installer.retry();
    assertEquals(List.of(1L), switches.takeWrites());
    installer.retry();
    assertEquals(List.of(), switches.takeWrites());
  }
}
