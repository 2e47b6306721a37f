package io.malob.controller.network.forwarding;

import java.util.Collection;
import java.util.function.Function;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Writes to switches that may have disconnected. Safe for use by several threads; does not block.
 */
final class SwitchWriter {
  private final IOFSwitchService switches;

  SwitchWriter(IOFSwitchService switches) {
    this.switches = switches;
  }

  /**
   * Sends the message for the switch's OpenFlow version; nothing if the switch has disconnected.
   */
  void write(DatapathId switchId, Function<OFFactory, OFMessage> message) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    if (sw != null) {
      sw.write(message.apply(sw.getOFFactory()));
    }
  }

  /** All switches. */
  Collection<DatapathId> all() {
    return switches.getAllSwitchDpids();
  }
}
