package io.malob.endhost;

import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.FoundFlow;
import io.malob.openflow.uplink.UplinkCookie;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.types.U64;

/**
 * Detects the end of TCP connections from copies of their last packets, and deletes their rules a
 * little later, when packets in transit have arrived. {@link #sweep} is for one thread at a time,
 * the rest for any.
 */
final class FlowEnds {
  /** Longer than the retransmission of a lost acknowledgement takes. */
  static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final OpenFlows flows;
  private final FlowSender sender;
  private final Queue<Ended> lingering = new ConcurrentLinkedQueue<>();

  private record Ended(Flow flow, long sinceNanos) {}

  FlowEnds(OpenFlows flows, FlowSender sender) {
    this.flows = flows;
    this.sender = sender;
  }

  /** A copy of a packet with FIN or RST; the switch forwards the packet itself. */
  void copied(FlowKey key, boolean byHost, Packet packet, long nowNanos) {
    @Nullable Flow flow = flows.find(key);
    if (flow == null) {
      return;
    }
    boolean isOver = packet.hasTcpFlags(Packet.TCP_RST) || flow.finished(byHost);
    if (isOver && flows.end(flow)) {
      lingering.add(new Ended(flow, nowNanos));
    }
  }

  /**
   * A rule of a flow has been removed: takes its counters and, if it was the outgoing rule, ends
   * the flow.
   */
  void removed(OFFlowRemoved removed, long nowNanos) {
    U64 cookie = removed.getCookie();
    boolean isOut = Cookie.is(cookie, CookieKind.UPLINK_OUT);
    if (!isOut && !Cookie.is(cookie, CookieKind.UPLINK_BACK)) {
      return;
    }
    @Nullable Flow flow = flows.find(FoundFlow.keyOf(removed.getMatch(), isOut));
    if (flow == null || flow.generation() != UplinkCookie.generation(cookie)) {
      return; // another one has its place
    }
    long bytes = removed.getByteCount().getValue();
    flow.counted(isOut ? 0 : bytes, isOut ? bytes : 0, nowNanos);
    if (isOut) {
      flows.forget(flow);
    }
  }

  /** Deletes the rules of flows that ended long enough ago. */
  void sweep(Wiring wiring, long nowNanos) {
    for (@Nullable Ended next = lingering.peek();
        next != null && nowNanos - next.sinceNanos >= LINGER_NANOS;
        next = lingering.peek()) {
      lingering.remove();
      if (flows.find(next.flow.key()) == next.flow) {
        sender.remove(wiring, next.flow.uplink(), next.flow.generation());
      }
    }
  }
}
