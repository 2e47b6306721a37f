package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.testing.FakeFlowTable;
import io.malob.testing.FakeRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/** What an owner may rely on, whatever switches lose, delay or reject. */
class RuleBookTest {
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S2 = DatapathId.of(2);

  private final FakeSwitches switches = new FakeSwitches(2);
  private final List<String> refused = new ArrayList<>();
  private final int[] taken = new int[4];
  private final RuleBook<ToPort> book =
      new RuleBook<>(
          new RuleSender(switches),
          MoreExecutors.directExecutor(),
          (switchId, rule) -> refused.add(switchId.getLong() + ":" + rule.host));

  /** Packets to a host leave by a port. */
  private record ToPort(int host, int port) implements Rule {
    @Override
    public Object key() {
      return host;
    }

    @Override
    public List<OFMessage> add(OFFactory factory) {
      return List.of(
          of(factory.buildFlowAdd(), factory)
              .setInstructions(
                  List.of(
                      factory
                          .instructions()
                          .applyActions(List.of(SwitchRules.output(factory, OFPort.of(port))))))
              .build());
    }

    @Override
    public List<OFMessage> remove(OFFactory factory) {
      return List.of(of(factory.buildFlowDeleteStrict(), factory).build());
    }

    private OFFlowMod.Builder of(OFFlowMod.Builder rule, OFFactory factory) {
      return rule.setTableId(TableId.of(0))
          .setPriority(host)
          .setCookie(Cookie.of(CookieKind.ACCESS, 0))
          .setMatch(IpFamily.matchTo(factory, IPv4Address.of(host)).build());
    }
  }

  private static ImmutableMap<Object, ToPort> rules(ToPort... rules) {
    return RuleBook.byKey(List.of(rules));
  }

  private static ToPort rule(int host, int port) {
    return new ToPort(host, port);
  }

  /** The commands that a switch was sent since the last call, with their priorities. */
  private List<String> sent(long id) {
    List<OFMessage> messages = switches.get(id).messages();
    int before = taken[(int) id];
    taken[(int) id] = messages.size();
    return commands(messages.subList(before, messages.size()));
  }

  private static List<String> commands(List<OFMessage> messages) {
    return messages.stream()
        .map(
            each ->
                each instanceof OFFlowMod rule
                    ? rule.getCommand() + " " + rule.getPriority()
                    : each.getType().toString())
        .toList();
  }

  /** The hosts with rules. */
  private Set<Object> table(long id) {
    return switches.get(id).table().rules().stream()
        .map(FakeRule::priority)
        .collect(Collectors.toSet());
  }

  private List<OFFlowStatsEntry> tell(long id) {
    return switches
        .get(id)
        .table()
        .tell(
            FakeSwitches.FACTORY, Cookie.of(CookieKind.ACCESS, 0), CookieKind.ACCESS.all().mask());
  }

  private long lastTransaction(long id) {
    List<OFMessage> messages = switches.get(id).messages();
    return messages.get(messages.size() - 1).getXid();
  }

  @Test
  void rules_areSentInTheirOrder_andOnlyOnce() {
    book.set(S1, rules(rule(3, 1), rule(1, 1), rule(2, 1)));
    assertEquals(List.of("ADD 3", "ADD 1", "ADD 2"), sent(1));
    book.set(S1, rules(rule(3, 1), rule(1, 1), rule(2, 1)));
    assertEquals(List.of(), sent(1));
    assertEquals(List.of(), sent(2));
    assertEquals(ImmutableSet.of(S1), book.switches());
    assertEquals(ImmutableSet.of(), book.unsettled());
  }

  @Test
  void difference_isSent_andDeletionsAreLast() {
    book.set(S1, rules(rule(1, 1), rule(2, 1), rule(3, 1)));
    book.set(S2, rules(rule(1, 1), rule(2, 1), rule(3, 1)));
    sent(1);
    sent(2);
    ImmutableMap<Object, ToPort> next = rules(rule(2, 1), rule(3, 9), rule(4, 1));
    book.set(S1, next);
    assertEquals(List.of("ADD 3", "ADD 4", "DELETE_STRICT 1"), sent(1));
    book.set(S2, next);
    assertEquals(List.of("ADD 3", "ADD 4", "DELETE_STRICT 1"), sent(2));
    book.set(S1, rules());
    assertEquals(3, sent(1).size());
    assertEquals(Set.of(), table(1));
    assertEquals(ImmutableSet.of(S2), book.switches());
  }

