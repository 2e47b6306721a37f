package io.malob.balancer.admission;

import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import java.util.List;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Rejects packets: sends the client a TCP reset or an ICMP port unreachable, and counts the reason.
 * Thread-safe.
 */
public record RejectSender(RuleSender ruleSender, RejectCounters rejects) {
  /** Counts a packet, and answers it if its protocol has an answer. */
  void reject(Arrival arrival, RejectReason reason) {
    rejects.count(reason);
    Packet packet = arrival.packet();
    if (packet.kind() == Packet.Kind.TCP && !packet.hasTcpFlags(Packet.TCP_RST)) {
      send(arrival.switchId(), arrival.inPort(), Replies.tcpReset(packet));
    } else if (packet.kind() == Packet.Kind.UDP) {
      send(arrival.switchId(), arrival.inPort(), Replies.portUnreachable(packet));
    }
  }

  /** Counts a packet that is not answered. */
  void drop(RejectReason reason) {
    rejects.count(reason);
  }

  private void send(DatapathId switchId, OFPort port, byte[] frame) {
    ruleSender.sendFrame(switchId, List.of(port), frame);
  }
}
