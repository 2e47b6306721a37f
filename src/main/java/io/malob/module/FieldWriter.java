package io.malob.module;

import com.google.common.io.ByteArrayDataOutput;
import com.google.common.io.ByteStreams;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Writes the fields of a message to other controllers, one after the other: big-endian, without
 * padding. It grows as needed. {@link FieldReader} reads the same fields. For one thread.
 */
public final class FieldWriter {
  private ByteBuffer bytes;

  /** An empty message of about this size. */
  public FieldWriter(int usualSize) {
    bytes = ByteBuffer.allocate(usualSize);
  }

  /** The buffer, with room for so many bytes. */
  private ByteBuffer room(int count) {
    return bytes.remaining() < count ? grow(count) : bytes;
  }

  private ByteBuffer grow(int count) {
    int size = Math.max(2 * bytes.capacity(), bytes.position() + count);
    bytes = ByteBuffer.allocate(size).put(bytes.flip());
    return bytes;
  }

  /** Writes the lower 8 bits. */
  public FieldWriter putByte(int value) {
    room(Byte.BYTES).put((byte) value);
    return this;
  }

  /** Writes the lower 16 bits. */
  public FieldWriter putShort(int value) {
    room(Short.BYTES).putShort((short) value);
    return this;
  }

  /** Writes 32 bits. */
  public FieldWriter putInt(int value) {
    room(Integer.BYTES).putInt(value);
    return this;
  }

  /** Writes 64 bits. */
  public FieldWriter putLong(long value) {
    room(Long.BYTES).putLong(value);
    return this;
  }

  /** Writes the 64 bits of IEEE 754. */
  public FieldWriter putDouble(double value) {
    room(Double.BYTES).putDouble(value);
    return this;
  }

  /** Writes bytes without their number. */
  public FieldWriter putBytes(byte[] value) {
    room(value.length).put(value);
    return this;
  }

  /** Writes bytes, at most 255, after their number. */
  public FieldWriter putShortBytes(byte[] value) {
    return putByte(value.length).putBytes(value);
  }

  /** Writes a string in modified UTF-8 after its length. */
  public FieldWriter putText(String text) {
    ByteArrayDataOutput encoded = ByteStreams.newDataOutput(text.length() + Short.BYTES);
    encoded.writeUTF(text);
    return putBytes(encoded.toByteArray());
  }

  /** Writes a datapath id. */
  public FieldWriter putSwitch(DatapathId id) {
    return putLong(id.getLong());
  }

  /** Writes the number of a port. */
  public FieldWriter putPort(OFPort port) {
    return putInt(port.getPortNumber());
  }

  /** Writes an OpenFlow message. */
  public FieldWriter putMessage(OFMessage message) {
    ByteBuf encoded = Unpooled.buffer();
    message.writeTo(encoded);
    room(encoded.readableBytes()).put(encoded.nioBuffer());
    return this;
  }

  /** Replaces 32 bits that were written at this position. */
  public FieldWriter setInt(int position, int value) {
    bytes.putInt(position, value);
    return this;
  }

  /** The number of bytes so far. */
  public int size() {
    return bytes.position();
  }

  /** The bytes so far. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes.array(), bytes.position());
  }

  /** Begins anew. */
  public void clear() {
    bytes.clear();
  }
}
