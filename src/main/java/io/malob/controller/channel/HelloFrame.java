package io.malob.controller.channel;

import io.netty.buffer.ByteBuf;

/**
 * A HELLO, read by hand: it must be readable from peers of any version, also of versions that
 * openflowj does not support.
 *
 * @param version the version in its header, as on the wire (1.3 is 4)
 * @param bitmap versions 0 to 31 of its version bitmap; 0 if it has none
 */
record HelloFrame(int version, int bitmap) {
  private static final int HEADER_BYTES = 8;
  private static final int ELEMENT_HEADER_BYTES = 4;
  private static final int VERSION_BITMAP = 1;

  /** Reads one frame; its header has been checked already. */
  static HelloFrame read(ByteBuf frame) {
    int start = frame.readerIndex();
    int end = frame.writerIndex();
    int bitmap = 0;
    int at = start + HEADER_BYTES;
    while (at + ELEMENT_HEADER_BYTES <= end) {
      int type = frame.getUnsignedShort(at);
      int length = frame.getUnsignedShort(at + 2);
      if (length < ELEMENT_HEADER_BYTES || at + length > end) {
        break;
      }
      if (type == VERSION_BITMAP && length >= ELEMENT_HEADER_BYTES + Integer.BYTES) {
        bitmap = frame.getInt(at + ELEMENT_HEADER_BYTES);
      }
      // elements are padded to a multiple of eight bytes
      at += (length + 7) / 8 * 8;
    }
    return new HelloFrame(frame.getUnsignedByte(start), bitmap);
  }

  /** Whether both ends support this version; without a bitmap, a peer supports all older ones. */
  boolean allows(int wireVersion) {
    return bitmap == 0 ? version >= wireVersion : (bitmap & (1 << wireVersion)) != 0;
  }
}
