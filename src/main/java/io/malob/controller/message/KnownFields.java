package io.malob.controller.message;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessageReader;
import org.projectfloodlight.openflow.protocol.oxm.OFOxm;

/**
 * The match fields (OXM) that openflowj can read. Each header is tried once, because a failed
 * attempt costs an exception. Not safe for use by several threads.
 */
final class KnownFields {
  static final int HEADER_BYTES = 4;

  /** Beyond this number of headers, new ones count as unknown. openflowj knows about 200. */
  private static final int MAX_HEADERS = 1_024;

  private static final int LENGTH_OFFSET = 2;

  private final OFMessageReader<OFOxm<?>> openflowj;
  private final IntObjectMap<Boolean> known = new IntObjectHashMap<>();

  KnownFields(OFFactory factory) {
    openflowj = factory.oxms().getReader();
  }

  /** Whether all fields of a match are known, or the match is malformed; consumes no input. */
  boolean areAllIn(ByteBuf message, int match) {
    int limit = message.writerIndex();
    if (match + HEADER_BYTES > limit) {
      return true;
    }
    int end = Math.min(limit, match + message.getUnsignedShort(match + LENGTH_OFFSET));
    int at = match + HEADER_BYTES;
    while (at + HEADER_BYTES <= end) {
      int header = message.getInt(at);
      if (!includes(header)) {
        return false;
      }
      at += bytes(header);
    }
    return true;
  }

  /** Whether the field with this header is known. */
  boolean includes(int header) {
    @Nullable Boolean tried = known.get(header);
    if (tried != null) {
      return tried;
    }
    if (known.size() >= MAX_HEADERS) {
      return false;
    }
    boolean isKnown = canRead(header);
    known.put(header, Boolean.valueOf(isKnown));
    return isKnown;
  }

  private boolean canRead(int header) {
    try {
      return openflowj.readFrom(
              Unpooled.buffer(bytes(header)).writeInt(header).writeZero(header & 0xff))
          != null;
    } catch (OFParseError e) {
      return false;
    } catch (RuntimeException e) {
      return true; // the header is known, zero is no value
    }
  }

  /** The size of a field with this header. */
  static int bytes(int header) {
    return HEADER_BYTES + (header & 0xff);
  }
}
