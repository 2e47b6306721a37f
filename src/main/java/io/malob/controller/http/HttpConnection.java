package io.malob.controller.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection: reads one request whole, has it handled, sends the response at the client's pace,
 * and then reads the next one. No thread waits for its client; pending input from the client has a
 * deadline. Runs on its event loop, except where noted.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class HttpConnection extends ChannelInboundHandlerAdapter {
  /** Stands for no time. */
  static final long NEVER = Long.MIN_VALUE;

  private static final int MIN_BYTES_PER_SECOND = 16 * 1024;
  private static final long DRAIN_SECONDS = 2;

  private enum State {
    /** The client owes a request, or the rest of one. */
    READING,
    /** It is handled. */
    HANDLING,
    /** The client owes reading the response. */
    RESPONDING,
    /** A thread of its own sends the response. */
    STREAMING,
    /** Further input from the client is discarded, so that it receives the answer. */
    DRAINING
  }

  private final HttpConnections all;
  private final RequestReader reader;
  private final BiConsumer<HttpConnection, PendingRequest> threads;
  private final SocketChannel channel;
  private final String source;

  private State state = State.READING;
  private final Queue<HttpObject> later = new ArrayDeque<>();
  private @Nullable BodyWriter writer;

  private volatile long deadlineNanos;
  private volatile long owingSinceNanos;
  private volatile long holdingSinceNanos = NEVER;
  private final AtomicLong heldBytes = new AtomicLong();

  private volatile @Nullable ResponseStream stream;

  /**
   * A connection that owes a request.
   *
   * @param threads have a request answered, whose body is complete or will not be read, on another
   *     thread, which calls {@link #respond} or {@link #stream}
   */
  HttpConnection(
      HttpConnections all,
      HttpHandler handler,
      BiConsumer<HttpConnection, PendingRequest> threads,
      SocketChannel channel) {
    this.all = all;
    reader = new RequestReader(this, handler);
    this.threads = threads;
    this.channel = channel;
    source = HttpConnections.sourceOf(address().getAddress());
    owingSinceNanos = all.now();
    deadlineNanos = owingSinceNanos + all.limits().requestNanos();
  }

  // --- for any thread

  String source() {
    return source;
  }

  /** The time since which the client owes a request. */
  long owingSinceNanos() {
    return owingSinceNanos;
  }

  /** The time since which bytes are held for an incomplete request or response. */
  long holdingSinceNanos() {
    return holdingSinceNanos;
  }

  long heldBytes() {
    return heldBytes.get();
  }

  /** How long a stream has waited for its client; 0 if it has done something else for as long. */
  long streamWaitNanos(long now) {
    ResponseStream current = stream;
    return current == null ? 0 : current.waitNanos(now);
  }

  InetSocketAddress address() {
    return channel.remoteAddress() == null
        ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)
        : channel.remoteAddress();
  }

  Channel channel() {
    return channel;
  }

  RequestReader reader() {
    return reader;
  }

  /** Closes it in favour of others. Its held bytes no longer count. */
  void giveUp() {
    all.release(heldBytes.getAndSet(0));
    channel.close();
  }

  void checkDeadline(long now) {
    if (deadlineNanos != NEVER && now - deadlineNanos > 0) {
      channel.eventLoop().execute(this::expire);
    }
  }

  // --- reading

  @Override
  public void channelActive(ChannelHandlerContext context) {
    context.fireChannelActive();
    context.read();
  }

  /** Input that belongs to later requests is kept. */
  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!(message instanceof HttpObject part) || state == State.DRAINING) {
      ReferenceCountUtil.release(message);
    } else if (state == State.READING && later.isEmpty()) {
      takeAndRelease(part);
    } else {
      later.add(part);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (state == State.READING) {
      context.read();
    }
  }

  private void takeAndRelease(HttpObject part) {
    try {
      reader.take(part);
    } finally {
      ReferenceCountUtil.release(part);
    }
  }

  /** Continues with kept input. */
  private void readOn() {
    while (state == State.READING && !later.isEmpty()) {
      takeAndRelease(later.remove());
    }
    if (state == State.READING) {
      channel.read();
    }
  }

  /** The head of a request has been read. */
  void began() {
    deadlineNanos = all.now() + all.limits().requestNanos();
  }

  /** So many bytes of a body have been read. */
  void received(int bytes) {
    long extended = deadlineNanos + TimeUnit.SECONDS.toNanos(bytes) / MIN_BYTES_PER_SECOND;
    deadlineNanos = extended;
  }

  /** A request is to be answered, whose body is complete or will not be read. */
  void handle(PendingRequest complete) {
    state = State.HANDLING;
    owingSinceNanos = NEVER;
    holdingSinceNanos = NEVER; // the client does not owe anything while the request is handled
    deadlineNanos = NEVER;
    threads.accept(this, complete);
  }

  // --- responding

  /** Sends an answer that is not streamed; any thread, once for each request. */
  void respond(HttpAnswer answer) {
    channel.eventLoop().execute(() -> beginResponse(answer));
  }

  /** Begins a streamed answer, instead of {@link #respond}; on the thread that sends it. */
  ResponseStream stream(HttpAnswer answer) {
    ResponseStream begun = new ResponseStream(this, all.limits().writeNanos(), all::now);
    stream = begun;
    channel.eventLoop().execute(() -> beginStream(answer));
    return begun;
  }

  private void beginResponse(HttpAnswer answer) {
    release();
    if (state != State.HANDLING) {
      return; // the client has disconnected meanwhile
    }
    state = State.RESPONDING;
    boolean unused = hold(answer.content().length); // it is there
    sendHead(answer);
    extendDeadline();
    writer = new BodyWriter(channel, answer.content(), this::extendDeadline, this::responded);
    writer.write();
  }

  private void beginStream(HttpAnswer answer) {
    release();
    if (state != State.HANDLING) {
      return;
    }
    state = State.STREAMING;
    if (reader.isOld()) {
      reader.endAfterAnswer();
    } else {
      answer.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
    sendHead(answer);
    channel.flush();
  }

  /** A streamed answer has ended; any thread. */
  void endStream(boolean isComplete) {
    channel
        .eventLoop()
        .execute(
            () -> {
              if (state == State.STREAMING && isComplete) {
                extendDeadline();
                channel
                    .writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
                    .addListener(any -> responded());
              } else {
                channel.close();
              }
            });
  }

  private void extendDeadline() {
    deadlineNanos = all.now() + all.limits().writeNanos();
  }

  private void sendHead(HttpAnswer answer) {
    if (!reader.keepsAlive()) {
      answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    channel.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, answer.status(), answer.headers()));
  }

  private void responded() {
    if (state != State.RESPONDING && state != State.STREAMING) {
      return;
    }
    writer = null;
    stream = null;
    release();
    if (reader.isCut()) {
      drain(channel.newSucceededFuture());
    } else if (!reader.keepsAlive()) {
      channel.close();
    } else {
      state = State.READING;
      reader.next();
      owingSinceNanos = all.now();
      deadlineNanos = owingSinceNanos + all.limits().idleNanos();
      readOn();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (state == State.RESPONDING && writer != null) {
      writer.write();
    }
    wakeStream();
    context.fireChannelWritabilityChanged();
  }

  private void wakeStream() {
    ResponseStream current = stream;
    if (current != null) {
      current.wake();
    }
  }

  // --- ending

  private void expire() {
    if (deadlineNanos == NEVER || all.now() - deadlineNanos <= 0) {
      return;
    }
    if (state == State.READING && reader.hasBegun()) {
      refuse(
          HttpResponseStatus.REQUEST_TIMEOUT,
          "The request was not complete within "
              + TimeUnit.NANOSECONDS.toSeconds(all.limits().requestNanos())
              + " s");
    } else {
      channel.close();
    }
  }

  /** Answers with an error instead of reading on, and closes the connection. */
  void refuse(HttpResponseStatus status, String sentence) {
    reader.drop();
    release();
    reader.endAfterAnswer();
    HttpAnswer error = HttpAnswer.error(status, sentence);
    sendHead(error);
    drain(
        channel.writeAndFlush(new DefaultLastHttpContent(Unpooled.wrappedBuffer(error.content()))));
  }

  /**
   * Discards what the client still sends, so that it gets the answer, and closes the connection.
   */
  private void drain(ChannelFuture answered) {
    dropLater();
    state = State.DRAINING;
    owingSinceNanos = all.now();
    deadlineNanos = NEVER;
    channel.eventLoop().schedule(() -> channel.close(), DRAIN_SECONDS, TimeUnit.SECONDS);
    boolean isSecret = channel.pipeline().get(SslHandler.class) != null;
    answered.addListener(
        any -> {
          ChannelFuture unused = isSecret ? channel.close() : channel.shutdownOutput();
        });
    channel.config().setAutoRead(true);
  }

  /** The client has disconnected, or this side has closed the connection. */
  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (state != State.HANDLING) {
      release(); // else its body is in use until the response comes
    }
    state = State.DRAINING;
    deadlineNanos = NEVER;
    reader.drop();
    dropLater();
    writer = null;
    wakeStream();
    context.fireChannelInactive();
  }

  /** A broken connection, or one without TLS, is only closed. */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    channel.close();
  }

  private void dropLater() {
    later.forEach(ReferenceCountUtil::release);
    later.clear();
  }

  /** Counts bytes; returns whether there is room for them. */
  boolean hold(long bytes) {
    if (holdingSinceNanos == NEVER) {
      holdingSinceNanos = all.now();
    }
    heldBytes.addAndGet(bytes);
    return all.hold(this, bytes);
  }

  private void release() {
    all.release(heldBytes.getAndSet(0));
    holdingSinceNanos = NEVER;
  }
}
