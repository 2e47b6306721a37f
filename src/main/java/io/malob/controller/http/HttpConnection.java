package io.malob.controller.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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

  private static final byte[] NOTHING = new byte[0];
  private static final int PIECE_BYTES = 32 * 1024;
  private static final int MIN_BYTES_PER_SECOND = 16 * 1024;
  private static final long DRAIN_SECONDS = 2;

  /** Handles requests. */
  interface Handler {
    /** Takes the head of a request; returns nothing if it cannot be read. */
    Optional<PendingRequest> begin(HttpConnection connection, HttpRequest head);

    /**
     * Handles a request, whose body is complete or will not be read, on another thread, which
     * answers by {@link #respond} or {@link #stream}.
     */
    void handle(PendingRequest request);
  }

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
  private final Handler handler;
  private final SocketChannel channel;
  private final String source;
  private final Object writability = new Object();

  private State state = State.READING;
  private boolean hasBytes;
  private boolean keepsAlive = true;
  private final Queue<HttpObject> later = new ArrayDeque<>();
  private boolean isOld;
  private @Nullable PendingRequest request;

  /** Whether the rest of the request is to be discarded. */
  private boolean isCut;

  private int maxBodyLength;
  private byte[] body = NOTHING;
  private int bodyLength;
  private byte[] unsent = NOTHING;
  private int sentLength;
  private boolean isLastSent;
  private boolean isPumping;

  private volatile long deadlineNanos;
  private volatile long owingSinceNanos;
  private volatile long holdingSinceNanos = NEVER;
  private final AtomicLong heldBytes = new AtomicLong();

  // of a stream: its begin, how long it has waited for its client, and since when it waits
  private volatile long streamingSinceNanos = NEVER;
  private final AtomicLong streamWaitNanos = new AtomicLong();
  private volatile long streamBlockedNanos = NEVER;

  HttpConnection(HttpConnections all, Handler handler, SocketChannel channel) {
    this.all = all;
    this.handler = handler;
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
    long since = streamingSinceNanos;
    if (since == NEVER) {
      return 0;
    }
    long blocked = streamBlockedNanos;
    long waited = streamWaitNanos.get() + (blocked == NEVER ? 0 : now - blocked);
    return 2 * waited > now - since ? waited : 0;
  }

  InetSocketAddress address() {
    return channel.remoteAddress() == null
        ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)
        : channel.remoteAddress();
  }

  Channel channel() {
    return channel;
  }

  Optional<SslHandler> tls() {
    return Optional.ofNullable(channel.pipeline().get(SslHandler.class));
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

  /** Runs before the decoder, to detect the beginning of a request. */
  ChannelHandler firstByte() {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext context, Object message) {
        hasBytes = true;
        context.fireChannelRead(message);
      }
    };
  }

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
      take(part);
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

  private void take(HttpObject part) {
    if (part.decoderResult().isFailure()) {
      refuseUnreadable(part.decoderResult().cause());
      return;
    }
    if (part instanceof HttpRequest request) {
      takeHead(request);
    }
    if (state == State.READING && part instanceof HttpContent content) {
      takeBody(content.content());
      if (state == State.READING && part instanceof LastHttpContent) {
        handle();
      }
    }
  }

  private void refuseUnreadable(Throwable cause) {
    if (cause instanceof TooLongHttpHeaderException) {
      refuse(HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The header is too long");
    } else if (cause instanceof TooLongHttpLineException) {
      refuse(HttpResponseStatus.REQUEST_URI_TOO_LONG, "The path is too long");
    } else {
      refuse(HttpResponseStatus.BAD_REQUEST, "The HTTP request is malformed");
    }
  }

  private void takeHead(HttpRequest head) {
    keepsAlive = HttpUtil.isKeepAlive(head);
    isOld = head.protocolVersion().equals(HttpVersion.HTTP_1_0);
    if (!RequestTarget.normalize(head)) {
      refuse(HttpResponseStatus.BAD_REQUEST, "The path is not a valid URI");
    } else if (!RequestTarget.hasHost(head)) {
      refuse(HttpResponseStatus.BAD_REQUEST, "Exactly one Host header is required, as HOST:PORT");
    } else {
      Optional<PendingRequest> begun = handler.begin(this, head);
      request = begun.orElse(null);
      if (begun.isEmpty()) {
        refuse(HttpResponseStatus.BAD_REQUEST, "The value of a header cannot be read");
      } else {
        deadlineNanos = all.now() + all.limits().requestNanos();
        maxBodyLength = 0;
        if (HttpUtil.isTransferEncodingChunked(head) || HttpUtil.getContentLength(head, 0L) > 0) {
          expectBody(begun.get(), head);
        }
      }
    }
  }

  /** A body is read only if it is wanted. */
  private void expectBody(PendingRequest begun, HttpRequest head) {
    OptionalInt limit = begun.bodyLimit();
    if (limit.isEmpty()) {
      isCut = true;
      keepsAlive = false;
      handle();
      return;
    }
    maxBodyLength = limit.getAsInt();
    if (HttpUtil.getContentLength(head, 0L) > maxBodyLength) {
      refuseTooLarge();
    } else if (HttpUtil.is100ContinueExpected(head)) {
      channel.writeAndFlush(
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
    }
  }

  private void refuseTooLarge() {
    refuse(
        HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
        "The body has more than " + maxBodyLength + " bytes");
  }

  private void takeBody(ByteBuf bytes) {
    int added = bytes.readableBytes();
    if (added == 0) {
      return;
    }
    int length = bodyLength + added;
    if (length > maxBodyLength) {
      refuseTooLarge();
      return;
    }
    if (length > body.length) {
      int grown = Math.min(maxBodyLength, Math.max(length, body.length * 2));
      if (!hold(grown - body.length)) {
        refuse(
            HttpResponseStatus.SERVICE_UNAVAILABLE,
            "The bodies of other requests take all of the memory for them; try again");
        return;
      }
      body = Arrays.copyOf(body, grown);
    }
    bytes.readBytes(body, bodyLength, added);
    bodyLength = length;
    long later = deadlineNanos + TimeUnit.SECONDS.toNanos(added) / MIN_BYTES_PER_SECOND;
    deadlineNanos = later;
  }

  private void handle() {
    PendingRequest complete = request;
    if (complete == null) {
      return;
    }
    state = State.HANDLING;
    owingSinceNanos = NEVER;
    holdingSinceNanos = NEVER; // the client does not owe anything while the request is handled
    deadlineNanos = NEVER;
    complete.call().setBody(body, bodyLength);
    body = NOTHING;
    handler.handle(complete);
  }

  // --- responding

  /** Sends a response; any thread, once for each request, instead of {@link #stream}. */
  void respond(HttpResponseStatus status, HttpHeaders headers, byte[] content) {
    channel.eventLoop().execute(() -> beginResponse(status, headers, content));
  }

  /** Sends an error in the common form; as {@link #respond}. */
  void respondError(HttpResponseStatus status, String sentence) {
    FullHttpResponse error = error(status, sentence);
    byte[] content = new byte[error.content().readableBytes()];
    error.content().readBytes(content);
    respond(status, error.headers(), content);
  }

  /** Begins a response of unknown length; any thread. The stream is to be closed. */
  ResponseStream stream(HttpResponseStatus status, HttpHeaders headers) {
    streamWaitNanos.set(0);
    streamingSinceNanos = all.now();
    channel.eventLoop().execute(() -> beginStream(status, headers));
    return new ResponseStream(this, all.limits().writeNanos());
  }

  private void beginResponse(HttpResponseStatus status, HttpHeaders headers, byte[] content) {
    if (state != State.HANDLING) {
      dropRequest(); // the client has disconnected meanwhile
      return;
    }
    dropRequest();
    state = State.RESPONDING;
    unsent = content;
    sentLength = 0;
    isLastSent = false;
    boolean unused = hold(content.length); // it is there
    markConnection(headers);
    channel.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, status, headers));
    deadlineNanos = all.now() + all.limits().writeNanos();
    pump();
  }

  private void beginStream(HttpResponseStatus status, HttpHeaders headers) {
    if (state != State.HANDLING) {
      dropRequest();
      return;
    }
    dropRequest();
    state = State.STREAMING;
    if (isOld) {
      keepsAlive = false;
    } else {
      headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
    markConnection(headers);
    channel.writeAndFlush(new DefaultHttpResponse(HttpVersion.HTTP_1_1, status, headers));
  }

  private void markConnection(HttpHeaders headers) {
    if (!keepsAlive) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else {
      headers.remove(HttpHeaderNames.CONNECTION);
    }
  }

  private void dropRequest() {
    request = null;
    body = NOTHING;
    bodyLength = 0;
    release();
  }

  /** Writes as much as the client accepts. A write may trigger a change of writability. */
  private void pump() {
    if (isPumping) {
      return;
    }
    isPumping = true;
    do {
      pumpOnce();
    } while (sentLength < unsent.length && channel.isWritable());
    isPumping = false;
  }

  private void pumpOnce() {
    while (sentLength < unsent.length && channel.isWritable()) {
      int length = Math.min(PIECE_BYTES, unsent.length - sentLength);
      channel.write(new DefaultHttpContent(Unpooled.wrappedBuffer(unsent, sentLength, length)));
      sentLength += length;
      deadlineNanos = all.now() + all.limits().writeNanos();
    }
    if (sentLength == unsent.length && !isLastSent) {
      isLastSent = true;
      channel.write(LastHttpContent.EMPTY_LAST_CONTENT).addListener(any -> responded());
    }
    channel.flush();
  }

  /** A stream has ended; any thread. */
  void streamEnded(boolean isComplete) {
    channel
        .eventLoop()
        .execute(
            () -> {
              if (state == State.STREAMING && isComplete) {
                deadlineNanos = all.now() + all.limits().writeNanos();
                channel
                    .writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
                    .addListener(any -> responded());
              } else {
                channel.close();
              }
            });
  }

  private void responded() {
    if (state != State.RESPONDING && state != State.STREAMING) {
      return;
    }
    unsent = NOTHING;
    streamingSinceNanos = NEVER;
    release();
    if (isCut) {
      drain(channel.newSucceededFuture());
      return;
    }
    if (!keepsAlive) {
      channel.close();
      return;
    }
    state = State.READING;
    hasBytes = false;
    owingSinceNanos = all.now();
    deadlineNanos = owingSinceNanos + all.limits().idleNanos();
    readOn();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (state == State.RESPONDING) {
      pump();
    }
    wakeWriters();
    context.fireChannelWritabilityChanged();
  }

  private void wakeWriters() {
    synchronized (writability) {
      writability.notifyAll();
    }
  }

  /**
   * Waits for a limited time until the channel accepts more or is closed; returns whether it
   * accepts more. On the thread of a stream.
   */
  boolean awaitWritable(long patienceNanos) throws InterruptedException {
    long start = all.now();
    streamBlockedNanos = start;
    try {
      synchronized (writability) {
        while (channel.isActive() && !channel.isWritable()) {
          long left = start + patienceNanos - all.now();
          if (left <= 0) {
            return false;
          }
          TimeUnit.NANOSECONDS.timedWait(writability, left);
        }
      }
    } finally {
      streamWaitNanos.addAndGet(all.now() - start);
      streamBlockedNanos = NEVER;
    }
    return channel.isActive();
  }

  // --- ending

  private void expire() {
    if (deadlineNanos == NEVER || all.now() - deadlineNanos <= 0) {
      return;
    }
    if (state == State.READING && hasBytes) {
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
    dropRequest();
    keepsAlive = false;
    drain(channel.writeAndFlush(error(status, sentence)));
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
    boolean isSecret = tls().isPresent();
    answered.addListener(
        any -> {
          ChannelFuture unused = isSecret ? channel.close() : channel.shutdownOutput();
        });
    channel.config().setAutoRead(true);
  }

  private static FullHttpResponse error(HttpResponseStatus status, String sentence) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            status,
            Unpooled.copiedBuffer("{\"error\":\"" + sentence + "\",\"field\":null}", UTF_8));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, "application/json; charset=UTF-8")
        .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
        .set("X-Content-Type-Options", "nosniff")
        .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    if (status.equals(HttpResponseStatus.SERVICE_UNAVAILABLE)) {
      response.headers().set(HttpHeaderNames.RETRY_AFTER, 1);
    }
    return response;
  }

  /** The client has disconnected, or this side has closed the connection. */
  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (state != State.HANDLING) {
      dropRequest(); // else its body is in use until the response comes
    }
    state = State.DRAINING;
    deadlineNanos = NEVER;
    dropLater();
    unsent = NOTHING;
    wakeWriters();
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
  private boolean hold(long bytes) {
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
