package io.malob.controller.bond;

import static io.malob.controller.bond.LacpMessage.ACTIVE;
import static io.malob.controller.bond.LacpMessage.AGGREGATABLE;
import static io.malob.controller.bond.LacpMessage.COLLECTING;
import static io.malob.controller.bond.LacpMessage.DISTRIBUTING;
import static io.malob.controller.bond.LacpMessage.IN_SYNC;
import static io.malob.controller.bond.LacpMessage.SHORT_TIMEOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.controller.bond.LacpMessage.End;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** The answers that let a host use its ports (IEEE 802.1AX, 6.4). */
class LacpPartnerTest {
  private static final MacAddress HOST = MacAddress.of("02:00:00:00:00:61");
  private static final MacAddress OTHER_HOST = MacAddress.of("02:00:00:00:00:62");
  private static final MacAddress SYSTEM = MacAddress.of("0e:00:00:00:00:01");
  private static final OFPort FIRST = OFPort.of(3);
  private static final OFPort SECOND = OFPort.of(4);
  private static final End UNKNOWN = new End(0, MacAddress.NONE, 0, 0, 0, 0);

  private final LacpPartner partner =
      new LacpPartner(SYSTEM, new Bond(DatapathId.of(1), ImmutableList.of(FIRST, SECOND), true));
  private long nanos;

  private static End host(MacAddress system, int port, int state) {
    return new End(0xffff, system, 9, 0xff, port, ACTIVE | AGGREGATABLE | state);
  }

  private End answer(OFPort port, End host) {
    LacpMessage answer = partner.answer(port, new LacpMessage(host, UNKNOWN), nanos);
    assertEquals(host, answer.partner(), "the host finds itself in the answer");
    return answer.actor();
  }

  @Test
  void hostIsAnswered_inSync() {
    End first = answer(FIRST, host(HOST, 1, 0));
    assertEquals(ACTIVE | AGGREGATABLE | IN_SYNC | COLLECTING, first.state());
    End second = answer(SECOND, host(HOST, 2, IN_SYNC));
    assertTrue(second.has(DISTRIBUTING));
    assertTrue(first.isSameAggregator(second), "both ports are one");
    assertEquals(List.of(3, 4), List.of(first.port(), second.port()));
  }

  @Test
  void periodIsThatOfTheHost() {
    assertTrue(answer(FIRST, host(HOST, 1, SHORT_TIMEOUT)).has(SHORT_TIMEOUT));
    assertFalse(answer(FIRST, host(HOST, 1, 0)).has(SHORT_TIMEOUT));
  }

  @Test
  void anotherHostAtTheSecondPort_isKeptOut_untilTheFirstIsGone() {
    answer(FIRST, host(HOST, 1, IN_SYNC));
    assertFalse(answer(SECOND, host(OTHER_HOST, 1, IN_SYNC)).has(IN_SYNC));
    assertEquals(List.of(FIRST), partner.receiving(List.of(FIRST, SECOND)));
    nanos += TimeUnit.SECONDS.toNanos(91);
    assertTrue(answer(SECOND, host(OTHER_HOST, 1, IN_SYNC)).has(IN_SYNC));
    assertEquals(List.of(SECOND), partner.receiving(List.of(FIRST, SECOND)));
  }

  @Test
  void anotherHost_takesTheBond_whenThePortOfTheFirstGoesDown() {
    answer(FIRST, host(HOST, 1, IN_SYNC));
    partner.down(FIRST);
    assertTrue(answer(SECOND, host(OTHER_HOST, 1, IN_SYNC)).has(IN_SYNC));
  }

  @Test
  void portsOutOfSync_getNoFrames_ifAnotherIsInSync() {
    assertEquals(List.of(FIRST, SECOND), partner.receiving(List.of(FIRST, SECOND)));
    answer(FIRST, host(HOST, 1, 0));
    assertEquals(List.of(FIRST, SECOND), partner.receiving(List.of(FIRST, SECOND)));
    answer(SECOND, host(HOST, 2, IN_SYNC));
    assertEquals(List.of(SECOND), partner.receiving(List.of(FIRST, SECOND)));
  }

  @Test
  void messages_areWrittenAsTheyAreRead() {
    LacpMessage message =
        new LacpMessage(host(HOST, 1, IN_SYNC), new End(1, SYSTEM, 2, 3, 4, 0xff));
    byte[] frame = message.frame(SYSTEM);
    assertEquals(124, frame.length);
    assertEquals(Optional.of(message), LacpMessage.read(frame));
    for (int length = 0; length < 53; length++) {
      assertEquals(Optional.empty(), LacpMessage.read(Arrays.copyOf(frame, length)));
    }
    frame[14] = 2; // the marker protocol
    assertEquals(Optional.empty(), LacpMessage.read(frame));
    assertTrue(LacpMessage.isSlowProtocol(frame));
  }
}
