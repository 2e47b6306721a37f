package io.malob.endhost;

import io.malob.openflow.packet.IpPacket;
import io.malob.openflow.packet.Ipv6Packet;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.InsideEnd;
import io.malob.openflow.uplink.UplinkCookie;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/** Dispatches each packet-in of the host's switch. Thread-safe. */
final class PacketIns {
  private final Uplinks uplinks;
  private final FlowPlacer placer;
  private final FlowEnds ends;
  private final ArpProxy arp;
  private final NeighbourProxy neighbours;
  private final IcmpErrors icmpErrors;
  private final FirstPackets firstPackets;
  private final Refusals refusals;
  private final LongSupplier nanoTime;

  PacketIns(
      Uplinks uplinks,
      FlowPlacer placer,
      FlowEnds ends,
      ArpProxy arp,
      NeighbourProxy neighbours,
      IcmpErrors icmpErrors,
      FirstPackets firstPackets,
      Refusals refusals,
      LongSupplier nanoTime) {
    this.uplinks = uplinks;
    this.placer = placer;
    this.ends = ends;
    this.arp = arp;
    this.neighbours = neighbours;
    this.icmpErrors = icmpErrors;
    this.firstPackets = firstPackets;
    this.refusals = refusals;
    this.nanoTime = nanoTime;
  }

  /** Handles a packet of the host's switch. No other module gets these packets. */
  void take(Wiring wiring, OFPort inPort, U64 cookie, byte[] frame) {
    long nowNanos = nanoTime.getAsLong();
    if (wiring.inside().isEmpty()) {
      return;
    }
    InsideEnd inside = wiring.inside().get();
    boolean byHost = inPort.equals(inside.port());
    Packet packet = Packet.parse(frame);
    Optional<IpPacket> ip = IpPacket.of(packet);
    boolean isMalformed =
        packet.kind() == Packet.Kind.MALFORMED
            || (packet.etherType() == Packet.ETHERTYPE_IPV6 && ip.isEmpty());
    if (isMalformed) {
      refusals.count(Refusal.MALFORMED);
    } else if (UplinkCookie.is(cookie, UplinkCookie.Kind.END) && ip.isPresent()) {
      FlowKey key = byHost ? FlowKey.sent(ip.get()) : FlowKey.received(ip.get());
      ends.copied(key, byHost, ip.get(), nowNanos);
      if (!byHost && ip.get().hasTcpFlags(Packet.TCP_RST)) {
        Optional.ofNullable(wiring.byPort().get(inPort))
            .ifPresent(uplink -> placer.rejected(wiring, inside, uplink, ip.get()));
      }
    } else if (byHost) {
      if (packet.kind() == Packet.Kind.ARP) {
        arp.take(wiring, inside, packet);
      }
      ip.ifPresent(read -> ofHost(wiring, inside, read, nowNanos));
    } else {
      @Nullable UplinkEnd uplink = wiring.byPort().get(inPort);
      if (uplink != null && !isMeasurement(uplink, packet, ip, nowNanos)) {
        ip.ifPresent(read -> ofUplink(wiring, inside, uplink, read, nowNanos));
      }
    }
  }

  private void ofHost(Wiring wiring, InsideEnd inside, IpPacket packet, long nowNanos) {
    boolean isOfNeighbours =
        packet instanceof Ipv6Packet ipv6 && neighbours.take(wiring, inside, ipv6);
    if (!isOfNeighbours && !packet.isMulticast() && placer.sent(wiring, inside, packet, nowNanos)) {
      firstPackets.add(nanoTime.getAsLong() - nowNanos);
    }
  }

  private boolean isMeasurement(
      UplinkEnd uplink, Packet packet, Optional<IpPacket> ip, long nowNanos) {
    Optional<RouterAnswer> answer = RouterAnswer.of(packet, ip);
    return answer.isPresent() && uplinks.take(uplink.port(), answer.get(), nowNanos);
  }

  private void ofUplink(
      Wiring wiring, InsideEnd inside, UplinkEnd uplink, IpPacket packet, long nowNanos) {
    boolean isForHost =
        inside.address(packet.version()).isPresent()
            && uplink.address(packet.version()).filter(packet.destination()::equals).isPresent();
    if (isForHost && !icmpErrors.take(wiring, inside, uplink, packet, nowNanos)) {
      placer.received(wiring, inside, uplink, packet, nowNanos);
    }
  }
}
