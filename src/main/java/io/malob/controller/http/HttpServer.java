package io.malob.controller.http;

import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.controller.channel.RareWarning;
import io.malob.resource.StreamedBody;
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
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves HTTP or HTTPS. Event loops read requests and send responses; a thread is taken only while
 * a complete request is handled. Started and closed by one thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a channel that fails is closed
public final class HttpServer implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(HttpServer.class);

  private static final int EVENT_LOOPS = 2;
  private static final int TLS_THREADS = 2;
  private static final int MAX_QUEUED = 256;
  private static final int MAX_QUEUED_FOR_SWITCH = 16;
  private static final int BACKLOG = 1024;
  private static final int MAX_LINE_BYTES = 8 * 1024;
  private static final int MAX_HEADER_BYTES = 16 * 1024;

  /** The max kernel memory for a client that does not read; the default would be megabytes. */
  private static final int SOCKET_BYTES = 128 * 1024;

  private static final int MAX_REFUSING = 256;
  private static final long SWEEP_MILLIS = 500;

  /** How long to wait for each part of the end. */
  private static final int PATIENCE_SECONDS = 2;

  private static final WriteBufferWaterMark UNSENT_BYTES =
      new WriteBufferWaterMark(32 * 1024, 64 * 1024);

  private final HttpLimits limits;
  private final HttpConnections connections;
  private final HttpHandler handler;
  private final ImmutableMap<HttpHandler.Wait, ThreadPoolExecutor> handlers;
  private final ThreadPoolExecutor streams;

  /** Responses that have a thread of their own. */
  private final AtomicInteger streaming = new AtomicInteger();

  private final ThreadPoolExecutor handshakes;
  private final EventLoopGroup loops;
  private final ChannelGroup channels =
      new DefaultChannelGroup("http", GlobalEventExecutor.INSTANCE);
  private final RareWarning refused;

  /** Refused connections that get a response. */
  private final AtomicInteger refusing = new AtomicInteger();

  private final Channel listening;

  /**
   * Binds and serves.
   *
   * @throws UncheckedIOException if the address cannot be bound; the message says which and why
   */
  public HttpServer(
      InetSocketAddress address, Optional<SslContext> tls, HttpLimits limits, HttpHandler handler) {
    this.limits = limits;
    this.handler = handler;
    connections = new HttpConnections(limits, System::nanoTime);
    refused = new RareWarning(logger, "http_connection_refused", System::nanoTime);
    handlers =
        ImmutableMap.of(
            HttpHandler.Wait.NOTHING, pool("http", limits.threads(), MAX_QUEUED),
            HttpHandler.Wait.STORE, pool("http-write", limits.threads(), MAX_QUEUED),
            HttpHandler.Wait.SWITCH, pool("http-switch", limits.waiting(), MAX_QUEUED_FOR_SWITCH));
    streams =
        new ThreadPoolExecutor(
            0,
            // those that are given up end soon
            2 * limits.streams(),
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new DefaultThreadFactory("http-stream", true));
    handshakes = pool("http-tls", TLS_THREADS, Integer.MAX_VALUE);
    loops = new NioEventLoopGroup(EVENT_LOOPS, new DefaultThreadFactory("http-io", true));
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.SO_SNDBUF, SOCKET_BYTES)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT_BYTES)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    accept(channel, tls);
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      Throwable cause = bound.cause();
      end(loops);
      throw new UncheckedIOException(
          String.format(
              "Cannot serve HTTP on %s port %d: %s",
              address.getHostString(), address.getPort(), cause.getMessage()),
          cause instanceof IOException io ? io : new IOException(cause));
    }
    listening = bound.channel();
    loops.scheduleWithFixedDelay(
        connections::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static ThreadPoolExecutor pool(String name, int threads, int queued) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            60,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(queued),
            new DefaultThreadFactory(name, true));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private void accept(SocketChannel channel, Optional<SslContext> tls) {
    HttpConnection connection = new HttpConnection(connections, handler, this::queue, channel);
    Optional<String> reason = connections.enter(connection);
    channels.add(channel);
    ChannelPipeline pipeline = channel.pipeline();
    channel.closeFuture().addListener(closed -> connections.leave(connection));
    if (reason.isPresent()) {
      refused.warn(reason.get() + ": " + connection.address().getAddress().getHostAddress());
      // there is no response before a TLS handshake, and none to a flood
      if (tls.isPresent() || refusing.get() >= MAX_REFUSING) {
        channel.close();
        return;
      }
      refusing.incrementAndGet();
      channel.closeFuture().addListener(closed -> refusing.decrementAndGet());
    }
    tls.ifPresent(context -> pipeline.addLast(context.newHandler(channel.alloc(), handshakes)));
    pipeline
        .addLast(connection.reader().firstByte())
        .addLast(
            new HttpServerCodec(
                new HttpDecoderConfig()
                    .setMaxInitialLineLength(MAX_LINE_BYTES)
                    .setMaxHeaderSize(MAX_HEADER_BYTES)))
        .addLast(connection);
    if (reason.isPresent()) {
      channel
          .eventLoop()
          .execute(() -> connection.refuse(HttpResponseStatus.SERVICE_UNAVAILABLE, reason.get()));
    }
  }

  /** From the event loops, which read a request, to the threads, which handle it. */
  private void queue(HttpConnection connection, PendingRequest request) {
    ThreadPoolExecutor threads =
        Objects.requireNonNull(handlers.get(request.exchange().waitsFor()));
    try {
      threads.execute(() -> handle(connection, request));
    } catch (RejectedExecutionException e) {
      connection.respond(
          HttpAnswer.error(
              HttpResponseStatus.SERVICE_UNAVAILABLE,
              threads.isShutdown()
                  ? "The controller is stopping"
                  : "Too many requests are waiting; try again"));
    }
  }

  private void handle(HttpConnection connection, PendingRequest request) {
    HttpAnswer answer =
        HttpAnswer.error(
            HttpResponseStatus.INTERNAL_SERVER_ERROR,
            "Internal error in the controller; see its log");
    try {
      answer = HttpAnswer.of(request.exchange().answer(request), request.isHead());
    } catch (RuntimeException e) {
      logger.error("request_failed uri=\"{}\"", request.head().head().target(), e);
    } finally {
      respond(connection, request, answer);
    }
  }

  private void respond(HttpConnection connection, PendingRequest request, HttpAnswer answer) {
    if (answer.stream().isEmpty()) {
      connection.respond(answer);
      return;
    }
    StreamedBody body = answer.stream().get();
    try {
      stream(() -> connection.stream(answer).send(body, request.head().head().target()));
    } catch (RejectedExecutionException e) {
      body.close();
      connection.respond(
          HttpAnswer.error(
              HttpResponseStatus.SERVICE_UNAVAILABLE,
              "Too many long responses are being sent; try again"));
    }
  }

  /**
   * Sends a response on a thread of its own. At the limit, that of the client that has let its
   * thread wait for longest is given up.
   *
   * @throws RejectedExecutionException if there is no thread for it
   */
  private void stream(Runnable sending) {
    if (streaming.incrementAndGet() > limits.streams() && !connections.endSlowestStream()) {
      streaming.decrementAndGet();
      throw new RejectedExecutionException();
    }
    try {
      streams.execute(
          () -> {
            try {
              sending.run();
            } finally {
              streaming.decrementAndGet();
            }
          });
    } catch (RejectedExecutionException e) {
      streaming.decrementAndGet();
      throw e;
    }
  }

  /** The port that it serves on: the one asked for, or a free one if that was 0. */
  public int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /** How many connections are open. */
  public int connectionCount() {
    return connections.count();
  }

  /** How many bytes of requests and responses are held for clients. */
  public long heldBytes() {
    return connections.held();
  }

  /**
   * Stops listening, lets requests that are being handled end, and closes all connections; waits
   * until that is done, or a few seconds.
   */
  @Override
  public void close() {
    listening.close().awaitUninterruptibly();
    handlers.values().forEach(ThreadPoolExecutor::shutdown);
    for (ThreadPoolExecutor each : handlers.values()) {
      MoreExecutors.shutdownAndAwaitTermination(each, PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
    channels.close().awaitUninterruptibly(PATIENCE_SECONDS, TimeUnit.SECONDS);
    streams.shutdownNow();
    handshakes.shutdownNow();
    end(loops);
  }

  private static void end(EventLoopGroup group) {
    Future<?> ended = group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS);
    ended.awaitUninterruptibly();
  }
}
