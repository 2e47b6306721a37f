package io.malob.openflow;

import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFPort;

/** Makes the messages that send a frame from a switch. Pure. */
public final class PacketOuts {
  private PacketOuts() {}

  /** Sends a frame as if it had come from the controller. */
  public static OFMessage of(OFFactory factory, byte[] frame, List<OFAction> actions) {
    OFPacketOut.Builder message = factory.buildPacketOut().setData(frame).setActions(actions);
    if (factory.getVersion().compareTo(OFVersion.OF_15) < 0) {
      message.setInPort(OFPort.CONTROLLER);
    } else {
      message.setMatch(
          factory.buildMatch().setExact(MatchField.IN_PORT, OFPort.CONTROLLER).build());
    }
    return message.build();
  }
}
