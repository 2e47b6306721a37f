package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.module.DuplicateSwitch;
import io.malob.testing.LogLines;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

/** Which of several connections serves a datapath id. */
class DatapathClaimsTest {
  private static final DatapathId ID = DatapathId.of(7);

  private final LogLines log = LogLines.of(DatapathClaims.class);
  private final List<String> events = new ArrayList<>();
  private long nanos = 5;
  private final DatapathClaims claims = new DatapathClaims(() -> nanos);

  @AfterEach
  void close() {
    log.close();
  }

  private final class Connection implements DatapathClaims.Claimant {
    final String peer;
    Consumer<Boolean> told;

    Connection(String peer) {
      this.peer = peer;
    }

    @Override
    public String peer() {
      return peer;
    }

    @Override
    public void ask(int millis, Consumer<Boolean> answered) {
      events.add("ask " + peer);
      told = answered;
    }

    @Override
    public void serve() {
      events.add("serve " + peer);
    }

    @Override
    public void refuse() {
      events.add("refuse " + peer);
    }

    @Override
    public void close() {
      events.add("close " + peer);
    }
  }

  private final Connection older = new Connection("a");
  private final Connection newer = new Connection("b");

  private List<String> events() {
    List<String> since = List.copyOf(events);
    events.clear();
    return since;
  }

  private static DuplicateSwitch duplicate(String served, String refused) {
    return new DuplicateSwitch(ID, served, refused);
  }

  @Test
  void olderThatAnswers_isServed_andTheNewerRefused_eachTime() {
    claims.claim(ID, older);
    for (int i = 0; i < 3; i++) {
      Connection again = new Connection("b" + i);
      claims.claim(ID, again);
      older.told.accept(true);
      claims.release(ID, again);
    }
    assertEquals(
        List.of("serve a", "ask a", "refuse b0", "ask a", "refuse b1", "ask a", "refuse b2"),
        events());
    assertEquals(List.of(duplicate("a", "b2")), claims.duplicates());
    assertEquals(
        List.of(
            "switch_duplicate switch=00:00:00:00:00:00:00:07 served=\"a\" refused=\"b0\" - both"
                + " have this datapath id"),
        log.lines());
  }

  @Test
  void olderThatDoesNotAnswer_isReplaced() {
    claims.claim(ID, older);
    claims.claim(ID, newer);
    assertEquals(List.of("serve a", "ask a"), events());
    older.told.accept(false);
    assertEquals(List.of("close a", "serve b"), events());
    claims.release(ID, older);
    assertEquals(List.of(), claims.duplicates());
    assertEquals(1, log.lines().size(), log.lines()::toString);

    claims.claim(ID, new Connection("c"));
    assertEquals(List.of("ask b"), events());
  }

  @Test
  void olderThatDisconnectsMeanwhile_isReplacedAtOnce_andItsAnswerIsTooLate() {
    claims.claim(ID, older);
    claims.claim(ID, newer);
    claims.release(ID, older);
    assertEquals(List.of("serve a", "ask a", "serve b"), events());
    older.told.accept(true);
    assertEquals(List.of(), events());
    assertEquals(List.of(), log.lines());
  }

  @Test
  void newerThatDisconnectsMeanwhile_isForgotten() {
    claims.claim(ID, older);
    claims.claim(ID, newer);
    claims.release(ID, newer);
    older.told.accept(false);
    assertEquals(List.of("serve a", "ask a"), events());
    claims.claim(ID, new Connection("c"));
    assertEquals(List.of("ask a"), events());
  }

  @Test
  void thirdConnection_isRefusedWhileTheFirstIsAsked() {
    claims.claim(ID, older);
    claims.claim(ID, newer);
    claims.claim(ID, new Connection("c"));
    assertEquals(List.of("serve a", "ask a", "refuse c"), events());
  }

  @Test
  void duplicate_isForgotten_withItsServedSwitchOrAfterTwoMinutesWithoutAttempts() {
    claims.claim(ID, older);
    claims.claim(ID, newer);
    older.told.accept(true);
    nanos += TimeUnit.SECONDS.toNanos(DatapathClaims.REMEMBERED_SECONDS) - 1;
    assertEquals(List.of(duplicate("a", "b")), claims.duplicates());
    nanos++;
    assertEquals(List.of(), claims.duplicates());

    claims.claim(ID, newer);
    older.told.accept(true);
    assertEquals(2, log.lines().size());
    claims.release(ID, older);
    assertEquals(List.of(), claims.duplicates());
  }

  @Test
  void otherDatapathIds_areServed() {
    claims.claim(ID, older);
    claims.claim(DatapathId.of(8), newer);
    assertEquals(List.of("serve a", "serve b"), events());
  }
}
