package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.FuzzCorpus;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;

class ForwardedMessageTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  private static ByteBuffer written(OFMessage message) {
    ByteBuf out = Unpooled.buffer();
    message.writeTo(out);
    return out.nioBuffer();
  }

  @Test
  void message_isReadIfItHasAnExpectedType() {
    OFMessage barrier = FACTORY.barrierReply();
    assertEquals(
        barrier, ForwardedMessage.read(written(barrier), EnumSet.of(OFType.BARRIER_REPLY)));
    assertThrows(
        IllegalArgumentException.class,
        () -> ForwardedMessage.read(written(barrier), EnumSet.of(OFType.PACKET_IN)));
    assertThrows(
        IllegalArgumentException.class,
        () -> ForwardedMessage.read(ByteBuffer.allocate(0), EnumSet.allOf(OFType.class)));
  }

  @Test
  void damagedMessage_isReadOrRejected() throws Exception {
    Set<OFType> types = EnumSet.of(OFType.PACKET_IN, OFType.FLOW_REMOVED, OFType.ERROR);
    AtomicInteger read = new AtomicInteger();
    AtomicInteger rejected = new AtomicInteger();
    FuzzCorpus.run(
        "openflow.txt",
        5_000,
        bytes -> {
          try {
            assertTrue(
                types.contains(ForwardedMessage.read(ByteBuffer.wrap(bytes), types).getType()));
            read.incrementAndGet();
          } catch (IllegalArgumentException e) {
            rejected.incrementAndGet();
          }
        });
    assertTrue(read.get() > 10 && rejected.get() > 10, read + " read, " + rejected + " rejected");
  }
}
