package io.malob.openflow;

import io.malob.openflow.ConnectionRules.Translation;
import io.netty.buffer.ByteBuf;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;

/** Delivers one packet of a connection at its receiver's port, translated. */
final class TranslatedPacketOut extends WireMessage {
  private final Translation translation;
  private final byte[] frame;

  TranslatedPacketOut(OFFactory factory, Translation translation, byte[] frame) {
    super(factory, OFType.PACKET_OUT);
    this.translation = translation;
    this.frame = frame;
  }

  @Override
  public int packetBytes() {
    return frame.length;
  }

  @Override
  void writeBody(ByteBuf out) {
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
    WireFormat.deliver(out, translation);
    out.setShort(lengthAt, out.writerIndex() - start);
    out.writeBytes(frame);
  }
}
