package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.module.IPacketInQueueService;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;

class FairQueueTest {
  private static final int A = 1;
  private static final int B = 2;

  /** Room for four packet-ins of ten bytes. */
  private static final int MAX_BYTES = 4 * (10 + 256);

  private final PacketInQueues counts = new PacketInQueues();
  private final List<String> told = new ArrayList<>();
  private final FairQueue queue =
      new FairQueue(
          MAX_BYTES,
          new FairQueue.Drops() {
            @Override
            public LongAdder countOf(int classNumber) {
              return counts.droppedOf(classNumber);
            }

            @Override
            public void dropped(int classNumber, OFPacketIn one, int count) {
              told.add(classNumber + " " + count + " " + nameOf(one));
            }
          });

  @Test
  void poll_ofTwoClasses_takesTurns() {
    add(A, "a1", "a2", "a3");
    add(B, "b1");

    assertEquals(List.of("a1", "b1", "a2", "a3"), all());
    assertTrue(queue.isEmpty());
  }

  @Test
  void poll_ofWhatGoesFirst_takesOneBeforeTheRest_andTheOthersInTurn() {
    add(A, "a1", "a2");
    add(IPacketInQueueService.FIRST, "f1", "f2");

    assertEquals(List.of("f1", "a1", "f2", "a2"), all());
  }

  @Test
  void add_whereTheOwnLineIsTheLongest_dropsWhatComes() {
    add(A, "a1", "a2", "a3", "a4", "a5");

    assertEquals(List.of("a1", "a2", "a3", "a4"), all());
    assertEquals(Map.of(A, 1L), counts.dropped());
  }

  @Test
  void add_whereAnotherLineIsLonger_dropsTheLastOfThatOne() {
    add(A, "a1", "a2", "a3", "a4");
    add(B, "b1", "b2");

    assertEquals(List.of("a1", "b1", "a2", "b2"), all());
    assertEquals(2, counts.dropped().get(A));
    assertEquals(0, counts.dropped().get(B));
  }

  @Test
  void add_ofOneThatNeedsAllRoom_emptiesOtherLines() {
    add(A, "a1");
    add(B, "b1");
    queue.add(B, packetIn("large", MAX_BYTES - 256));

    assertEquals(List.of("b1"), all().stream().filter(name -> !name.equals("a1")).toList());
    add(A, "a2");
    assertEquals(List.of("a2"), all());
  }

  @Test
  void drops_areToldFewDozenTogether() {
    add(A, "a1", "a2", "a3", "a4");
    for (int i = 1; i < 2 * FairQueue.COUNTED_TOGETHER; i++) {
      add(A, "d" + i);
    }

    assertEquals(List.of(A + " 64 d64"), told);
  }

  @Test
  void poll_afterALongLineWasLeft_takesLaterOnesInTurn() {
    add(A, "a1", "a2");
    assertEquals(List.of("a1", "a2"), all());
    add(B, "b1");
    add(A, "a3");

    assertEquals(List.of("b1", "a3"), all());
    assertNull(queue.poll());
  }

  private void add(int classNumber, String... names) {
    for (String name : names) {
      queue.add(classNumber, packetIn(name, 10));
    }
  }

  private List<String> all() {
    List<String> names = new ArrayList<>();
    @Nullable OFPacketIn next;
    while ((next = queue.poll()) != null) {
      names.add(nameOf(next));
    }
    return names;
  }

  private static String nameOf(OFPacketIn packetIn) {
    return new String(packetIn.getData(), StandardCharsets.US_ASCII).trim();
  }

  private static OFPacketIn packetIn(String name, int bytes) {
    byte[] data = new byte[bytes];
    byte[] text = name.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(text, 0, data, 0, text.length);
    return OFFactories.getFactory(OFVersion.OF_13)
        .buildPacketIn()
        .setReason(OFPacketInReason.NO_MATCH)
        .setData(data)
        .build();
  }
}
