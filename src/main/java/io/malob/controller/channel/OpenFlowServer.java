package io.malob.controller.channel;

import io.malob.module.Mastership;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Listens for OpenFlow switches. Started and closed by one thread. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
public final class OpenFlowServer implements AutoCloseable {
  private static final WriteBufferWaterMark UNSENT_BYTES =
      new WriteBufferWaterMark(1024 * 1024, 4 * 1024 * 1024);

  /**
   * Data in the socket's buffer cannot be reordered or dropped, so the buffer is small. Enough for
   * 25 MB/s to a switch at a distance of 10 ms.
   */
  private static final int UNREAD_BYTES = 256 * 1024;

  /** The max number of flushes that are merged while messages keep coming in. */
  private static final int FLUSHES_TOGETHER = 256;

  private final EventLoopGroup acceptor;
  private final EventLoopGroup workers;
  private final ChannelGroup connections =
      new DefaultChannelGroup("openflow", GlobalEventExecutor.INSTANCE);
  private final Channel listening;

  /**
   * Binds and listens.
   *
   * @param mastership decides about roles in a cluster; empty without one
   * @throws UncheckedIOException if the address cannot be bound; the message says which and why
   */
  public OpenFlowServer(
      InetSocketAddress address,
      int workerThreads,
      ChannelSettings settings,
      Admission admission,
      DatapathClaims claims,
      PacketInQueues queues,
      SwitchEvents events,
      Optional<Mastership> mastership) {
    acceptor = new NioEventLoopGroup(1, new DefaultThreadFactory("openflow-accept"));
    workers = new NioEventLoopGroup(workerThreads, new DefaultThreadFactory("openflow"));
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(acceptor, workers)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_RCVBUF, UNREAD_BYTES) // accepted sockets inherit it
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT_BYTES)
            .childOption(ChannelOption.MESSAGE_SIZE_ESTIMATOR, new MessageSizes())
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    connections.add(channel);
                    admission
                        .tls()
                        .ifPresent(
                            tls -> channel.pipeline().addLast(tls.newHandler(channel.alloc())));
                    addHandlers(
                        channel.pipeline(),
                        settings,
                        admission,
                        claims,
                        queues,
                        events,
                        mastership,
                        System::nanoTime);
                  }
                });
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      close(workers);
      close(acceptor);
      throw new UncheckedIOException(
          String.format(
              "Cannot listen for OpenFlow on %s port %d: %s",
              address.getHostString(), address.getPort(), bound.cause().getMessage()),
          bound.cause() instanceof IOException e ? e : new IOException(bound.cause()));
    }
    listening = bound.channel();
  }

  /** Sets up a new connection. */
  static void addHandlers(
      ChannelPipeline pipeline,
      ChannelSettings settings,
      Admission admission,
      DatapathClaims claims,
      PacketInQueues queues,
      SwitchEvents events,
      Optional<Mastership> mastership,
      LongSupplier nanoTime) {
    ProtocolVersion version = new ProtocolVersion();
    EchoKeepAlive echo = new EchoKeepAlive(version, settings, nanoTime);
    OpenFlowDecoder decoder = new OpenFlowDecoder(version);
    pipeline
        .addLast(decoder)
        .addLast(new OpenFlowEncoder())
        .addLast(new PacketInGate(queues, nanoTime))
        // all output of one batch of input is sent together
        .addLast(new FlushConsolidationHandler(FLUSHES_TOGETHER, true))
        .addLast(echo)
        .addLast(
            new HandshakeHandler(
                settings,
                admission,
                claims,
                version,
                echo,
                nanoTime,
                mastership.isPresent(),
                sw ->
                    new SwitchHandler(
                        sw, events, mastership.orElse(null), decoder::bytesRead, nanoTime)));
  }

  /** The port that it listens on: the one asked for, or a free one if that was 0. */
  public int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /** Stops listening and closes all connections; waits until that is done, or a few seconds. */
  @Override
  public void close() {
    listening.close().awaitUninterruptibly();
    connections.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
    close(workers);
    close(acceptor);
  }

  private static void close(EventLoopGroup group) {
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
