package io.malob.bench.codec;

import io.malob.bench.load.AddressFamily;
import io.malob.bench.load.Scenario;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFeaturesReply;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFMessageReader;
import org.projectfloodlight.openflow.protocol.OFPacketIn;

/**
 * Answers each first packet with the messages of a placement on the next member: it decodes the
 * PACKET_IN, builds and encodes the answers with openflowj, and keeps no state. Its throughput is
 * the ceiling for a controller with the same libraries.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
public final class Responder {
  private final Scenario scenario;
  private final Answers answers;
  private final AtomicReferenceArray<Channel> switches;

  /** A responder for that network. */
  public Responder(Scenario scenario) {
    this.scenario = scenario;
    this.answers = new Answers(scenario);
    this.switches = new AtomicReferenceArray<>(scenario.switches());
  }

  /** Serves until the process is ended. */
  public void serve(InetSocketAddress address) throws InterruptedException {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(new NioEventLoopGroup(1), new NioEventLoopGroup())
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Connection());
                  }
                })
            .bind(address)
            .sync();
    bound.channel().closeFuture().sync();
  }

  /** One switch. */
  private final class Connection extends ByteToMessageDecoder {
    private final OFMessageReader<OFMessage> reader = OFFactories.getGenericReader();
    private int number;
    private int generation = ThreadLocalRandom.current().nextInt(1 << 10);
    private int nextMember;
    private @Nullable ByteBuf own;
    private @Nullable ByteBuf members;

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      write(ctx, Answers.FACTORY.hello(List.of()));
      write(ctx, Answers.FACTORY.featuresRequest());
      flush(ctx);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
        throws OFParseError {
      while (in.readableBytes() >= 8) {
        int length = in.getUnsignedShort(in.readerIndex() + 2);
        if (in.readableBytes() < length) {
          return;
        }
        OFMessage message = reader.readFrom(in.readSlice(length));
        if (message instanceof OFPacketIn packetIn) {
          packetIn(ctx, packetIn.getData());
        } else if (message instanceof OFFeaturesReply features) {
          number = scenario.switchOf(features.getDatapathId().getLong());
          switches.set(number, ctx.channel());
          answers.preparation(number).forEach(rule -> write(ctx, rule));
        }
      }
    }

    private void packetIn(ChannelHandlerContext ctx, byte[] frame) {
      ByteBuffer bytes = ByteBuffer.wrap(frame);
      AddressFamily family = scenario.family();
      if ((bytes.getShort(12) & 0xffff) != family.etherType) {
        return;
      }
      int client = family.source(frame, 14);
      int clientPort = bytes.getShort(14 + family.headerBytes) & 0xffff;
      int site = scenario.siteOf(number);
      int member = nextMember;
      nextMember = (member + 1) % scenario.members();
      generation = (generation + 1) & 0xfffff;
      ByteBuf atMember = membersBuffer(ctx, site);
      answers.reply(site, client, clientPort, member, generation).writeTo(atMember);
      answers.deliver(site, member, frame).writeTo(atMember);
      answers.request(site, client, clientPort, member, generation).writeTo(ownBuffer(ctx));
    }

    private void write(ChannelHandlerContext ctx, OFMessage message) {
      message.writeTo(ownBuffer(ctx));
    }

    private ByteBuf ownBuffer(ChannelHandlerContext ctx) {
      ByteBuf buffer = own;
      if (buffer == null) {
        buffer = ctx.alloc().ioBuffer(64 * 1024);
        own = buffer;
      }
      return buffer;
    }

    private ByteBuf membersBuffer(ChannelHandlerContext ctx, int site) {
      if (scenario.memberEdge(site) == number) {
        return ownBuffer(ctx);
      }
      ByteBuf buffer = members;
      if (buffer == null) {
        buffer = ctx.alloc().ioBuffer(64 * 1024);
        members = buffer;
      }
      return buffer;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
      super.channelReadComplete(ctx);
      flush(ctx);
    }

    private void flush(ChannelHandlerContext ctx) {
      ByteBuf atMember = members;
      members = null;
      if (atMember != null) {
        Channel other = switches.get(scenario.memberEdge(scenario.siteOf(number)));
        other.writeAndFlush(atMember, other.voidPromise());
      }
      ByteBuf buffer = own;
      own = null;
      if (buffer != null) {
        ctx.channel().writeAndFlush(buffer, ctx.channel().voidPromise());
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      System.err.println("responder: " + cause);
      ctx.close();
    }
  }
}
