package io.malob.cluster.peer;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * An open port that is there as long as this process. When the process ends, however abruptly, the
 * kernel closes the port and all its connections, and {@link PeerLink}s of other controllers notice
 * at once. Thread-safe.
 */
final class PeerPort {
  private static final int TOKEN_BYTES = 16;

  private final Channel listening;
  private final String host;
  private final String token;
  private final PendingHandshakes pending = new PendingHandshakes();

  /**
   * Opens any free port. Connections wait until {@link #accept}.
   *
   * @param host the address that other controllers use; the port is open there only
   * @param newConnection what handles the next connection
   * @param isPeer whether another controller of the cluster has an address
   */
  PeerPort(
      String host,
      EventLoopGroup loops,
      Supplier<PeerChannel> newConnection,
      Predicate<InetAddress> isPeer)
      throws IOException {
    this.host = host;
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    token = HexFormat.of().formatHex(random);
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    PeerChannel connection = newConnection.get();
                    if (channel.remoteAddress() instanceof InetSocketAddress from) {
                      InetAddress address = from.getAddress();
                      pending.add(connection, address.getHostAddress(), isPeer.test(address));
                    }
                    channel.pipeline().addLast(connection);
                  }
                })
            .bind(new InetSocketAddress(host, 0))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on " + host + " for other controllers: " + bound.cause(), bound.cause());
    }
    listening = bound.channel();
  }

  /** Tells this process from any other. */
  String token() {
    return token;
  }

  /** The port, as {@link PeerAddress} reads it. */
  String contact() {
    int port = ((InetSocketAddress) listening.localAddress()).getPort();
    return new PeerAddress("", host, port, token).contact();
  }

  /** Accepts connections from now on. */
  void accept() {
    listening.config().setAutoRead(true);
  }

  void close() {
    listening.close().awaitUninterruptibly();
  }
}
