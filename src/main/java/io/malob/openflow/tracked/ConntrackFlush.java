package io.malob.openflow.tracked;

import io.malob.openflow.WireMessage;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IpProtocol;

/**
 * Has Open vSwitch forget connections whose destination it translates: {@code NXT_CT_FLUSH}, since
 * 3.1. The layout is that of {@code struct nx_ct_flush} in its {@code
 * include/openflow/nicira-ext.h}. The switch looks at all its connections for that, and answers
 * only if it does not know the message. Version 3.1.0 may skip some that match. Immutable.
 */
public final class ConntrackFlush extends WireMessage {
  static final int SUBTYPE = 32;

  /** The parts of the message: of the first packets, of the packets back, and the zone. */
  static final int ORIGINAL = 0;

  static final int REPLY = 1;
  static final int ZONE = 2;

  /** The fields of a direction. */
  static final int SOURCE_ADDRESS = 0;

  static final int DESTINATION_ADDRESS = 1;
  static final int SOURCE_PORT = 2;
  static final int DESTINATION_PORT = 3;

  private static final int HEADER_BYTES = 4;
  private static final int ADDRESS_BYTES = 16;
  private static final int V4_PREFIX_BYTES = 10;

  private final int zone;
  private final IpProtocol protocol;
  private final Destination original;
  private final @Nullable Destination translated;

  /** Where packets go to. */
  public record Destination(IPAddress<?> address, int port) {}

  /**
   * A message.
   *
   * @param protocol TCP or UDP
   * @param original the destination of the first packets, as their sender has written it
   * @param translated the same as the receiver reads it; null for any
   */
  public ConntrackFlush(
      OFFactory factory,
      int zone,
      IpProtocol protocol,
      Destination original,
      @Nullable Destination translated) {
    super(factory, OFType.EXPERIMENTER);
    this.zone = zone;
    this.protocol = protocol;
    this.original = original;
    this.translated = translated;
  }

  @Override
  protected void writeBody(ByteBuf out) {
    out.writeInt(ConntrackAction.NICIRA).writeInt(SUBTYPE);
    out.writeByte(protocol.getIpProtocolNumber()).writeZero(7);
    writeNumber(out, ZONE, zone);
    int start = begin(out, ORIGINAL);
    writeAddress(out, DESTINATION_ADDRESS, original.address);
    writeNumber(out, DESTINATION_PORT, original.port);
    finish(out, start);
    if (translated != null) {
      start = begin(out, REPLY);
      writeAddress(out, SOURCE_ADDRESS, translated.address);
      writeNumber(out, SOURCE_PORT, translated.port);
      finish(out, start);
    }
  }

  /** Begins a part with fields, without its length. */
  private static int begin(ByteBuf out, int type) {
    int start = out.writerIndex();
    out.writeShort(type).writeShort(0).writeZero(4);
    return start;
  }

  private static void finish(ByteBuf out, int start) {
    out.setShort(start + 2, out.writerIndex() - start);
  }

  private static void writeNumber(ByteBuf out, int type, int value) {
    out.writeShort(type).writeShort(2 * HEADER_BYTES).writeShort(value).writeZero(2);
  }

  /** IPv4 addresses are mapped. */
  private static void writeAddress(ByteBuf out, int type, IPAddress<?> address) {
    out.writeShort(type).writeShort(HEADER_BYTES + ADDRESS_BYTES);
    if (address.getIpVersion() == IPVersion.IPv4) {
      out.writeZero(V4_PREFIX_BYTES).writeShort(0xffff);
    }
    out.writeBytes(address.getBytes()).writeZero(4);
  }

  @Override
  public String toString() {
    return "ct-flush(zone=%d, protocol=%s, from %s to %s)"
        .formatted(zone, protocol, original, translated);
  }
}
