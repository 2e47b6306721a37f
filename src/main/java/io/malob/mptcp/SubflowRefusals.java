package io.malob.mptcp;

import io.malob.algorithm.subflow.Route;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.openflow.subflow.Fan;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Resets sub-flows to hosts that the route of their address does not lead to, because the path
 * would be too long. Without an answer, the host would repeat its SYN for minutes, and count the
 * sub-flow meanwhile. Thread-safe.
 */
record SubflowRefusals(Supplier<PlanTracker.View> view, RuleSender ruleSender) {
  private static final int MACS_BYTES = 12;
  private static final int TAG_BYTES = 4;

  /** Handles a packet at the end of its route; false if its route leads to its destination. */
  boolean handle(Packet packet) {
    if (!packet.isTcpSyn()) {
      return false;
    }
    PlanTracker.View now = view.get();
    @Nullable Route route = now.routes().get(packet.source());
    Fan.@Nullable Address from = now.addresses().get(packet.source());
    Fan.@Nullable Address to = now.addresses().get(packet.destination());
    if (route == null || from == null || to == null || route.branchTo(to.switchId()).isPresent()) {
      return false;
    }
    byte[] reset = Replies.tcpReset(packet);
    boolean isUntagged = from.tagging() == Fan.Tagging.SWITCH && packet.isTagged();
    ruleSender.sendFrame(
        from.switchId(), List.of(from.port()), isUntagged ? withoutTag(reset) : reset);
    return true;
  }

  private static byte[] withoutTag(byte[] frame) {
    byte[] plain = Arrays.copyOf(frame, frame.length - TAG_BYTES);
    System.arraycopy(
        frame, MACS_BYTES + TAG_BYTES, plain, MACS_BYTES, frame.length - MACS_BYTES - TAG_BYTES);
    return plain;
  }
}
