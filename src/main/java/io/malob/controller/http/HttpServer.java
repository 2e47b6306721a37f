package io.malob.controller.http;

import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.controller.channel.RareWarning;
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
import io.netty.handler.codec.http.HttpRequest;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.restlet.Response;
import org.restlet.Restlet;
import org.restlet.data.Conditions;
import org.restlet.engine.Engine;
import org.restlet.engine.adapter.HttpResponse;
import org.restlet.engine.adapter.ServerAdapter;
import org.restlet.representation.Representation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a restlet over HTTP or HTTPS. Event loops read requests and send responses; a thread is
 * taken only while a complete request is handled. Started and closed by one thread.
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
  private final HeadCheck check;
  private final Restlet restlet;

  /** Between calls and Restlet's requests and responses. */
  private final ServerAdapter adapter;

  private final ImmutableMap<HeadCheck.Wait, ThreadPoolExecutor> handlers;
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
      InetSocketAddress address,
      Optional<SslContext> tls,
      HttpLimits limits,
      HeadCheck check,
      Restlet restlet) {
    this.limits = limits;
    this.check = check;
    this.restlet = restlet;
    adapter = new ServerAdapter(restlet.getContext());
    connections = new HttpConnections(limits, System::nanoTime);
    refused = new RareWarning(logger, "http_connection_refused", System::nanoTime);
    handlers =
        ImmutableMap.of(
            HeadCheck.Wait.NOTHING, handlers("http", limits.threads(), MAX_QUEUED),
            HeadCheck.Wait.STORE, handlers("http-write", limits.threads(), MAX_QUEUED),
            HeadCheck.Wait.SWITCH,
                handlers("http-switch", limits.waiting(), MAX_QUEUED_FOR_SWITCH));
    streams =
        new ThreadPoolExecutor(
            0,
            // those that are given up end soon
            2 * limits.streams(),
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new DefaultThreadFactory("http-stream", true));
    handshakes = pool("http-tls", TLS_THREADS, new LinkedBlockingQueue<>());
    handshakes.allowCoreThreadTimeOut(true);
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

  private static ThreadPoolExecutor pool(
      String name, int threads, BlockingQueue<Runnable> waiting) {
    return new ThreadPoolExecutor(
        threads, threads, 60, TimeUnit.SECONDS, waiting, new DefaultThreadFactory(name, true));
  }

  private static ThreadPoolExecutor handlers(String name, int threads, int queued) {
    ThreadPoolExecutor handlers = pool(name, threads, new LinkedBlockingQueue<>(queued));
    handlers.allowCoreThreadTimeOut(true);
    return handlers;
  }

  private void accept(SocketChannel channel, Optional<SslContext> tls) {
    HttpConnection connection = new HttpConnection(connections, new Dispatcher(), channel);
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
        .addLast(connection.firstByte())
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

  /** Between the event loops, which read a request, and the threads, which handle it. */
  private final class Dispatcher implements HttpConnection.Handler {
    @Override
    public Optional<PendingRequest> begin(HttpConnection connection, HttpRequest head) {
      HttpCall call = new HttpCall(connection, head, HttpServer.this::stream);
      try {
        return Optional.of(new PendingRequest(call, adapter.toRequest(call), check));
      } catch (RuntimeException e) {
        // Restlet throws any exception for headers that it cannot read
        return Optional.empty();
      }
    }

    @Override
    public void handle(PendingRequest request) {
      ThreadPoolExecutor threads = Objects.requireNonNull(handlers.get(request.waitsFor()));
      try {
        threads.execute(() -> HttpServer.this.handle(request));
      } catch (RejectedExecutionException e) {
        request
            .call()
            .refuse(
                HttpResponseStatus.SERVICE_UNAVAILABLE,
                threads.isShutdown()
                    ? "The controller is stopping"
                    : "Too many requests are waiting; try again");
      }
    }
  }

  private void handle(PendingRequest request) {
    HttpCall call = request.call();
    try {
      answer(call, request.restletRequest());
    } catch (RuntimeException e) {
      logger.error("request_failed uri=\"{}\"", call.getRequestUri(), e);
    } finally {
      call.finish();
    }
  }

  private void answer(HttpCall call, org.restlet.engine.adapter.HttpRequest request) {
    try {
      if (!hasReadableHeaders(request)) {
        call.refuse(HttpResponseStatus.BAD_REQUEST, call.unreadableHeader());
        return;
      }
      HttpResponse response = new HttpResponse(call, request);
      Response.setCurrent(response);
      restlet.handle(request, response);
      @Nullable Representation content = response.getEntity();
      adapter.commit(response);
      // responses to HEAD, and those without changes, have lost it
      if (content != null && response.getEntity() == null) {
        content.release();
      }
    } finally {
      Engine.clearThreadLocalVariables();
    }
  }

  /** Restlet reads these headers when they are asked for, and throws any exception. */
  private static boolean hasReadableHeaders(org.restlet.engine.adapter.HttpRequest request) {
    try {
      @Nullable Representation unused = request.getEntity();
      Conditions unusedToo = request.getConditions();
      return true;
    } catch (RuntimeException e) {
      return false;
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
