package io.malob.controller.message;

import com.google.common.hash.PrimitiveSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;

/**
 * A message whose frequently used fields are read by hand. For other fields, openflowj parses its
 * bytes, each time again. Immutable.
 *
 * @param <M> openflowj's interface for it
 */
abstract class LazyMessage<M extends OFMessage> implements OFMessage {
  private final Class<M> type;

  LazyMessage(Class<M> type) {
    this.type = type;
  }

  /** The rest of a buffer. */
  static byte[] rest(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes);
    return bytes;
  }

  static OFVersion version(int wireVersion) {
    return switch (wireVersion) {
      case 4 -> OFVersion.OF_13;
      case 5 -> OFVersion.OF_14;
      case 6 -> OFVersion.OF_15;
      default -> throw new IllegalArgumentException("unsupported wire version " + wireVersion);
    };
  }

  /** All bytes of the message; read-only. */
  abstract byte[] bytes();

  /** Its first eight bytes: version, type, length, and transaction id. */
  abstract long header();

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
    return version((int) (header() >>> 56));
  }

  @Override
  public final long getXid() {
    return header() & 0xffff_ffffL;
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
