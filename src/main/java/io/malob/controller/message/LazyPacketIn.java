package io.malob.controller.message;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/**
 * A PACKET_IN whose match contains only the ingress port, as switches send them (OpenFlow Switch
 * Specification 1.3.5, section 7.4.1; the same in 1.4 and 1.5).
 */
final class LazyPacketIn extends LazyMessage<OFPacketIn> implements OFPacketIn {
  static final int TYPE = 10;

  /** Stands for a match with other fields; no port has this number. */
  static final int OTHER_MATCH = 0;

  static final int MATCH_OFFSET = 24;

  /** The type of the match and its length, without padding, and the header of the one field. */
  private static final long PORT_ONLY = 0x0001_000c_8000_0004L;

  private static final int PORT_OFFSET = MATCH_OFFSET + 8;

  /** The match takes 16 bytes, two of padding follow. */
  private static final int DATA_OFFSET = MATCH_OFFSET + 18;

  private final long header;

  /** Four bytes of buffer id, two of the frame's length, the reason and the table. */
  private final long origin;

  private final U64 cookie;
  private final Match match;
  private final byte[] data;

  LazyPacketIn(ByteBuf message, Match match) {
    super(OFPacketIn.class);
    header = message.readLong();
    origin = message.readLong();
    cookie = U64.of(message.readLong());
    this.match = match;
    message.skipBytes(DATA_OFFSET - MATCH_OFFSET);
    data = rest(message);
  }

  /** The ingress port of a packet-in, if its match has no other field; does not consume input. */
  static int port(ByteBuf message) {
    int start = message.readerIndex();
    return message.readableBytes() >= DATA_OFFSET
            && message.getLong(start + MATCH_OFFSET) == PORT_ONLY
        ? message.getInt(start + PORT_OFFSET)
        : OTHER_MATCH;
  }

  @Override
  byte[] bytes() {
    byte[] bytes = new byte[DATA_OFFSET + data.length];
    ByteBuffer.wrap(bytes)
        .putLong(header)
        .putLong(origin)
        .putLong(cookie.getValue())
        .putLong(PORT_ONLY)
        .putInt(match.get(MatchField.IN_PORT).getPortNumber())
        .position(DATA_OFFSET)
        .put(data);
    return bytes;
  }

  @Override
  long header() {
    return header;
  }

  @Override
  public OFType getType() {
    return OFType.PACKET_IN;
  }

  @Override
  public OFBufferId getBufferId() {
    return OFBufferId.of((int) (origin >>> 32));
  }

  @Override
  public int getTotalLen() {
    return (int) (origin >>> 16) & 0xffff;
  }

  @Override
  public OFPort getInPort() {
    return parsed().getInPort();
  }

  @Override
  public OFPacketInReason getReason() {
    return parsed().getReason();
  }

  /** The frame, or its start; read-only. */
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
    return TableId.of((int) origin & 0xff);
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
