package io.malob.controller.message;

import com.google.common.hash.PrimitiveSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;

/**
 * A message that keeps its bytes and reads single fields from them. Whatever is asked for rarely,
 * openflowj reads, anew each time. Immutable.
 *
 * @param <M> openflowj's interface for it
 */
abstract class LazyMessage<M extends OFMessage> implements OFMessage {
  static final int HEADER_BYTES = 8;
  private static final int XID_OFFSET = 4;

  private final byte[] head;
  private final Class<M> type;

  /** Takes over the first bytes of a buffer that is the message. */
  LazyMessage(ByteBuf message, int length, Class<M> type) {
    head = new byte[length];
    message.readBytes(head);
    this.type = type;
  }

  static OFVersion version(int wireVersion) {
    return switch (wireVersion) {
      case 4 -> OFVersion.OF_13;
      case 5 -> OFVersion.OF_14;
      case 6 -> OFVersion.OF_15;
      default -> throw new IllegalArgumentException("version " + wireVersion + " on the wire");
    };
  }

  /** All bytes of the message; not to be written to. */
  byte[] bytes() {
    return head;
  }

  final int uint8(int offset) {
    return head[offset] & 0xff;
  }

  final int uint16(int offset) {
    return uint8(offset) << 8 | uint8(offset + 1);
  }

  final int int32(int offset) {
    return uint16(offset) << 16 | uint16(offset + 2);
  }

  final long int64(int offset) {
    return (long) int32(offset) << 32 | Integer.toUnsignedLong(int32(offset + 4));
  }

  /** The whole message, as openflowj reads it. */
  final M parsed() {
    try {
      return type.cast(OFFactories.getGenericReader().readFrom(Unpooled.wrappedBuffer(bytes())));
    } catch (OFParseError e) {
      throw new IllegalStateException("not a " + type.getSimpleName() + ": " + e.getMessage(), e);
    }
  }

  @Override
  public final OFVersion getVersion() {
    return version(uint8(0));
  }

  @Override
  public final long getXid() {
    return Integer.toUnsignedLong(int32(XID_OFFSET));
  }

  @Override
  public final void writeTo(ByteBuf out) {
    out.writeBytes(bytes());
  }

  @Override
  public final void putTo(PrimitiveSink sink) {
    sink.putBytes(bytes());
  }

  @Override
  public final boolean equalsIgnoreXid(Object other) {
    return parsed().equalsIgnoreXid(other instanceof LazyMessage<?> lazy ? lazy.parsed() : other);
  }

  @Override
  public final int hashCodeIgnoreXid() {
    return parsed().hashCodeIgnoreXid();
  }

  @Override
  public final String toString() {
    return parsed().toString();
  }
}
