package io.malob.controller.message;

import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFFlowRemovedReason;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.stat.Stat;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/** A FLOW_REMOVED (OpenFlow Switch Specification 1.3.5, section 7.4.2; the same in 1.4). */
final class LazyFlowRemoved extends LazyMessage<OFFlowRemoved> implements OFFlowRemoved {
  static final int TYPE = 11;

  private static final int COOKIE_OFFSET = 8;
  private static final int PRIORITY_OFFSET = 16;
  private static final int REASON_OFFSET = 18;
  private static final int TABLE_OFFSET = 19;
  private static final int SECONDS_OFFSET = 20;
  private static final int NANOS_OFFSET = 24;
  private static final int IDLE_OFFSET = 28;
  private static final int HARD_OFFSET = 30;
  private static final int PACKETS_OFFSET = 32;
  private static final int BYTES_OFFSET = 40;
  static final int MATCH_OFFSET = 48;

  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final byte[] bytes;
  private final WireMatch match;

  /** Asked for several times. */
  private final U64 cookie;

  private LazyFlowRemoved(ByteBuf message) {
    super(OFFlowRemoved.class);
    bytes = rest(message);
    match = new WireMatch(this, MATCH_OFFSET);
    cookie = U64.of(int64(COOKIE_OFFSET));
  }

  /** Reads a message; null, with nothing read, if it is malformed. */
  static @Nullable LazyFlowRemoved read(ByteBuf message) {
    int start = message.readerIndex();
    return message.readableBytes() > MATCH_OFFSET
            && message.getUnsignedByte(start + REASON_OFFSET) <= 3
            && WireMatch.isWhole(message, start + MATCH_OFFSET)
        ? new LazyFlowRemoved(message)
        : null;
  }

  @Override
  byte[] bytes() {
    return bytes;
  }

  @Override
  long header() {
    return int64(0);
  }

  int uint8(int offset) {
    return bytes[offset] & 0xff;
  }

  int uint16(int offset) {
    return (short) SHORTS.get(bytes, offset) & 0xffff;
  }

  int int32(int offset) {
    return (int) INTS.get(bytes, offset);
  }

  long int64(int offset) {
    return (long) LONGS.get(bytes, offset);
  }

  @Override
  public OFType getType() {
    return OFType.FLOW_REMOVED;
  }

  @Override
  public Match getMatch() {
    return match;
  }

  @Override
  public U64 getCookie() {
    return cookie;
  }

  @Override
  public int getPriority() {
    return uint16(PRIORITY_OFFSET);
  }

  @Override
  public OFFlowRemovedReason getReason() {
    return switch (uint8(REASON_OFFSET)) {
      case 0 -> OFFlowRemovedReason.IDLE_TIMEOUT;
      case 1 -> OFFlowRemovedReason.HARD_TIMEOUT;
      case 2 -> OFFlowRemovedReason.DELETE;
      default -> OFFlowRemovedReason.GROUP_DELETE;
    };
  }

  @Override
  public TableId getTableId() {
    return TableId.of(uint8(TABLE_OFFSET));
  }

  @Override
  public int getIdleTimeout() {
    return uint16(IDLE_OFFSET);
  }

  @Override
  public int getHardTimeout() {
    return uint16(HARD_OFFSET);
  }

  @Override
  public long getDurationSec() {
    return Integer.toUnsignedLong(int32(SECONDS_OFFSET));
  }

  @Override
  public long getDurationNsec() {
    return Integer.toUnsignedLong(int32(NANOS_OFFSET));
  }

  @Override
  public U64 getPacketCount() {
    return U64.of(int64(PACKETS_OFFSET));
  }

  @Override
  public U64 getByteCount() {
    return U64.of(int64(BYTES_OFFSET));
  }

  @Override
  public Stat getStats() {
    return parsed().getStats();
  }

  @Override
  public OFFlowRemoved.Builder createBuilder() {
    return parsed().createBuilder();
  }
}
