package io.malob.controller.channel;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

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

  private final EventLoopGroup acceptor;
  private final EventLoopGroup workers;
  private final ChannelGroup connections =
      new DefaultChannelGroup("openflow", GlobalEventExecutor.INSTANCE);
  private final Channel listening;

  /**
   * Binds and listens.
   *
   * @throws UncheckedIOException if the address cannot be bound; the message says which and why
   */
  public OpenFlowServer(InetSocketAddress address, int workerThreads, ChannelContext context) {
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
                    context
                        .admission()
                        .tls()
                        .ifPresent(
                            tls -> channel.pipeline().addLast(tls.newHandler(channel.alloc())));
                    context.addHandlers(channel.pipeline());
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
