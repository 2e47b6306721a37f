package io.malob.cluster.peer;

import io.malob.cluster.peer.Outbox.Message;
import io.malob.module.IPeerService;
import io.malob.module.PeerTopic;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One connection between two controllers: the handshake, then sealed frames. A frame has the length
 * of its body (4 bytes), the body and a seal. The body is any number of messages: topic (1 byte),
 * length (3 bytes), content. A frame without messages is a sign of life.
 *
 * <p>The side that listens sends messages; the one that has connected sends signs of life only.
 *
 * <p>{@link #send} may be called by any thread; all else belongs to the channel's event loop. On
 * any violation of the protocol, the connection is closed.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class PeerChannel extends ByteToMessageDecoder {
  /** The max time from the connection to the end of the handshake. */
  static final long HANDSHAKE_MILLIS = 1_000;

  /** The time between two signs of life. */
  private static final long BEAT_MILLIS = 500;

  /** A peer of which nothing comes for so many of them is silent: after a second. */
  private static final int SILENT_BEATS = 2;

  /** A connection over which nothing comes for more of them is closed: after three seconds. */
  private static final int MAX_SILENT_BEATS = 5;

  private static final String BROKEN = "the connection has broken";
  private static final PeerTopic[] TOPICS = PeerTopic.values();

  /** Hellos come from anyone: no more is read of them. */
  private static final int MAX_HELLO = 1_024;

  private static final int LENGTH_BYTES = 4;
  private static final int HEADER_BYTES = 4;
  private static final int MAX_BODY = HEADER_BYTES + IPeerService.MAX_MESSAGE;

  /** Messages that wait are sent in frames of about this size. */
  private static final int USUAL_BODY = 64 * 1024;

  private final Handshake handshake;
  private final boolean isClient;
  private final Events events;
  private final PeerCounters counters;
  private final Outbox outbox = new Outbox();
  private final AtomicBoolean willFlush = new AtomicBoolean();
  private volatile State state = State.HELLO;
  private @Nullable FrameSeal ownSeal;
  private @Nullable FrameSeal otherSeal;
  private @Nullable Future<?> beats;
  private int silentBeats;
  private boolean hasWritten;
  private String why = BROKEN;
  private String remote = "";
  private volatile @Nullable Channel channel;

  /** What comes next on a connection. */
  private enum State {
    HELLO,
    PROOF,
    FRAMES,
    NOTHING
  }

  /** Receives a connection's events, on its event loop. */
  interface Events {
    /** The other side has said who it is, without a proof. */
    default void named(PeerChannel connection) throws RefusedException {}

    /** The other side has proved that it belongs to the cluster. */
    void opened(PeerChannel connection);

    /** A message of the other side. */
    default void received(PeerChannel connection, PeerTopic topic, ByteBuffer message) {}

    /** Nothing has come for some time; called at every beat as long as that lasts. */
    default void silent(PeerChannel connection) {}

    /** The connection has ended; after {@link #opened} or without it. */
    void closed(PeerChannel connection);
  }

  /** A connection that this controller has opened, or another one. */
  PeerChannel(Handshake handshake, boolean isClient, Events events, PeerCounters counters) {
    this.handshake = handshake;
    this.isClient = isClient;
    this.events = events;
    this.counters = counters;
  }

  /** The name of the other controller; proved if the connection was opened. */
  String peer() {
    return handshake.name();
  }

  /** The token of the other controller's process. */
  String token() {
    return handshake.token();
  }

  /** Whether the handshake was complete. */
  boolean wasOpened() {
    return ownSeal != null;
  }

  /** Whether it is still unknown whether the other side belongs to the cluster. */
  boolean isPending() {
    return state == State.HELLO || state == State.PROOF;
  }

  /** Whether the other side has said who it is. */
  boolean hasSaidHello() {
    return state != State.HELLO;
  }

  /** Why it was closed. */
  String why() {
    return why;
  }

  /** Whether this side has closed it for a reason. */
  boolean wasRefused() {
    return !why.equals(BROKEN);
  }

  /** The address of the other side. */
  String remote() {
    return remote;
  }

  /** The size of the messages that wait, in bytes. */
  long waiting() {
    return outbox.bytes();
  }

  /** Closes the connection. */
  void close(String reason) {
    @Nullable Channel current = channel;
    if (current != null) {
      current.eventLoop().execute(() -> end(current, reason));
    }
  }

  private void end(Channel current, String reason) {
    if (state != State.NOTHING) {
      state = State.NOTHING;
      why = reason;
      current.close();
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    channel = context.channel();
    if (context.channel().remoteAddress() instanceof InetSocketAddress address) {
      remote = address.getHostString();
    }
    context
        .executor()
        .schedule(
            () -> {
              if (isPending()) {
                end(context.channel(), "it did not answer in time");
              }
            },
            HANDSHAKE_MILLIS,
            TimeUnit.MILLISECONDS);
    if (isClient) {
      context.writeAndFlush(hello());
    }
    context.fireChannelActive();
  }

  private ByteBuf hello() {
    byte[] hello = handshake.hello();
    return Unpooled.buffer().writeInt(hello.length).writeBytes(hello);
  }

  /**
   * Reads one part of the protocol, if it is there: called again as long as that reads anything.
   */
  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    try {
      switch (state) {
        case HELLO -> readHello(context, in);
        case PROOF -> readProof(context, in);
        case FRAMES -> readFrame(in);
        case NOTHING -> in.skipBytes(in.readableBytes());
      }
    } catch (RefusedException e) {
      in.skipBytes(in.readableBytes());
      end(context.channel(), String.valueOf(e.getMessage()));
    }
  }

  private void readHello(ChannelHandlerContext context, ByteBuf in) throws RefusedException {
    int length = length(in, MAX_HELLO);
    if (length < 0 || in.readableBytes() < LENGTH_BYTES + length) {
      return;
    }
    byte[] hello = new byte[length];
    in.skipBytes(LENGTH_BYTES).readBytes(hello);
    try {
      handshake.read(hello);
    } finally {
      if (!isClient) {
        // also to another version, so that it can tell its operator
        context.writeAndFlush(hello());
      }
    }
    events.named(this);
    if (!isClient) {
      context.writeAndFlush(Unpooled.wrappedBuffer(handshake.proof()));
    }
    state = State.PROOF;
  }

  private void readProof(ChannelHandlerContext context, ByteBuf in) throws RefusedException {
    if (in.readableBytes() < Handshake.PROOF_BYTES) {
      return;
    }
    handshake.verify(in);
    if (isClient) {
      context.writeAndFlush(Unpooled.wrappedBuffer(handshake.proof()));
    }
    ownSeal = handshake.ownSeal();
    otherSeal = handshake.otherSeal();
    state = State.FRAMES;
    beats =
        context
            .executor()
            .scheduleWithFixedDelay(
                () -> beat(context.channel()), BEAT_MILLIS, BEAT_MILLIS, TimeUnit.MILLISECONDS);
    events.opened(this);
  }

  private void readFrame(ByteBuf in) throws RefusedException {
    int length = length(in, MAX_BODY);
    int whole = LENGTH_BYTES + length + FrameSeal.BYTES;
    if (length < 0 || in.readableBytes() < whole) {
      return;
    }
    ByteBuf body = in.skipBytes(LENGTH_BYTES).readSlice(length);
    byte[] seal = new byte[FrameSeal.BYTES];
    in.readBytes(seal);
    @Nullable FrameSeal expected = otherSeal;
    if (expected == null || !expected.isNext(body, seal)) {
      throw new RefusedException("a frame was changed, repeated or lost on the way");
    }
    counters.receivedBytes.add(whole);
    while (body.isReadable() && state == State.FRAMES) {
      readMessage(body);
    }
  }

  private void readMessage(ByteBuf body) throws RefusedException {
    @Nullable PeerTopic topic = body.readableBytes() < HEADER_BYTES ? null : topic(body.readByte());
    int length = topic == null ? -1 : body.readUnsignedMedium();
    if (topic == null || length > body.readableBytes()) {
      throw new RefusedException("a frame has another content than this controller understands");
    }
    byte[] content = new byte[length];
    body.readBytes(content);
    counters.receivedMessages.increment();
    events.received(this, topic, ByteBuffer.wrap(content));
  }

  private static @Nullable PeerTopic topic(int number) {
    for (PeerTopic topic : TOPICS) {
      if (topic.number() == number) {
        return topic;
      }
    }
    return null;
  }

  /** The length of what comes; -1 if that is not there yet. */
  private static int length(ByteBuf in, int max) throws RefusedException {
    if (in.readableBytes() < LENGTH_BYTES) {
      return -1;
    }
    int length = in.getInt(in.readerIndex());
    if (length < 0 || length > max) {
      throw new RefusedException("it is no controller, or what it sends is too large");
    }
    return length;
  }

  /**
   * Sends a message, unless too much waits.
   *
   * @return false if it is not sent
   */
  boolean send(PeerTopic topic, byte[] message) {
    @Nullable Channel current = channel;
    if (current == null || !outbox.add(new Message(topic, message))) {
      return false;
    }
    if (willFlush.compareAndSet(false, true)) {
      current.eventLoop().execute(() -> flush(current));
    }
    return true;
  }

  /** Writes what the socket takes: several messages share a frame and its seal. */
  private void flush(Channel current) {
    willFlush.set(false);
    while (state == State.FRAMES && current.isWritable() && outbox.peek() != null) {
      ByteBuf body = current.alloc().buffer(USUAL_BODY);
      List<Message> sending = new ArrayList<>();
      @Nullable Message next = outbox.peek();
      while (next != null
          && (!body.isReadable()
              || body.readableBytes() + HEADER_BYTES + next.content().length <= USUAL_BODY)) {
        body.writeByte(next.topic().number())
            .writeMedium(next.content().length)
            .writeBytes(next.content());
        counters.sentMessages.increment();
        outbox.take(next);
        sending.add(next);
        next = outbox.peek();
      }
      write(current, body).addListener(done -> outbox.sent(sending));
    }
    current.flush();
  }

  private ChannelFuture write(Channel current, ByteBuf body) {
    byte[] seal = Objects.requireNonNull(ownSeal).next(body);
    ByteBuf length = current.alloc().buffer(LENGTH_BYTES).writeInt(body.readableBytes());
    hasWritten = true;
    counters.sentBytes.add(LENGTH_BYTES + body.readableBytes() + seal.length);
    current.write(length);
    current.write(body);
    return current.write(Unpooled.wrappedBuffer(seal));
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (context.channel().isWritable()) {
      flush(context.channel());
    }
    context.fireChannelWritabilityChanged();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    silentBeats = 0;
    super.channelRead(context, message);
  }

  /** Counts beats, not time: if this process was suspended, that says nothing about the other. */
  private void beat(Channel current) {
    if (++silentBeats > MAX_SILENT_BEATS) {
      end(current, "nothing has come for some seconds");
    } else if (!hasWritten && current.isWritable()) {
      write(current, Unpooled.EMPTY_BUFFER);
      current.flush();
    }
    hasWritten = false;
    if (silentBeats >= SILENT_BEATS && state == State.FRAMES) {
      events.silent(this);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
    end(context.channel(), String.valueOf(problem.getMessage()));
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    super.channelInactive(context);
    if (beats != null) {
      beats.cancel(false);
    }
    state = State.NOTHING;
    events.closed(this);
  }
}
