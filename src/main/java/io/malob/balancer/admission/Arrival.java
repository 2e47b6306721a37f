package io.malob.balancer.admission;

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
 * @param awaitsMembers whether it waits, or has waited, because no member of its pool was found yet
 */
public record Arrival(
    DatapathId switchId, OFPort inPort, Packet packet, long nanos, boolean awaitsMembers) {

  /** One that has not waited. */
  public Arrival(DatapathId switchId, OFPort inPort, Packet packet, long nanos) {
    this(switchId, inPort, packet, nanos, false);
  }

  Arrival awaitingMembers() {
    return new Arrival(switchId, inPort, packet, nanos, true);
  }
}