  @Test
  void ofTwoRulesWithOneKey_aSwitchHasTheLater() {
    book.set(S1, rules(rule(1, 1), rule(1, 2)));
    assertEquals(List.of("ADD 1"), sent(1));
    assertEquals(rule(1, 2), book.rules(S1).get(1));
  }

  @Test
  void done_isCalledOnceTheSwitchHasConfirmed() {
    List<String> done = new ArrayList<>();
    switches.holdBarriers();
    book.set(S1, rules(rule(1, 1)), () -> done.add("first"));
    assertEquals(List.of(), done);
    switches.get(1).answerBarrier();
    assertEquals(List.of("first"), done);
    book.set(S1, rules(rule(1, 1)), () -> done.add("equal"));
    book.set(DatapathId.of(9), rules(rule(1, 1)), () -> done.add("away"));
    book.set(S1, rules(rule(2, 1)), () -> done.add("failed"));
    assertEquals(List.of("first", "equal", "away"), done);
    switches.get(1).failBarrier();
    assertEquals(List.of("first", "equal", "away", "failed"), done);
    assertEquals(ImmutableSet.of(S1, DatapathId.of(9)), book.unsettled());
  }

  @Test
  void sweep_followsABarrier() {
    book.setAll(
        S1,
        rules(rule(1, 1)),
        factory -> List.of(new MaskedCookie(U64.of(7), U64.NO_MASK).delete(factory)),
        () -> {});
    assertEquals(List.of("ADD 1", "BARRIER_REQUEST", "DELETE 0"), sent(1));
  }

  @Test
  void switchThatIsAway_getsAllWhenItIsThere() {
    DatapathId away = DatapathId.of(3);
    book.set(away, rules(rule(1, 1), rule(2, 1)));
    book.set(away, rules(rule(2, 1)));
    switches.connect(3);
    book.setAll(away, book.rules(away));
    assertEquals(List.of("ADD 2"), sent(3));
  }

  @Test
  void switchThatReturns_getsAll_andLosesWhatIsNotWantedAnyMore() {
    book.set(S1, rules(rule(1, 1), rule(2, 1)));
    FakeSwitches.FakeSwitch kept = switches.get(1);
    switches.disconnect(1);
    book.set(S1, rules(rule(2, 1)));
    switches.connect(1);
    book.setAll(S1, book.rules(S1));
    assertEquals(2, kept.messages().size());
    assertEquals(List.of("ADD 2", "DELETE_STRICT 1"), commands(switches.get(1).messages()));
  }

  @Test
  void switchThatIsForgotten_isAsIfItHadNeverBeenThere() {
    book.set(S1, rules(rule(1, 1)));
    book.forget(S1);
    assertEquals(ImmutableMap.of(), book.rules(S1));
    sent(1);
    book.set(S1, rules(rule(1, 1)));
    assertEquals(List.of("ADD 1"), sent(1));
  }

  @Test
  void lateFailure_doesNotConcernASwitchThatWasForgotten() {
    switches.holdBarriers();
    book.set(S1, rules(rule(1, 1)));
    book.forget(S1);
    switches.get(1).failBarrier();
    assertEquals(ImmutableSet.of(), book.unsettled());
    book.retry();
    assertEquals(1, sent(1).size());
  }

  @Test
  void whatASwitchDoesNotAccept_isSentByARetry_once() {
    book.set(S1, rules(rule(1, 1)));
    switches.get(1).refuse();
    book.set(S1, rules(rule(2, 1)));
    assertEquals(ImmutableSet.of(S1), book.unsettled());
    book.retry();
    switches.get(1).accept();
    book.retry();
    assertEquals(Set.of(2), table(1));
    sent(1);
    book.retry();
    assertEquals(List.of(), sent(1));
  }

  @Test
  void whatASwitchDoesNotConfirm_isSentAgain() {
    switches.holdBarriers();
    book.set(S1, rules(rule(1, 1)));
    switches.get(1).failBarrier();
    switches.get(1).table().clear();
    book.retry();
    assertEquals(Set.of(1), table(1));
    switches.get(1).answerBarrier();
    assertEquals(ImmutableSet.of(), book.unsettled());
  }

