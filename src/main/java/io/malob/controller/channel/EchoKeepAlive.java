package io.malob.controller.channel;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFEchoReply;
import org.projectfloodlight.openflow.protocol.OFEchoRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the peer for an echo once per interval, and closes a connection on which nothing at all has
 * come for three intervals. Answers the peer's own echo requests, and measures the round trip of
 * its own ones. Intervals are counted, so that the time of day does not matter.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class EchoKeepAlive extends ChannelInboundHandlerAdapter {
  private static final Logger logger = LoggerFactory.getLogger(EchoKeepAlive.class);
  private static final int SILENT_INTERVALS_OF_A_DEAD_PEER = 3;

  private final ProtocolVersion version;
  private final int intervalMillis;
  private final LongSupplier nanoTime;

  private volatile long roundTripNanos;
  private boolean heard;
  private int silentIntervals;
  private @Nullable OFEchoRequest lastRequest;
  private long lastRequestNanos;
  private @Nullable ScheduledFuture<?> timer;

  EchoKeepAlive(ProtocolVersion version, int intervalMillis, LongSupplier nanoTime) {
    this.version = version;
    this.intervalMillis = intervalMillis;
    this.nanoTime = nanoTime;
  }

  /** The latest round trip; 0 before the first. May be read by any thread. */
  long roundTripNanos() {
    return roundTripNanos;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    timer =
        ctx.executor()
            .scheduleAtFixedRate(
                () -> onInterval(ctx), intervalMillis, intervalMillis, TimeUnit.MILLISECONDS);
    ctx.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ScheduledFuture<?> running = timer;
    if (running != null) {
      running.cancel(false);
    }
    ctx.fireChannelInactive();
  }

  private void onInterval(ChannelHandlerContext ctx) {
    silentIntervals = heard ? 0 : silentIntervals + 1;
    heard = false;
    if (silentIntervals >= SILENT_INTERVALS_OF_A_DEAD_PEER) {
      logger.warn(
          "{} has been silent for {} ms: closing its connection",
          ctx.channel().remoteAddress(),
          (long) silentIntervals * intervalMillis);
      ctx.close();
      return;
    }
    if (!ctx.channel().isWritable()) {
      return;
    }
    OFEchoRequest request = version.factory().echoRequest(new byte[0]);
    lastRequest = request;
    lastRequestNanos = nanoTime.getAsLong();
    ctx.channel().writeAndFlush(request, ctx.channel().voidPromise());
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    heard = true;
    if (message instanceof OFEchoRequest request) {
      // one who asks without reading the answers gets none: they would pile up
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
        && lastRequest != null
        && reply.getXid() == lastRequest.getXid()) {
      roundTripNanos = nanoTime.getAsLong() - lastRequestNanos;
    } else {
      ctx.fireChannelRead(message);
    }
  }
}
