package io.malob.mptcp;

import com.google.common.collect.ImmutableMap;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.NeighbourReplies;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.subflow.Fan;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Answers ARP requests and neighbour solicitations for the addresses of a plan's hosts, at the
 * ingress port. Hosts of another VLAN get no answer. Thread-safe.
 *
 * @param addresses the current ones
 */
record AliasNeighbours(
    Supplier<ImmutableMap<IPAddress<?>, Fan.Address>> addresses, RuleSender ruleSender) {

  /** Handles a packet; false if it is for other modules. */
  boolean handle(DatapathId switchId, OFPort inPort, Packet packet) {
    Optional<NeighbourMessage> question =
        NeighbourMessage.of(packet).filter(NeighbourMessage::isQuestion);
    if (question.isEmpty()) {
      return false;
    }
    ImmutableMap<IPAddress<?>, Fan.Address> now = addresses.get();
    Fan.@Nullable Address target = now.get(question.get().target());
    if (target == null) {
      return false;
    }
    Fan.@Nullable Address sender = now.get(question.get().sender());
    int vlan = sender == null ? packet.vlan() : sender.vlan();
    // also a host that checks whether its own alias is free
    boolean isItself = packet.srcMac().equals(target.mac());
    if (vlan == target.vlan() && !isItself) {
      ruleSender.sendFrame(
          switchId, List.of(inPort), NeighbourReplies.answer(packet, question.get(), target.mac()));
    }
    return true;
  }
}
