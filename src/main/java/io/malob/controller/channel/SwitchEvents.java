package io.malob.controller.channel;

import io.malob.controller.guard.Refusal;
import net.floodlightcontroller.core.PortChangeType;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortDesc;

/**
 * Listener for events of switches' connections. Called on their Netty threads, for one switch
 * always on the same thread and in order: it must not block.
 */
public interface SwitchEvents {
  /** A switch has finished its handshake. */
  void activated(OpenFlowSwitch sw);

  /**
   * After the handshake, this controller has become master of a switch, or is no longer its master.
   */
  void roleChanged(OpenFlowSwitch sw);

  /** A port came, went or changed. */
  void portChanged(OpenFlowSwitch sw, OFPortDesc port, PortChangeType change);

  /** An active switch sent a message that is no answer to a request. */
  void received(OpenFlowSwitch sw, OFMessage message);

  /** A message of an active switch was rejected. */
  void refused(Refusal refusal);

  /** An active switch has disconnected. */
  void disconnected(OpenFlowSwitch sw);
}