  @Test
  void whatIsDueForASwitchThatNeverAccepts_isBounded() {
    switches.get(1).refuse();
    int rules = RuleBook.MAX_STALE / 4;
    for (int round = 0; round < 10; round++) {
      int first = 1 + round * rules;
      book.set(
          S1,
          RuleBook.byKey(
              IntStream.range(first, first + rules).mapToObj(host -> rule(host, 1)).toList()));
    }
    book.set(S1, rules());
    switches.get(1).accept();
    book.retry();
    assertTrue(sent(1).size() <= RuleBook.MAX_STALE);
    assertEquals(ImmutableSet.of(), book.switches());
  }

  @Test
  void refusal_isReportedOnce_andOnlyOfWhatIsUnderWay() {
    switches.holdBarriers();
    book.set(S1, rules(rule(1, 1), rule(2, 1)));
    long transaction = lastTransaction(1);
    assertFalse(book.refused(S2, transaction), "of another switch");
    assertTrue(book.refused(S1, transaction));
    assertFalse(book.refused(S1, transaction), "twice");
    assertEquals(List.of("1:2"), refused);
    switches.get(1).answerBarrier();
    assertFalse(book.refused(S1, switches.get(1).messages().get(0).getXid()), "confirmed");
    assertEquals(List.of("1:2"), refused);
  }

  @Test
  void reading_restoresWhatIsMissing_andNamesWhatIsNotWanted() {
    book.set(S1, rules(rule(1, 1), rule(2, 1), rule(3, 1)));
    FakeFlowTable table = switches.get(1).table();
    table.apply(rule(2, 9).add(FakeSwitches.FACTORY).get(0));
    table.apply(rule(3, 1).remove(FakeSwitches.FACTORY).get(0));
    table.apply(rule(4, 1).add(FakeSwitches.FACTORY).get(0));
    sent(1);
    RuleBook<ToPort>.Reading reading = book.read(S1);
    List<Integer> unwanted =
        tell(1).stream()
            .filter(entry -> !reading.found(entry))
            .map(OFFlowStatsEntry::getPriority)
            .toList();
    assertEquals(List.of(4), unwanted);
    reading.complete();
    assertEquals(Set.of("ADD 2", "ADD 3"), Set.copyOf(sent(1)));
    RuleBook<ToPort>.Reading again = book.read(S1);
    tell(1).forEach(again::found);
    again.complete();
    assertEquals(List.of(), sent(1));
  }

  @Test
  void tables_converge_whateverSwitchesLoseAndDelay() {
    Random random = new Random(7);
    switches.holdBarriers();
    for (int step = 0; step < 2_000; step++) {
      FakeSwitches.FakeSwitch sw = switches.get(1);
      switch (random.nextInt(6)) {
        case 0 -> sw.refuse();
        case 1 -> sw.accept();
        case 2 -> {
          if (sw.openBarriers() > 0) {
            sw.answerBarrier();
          }
        }
        case 3 -> {
          if (sw.openBarriers() > 0) {
            sw.failBarrier();
          }
        }
        case 4 -> book.retry();
        default ->
            book.set(
                S1,
                RuleBook.byKey(
                    random
                        .ints(random.nextInt(4), 1, 8)
                        .mapToObj(host -> rule(host, 1 + random.nextInt(2)))
                        .toList()));
      }
    }
    FakeSwitches.FakeSwitch sw = switches.get(1);
    sw.accept();
    while (sw.openBarriers() > 0 || !book.unsettled().isEmpty()) {
      if (sw.openBarriers() > 0) {
        sw.answerBarrier();
      }
      book.retry();
    }
    assertEquals(book.rules(S1).keySet(), Set.copyOf(table(1)));
  }

  /** The switch reports what it has later than what it had. */
  @Test
  void rule_thatIsStatedWhileASwitchIsRead_isWanted() {
    book.set(S1, rules(rule(1, 1)));
    RuleBook<ToPort>.Reading reading = book.read(S1);
    book.set(S1, rules(rule(1, 1), rule(2, 1)));
    assertEquals(List.of(true, true), tell(1).stream().map(reading::found).toList());
    reading.complete();
    assertEquals(Set.of(1, 2), table(1));
  }
}
