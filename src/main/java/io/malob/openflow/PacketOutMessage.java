package io.malob.openflow;

import io.netty.buffer.ByteBuf;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;

/** Sends a frame as if it had come from the controller. */
abstract class PacketOutMessage extends WireMessage {
  private final byte[] frame;

  PacketOutMessage(OFFactory factory, byte[] frame) {
    super(factory, OFType.PACKET_OUT);
    this.frame = frame;
  }

  /** Writes what the switch does with the frame. */
  abstract void writeActions(ByteBuf out);

  @Override
  public final int packetBytes() {
    return frame.length;
  }

  @Override
  protected final void writeBody(ByteBuf out) {
    out.writeInt(WireFormat.NONE); // buffer
    boolean hasMatch = getVersion().compareTo(OFVersion.OF_15) >= 0;
    if (!hasMatch) {
      out.writeInt(WireFormat.PORT_CONTROLLER);
    }
    int lengthAt = out.writerIndex();
    out.writeShort(0);
    if (hasMatch) {
      out.writeZero(2);
      WireFormat.matchController(out);
    } else {
      out.writeZero(6);
    }
    int start = out.writerIndex();
    writeActions(out);
    out.setShort(lengthAt, out.writerIndex() - start);
    out.writeBytes(frame);
  }
}
