package io.malob.agent;

import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.packet.Packet;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.match.MatchField;

/** Takes ARP and neighbour solicitations for the addresses of reports; hosts are learned first. */
record ReportArp(ReportPackets packets) implements IOFMessageListener {
  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    if (message instanceof OFPacketIn packetIn
        && Cookie.is(packetIn.getCookie(), CookieKind.REPORT)) {
      packets.neighbour(
          sw.getId(),
          packetIn.getMatch().get(MatchField.IN_PORT),
          Packet.parse(packetIn.getData()));
      return Command.STOP;
    }
    return Command.CONTINUE;
  }

  @Override
  public String getName() {
    return "malobagentsarp";
  }

  @Override
  public boolean isCallbackOrderingPrereq(OFType type, String name) {
    return type == OFType.PACKET_IN && name.equals("devicemanager");
  }

  /** No other module needs these packets; forwarding must not see them. */
  @Override
  public boolean isCallbackOrderingPostreq(OFType type, String name) {
    return type == OFType.PACKET_IN && (name.equals("loadbalancer") || name.equals("forwarding"));
  }
}
