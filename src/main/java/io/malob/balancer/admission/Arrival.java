package io.malob.balancer.admission;

import io.malob.openflow.packet.Packet;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A packet that a switch sent to the controller.
 *
 * @param switchId the switch
 * @param inPort the port on which the packet came in
 * @param packet the packet
 * @param nanos when it came in, on the controller's monotonic clock
 * @param isOpening whether the switch is to track its connection, which it does not know
 * @param awaitsMembers whether it is or was pending because no member of its pool was located
 */
public record Arrival(
    DatapathId switchId,
    OFPort inPort,
    Packet packet,
    long nanos,
    boolean isOpening,
    boolean awaitsMembers) {

  /** A packet that has not been pending. */
  public Arrival(DatapathId switchId, OFPort inPort, Packet packet, long nanos) {
    this(switchId, inPort, packet, nanos, false);
  }

  /** The same, which may be one that the switch is to track. */
  Arrival(DatapathId switchId, OFPort inPort, Packet packet, long nanos, boolean isOpening) {
    this(switchId, inPort, packet, nanos, isOpening, false);
  }

  Arrival awaitingMembers() {
    return new Arrival(switchId, inPort, packet, nanos, isOpening, true);
  }
}
