package io.malob.controller.network;

import io.malob.openflow.PacketOuts;
import java.util.Collection;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.types.OFPort;

/** PACKET_OUT of all OpenFlow versions, and kinds of ports. Pure. */
public final class PacketMessages {
  private static final OFPort FIRST_RESERVED = OFPort.of(0xffff_ff00);

  private PacketMessages() {}

  /** Sends a frame from the controller to these ports. */
  public static OFMessage packetOut(OFFactory factory, Collection<OFPort> ports, byte[] frame) {
    return PacketOuts.of(
        factory,
        frame,
        ports.stream().<OFAction>map(port -> factory.actions().output(port, 0)).toList());
  }

  /**
   * Whether frames come in at a port of that number: at LOCAL, and at all that are not reserved.
   */
  public static boolean isReal(OFPort port) {
    return port.equals(OFPort.LOCAL)
        || (!port.equals(OFPort.ZERO) && port.compareTo(FIRST_RESERVED) < 0);
  }
}
