package io.malob.controller.message;

import com.google.common.primitives.Bytes;
import io.netty.buffer.ByteBuf;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/**
 * A PACKET_IN whose match says nothing but the port that the packet came in by, as switches send
 * them (OpenFlow Switch Specification 1.3.5, section 7.4.1; the same in 1.4 and 1.5).
 */
final class LazyPacketIn extends LazyMessage<OFPacketIn> implements OFPacketIn {
  static final int TYPE = 10;

  /** Stands for a match that names other fields; no port has this number. */
  static final int OTHER_MATCH = 0;

  private static final int BUFFER_OFFSET = 8;
  private static final int TOTAL_LENGTH_OFFSET = 12;
  private static final int TABLE_OFFSET = 15;
  private static final int COOKIE_OFFSET = 16;
  private static final int MATCH_OFFSET = 24;

  /** The type of the match and its length, without padding, and the header of the one field. */
  private static final long PORT_ONLY = 0x0001_000c_8000_0004L;

  private static final int PORT_OFFSET = MATCH_OFFSET + 8;

  /** The match takes 16 bytes, two of padding follow. */
  private static final int DATA_OFFSET = MATCH_OFFSET + 18;

  private final Match match;
  private final U64 cookie;
  private final byte[] data;

  private LazyPacketIn(ByteBuf message, Match match) {
    super(message, DATA_OFFSET, OFPacketIn.class);
    this.match = match;
    cookie = U64.of(int64(COOKIE_OFFSET));
    data = new byte[message.readableBytes()];
    message.readBytes(data);
  }

  /** The port that a packet-in names, if it names nothing else; reads nothing away. */
  static int port(ByteBuf message) {
    int start = message.readerIndex();
    return message.readableBytes() >= DATA_OFFSET
            && message.getLong(start + MATCH_OFFSET) == PORT_ONLY
        ? message.getInt(start + PORT_OFFSET)
        : OTHER_MATCH;
  }

  static LazyPacketIn read(ByteBuf message, Match match) {
    return new LazyPacketIn(message, match);
  }

  @Override
  byte[] bytes() {
    return Bytes.concat(super.bytes(), data);
  }

  @Override
  public OFType getType() {
    return OFType.PACKET_IN;
  }

  @Override
  public OFBufferId getBufferId() {
    return OFBufferId.of(int32(BUFFER_OFFSET));
  }

  @Override
  public int getTotalLen() {
    return uint16(TOTAL_LENGTH_OFFSET);
  }

  @Override
  public OFPort getInPort() {
    return parsed().getInPort();
  }

  @Override
  public OFPacketInReason getReason() {
    return parsed().getReason();
  }

  /** The frame, or its start; not to be written to. */
  @Override
  public byte[] getData() {
    return data;
  }

  @Override
  public OFPort getInPhyPort() {
    return parsed().getInPhyPort();
  }

  @Override
  public TableId getTableId() {
    return TableId.of(uint8(TABLE_OFFSET));
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
  public OFPacketIn.Builder createBuilder() {
    return parsed().createBuilder();
  }
}
