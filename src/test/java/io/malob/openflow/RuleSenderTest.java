package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.testing.FakeFlowTable.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class RuleSenderTest {
  private static final byte[] FRAME = new byte[60];
  private static final OFMessage HELLO = FakeSwitches.FACTORY.buildEchoRequest().build();

  private final FakeSwitches switches = new FakeSwitches(3);
  private final RuleSender ruleSender = new RuleSender(switches);
  private final List<Boolean> done = new ArrayList<>();

  private static List<MessageBatch> batches(long... switchIds) {
    return java.util.Arrays.stream(switchIds)
        .mapToObj(id -> new MessageBatch(DatapathId.of(id), ImmutableList.of(HELLO)))
        .toList();
  }

  @Test
  void send_toConnectedSwitch_keepsOrder() {
    List<OFMessage> messages =
        Stream.of(1L, 2L, 3L)
            .<OFMessage>map(xid -> FakeSwitches.FACTORY.buildEchoRequest().setXid(xid).build())
            .toList();
    assertTrue(ruleSender.send(DatapathId.of(2), messages));
    assertEquals(messages, switches.get(2).messages());
    assertEquals(0, ruleSender.unsent());
  }

  @Test
  void send_toSwitchThatIsGoneOrFull_isCounted() {
    assertFalse(ruleSender.send(DatapathId.of(9), List.of(HELLO)));
    switches.get(1).refuse();
    assertFalse(ruleSender.send(DatapathId.of(1), List.of(HELLO)));
    assertEquals(2, ruleSender.unsent());
    assertEquals(List.of(), switches.get(1).messages());
  }

  @Test
  void sendFrame_toPorts_comesOutOfEachAsItIs() {
    ruleSender.sendFrame(DatapathId.of(1), List.of(OFPort.of(3), OFPort.of(5)), FRAME);
    List<Output> outputs = switches.get(1).table().apply(switches.get(1).messages().get(0));
    assertEquals(List.of(OFPort.of(3), OFPort.of(5)), outputs.stream().map(Output::port).toList());
    outputs.forEach(output -> assertArrayEquals(FRAME, output.frame()));
    assertEquals(1, switches.get(1).messages().size());
  }

  @Test
  void sendFrame_toSwitchThatIsFull_isCounted() {
    switches.get(1).refuse();
    ruleSender.sendFrame(DatapathId.of(1), List.of(OFPort.of(3)), FRAME);
    assertEquals(1, ruleSender.unsent());
  }

  @Test
  void sendInOrder_ofNothing_isDone() {
    ruleSender.sendInOrder(List.of(), done::add);
    assertEquals(List.of(true), done);
  }

  @Test
  void sendInOrder_waitsForEachBarrier() {
    switches.holdBarriers();
    ruleSender.sendInOrder(batches(3, 1, 2), done::add);
    assertEquals(List.of(3L), switches.takeWrites());
    switches.get(3).answerBarrier();
    assertEquals(List.of(1L), switches.takeWrites());
    switches.get(1).answerBarrier();
    assertEquals(List.of(2L), switches.takeWrites());
    assertEquals(List.of(), done);
    switches.get(2).answerBarrier();
    assertEquals(List.of(true), done);
  }

  @Test
  void sendInOrder_whereASwitchIsMissing_stopsThere() {
    ruleSender.sendInOrder(batches(1, 9, 2), done::add);
    assertEquals(List.of(1L), switches.takeWrites());
    assertEquals(List.of(false), done);
    assertEquals(1, ruleSender.unsent());
  }

  @Test
  void sendInOrder_whereASwitchDoesNotTakeIt_stopsThere() {
    switches.get(1).refuse();
    ruleSender.sendInOrder(batches(3, 1, 2), done::add);
    assertEquals(List.of(3L), switches.takeWrites());
    assertEquals(List.of(false), done);
    assertEquals(1, ruleSender.unsent());
  }

  @Test
  void sendInOrder_whereABarrierFails_stopsThere() {
    switches.holdBarriers();
    ruleSender.sendInOrder(batches(1, 2), done::add);
    switches.get(1).failBarrier();
    assertEquals(List.of(1L), switches.takeWrites());
    assertEquals(List.of(false), done);
  }
}
