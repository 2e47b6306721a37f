package io.malob.bench.load;

import io.malob.bench.load.StarScenario.Host;
import io.malob.testing.SwitchRoles;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Emulated switches in a star, connected to a controller. They keep their rules and report them,
 * but forward no packets of connections. Methods wait; all work is done on one event loop.
 */
public final class Star implements AutoCloseable {
  private static final int ARP_REQUEST = 1;
  private static final int ARP_REPLY = 2;
  private static final int ARP_BYTES = 42;

  private final StarScenario scenario;
  private final NioEventLoopGroup group =
      new NioEventLoopGroup(1, new DefaultThreadFactory("switches", true));
  private final EventLoop loop = group.next();
  private final Switch[] switches;
  private final Map<Integer, Host> hosts = new HashMap<>();
  private final LongAdder flowMods = new LongAdder();
  private volatile @Nullable String breakdown;
  private volatile boolean closing;

  /** Switches that are not connected yet. */
  public Star(StarScenario scenario) {
    this.scenario = scenario;
    this.switches =
        IntStream.range(0, scenario.switches()).mapToObj(Switch::new).toArray(Switch[]::new);
    scenario.hosts().forEach(each -> hosts.put(each.address(), each));
  }

  /**
   * Connects all switches.
   *
   * @throws IOException if the controller cannot be reached
   */
  public void connect(InetSocketAddress controller) throws IOException, InterruptedException {
    for (Switch each : switches) {
      var connected =
          new Bootstrap()
              .group(group)
              .channel(NioSocketChannel.class)
              .handler(
                  new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      channel
                          .pipeline()
                          .addLast(new LengthFieldBasedFrameDecoder(0xffff, 2, 2, -4, 0))
                          .addLast(each);
                    }
                  })
              .connect(controller)
              .await();
      if (!connected.isSuccess()) {
        throw new IOException("no controller at " + controller, connected.cause());
      }
    }
  }

  /** Lets clients ask for the VIP by ARP, and members announce themselves. */
  public void announceHosts() throws IOException, InterruptedException {
    call(
        () -> {
          hosts
              .values()
              .forEach(
                  each -> {
                    boolean isClient = each.sw() <= scenario.clientEdges();
                    arp(each, ARP_REQUEST, 0, isClient ? StarScenario.VIP : each.address());
                  });
          for (Switch each : switches) {
            each.outbox.flush();
          }
          return true;
        });
  }

  private void arp(Host host, int operation, long targetMac, int target) {
    byte[] frame = PacketInTemplate.arp(operation, host.mac(), host.address(), targetMac, target);
    PacketInTemplate.other(switches[host.sw()].outbox, host.port(), frame, 0, frame.length);
  }

  /** How many rules switches were told to set, change or delete. */
  public long flowMods() {
    return flowMods.sum();
  }

  /**
   * The rules of a switch, by table and priority.
   *
   * @return numbers by names such as {@code "1/113"}
   */
  public Map<String, Integer> rules(int sw) throws IOException, InterruptedException {
    return call(
        () -> {
          Map<String, Integer> counts = new TreeMap<>();
          switches[sw].rules.forEach(
              (table, priority, cookie) -> counts.merge(table + "/" + priority, 1, Integer::sum));
          return counts;
        });
  }

  /** How many rules of all switches have such a cookie. */
  public long rulesWith(LongPredicate hasCookie) throws IOException, InterruptedException {
    return call(
        () -> {
          long[] count = new long[1];
          for (Switch each : switches) {
            each.rules.forEach(
                (table, priority, cookie) -> count[0] += hasCookie.test(cookie) ? 1 : 0);
          }
          return count[0];
        });
  }

  private <T> T call(Callable<T> work) throws IOException, InterruptedException {
    String reason = breakdown;
    if (reason != null) {
      throw new IOException(reason);
    }
    try {
      return loop.submit(work).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public void close() {
    closing = true;
    for (Switch each : switches) {
      each.outbox.close();
    }
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  /** One switch and its connection. */
  private final class Switch extends SimpleChannelInboundHandler<ByteBuf> {
    private final int number;
    private final Outbox outbox = new Outbox();
    private final RuleStore rules = new RuleStore();
    private final MessageScanner scanner = new MessageScanner(AddressFamily.IPV4);
    private final SlowPath slowPath;

    Switch(int number) {
      this.number = number;
      this.slowPath = new SlowPath(number + 1L, scenario.ports(number), new SwitchRoles());
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      outbox.connected(ctx.channel());
      slowPath.hello(outbox);
      outbox.flush();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf frame) {
      byte[] bytes = new byte[frame.readableBytes()];
      frame.readBytes(bytes);
      switch (Bytes.uint8(bytes, 1)) {
        case OpenFlow.FLOW_MOD -> {
          flowMods.increment();
          rules.flowMod(bytes, 0, bytes.length);
        }
        case OpenFlow.MULTIPART_REQUEST -> {
          if (!rules.answer(bytes, 0, outbox, loop)) {
            slowPath.handle(bytes, 0, bytes.length, outbox);
          }
        }
        case OpenFlow.PACKET_OUT -> packetOut(bytes);
        case OpenFlow.BARRIER_REQUEST -> echo(bytes, OpenFlow.BARRIER_REPLY);
        case OpenFlow.ECHO_REQUEST -> echo(bytes, OpenFlow.ECHO_REPLY);
        default -> slowPath.handle(bytes, 0, bytes.length, outbox);
      }
    }

    private void echo(byte[] bytes, int type) {
      bytes[1] = (byte) type;
      outbox.append(bytes, 0, bytes.length);
    }

    private void packetOut(byte[] bytes) {
      scanner.readPacketOut(bytes, 0, bytes.length);
      int etherType = scanner.etherType(bytes);
      if (etherType == OpenFlow.ETHERTYPE_LLDP) {
        int @Nullable [] to = scenario.otherEnd(number, scanner.outPort);
        if (to != null) {
          Outbox other = switches[to[0]].outbox;
          PacketInTemplate.other(other, to[1], bytes, scanner.frame, scanner.frameBytes);
          other.flush();
        }
      } else if (etherType == OpenFlow.ETHERTYPE_ARP && scanner.frameBytes >= ARP_BYTES) {
        answerArp(bytes, scanner.frame);
      }
    }

    private void answerArp(byte[] bytes, int frame) {
      @Nullable Host host = hosts.get(Bytes.int32(bytes, frame + 38));
      int sender = Bytes.int32(bytes, frame + 28);
      if (host != null
          && host.sw() == number
          && host.address() != sender
          && Bytes.uint16(bytes, frame + 20) == ARP_REQUEST) {
        arp(host, ARP_REPLY, Bytes.uint48(bytes, frame + 22), sender);
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      outbox.flush();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      broken("the controller closed the connection");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      broken(cause.toString());
    }

    private void broken(String reason) {
      if (!closing && breakdown == null) {
        breakdown = "switch " + (number + 1) + ": " + reason;
      }
    }
  }
}
