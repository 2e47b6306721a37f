package io.malob.capability;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.SettableFuture;
import io.malob.testing.Stub;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFTableStatsEntry;
import org.projectfloodlight.openflow.protocol.OFTableStatsReply;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/** Asking switches how many rules they have, on a clock of the test's own. */
class RulePollingTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S2 = DatapathId.of(2);

  private final AtomicLong nanoTime = new AtomicLong();
  private final Set<DatapathId> known = new TreeSet<>();
  private final Map<DatapathId, IOFSwitch> active = new TreeMap<>();

  /** What was asked and not answered yet, in order. */
  private final List<SettableFuture<List<OFTableStatsReply>>> questions = new ArrayList<>();

  /** What was answered last. */
  private final Map<DatapathId, ImmutableMap<Integer, Long>> counts = new TreeMap<>();

  private final RulePolling polling =
      new RulePolling(
          Stub.of(IOFSwitchService.class)
              .on("getAllSwitchDpids", with -> known)
              .on("getActiveSwitch", with -> active.get((DatapathId) with[0]))
              .make(),
          nanoTime::get,
          counts::put);

  @SuppressWarnings("FutureReturnValueIgnored") // it is the stub's answer
  private void connect(DatapathId id) {
    known.add(id);
    active.put(
        id,
        Stub.of(IOFSwitch.class)
            .on("getId", with -> id)
            .on("getOFFactory", with -> FACTORY)
            .on("writeStatsRequest", with -> question())
            .make());
  }

  private SettableFuture<List<OFTableStatsReply>> question() {
    SettableFuture<List<OFTableStatsReply>> question = SettableFuture.create();
    questions.add(question);
    return question;
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(1));
      polling.tick();
    }
  }

  private static OFTableStatsReply answer(long... rules) {
    OFTableStatsReply.Builder reply = FACTORY.buildTableStatsReply();
    List<OFTableStatsEntry> entries = new ArrayList<>();
    for (int table = 0; table < rules.length; table++) {
      entries.add(
          FACTORY
              .buildTableStatsEntry()
              .setTableId(TableId.of(table))
              .setActiveCount(rules[table])
              .setLookupCount(U64.ZERO)
              .setMatchedCount(U64.ZERO)
              .build());
    }
    return reply.setEntries(entries).build();
  }

  @Test
  void counts_areOfTablesThatHaveRules_overAllPartsOfTheAnswer() {
    connect(S1);
    pass(10);
    questions.get(0).set(List.of(answer(7, 0, 3), FACTORY.buildTableStatsReply().build()));

    assertEquals(Map.of(S1, ImmutableMap.of(0, 7L, 2, 3L)), counts);
  }

  @Test
  void switches_areAskedEveryTenSeconds() {
    connect(S1);
    connect(S2);
    for (int round = 1; round <= 12; round++) {
      pass(10);
      assertEquals(2 * round, questions.size());
      questions.forEach(question -> question.set(List.of(answer(1))));
    }
  }

  @Test
  void switches_areAskedOneAfterTheOther() {
    for (int id = 1; id <= 10; id++) {
      connect(DatapathId.of(id));
    }
    for (int second = 1; second <= 10; second++) {
      pass(1);
      assertEquals(second, questions.size());
    }
  }

  @Test
  void switchOfAnotherMaster_isNotAsked() {
    connect(S1);
    known.add(S2);
    pass(10);
    assertEquals(1, questions.size());
  }

  @Test
  void switchThatOwesAnAnswer_isNotAskedAgainForHalfAMinute() {
    connect(S1);
    pass(10);
    assertEquals(1, questions.size());
    pass(20);
    assertEquals(1, questions.size());
    pass(20);
    assertEquals(2, questions.size());
  }

  @Test
  void switchThatReturns_isAskedAtItsNextTurn_andItsEarlierAnswerIsIgnored() {
    connect(S1);
    pass(10);
    connect(S1);
    pass(10);
    assertEquals(2, questions.size());
    questions.get(0).set(List.of(answer(1)));
    assertEquals(Map.of(), counts);
    questions.get(1).set(List.of(answer(2)));
    assertEquals(Map.of(S1, ImmutableMap.of(0, 2L)), counts);
  }

  @Test
  void switchThatRefuses_isAskedAgainAfterAWhile() {
    connect(S1);
    pass(10);
    questions.get(0).setException(new IllegalStateException("no"));
    pass(40);
    assertEquals(2, questions.size());
  }
}
