package io.malob.controller.network.forwarding;

import io.malob.module.FloodlightSwitch;
import io.malob.module.IRelayService;
import java.util.List;
import java.util.function.Function;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Writes to switches that may have disconnected, in a cluster also by way of their masters. Safe
 * for use by several threads; does not block.
 *
 * @param relay null without a cluster
 */
record SwitchWriter(IOFSwitchService switches, @Nullable IRelayService relay) {
  /** Sends the message for the switch's OpenFlow version; nothing if the switch is not reached. */
  void write(DatapathId switchId, Function<OFFactory, OFMessage> message) {
    writeAll(switchId, of -> List.of(message.apply(of)));
  }

  /** Sends the messages for the switch's OpenFlow version; nothing if the switch is not reached. */
  void writeAll(DatapathId switchId, Function<OFFactory, List<OFMessage>> messages) {
    FloodlightSwitch.anywhere(switches, relay, switchId)
        .ifPresent(sw -> sw.write(messages.apply(sw.factory())));
  }

  /** The switches that this controller is master of. */
  List<DatapathId> own() {
    return switches.getAllSwitchDpids().stream()
        .filter(switchId -> switches.getActiveSwitch(switchId) != null)
        .toList();
  }
}
