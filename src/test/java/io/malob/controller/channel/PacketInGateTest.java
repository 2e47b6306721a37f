package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;

class PacketInGateTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final int WANTED = 1;
  private static final int STORM = 2;
  private static final int FRAME_BYTES = 256;
  private static final int ROOM = PacketInGate.MAX_BYTES / (2 * FRAME_BYTES);

  private final PacketInQueues queues = new PacketInQueues();
  private final List<String> handled = new ArrayList<>();
  private final EmbeddedChannel channel =
      new EmbeddedChannel(
          new PacketInGate(queues, () -> 0),
          new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
              handled.add(nameOf((OFMessage) message));
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext ctx) {
              handled.add("flush");
              ctx.fireChannelReadComplete();
            }
          });

  PacketInGateTest() {
    channel.freezeTime(); // a timer of no time at all is due at once then
    queues.setClassifier(packetIn -> packetIn.getData()[0]);
  }

  @Test
  void packetIn_aloneInItsRead_isHandledInIt() {
    read(packetIn(WANTED));

    assertEquals(List.of("wanted", "flush"), handled);
  }

  @Test
  void packetIn_behindAStorm_isHandledAmongTheFirst() {
    read(stormThen(ROOM, packetIn(WANTED)));

    assertTrue(handled.indexOf("wanted") <= 1, handled.subList(0, 3).toString());
    assertEquals(ROOM - 1, count("storm"), "all that there was room for");
  }

  @Test
  void packetInsOfAStorm_beyondTheRoom_areDroppedAndCounted() {
    read(stormThen(10 * ROOM, packetIn(WANTED)));

    assertEquals(ROOM - 1, count("storm"));
    assertEquals(9L * ROOM + 1, queues.dropped().get(STORM));
    assertEquals(1, count("wanted"));
  }

  @Test
  void otherMessages_behindAStorm_areHandledBeforeIt() {
    read(stormThen(ROOM, FACTORY.barrierReply()));

    assertEquals(OFType.BARRIER_REPLY.name(), handled.get(0));
  }

  @Test
  void storm_isHandledInParts_betweenWhichOtherSwitchesAreRead() {
    read(stormThen(3 * PacketInGate.AT_A_TIME, packetIn(STORM)));

    assertEquals(PacketInGate.AT_A_TIME, handled.indexOf("flush"));
    assertEquals(4, count("flush"));
    assertEquals(3 * PacketInGate.AT_A_TIME + 1, count("storm"));
  }

  @Test
  void channelThatCloses_handsNothingOnAnyMore() {
    channel.pipeline().addLast(new Closer());
    read(stormThen(3 * PacketInGate.AT_A_TIME, packetIn(STORM)));

    assertEquals(PacketInGate.AT_A_TIME, count("storm"));
  }

  /** Closes the connection when the first part has been handed on. */
  private static final class Closer extends ChannelInboundHandlerAdapter {
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      var unused = ctx.close();
    }
  }

  private void read(OFMessage... messages) {
    for (OFMessage message : messages) {
      var unused = channel.writeOneInbound(message);
    }
    channel.flushInbound();
    channel.runPendingTasks();
  }

  private static OFMessage[] stormThen(int packets, OFMessage last) {
    OFMessage[] messages = new OFMessage[packets + 1];
    for (int i = 0; i < packets; i++) {
      messages[i] = packetIn(STORM);
    }
    messages[packets] = last;
    return messages;
  }

  private long count(String name) {
    return handled.stream().filter(name::equals).count();
  }

  private static OFPacketIn packetIn(int classNumber) {
    byte[] data = new byte[FRAME_BYTES];
    data[0] = (byte) classNumber;
    return FACTORY.buildPacketIn().setReason(OFPacketInReason.NO_MATCH).setData(data).build();
  }

  private static String nameOf(OFMessage message) {
    if (message instanceof OFPacketIn packetIn) {
      return packetIn.getData()[0] == WANTED ? "wanted" : "storm";
    }
    return message.getType().name();
  }
}
