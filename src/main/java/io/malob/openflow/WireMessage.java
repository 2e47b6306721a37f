package io.malob.openflow;

import com.google.common.hash.PrimitiveSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;

/**
 * A message that is written field by field: one of each connection, for which openflowj would
 * create some thirty objects, one that it does not know, or one that is encoded already. Immutable.
 */
public abstract class WireMessage implements OFMessage {
  private static final int LENGTH_OFFSET = 2;

  private final OFVersion version;
  private final OFType type;
  private final long xid;

  /** A message of the factory's version. */
  protected WireMessage(OFFactory factory, OFType type) {
    this.version = factory.getVersion();
    this.type = type;
    this.xid = factory.nextXid();
  }

  /** The bytes of its packet; the rest is short. */
  public int packetBytes() {
    return 0;
  }

  /** Writes what follows the header. */
  protected abstract void writeBody(ByteBuf out);

  /** The number of the type, the same from OpenFlow 1.3 to 1.5. */
  private int typeCode() {
    return switch (type) {
      case ECHO_REQUEST -> 2;
      case EXPERIMENTER -> 4;
      case PACKET_OUT -> 13;
      case FLOW_MOD -> 14;
      case GROUP_MOD -> 15;
      default -> throw new IllegalStateException("no number for " + type);
    };
  }

  @Override
  public final void writeTo(ByteBuf out) {
    int start = out.writerIndex();
    out.writeByte(version.getWireVersion());
    out.writeByte(typeCode());
    out.writeShort(0);
    out.writeInt((int) xid);
    writeBody(out);
    out.setShort(start + LENGTH_OFFSET, out.writerIndex() - start);
  }

  private ByteBuf body() {
    ByteBuf body = Unpooled.buffer();
    writeBody(body);
    return body;
  }

  @Override
  public final OFVersion getVersion() {
    return version;
  }

  @Override
  public final OFType getType() {
    return type;
  }

  @Override
  public final long getXid() {
    return xid;
  }

  @Override
  public final boolean equalsIgnoreXid(Object other) {
    return other instanceof WireMessage message
        && message.version == version
        && message.type == type
        && message.body().equals(body());
  }

  @Override
  public final int hashCodeIgnoreXid() {
    return body().hashCode();
  }

  @Override
  public final void putTo(PrimitiveSink sink) {
    ByteBuf bytes = Unpooled.buffer();
    writeTo(bytes);
    sink.putBytes(bytes.nioBuffer());
  }

  /** Immutable: create a new message instead. */
  @Override
  public final Builder createBuilder() {
    throw new UnsupportedOperationException("a message of a connection is rebuilt instead");
  }

  @Override
  public String toString() {
    return type + " (" + version + ", xid " + xid + ")";
  }
}
