package io.malob.openflow;

import io.malob.openflow.ConnectionRules.Translation;
import io.malob.openflow.packet.VlanTag;
import io.netty.buffer.ByteBuf;
import org.projectfloodlight.openflow.protocol.OFFactory;

/** Delivers one packet of a connection at its receiver's port, translated. */
final class TranslatedPacketOut extends PacketOutMessage {
  private final Translation translation;

  TranslatedPacketOut(OFFactory factory, Translation translation, byte[] frame) {
    super(factory, VlanTag.set(frame, translation.receiver().vlan()));
    this.translation = translation;
  }

  @Override
  void writeActions(ByteBuf out) {
    WireFormat.deliver(out, translation);
  }
}
