package io.malob.testing;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFBarrierRequest;
import org.projectfloodlight.openflow.protocol.OFDescStatsRequest;
import org.projectfloodlight.openflow.protocol.OFEchoRequest;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFeaturesRequest;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortDescStatsRequest;
import org.projectfloodlight.openflow.protocol.OFPortStatsEntry;
import org.projectfloodlight.openflow.protocol.OFPortStatsRequest;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFAuxId;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U32;
import org.projectfloodlight.openflow.types.U64;

/**
 * Many OpenFlow 1.3 switches on one thread, with ids from 1, in a ring: port 2 of each is joined to
 * port 1 of the next, and port 3 has nothing. Each has a TCP connection of its own, answers the
 * handshake, echoes, barriers and questions about ports (no port has carried anything), and passes
 * on what it is told to send to a neighbour. Rules are counted, not applied. The tests and bench/
 * use it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
public final class SwitchRing implements AutoCloseable {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  /** Not watched for leaks, which in tests would cost more than all else here. */
  private static final ByteBufAllocator BUFFERS = new UnpooledByteBufAllocator(false, true);

  private final EventLoopGroup thread = new NioEventLoopGroup(1);
  private final AtomicReferenceArray<Channel> channels;
  private final LongAdder[] flowMods;

  /** Switches 1 to {@code size}, not connected. */
  public SwitchRing(int size) {
    channels = new AtomicReferenceArray<>(size);
    flowMods = Stream.generate(LongAdder::new).limit(size).toArray(LongAdder[]::new);
  }

  /** The ids of all switches. */
  public List<DatapathId> ids() {
    return LongStream.rangeClosed(1, channels.length()).mapToObj(DatapathId::of).toList();
  }

  /** How many rules a switch was told to set, change or delete. */
  public long flowMods(DatapathId id) {
    return flowMods[(int) id.getLong() - 1].sum();
  }

  /** Connects all of them to a controller on this machine. */
  public void connect(int controllerPort) throws InterruptedException {
    List<ChannelFuture> connecting = new ArrayList<>();
    for (int index = 0; index < channels.length(); index++) {
      int own = index;
      Bootstrap bootstrap =
          new Bootstrap()
              .group(thread)
              .channel(NioSocketChannel.class)
              .option(ChannelOption.TCP_NODELAY, true)
              .option(ChannelOption.ALLOCATOR, BUFFERS)
              .handler(
                  new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      channel
                          .pipeline()
                          .addLast(new LengthFieldBasedFrameDecoder(0xffff, 2, 2, -4, 0))
                          .addLast(new Responder(own));
                    }
                  });
      connecting.add(bootstrap.connect(InetAddress.getLoopbackAddress(), controllerPort));
    }
    for (ChannelFuture each : connecting) {
      each.sync();
    }
  }

  /** Closes all connections. */
  public void leave() {
    for (int index = 0; index < channels.length(); index++) {
      Channel channel = channels.get(index);
      if (channel != null) {
        channel.close();
      }
    }
  }

  @Override
  public void close() {
    leave();
    thread.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private void send(int to, OFMessage message) {
    Channel channel = channels.get(to);
    if (channel != null) {
      ByteBuf buffer = channel.alloc().buffer();
      message.writeTo(buffer);
      channel.writeAndFlush(buffer);
    }
  }

  /** One switch's answers. */
  private final class Responder extends SimpleChannelInboundHandler<ByteBuf> {
    private final int own;

    Responder(int own) {
      this.own = own;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      channels.set(own, ctx.channel());
      U32 bitmap = U32.of(1 << FACTORY.getVersion().getWireVersion());
      send(own, FACTORY.hello(List.of(FACTORY.helloElemVersionbitmap(List.of(bitmap)))));
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf frame) {
      OFMessage message;
      try {
        message = OFFactories.getGenericReader().readFrom(frame);
      } catch (OFParseError e) {
        return; // an action that only Open vSwitch has
      }
      if (message instanceof OFFlowMod) {
        flowMods[own].increment();
      } else if (message instanceof OFPacketOut out) {
        passOn(out);
      } else {
        OFMessage answer = answer(message);
        if (answer != null) {
          send(own, answer);
        }
      }
    }

    private void passOn(OFPacketOut out) {
      for (OFAction action : out.getActions()) {
        if (action instanceof OFActionOutput output) {
          int size = channels.length();
          switch (output.getPort().getPortNumber()) {
            case 1 -> send((own + size - 1) % size, packetIn(2, out.getData()));
            case 2 -> send((own + 1) % size, packetIn(1, out.getData()));
            default -> {
              // no host is attached
            }
          }
        }
      }
    }

    private OFMessage packetIn(int port, byte[] frame) {
      return FACTORY
          .buildPacketIn()
          .setBufferId(OFBufferId.NO_BUFFER)
          .setTotalLen(frame.length)
          .setReason(OFPacketInReason.NO_MATCH)
          .setTableId(TableId.ZERO)
          .setCookie(U64.ZERO)
          .setMatch(FACTORY.buildMatch().setExact(MatchField.IN_PORT, OFPort.of(port)).build())
          .setData(frame)
          .build();
    }

    private OFMessage answer(OFMessage request) {
      long xid = request.getXid();
      if (request instanceof OFFeaturesRequest) {
        return FACTORY
            .buildFeaturesReply()
            .setXid(xid)
            .setDatapathId(DatapathId.of(own + 1))
            .setNTables((short) 254)
            .setAuxiliaryId(OFAuxId.MAIN)
            .setCapabilities(Set.of())
            .build();
      } else if (request instanceof OFPortDescStatsRequest) {
        List<OFPortDesc> ports = new ArrayList<>();
        for (int port = 1; port <= 3; port++) {
          ports.add(
              FACTORY
                  .buildPortDesc()
                  .setPortNo(OFPort.of(port))
                  .setHwAddr(MacAddress.of(0x02_00_00_00_00_00L | (own + 1L) << 8 | port))
                  .setName("p" + port)
                  .build());
        }
        return FACTORY.buildPortDescStatsReply().setXid(xid).setEntries(ports).build();
      } else if (request instanceof OFPortStatsRequest) {
        List<OFPortStatsEntry> ports = new ArrayList<>();
        for (int port = 1; port <= 3; port++) {
          ports.add(FACTORY.buildPortStatsEntry().setPortNo(OFPort.of(port)).build());
        }
        return FACTORY.buildPortStatsReply().setXid(xid).setEntries(ports).build();
      } else if (request instanceof OFDescStatsRequest) {
        return FACTORY
            .buildDescStatsReply()
            .setXid(xid)
            .setMfrDesc("malob")
            .setHwDesc("ring")
            .setSwDesc("1")
            .setSerialNum("0")
            .setDpDesc("for tests")
            .build();
      } else if (request instanceof OFRoleRequest role) {
        return FACTORY
            .buildRoleReply()
            .setXid(xid)
            .setRole(role.getRole())
            .setGenerationId(role.getGenerationId())
            .build();
      } else if (request instanceof OFBarrierRequest) {
        return FACTORY.buildBarrierReply().setXid(xid).build();
      } else if (request instanceof OFEchoRequest echo) {
        return FACTORY.buildEchoReply().setXid(xid).setData(echo.getData()).build();
      }
      return null;
    }
  }
}
