package io.malob.balancer;

import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import java.util.List;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Says no: a client learns at once that its packet goes nowhere, by a TCP reset or an ICMP port
 * unreachable, and operators by the counts. Thread-safe.
 */
final class Rejections {
  private final FlowProgrammer programmer;
  private final Refusals refusals;

  Rejections(FlowProgrammer programmer, Refusals refusals) {
    this.programmer = programmer;
    this.refusals = refusals;
  }

  /** Counts a packet and answers it, where its protocol has an answer. */
  void reject(Arrival arrival, RefusalReason reason) {
    refusals.count(reason);
    Packet packet = arrival.packet();
    if (packet.kind() == Packet.Kind.TCP && !packet.hasTcpFlags(Packet.TCP_RST)) {
      send(arrival.switchId(), arrival.inPort(), Replies.tcpReset(packet));
    } else if (packet.kind() == Packet.Kind.UDP) {
      send(arrival.switchId(), arrival.inPort(), Replies.portUnreachable(packet));
    }
  }

  /** Counts a packet and lets it go unanswered. */
  void drop(RefusalReason reason) {
    refusals.count(reason);
  }

  private void send(DatapathId switchId, OFPort port, byte[] frame) {
    programmer.sendFrame(switchId, List.of(port), frame);
  }
}
