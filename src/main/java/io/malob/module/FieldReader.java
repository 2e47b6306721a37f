package io.malob.module;

import com.google.common.io.ByteStreams;
import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Reads the fields of a message of another controller in the order in which {@link FieldWriter} has
 * written them. A method throws {@link IllegalArgumentException} if the message ends before the
 * field's end, or if the field has no such value. For one thread.
 */
public final class FieldReader {
  private final ByteBuffer in;

  /** Reads the rest of a buffer, which is big-endian. */
  public FieldReader(ByteBuffer in) {
    this.in = in;
  }

  /** Whether there is more. */
  public boolean hasRemaining() {
    return in.hasRemaining();
  }

  /** The number of bytes that are left. */
  public int remaining() {
    return in.remaining();
  }

  private ByteBuffer next(int count) {
    if (count > in.remaining()) {
      throw new IllegalArgumentException("the message ends within an entry");
    }
    return in;
  }

  /** Reads 8 bits as a number of at least 0. */
  public int readByte() {
    return Byte.toUnsignedInt(next(Byte.BYTES).get());
  }

  /** Reads 16 bits as a number of at least 0. */
  public int readShort() {
    return Short.toUnsignedInt(next(Short.BYTES).getShort());
  }

  /** Reads 32 bits. */
  public int readInt() {
    return next(Integer.BYTES).getInt();
  }

  /** Reads 64 bits. */
  public long readLong() {
    return next(Long.BYTES).getLong();
  }

  /** Reads the 64 bits of IEEE 754. */
  public double readDouble() {
    return next(Double.BYTES).getDouble();
  }

  /** Reads so many bytes. */
  public byte[] readBytes(int count) {
    next(count);
    byte[] bytes = new byte[count];
    in.get(bytes);
    return bytes;
  }

  /** Reads bytes after their number, which is one byte. */
  public byte[] readShortBytes() {
    return readBytes(readByte());
  }

  /** Reads all that is left. */
  public byte[] readRest() {
    return readBytes(remaining());
  }

  /** Reads a string in modified UTF-8 after its length. */
  public String readText() {
    in.mark();
    int length = readShort();
    in.reset();
    byte[] encoded = readBytes(Short.BYTES + length);
    try {
      return ByteStreams.newDataInput(encoded).readUTF();
    } catch (IllegalStateException e) {
      throw new IllegalArgumentException("a string that is not in modified UTF-8", e);
    }
  }

  /** Reads a datapath id. */
  public DatapathId readSwitch() {
    return DatapathId.of(readLong());
  }

  /** Reads the number of a port. */
  public OFPort readPort() {
    return OFPort.of(readInt());
  }

  /**
   * Checks a number that was read.
   *
   * @param field its name, for the exception
   */
  public static int within(String field, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(field + " " + value);
    }
    return value;
  }
}
