package io.malob.controller.channel;

import io.malob.controller.guard.Refusal;
import net.floodlightcontroller.core.PortChangeType;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortDesc;

/**
 * Told what happens on the connections of switches. Called on their Netty threads, for one switch
 * always on the same and in order: it must not block.
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

  /** An active switch sent something that is no answer to a request. */
  void received(OpenFlowSwitch sw, OFMessage message);

  /** Something that an active switch sent was not taken. */
  void refused(Refusal refusal);

  /** An active switch has gone. */
  void disconnected(OpenFlowSwitch sw);
}
