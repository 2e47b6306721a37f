package io.malob.controller.message;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessageReader;
import org.projectfloodlight.openflow.protocol.OFVersion;

/**
 * Copies one message without the match fields, actions and instructions that openflowj cannot read,
 * such as extensions of Open vSwitch. openflowj would reject the whole message. Layouts: OpenFlow
 * Switch Specification 1.3.5, section 7, and 1.5.1, section 7. Used once.
 */
final class KnownParts {
  private static final int HEADER_BYTES = 8;
  private static final int LENGTH_OFFSET = 2;

  private static final int STATS_REPLY = 19;
  private static final int STATS_HEADER_BYTES = 16;
  private static final int FLOW = 1;
  private static final int GROUP_DESC = 7;

  /** From OpenFlow 1.5 on. */
  private static final int FLOW_LIGHTWEIGHT = 17;

  private static final int WRITE_ACTIONS = 3;
  private static final int APPLY_ACTIONS = 4;
  private static final int SET_FIELD = 25;

  private final OFFactory factory;
  private final boolean is15;
  private final KnownFields fields;
  private final ByteBuf in;
  private final ByteBuf out;

  private KnownParts(ByteBuf message, OFFactory factory, KnownFields fields) {
    this.factory = factory;
    this.fields = fields;
    is15 = factory.getVersion() == OFVersion.OF_15;
    in = message.slice();
    out = Unpooled.buffer(in.readableBytes());
  }

  /** Whether {@link #ofStats} can help with a message. */
  static boolean areFoundIn(ByteBuf message) {
    int start = message.readerIndex();
    if (message.getUnsignedByte(start + 1) != STATS_REPLY
        || message.readableBytes() < STATS_HEADER_BYTES) {
      return false;
    }
    int type = message.getUnsignedShort(start + HEADER_BYTES);
    return type == FLOW || type == GROUP_DESC || type == FLOW_LIGHTWEIGHT;
  }

  /**
   * The known parts of a message with one match, a PACKET_IN or a FLOW_REMOVED.
   *
   * @param match where the match starts in the message
   * @throws OFParseError if the message is malformed
   */
  static ByteBuf ofMatch(ByteBuf message, int match, OFFactory factory, KnownFields fields)
      throws OFParseError {
    KnownParts parts = new KnownParts(message, factory, fields);
    parts.copy(match);
    parts.copyMatch(parts.in.writerIndex());
    parts.copy(parts.in.readableBytes());
    return parts.finished(0, LENGTH_OFFSET);
  }

  /**
   * The known parts of flow or group entries.
   *
   * @throws OFParseError if the message is malformed
   */
  static ByteBuf ofStats(ByteBuf message, OFFactory factory, KnownFields fields)
      throws OFParseError {
    KnownParts parts = new KnownParts(message, factory, fields);
    int type = parts.in.getUnsignedShort(HEADER_BYTES);
    parts.copy(STATS_HEADER_BYTES);
    while (parts.in.isReadable()) {
      int start = parts.out.writerIndex();
      int end = parts.end(0, STATS_HEADER_BYTES / 2, parts.in.writerIndex());
      if (type == GROUP_DESC) {
        parts.copyGroup(end);
      } else {
        parts.copyFlow(type, end);
      }
      parts.finished(start, 0);
    }
    return parts.finished(0, LENGTH_OFFSET);
  }

  /** Sets the length of a part that starts there. */
  private ByteBuf finished(int start, int lengthOffset) {
    return out.setShort(start + lengthOffset, out.writerIndex() - start);
  }

  private void copyFlow(int type, int end) throws OFParseError {
    boolean hasInstructions = type == FLOW;
    if (is15) {
      copy(hasInstructions ? 24 : 8);
      copyMatch(end);
      int statistics = end(LENGTH_OFFSET, 4, end) - in.readerIndex();
      copy((statistics + 7) & ~7);
    } else {
      copy(48);
      copyMatch(end);
    }
    while (in.readerIndex() < end) {
      copyInstruction(end);
    }
  }

