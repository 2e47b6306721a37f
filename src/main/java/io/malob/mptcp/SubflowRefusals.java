package io.malob.mptcp;

import io.malob.algorithm.subflow.Route;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.packet.IpPacket;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.openflow.subflow.Fan;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Resets sub-flows to hosts that the route of their address does not lead to, because the path
 * would be too long. Without an answer, the host would repeat its SYN for minutes, and count the
 * sub-flow meanwhile. Thread-safe.
 */
final class SubflowRefusals {
  private static final int MACS_BYTES = 12;
  private static final int TAG_BYTES = 4;

  private final Supplier<PlanKeeper.View> view;
  private final FlowProgrammer programmer;

  SubflowRefusals(Supplier<PlanKeeper.View> view, FlowProgrammer programmer) {
    this.view = view;
    this.programmer = programmer;
  }

  /** Handles a packet at the end of its route; false if its route leads to its destination. */
  boolean handle(Packet packet) {
    Optional<IpPacket> ip = IpPacket.of(packet).filter(IpPacket::isTcpSyn);
    if (ip.isEmpty()) {
      return false;
    }
    PlanKeeper.View now = view.get();
    @Nullable Route route = now.routes().get(ip.get().source());
    Fan.@Nullable Address from = now.addresses().get(ip.get().source());
    Fan.@Nullable Address to = now.addresses().get(ip.get().destination());
    if (route == null || from == null || to == null || route.branchTo(to.switchId()).isPresent()) {
      return false;
    }
    byte[] reset = Replies.tcpReset(ip.get());
    boolean isUntagged = from.tagging() == Fan.Tagging.SWITCH && packet.isTagged();
    programmer.sendFrame(
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
