package io.malob.controller.network;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;

/** PACKET_IN and PACKET_OUT of all OpenFlow versions. Pure. */
public final class PacketMessages {
  private static final int FIRST_RESERVED = 0xffffff00;

  private PacketMessages() {}

  /** The port where the packet came in. */
  public static OFPort inPort(OFPacketIn message) {
    return message.getVersion().compareTo(OFVersion.OF_12) < 0
        ? message.getInPort()
        : message.getMatch().get(MatchField.IN_PORT);
  }

  /** Sends a frame from the controller to these ports. */
  public static OFPacketOut packetOut(OFFactory factory, Collection<OFPort> ports, byte[] frame) {
    List<OFAction> actions = new ArrayList<>(ports.size());
    for (OFPort port : ports) {
      actions.add(factory.actions().output(port, 0));
    }
    OFPacketOut.Builder message =
        factory
            .buildPacketOut()
            .setBufferId(OFBufferId.NO_BUFFER)
            .setActions(actions)
            .setData(frame);
    if (factory.getVersion().compareTo(OFVersion.OF_15) < 0) {
      message.setInPort(OFPort.CONTROLLER);
    } else {
      message.setMatch(
          factory.buildMatch().setExact(MatchField.IN_PORT, OFPort.CONTROLLER).build());
    }
    return message.build();
  }

  /** Whether a port number is that of a real port, and not of LOCAL or another reserved one. */
  public static boolean isPhysical(OFPort port) {
    int number = port.getPortNumber();
    return number != 0 && Integer.compareUnsigned(number, FIRST_RESERVED) < 0;
  }
}
