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
    return of(factory, OFPort.CONTROLLER, frame, actions);
  }

  /** Has the switch's tables decide about a frame, as if it had come in at that port now. */
  public static OFMessage throughTables(OFFactory factory, OFPort inPort, byte[] frame) {
    OFAction toTables = factory.actions().output(OFPort.TABLE, Integer.MAX_VALUE);
    return of(factory, inPort, frame, List.of(toTables));
  }

  /** Sends a frame as if it had come in at that port. */
  public static OFMessage of(
      OFFactory factory, OFPort inPort, byte[] frame, List<OFAction> actions) {
    OFPacketOut.Builder message = factory.buildPacketOut().setData(frame).setActions(actions);
    if (factory.getVersion().compareTo(OFVersion.OF_15) < 0) {
      message.setInPort(inPort);
    } else {
      message.setMatch(factory.buildMatch().setExact(MatchField.IN_PORT, inPort).build());
    }
    return message.build();
  }
}
