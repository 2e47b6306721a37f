package io.malob.cluster.peer;

import io.malob.module.PeerTopic;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a connection to another controller's {@link PeerPort}, receives its messages, and finds out
 * at once that its process has ended, which its lease would show seconds later: the connection
 * breaks, and the port is closed or another process's. Nothing is concluded from silence: a process
 * that is suspended or unreachable has not ended.
 *
 * <p>Everything happens on one event loop.
 */
final class PeerLink implements PeerChannel.Events {
  private static final int CONNECT_MILLIS = 1_000;

  /**
   * The first pause after an attempt that has shown nothing: the port of a process that ends may
   * outlive its connections by a moment.
   */
  private static final long FIRST_PAUSE_MILLIS = 10;

  /** The max pause. A connection that has lasted as long is no failed attempt. */
  private static final long MAX_PAUSE_MILLIS = 1_000;

  private final PeerAddress address;
  private final EventLoop loop;
  private final PeerStreams streams;
  private @Nullable PeerChannel connection;
  private long attemptNanos;
  private long pauseMillis = FIRST_PAUSE_MILLIS;
  private boolean isClosed;

  /** The peer was reached at least once: without that, the address may lead anywhere. */
  private boolean wasThere;

  /** The other side of the current connection is not this process. */
  private boolean isAnother;

  /** A link that begins with {@link #open}. */
  PeerLink(PeerAddress address, EventLoop loop, PeerStreams streams) {
    this.address = address;
    this.loop = loop;
    this.streams = streams;
  }

  void open() {
    loop.execute(this::attempt);
  }

  void close() {
    loop.execute(
        () -> {
          isClosed = true;
          if (connection != null) {
            connection.close("its address is no longer in the cluster");
          }
        });
  }

  private void attempt() {
    if (isClosed) {
      return;
    }
    attemptNanos = System.nanoTime();
    isAnother = false;
    PeerChannel next = streams.newConnection(true, this);
    connection = next;
    var unused =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(next);
                  }
                })
            .connect(address.host(), address.port())
            .addListener(
                done -> {
                  if (!done.isSuccess()) {
                    notConnected(done.cause());
                  }
                });
  }

  private void notConnected(Throwable problem) {
    if (problem instanceof ConnectException && !(problem instanceof ConnectTimeoutException)) {
      notThere();
    } else {
      attemptLater();
    }
  }

  /** The port is closed, or another process has it. */
  private void notThere() {
    if (wasThere && !isClosed) {
      isClosed = true;
      streams.fate().ended(address);
    } else {
      attemptLater();
    }
  }

  private void attemptLater() {
    var unused = loop.schedule(this::attempt, pauseMillis, TimeUnit.MILLISECONDS);
    pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
  }

  @Override
  public void named(PeerChannel other) throws RefusedException {
    if (isClosed) {
      throw new RefusedException("its address is no longer in the cluster");
    }
    if (!other.token().equals(address.token())) {
      isAnother = true;
      throw new RefusedException("its port has another process");
    }
  }

  @Override
  public void opened(PeerChannel other) {
    wasThere = true;
    streams.connected(other);
  }

  @Override
  public void received(PeerChannel other, PeerTopic topic, ByteBuffer message) {
    streams.listeners.received(other.peer(), topic, message);
  }

  @Override
  public void silent(PeerChannel other) {
    streams.fate().silent(address);
  }

  @Override
  public void closed(PeerChannel other) {
    if (isClosed && !other.wasOpened()) {
      return; // closed by this side during the handshake
    }
    streams.disconnected(other);
    if (isAnother) {
      notThere();
    } else if (hasLasted()) {
      pauseMillis = FIRST_PAUSE_MILLIS;
      attempt();
    } else {
      attemptLater();
    }
  }

  private boolean hasLasted() {
    return System.nanoTime() - attemptNanos >= TimeUnit.MILLISECONDS.toNanos(MAX_PAUSE_MILLIS);
  }
}
