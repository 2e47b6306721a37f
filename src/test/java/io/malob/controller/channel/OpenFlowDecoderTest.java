package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;

class OpenFlowDecoderTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final int FLOW_ENTRY_BYTES = 56;

  @Test
  void longMessage_restsTheChannelUntilOthersHadTheirTurn() {
    List<Boolean> reads = new ArrayList<>();
    ChannelInboundHandlerAdapter observer =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext ctx, Object message) {
            reads.add(ctx.channel().config().isAutoRead());
          }
        };
    EmbeddedChannel channel =
        new EmbeddedChannel(new OpenFlowDecoder(new ProtocolVersion()), observer);

    channel.writeInbound(bytes(flowStats(10)));
    channel.writeInbound(bytes(flowStats(16 * 1024 / FLOW_ENTRY_BYTES + 1)));

    assertEquals(List.of(true, false), reads);
    assertTrue(channel.config().isAutoRead());
  }

  private static OFMessage flowStats(int entries) {
    return FACTORY
        .buildFlowStatsReply()
        .setEntries(Collections.nCopies(entries, FACTORY.buildFlowStatsEntry().build()))
        .build();
  }

  private static ByteBuf bytes(OFMessage message) {
    ByteBuf buffer = Unpooled.buffer();
    message.writeTo(buffer);
    return buffer;
  }
}
