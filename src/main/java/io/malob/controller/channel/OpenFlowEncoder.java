package io.malob.controller.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFMessage;

/**
 * Writes messages into one buffer until they are flushed: many small messages cost one write. Takes
 * {@link OFMessage} and {@link MessageBatch}. A message that cannot be encoded is left out and
 * reported as an {@link EncodingFailure} event.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class OpenFlowEncoder extends ChannelOutboundHandlerAdapter {
  private static final int INITIAL_BYTES = 4 * 1024;

  /** The fill level at which a buffer is passed on, so that the channel's limits include it. */
  private static final int FULL_BYTES = 64 * 1024;

  private @Nullable ByteBuf collected;

  /** Messages to be written together, in order. */
  record MessageBatch(Iterable<OFMessage> messages) {}

  /** A message that was not sent because it cannot be encoded. */
  record EncodingFailure(OFMessage message, RuntimeException cause) {}

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof OFMessage single) {
      encode(ctx, single);
    } else if (message instanceof MessageBatch batch) {
      batch.messages().forEach(each -> encode(ctx, each));
    } else {
      ctx.write(message, promise);
      return;
    }
    // a promise with listeners must complete for exactly these bytes
    if (!promise.isVoid()) {
      handOn(ctx, promise);
    }
  }

  private void encode(ChannelHandlerContext ctx, OFMessage message) {
    ByteBuf buffer = collected;
    if (buffer == null) {
      buffer = ctx.alloc().ioBuffer(INITIAL_BYTES);
      collected = buffer;
    }
    int before = buffer.writerIndex();
    try {
      message.writeTo(buffer);
    } catch (RuntimeException e) {
      buffer.writerIndex(before);
      ctx.fireUserEventTriggered(new EncodingFailure(message, e));
    }
    if (buffer.readableBytes() >= FULL_BYTES) {
      handOn(ctx, ctx.voidPromise());
    }
  }

  private void handOn(ChannelHandlerContext ctx, ChannelPromise promise) {
    ByteBuf buffer = collected;
    collected = null;
    ctx.write(buffer == null ? ctx.alloc().buffer(0) : buffer, promise);
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    if (collected != null) {
      handOn(ctx, ctx.voidPromise());
    }
    ctx.flush();
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    flush(ctx);
    ctx.close(promise);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    ByteBuf buffer = collected;
    collected = null;
    if (buffer != null) {
      buffer.release();
    }
  }
}
