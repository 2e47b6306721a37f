package io.malob.openflow.tracked;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFVersion;

/**
 * A new value of some bits of a connection's mark ({@code ct_mark}), a number that its entry keeps
 * and rules match. Immutable.
 *
 * @param value 32 bits; zero outside of the mask
 * @param mask the bits that are written; {@link #ALL_BITS} for the whole mark
 */
public record Mark(int value, int mask) {
  public static final int ALL_BITS = -1;

  static final int SET_FIELD = 25;
  static final int SET_FIELD_BYTES = 16;
  static final int REG_LOAD = 7;

  /** NXM_NX_CT_MARK: class 1, field 107. */
  static final int FIELD = 0x0001_d604;

  static final int MASKED_FIELD = 0x0001_d708;

  /** Some adjacent bits. */
  record Bits(int offset, int count) {
    /** With these bits set. */
    int mask() {
      return (ALL_BITS >>> (Integer.SIZE - count)) << offset;
    }

    private int of(int value) {
      return (value & mask()) >>> offset;
    }
  }

  /** Checks the value. */
  public Mark {
    if (mask == 0 || (value & ~mask) != 0) {
      throw new IllegalArgumentException(
          "mark 0x" + Integer.toHexString(value) + " of mask 0x" + Integer.toHexString(mask));
    }
  }

  /** The whole mark. */
  public Mark(int value) {
    this(value, ALL_BITS);
  }

  /** This mark, and then another. */
  Mark then(Mark later) {
    return new Mark((value & ~later.mask) | later.value, mask | later.mask);
  }

  /** Without a masked set-field, which OpenFlow 1.5 has added, runs of bits are loaded. */
  void writeTo(ByteBuf out, OFVersion version) {
    boolean isWhole = mask == ALL_BITS;
    if (isWhole || version.compareTo(OFVersion.OF_15) >= 0) {
      out.writeShort(SET_FIELD).writeShort(SET_FIELD_BYTES);
      out.writeInt(isWhole ? FIELD : MASKED_FIELD).writeInt(value).writeInt(isWhole ? 0 : mask);
      return;
    }
    for (Bits bits : bits()) {
      int start = ConntrackAction.writeHeader(out, REG_LOAD);
      out.writeShort((bits.offset << 6) | (bits.count - 1)).writeInt(FIELD);
      out.writeLong(Integer.toUnsignedLong(bits.of(value)));
      ConntrackAction.finish(out, start);
    }
  }

  /** The bits of the mask, from the lowest. */
  private List<Bits> bits() {
    List<Bits> all = new ArrayList<>();
    for (int left = mask; left != 0; ) {
      int offset = Integer.numberOfTrailingZeros(left);
      int count = Integer.numberOfTrailingZeros(~(left >>> offset));
      Bits bits = new Bits(offset, count);
      all.add(bits);
      left &= ~bits.mask();
    }
    return all;
  }

  @Override
  public String toString() {
    return "set_field:" + hex(value) + (mask == ALL_BITS ? "" : "/" + hex(mask)) + "->ct_mark";
  }

  private static String hex(int value) {
    return value == 0 ? "0" : "0x" + Integer.toHexString(value);
  }
}
