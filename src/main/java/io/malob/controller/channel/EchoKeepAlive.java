package io.malob.controller.channel;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFEchoReply;
import org.projectfloodlight.openflow.protocol.OFEchoRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the peer an echo request once per interval, answers the peer's echo requests, and measures
 * the round trip of its own ones. Closes a connection without input for three intervals, and a
 * connection whose peer sends but does not read: no echo answered, and no progress of pending
 * output. Intervals are counted, independent of the time of day.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class EchoKeepAlive extends ChannelInboundHandlerAdapter {
  private static final Logger logger = LoggerFactory.getLogger(EchoKeepAlive.class);
  private static final int SILENT_INTERVALS_OF_A_DEAD_PEER = 3;

  private final ProtocolVersion version;
  private final int intervalMillis;
  private final int maxUnreadIntervals;
  private final LongSupplier nanoTime;
  private final EchoTimes echoes;
  private final UnsentBytes unsent = new UnsentBytes();

  private boolean heard;
  private boolean answered;
  private int silentIntervals;

  /** The first interval has no pending echo. */
  private int unreadIntervals = -1;

  private @Nullable ScheduledFuture<?> timer;

  @SuppressWarnings("NullAway.Init") // set when this handler is added
  private ChannelHandlerContext context;

  /** What {@link #ask} waits for. */
  private @Nullable Question question;

  /** An echo request, and who is told whether it was answered. */
  private record Question(long xid, Consumer<Boolean> answered) {}

  EchoKeepAlive(ProtocolVersion version, ChannelSettings settings, LongSupplier nanoTime) {
    this.version = version;
    this.nanoTime = nanoTime;
    intervalMillis = settings.echoIntervalMillis();
    maxUnreadIntervals = Math.max(1, settings.unreadTimeoutMillis() / intervalMillis);
    echoes =
        new EchoTimes(
            TimeUnit.MILLISECONDS.toNanos((long) SILENT_INTERVALS_OF_A_DEAD_PEER * intervalMillis));
  }

  /** The latest round trip; 0 before the first. May be read by any thread. */
  long roundTripNanos() {
    return echoes.roundTripNanos();
  }

  /**
   * Tells on the channel's thread whether the peer answers an echo request in time; not if the
   * connection is closed before. One question at a time. May be called by any thread.
   */
  void ask(int millis, Consumer<Boolean> answered) {
    context.executor().execute(() -> askNow(millis, answered));
  }

  private void askNow(int millis, Consumer<Boolean> answered) {
    if (!context.channel().isActive()) {
      return;
    }
    OFEchoRequest request = version.factory().echoRequest(new byte[0]);
    long xid = request.getXid();
    question = new Question(xid, answered);
    context.executor().schedule(() -> answer(xid, false), millis, TimeUnit.MILLISECONDS);
    if (context.channel().isWritable()) {
      send(context, request);
    }
  }

  private void answer(long xid, boolean inTime) {
    Question asked = question;
    if (asked != null && asked.xid == xid) {
      question = null;
      asked.answered.accept(inTime);
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    timer =
        ctx.executor()
            // not at a fixed rate: after a pause of this process, the missed intervals would all
            // end at once, and a good peer would count as silent
            .scheduleWithFixedDelay(
                () -> onInterval(ctx), intervalMillis, intervalMillis, TimeUnit.MILLISECONDS);
    ctx.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ScheduledFuture<?> running = timer;
    if (running != null) {
      running.cancel(false);
    }
    question = null;
    ctx.fireChannelInactive();
  }

  private void onInterval(ChannelHandlerContext ctx) {
    silentIntervals = heard ? 0 : silentIntervals + 1;
    boolean read = unsent.haveMovedOn(ctx.channel()) || answered;
    unreadIntervals = read ? 0 : unreadIntervals + 1;
    heard = false;
    answered = false;
    if (silentIntervals >= SILENT_INTERVALS_OF_A_DEAD_PEER) {
      close(ctx, "has sent nothing", silentIntervals);
    } else if (unreadIntervals >= maxUnreadIntervals) {
      close(ctx, "has read nothing", unreadIntervals);
    } else if (ctx.channel().isWritable()) {
      send(ctx, version.factory().echoRequest(new byte[0]));
    }
  }

  private void send(ChannelHandlerContext ctx, OFEchoRequest request) {
    echoes.sent(request.getXid(), nanoTime.getAsLong());
    ctx.channel().writeAndFlush(request, ctx.channel().voidPromise());
  }

  private void close(ChannelHandlerContext ctx, String what, int intervals) {
    logger.warn(
        "switch_silent from={} what=\"{}\" ms={} - its connection is closed",
        ctx.channel().remoteAddress(),
        what,
        (long) intervals * intervalMillis);
    ctx.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    heard = true;
    if (message instanceof OFEchoRequest request) {
      // a peer that does not read gets no answers: they would pile up
      if (ctx.channel().isWritable()) {
        OFEchoReply reply =
            version
                .factory()
                .buildEchoReply()
                .setXid(request.getXid())
                .setData(request.getData())
                .build();
        ctx.channel().writeAndFlush(reply, ctx.channel().voidPromise());
      }
    } else if (message instanceof OFEchoReply reply
        && echoes.answered(reply.getXid(), nanoTime.getAsLong())) {
      answered = true;
      answer(reply.getXid(), true);
    } else {
      ctx.fireChannelRead(message);
    }
  }
}
