package io.malob.endhost;

import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/** Dispatches each packet-in of the host's switch. Thread-safe. */
record PacketIns(
    Uplinks uplinks,
    FlowPlacer placer,
    FlowEnds ends,
    NeighbourProxy neighbours,
    IcmpErrors icmpErrors,
    FirstPackets firstPackets,
    Refusals refusals,
    LongSupplier nanoTime) {
  /** Handles a packet of the host's switch. No other module gets these packets. */
  void take(Wiring wiring, OFPort inPort, U64 cookie, byte[] frame) {
    long nowNanos = nanoTime.getAsLong();
    if (wiring.inside().isEmpty()) {
      return;
    }
    boolean byHost = inPort.equals(wiring.host().port());
    Packet packet = Packet.parse(frame);
    if (packet.kind() == Packet.Kind.MALFORMED) {
      refusals.count(Refusal.MALFORMED);
    } else if (Cookie.is(cookie, CookieKind.UPLINK_END) && packet.isIp()) {
      FlowKey key = byHost ? FlowKey.sent(packet) : FlowKey.received(packet);
      ends.copied(key, byHost, packet, nowNanos);
      if (!byHost && packet.hasTcpFlags(Packet.TCP_RST)) {
        Optional.ofNullable(wiring.byPort().get(inPort))
            .ifPresent(uplink -> placer.rejected(wiring, uplink, packet));
      }
    } else if (byHost) {
      if (packet.kind() == Packet.Kind.ARP) {
        neighbours.takeArp(wiring, packet);
      }
      if (packet.isIp()) {
        ofHost(wiring, packet, nowNanos);
      }
    } else {
      @Nullable UplinkEnd uplink = wiring.byPort().get(inPort);
      if (uplink != null && !isMeasurement(uplink, packet, nowNanos) && packet.isIp()) {
        ofUplink(wiring, uplink, packet, nowNanos);
      }
    }
  }

  private void ofHost(Wiring wiring, Packet packet, long nowNanos) {
    boolean isOfNeighbours = packet.isIpv6() && neighbours.takeIpv6(wiring, packet);
    if (!isOfNeighbours && !packet.isMulticast() && placer.sent(wiring, packet, nowNanos)) {
      firstPackets.add(nanoTime.getAsLong() - nowNanos);
    }
  }

  private boolean isMeasurement(UplinkEnd uplink, Packet packet, long nowNanos) {
    Optional<RouterAnswer> answer = RouterAnswer.of(packet);
    return answer.isPresent() && uplinks.take(uplink.port(), answer.get(), nowNanos);
  }

  private void ofUplink(Wiring wiring, UplinkEnd uplink, Packet packet, long nowNanos) {
    boolean isForHost =
        wiring.host().address(packet.version()).isPresent()
            && uplink.address(packet.version()).filter(packet.destination()::equals).isPresent();
    if (isForHost && !icmpErrors.take(wiring, uplink, packet, nowNanos)) {
      placer.received(wiring, uplink, packet, nowNanos);
    }
  }
}
