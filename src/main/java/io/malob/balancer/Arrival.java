package io.malob.balancer;

import io.malob.openflow.packet.Packet;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A packet that a switch sent to the controller.
 *
 * @param switchId the switch
 * @param inPort where the packet came in
 * @param packet the packet
 * @param nanos when, on the controller's monotonic clock
 */
record Arrival(DatapathId switchId, OFPort inPort, Packet packet, long nanos) {}
