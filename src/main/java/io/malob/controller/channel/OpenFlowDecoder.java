package io.malob.controller.channel;

import io.malob.controller.message.MessageReader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFMessage;

/**
 * Cuts the byte stream into messages: {@link OFMessage}, {@link HelloFrame}, or {@link
 * UnparseableFrame}. After an invalid length, the next message cannot be found: that is a {@link
 * CorruptedFrameException}, once.
 *
 * <p>After a long message, the channel is not read until the other channels of its thread had their
 * turn. A switch that lists 100,000 flow entries sends hundreds of such messages in one go, and
 * packet-ins of other switches would wait until all of them are parsed.
 */
final class OpenFlowDecoder extends ByteToMessageDecoder {
  private static final int HEADER_BYTES = 8;
  private static final int LENGTH_OFFSET = 2;
  private static final int XID_OFFSET = 4;

  /** A few hundred flow entries, which take milliseconds to parse. */
  private static final int LONG_BYTES = 16 * 1024;

  private static final int HELLO = 0;
  private static final int ERROR = 1;

  private final MessageReader reader = new MessageReader();
  private final ProtocolVersion agreed;
  private boolean corrupt;
  private long bytesRead;

  OpenFlowDecoder(ProtocolVersion agreed) {
    this.agreed = agreed;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    if (corrupt) {
      in.skipBytes(in.readableBytes());
      return;
    }
    if (in.readableBytes() < HEADER_BYTES) {
      return;
    }
    int length = in.getUnsignedShort(in.readerIndex() + LENGTH_OFFSET);
    if (length < HEADER_BYTES) {
      corrupt = true;
      in.skipBytes(in.readableBytes());
      throw new CorruptedFrameException("a message claims a length of " + length + " bytes");
    }
    if (in.readableBytes() >= length) {
      bytesRead += length;
      out.add(readFrame(in, length));
      if (length >= LONG_BYTES) {
        letOthersRead(ctx.channel());
      }
    }
  }

  private static void letOthersRead(Channel channel) {
    ChannelConfig config = channel.config();
    if (config.isAutoRead()) {
      config.setAutoRead(false);
      channel.eventLoop().execute(() -> config.setAutoRead(true));
    }
  }

  /** Limits the buffer to the message, because the readers read to its end. */
  private Object readFrame(ByteBuf in, int length) {
    int end = in.readerIndex() + length;
    int written = in.writerIndex();
    in.writerIndex(end);
    try {
      return parse(in);
    } finally {
      in.setIndex(end, written);
    }
  }

  /** The bytes of all messages so far; on the channel's thread. */
  long bytesRead() {
    return bytesRead;
  }

  private Object parse(ByteBuf frame) {
    int start = frame.readerIndex();
    int version = frame.getUnsignedByte(start);
    int type = frame.getUnsignedByte(start + 1);
    long xid = frame.getUnsignedInt(start + XID_OFFSET);
    if (type == HELLO) {
      return HelloFrame.read(frame);
    }
    // a peer that rejects our version does so in its own version
    if (!agreed.understands(version) && type != ERROR) {
      return new UnparseableFrame(type, xid, "its wire version is " + version);
    }
    @Nullable RoleNotice notice = RoleNotice.read(frame);
    if (notice != null) {
      return notice;
    }
    try {
      @Nullable OFMessage message = reader.read(frame);
      return message != null ? message : new UnparseableFrame(type, xid, "it is truncated");
    } catch (OFParseError | RuntimeException e) {
      // openflowj reports bad input by exceptions of many types
      return new UnparseableFrame(type, xid, e.toString());
    }
  }
}