  private void copyMatch(int limit) throws OFParseError {
    int start = out.writerIndex();
    int end = end(LENGTH_OFFSET, 4, limit);
    int padding = -(end - in.readerIndex()) & 7;
    copy(4);
    while (in.readerIndex() < end) {
      require(in.readerIndex() + KnownFields.HEADER_BYTES <= end);
      int header = in.getInt(in.readerIndex());
      int bytes = KnownFields.bytes(header);
      require(in.readerIndex() + bytes <= end);
      copyIf(fields.includes(header), bytes);
    }
    require(end + padding <= limit);
    in.skipBytes(padding);
    finished(start, LENGTH_OFFSET);
    out.writeZero(-(out.writerIndex() - start) & 7); // its length counts without the padding
  }

  private void copyInstruction(int limit) throws OFParseError {
    int start = out.writerIndex();
    int end = end(LENGTH_OFFSET, 8, limit);
    int type = in.getUnsignedShort(in.readerIndex());
    if (type == WRITE_ACTIONS || type == APPLY_ACTIONS) {
      copy(8);
      copyActions(end);
      finished(start, LENGTH_OFFSET);
    } else {
      int bytes = end - in.readerIndex();
      copyIf(canRead(factory.instructions().getReader(), bytes), bytes);
    }
  }

  private void copyActions(int limit) throws OFParseError {
    while (in.readerIndex() < limit) {
      int bytes = end(LENGTH_OFFSET, 8, limit) - in.readerIndex();
      int at = in.readerIndex();
      boolean isKnown =
          in.getUnsignedShort(at) == SET_FIELD
              ? fields.includes(in.getInt(at + 4))
              : canRead(factory.actions().getReader(), bytes);
      copyIf(isKnown, bytes);
    }
  }

  private void copyGroup(int end) throws OFParseError {
    int start = out.writerIndex();
    if (!is15) {
      copy(8);
      while (in.readerIndex() < end) {
        copyBucket(16, end(0, 16, end));
      }
      return;
    }
    int bucketsEnd = in.readerIndex() + 16 + in.getUnsignedShort(in.readerIndex() + 8);
    require(bucketsEnd <= end);
    copy(16);
    while (in.readerIndex() < bucketsEnd) {
      copyBucket(8, end(0, 8, bucketsEnd));
    }
    out.setShort(start + 8, out.writerIndex() - start - 16);
    copy(end - in.readerIndex()); // properties
  }

  private void copyBucket(int headerBytes, int end) throws OFParseError {
    int start = out.writerIndex();
    int actionsEnd =
        is15 ? in.readerIndex() + headerBytes + in.getUnsignedShort(in.readerIndex() + 2) : end;
    require(actionsEnd <= end);
    copy(headerBytes);
    copyActions(actionsEnd);
    if (is15) {
      out.setShort(start + 2, out.writerIndex() - start - headerBytes);
      copy(end - in.readerIndex()); // properties
    }
    finished(start, 0);
  }

  /** Where the next part ends, by its length. */
  private int end(int lengthOffset, int minBytes, int limit) throws OFParseError {
    int at = in.readerIndex();
    require(at + minBytes <= limit);
    int bytes = in.getUnsignedShort(at + lengthOffset);
    require(bytes >= minBytes && at + bytes <= limit);
    return at + bytes;
  }

  private boolean canRead(OFMessageReader<?> openflowj, int bytes) {
    try {
      return openflowj.readFrom(in.slice(in.readerIndex(), bytes)) != null;
    } catch (OFParseError | RuntimeException e) {
      return false; // openflowj reports bad input by exceptions of many types
    }
  }

  private void copyIf(boolean isKnown, int bytes) {
    if (isKnown) {
      copy(bytes);
    } else {
      in.skipBytes(bytes);
    }
  }

  private void copy(int bytes) {
    out.writeBytes(in, bytes);
  }

  private static void require(boolean condition) throws OFParseError {
    if (!condition) {
      throw new OFParseError("the length of a part exceeds the message, or is too small");
    }
  }
}
