package io.malob.controller.channel;

import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.Packet;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFAsyncSet;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFVersion;

/**
 * What a switch reports to a controller of a cluster that stands by: ports, and packet-ins. From
 * these it knows links (the master's probes) and hosts (their first packets). It gets no ends of
 * rules: when it becomes master, it reads the switch.
 */
final class StandbyMessages {
  // bits of OpenFlow's reasons
  private static final long NO_MATCH = 1;
  private static final long ACTION = 1 << 1;
  private static final long ALL_PORT_CHANGES = 0x7;
  private static final long ALL_ENDS_OF_RULES = 0xf;

  /** From OpenFlow 1.4 on, the reasons of actions in action sets, groups and packet-outs. */
  private static final long ACTIONS_14 = ACTION | 1 << 3 | 1 << 4 | 1 << 5;

  private static final int TYPE_OFFSET = 12;
  private static final int PROTOCOL_OFFSET = 14 + 6;
  private static final int ICMPV6_OFFSET = 14 + 40;
  private static final int ICMPV6 = 58;
  private static final int LLDP = 0x88cc;
  private static final int NO_TYPE = -1;
  private static final int BROADCAST_PROBE = 0x8942;
  private static final int LATENCY_PROBE = 0x88b5;

  private StandbyMessages() {}

  /** The message that sets this; for masters, it repeats OpenFlow's defaults. */
  static OFAsyncSet request(OFFactory factory) {
    if (factory.getVersion() == OFVersion.OF_13) {
      return factory
          .buildAsyncSet()
          .setPacketInMaskEqualMaster(NO_MATCH | ACTION)
          .setPacketInMaskSlave(NO_MATCH | ACTION)
          .setPortStatusMaskEqualMaster(ALL_PORT_CHANGES)
          .setPortStatusMaskSlave(ALL_PORT_CHANGES)
          .setFlowRemovedMaskEqualMaster(ALL_ENDS_OF_RULES)
          .setFlowRemovedMaskSlave(0)
          .build();
    }
    return factory
        .buildAsyncSet()
        .setProperties(
            List.of(
                factory.asyncConfigPropPacketInSlave(NO_MATCH | ACTIONS_14),
                factory.asyncConfigPropPortStatusSlave(ALL_PORT_CHANGES)))
        .build();
  }

  /**
   * Whether a packet-in is of use for a controller that stands by, judged by its first bytes:
   * probes, ARP and neighbour discovery are. Of the others, samples show hosts that send neither.
   */
  static boolean isOfUse(OFPacketIn packetIn) {
    return isProbe(packetIn)
        || typeOf(packetIn) == Packet.ETHERTYPE_ARP
        || isNeighbourDiscovery(packetIn);
  }

  private static boolean isNeighbourDiscovery(OFPacketIn packetIn) {
    byte[] frame = packetIn.getData();
    if (typeOf(packetIn) != Packet.ETHERTYPE_IPV6
        || frame.length <= ICMPV6_OFFSET
        || frame[PROTOCOL_OFFSET] != ICMPV6) {
      return false;
    }
    int icmpType = frame[ICMPV6_OFFSET] & 0xff;
    return icmpType == NeighbourMessage.SOLICITATION || icmpType == NeighbourMessage.ADVERTISEMENT;
  }

  /** Whether a packet-in is a probe of a controller, and not a packet of a host. */
  static boolean isProbe(OFPacketIn packetIn) {
    int type = typeOf(packetIn);
    return type == LLDP || type == BROADCAST_PROBE || type == LATENCY_PROBE;
  }

  private static int typeOf(OFPacketIn packetIn) {
    byte[] frame = packetIn.getData();
    return frame.length < TYPE_OFFSET + 2
        ? NO_TYPE
        : (frame[TYPE_OFFSET] & 0xff) << 8 | (frame[TYPE_OFFSET + 1] & 0xff);
  }
}
