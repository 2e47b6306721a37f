package io.malob.endhost;

import io.malob.openflow.packet.Ipv6Packet;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.InsideEnd;
import io.malob.openflow.uplink.UplinkCookie;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/** Leads each packet that the host's switch sends to whom it concerns. Thread-safe. */
final class PacketIns {
  private final Uplinks uplinks;
  private final FlowPlacer placer;
  private final FlowEnds ends;
  private final ArpProxy arp;
  private final IcmpErrors icmpErrors;
  private final Ipv6PacketIns ipv6;
  private final FirstPackets firstPackets;
  private final Refusals refusals;
  private final LongSupplier nanoTime;

  PacketIns(
      Uplinks uplinks,
      FlowPlacer placer,
      FlowEnds ends,
      ArpProxy arp,
      IcmpErrors icmpErrors,
      Ipv6PacketIns ipv6,
      FirstPackets firstPackets,
      Refusals refusals,
      LongSupplier nanoTime) {
    this.uplinks = uplinks;
    this.placer = placer;
    this.ends = ends;
    this.arp = arp;
    this.icmpErrors = icmpErrors;
    this.ipv6 = ipv6;
    this.firstPackets = firstPackets;
    this.refusals = refusals;
    this.nanoTime = nanoTime;
  }

  /** Takes a packet of the host's switch; none of them is anybody else's business. */
  void take(Wiring wiring, OFPort inPort, U64 cookie, byte[] frame) {
    long nowNanos = nanoTime.getAsLong();
    if (wiring.inside().isEmpty()) {
      return;
    }
    InsideEnd inside = wiring.inside().get();
    boolean byHost = inPort.equals(inside.port());
    Packet packet = Packet.parse(frame);
    if (packet.etherType() == Packet.ETHERTYPE_IPV6) {
      Ipv6Packet.of(packet)
          .ifPresentOrElse(
              read -> takeIpv6(wiring, inside, inPort, cookie, read, nowNanos),
              () -> refusals.count(Refusal.MALFORMED));
    } else if (packet.kind() == Packet.Kind.MALFORMED) {
      refusals.count(Refusal.MALFORMED);
    } else if (UplinkCookie.is(cookie, UplinkCookie.Kind.END)) {
      FlowKey key = byHost ? FlowKey.sent(packet) : FlowKey.received(packet);
      ends.copied(key, byHost, packet, nowNanos);
    } else if (byHost) {
      ofHost(wiring, inside, packet, nowNanos);
    } else {
      @Nullable UplinkEnd uplink = wiring.byPort().get(inPort);
      if (uplink != null) {
        ofUplink(wiring, inside, uplink, packet, nowNanos);
      }
    }
  }

  private void takeIpv6(
      Wiring wiring,
      InsideEnd inside,
      OFPort inPort,
      U64 cookie,
      Ipv6Packet packet,
      long nowNanos) {
    boolean byHost = inPort.equals(inside.port());
    if (UplinkCookie.is(cookie, UplinkCookie.Kind.END)) {
      FlowKey key = byHost ? FlowKey.sent(packet) : FlowKey.received(packet);
      ends.copied(key, byHost, packet, nowNanos);
    } else if (byHost) {
      if (ipv6.ofHost(wiring, inside, packet, nowNanos)) {
        firstPackets.add(nanoTime.getAsLong() - nowNanos);
      }
    } else {
      @Nullable UplinkEnd uplink = wiring.byPort().get(inPort);
      if (uplink != null) {
        ipv6.ofUplink(wiring, inside, uplink, packet, nowNanos);
      }
    }
  }

  private void ofHost(Wiring wiring, InsideEnd inside, Packet packet, long nowNanos) {
    if (packet.kind() == Packet.Kind.ARP) {
      arp.take(wiring, inside, packet);
    } else if (packet.isIpv4()
        && !packet.isMulticast()
        && placer.sent(wiring, inside, packet, nowNanos)) {
      firstPackets.add(nanoTime.getAsLong() - nowNanos);
    }
  }

  private void ofUplink(
      Wiring wiring, InsideEnd inside, UplinkEnd uplink, Packet packet, long nowNanos) {
    boolean isMeasurement = uplinks.take(uplink.port(), packet, nowNanos);
    boolean isForHost =
        packet.isIpv4()
            && uplink.ipv4().isPresent()
            && packet.dstAddress() == uplink.ipv4().get().getInt();
    if (!isMeasurement && isForHost && !icmpErrors.take(wiring, inside, uplink, packet, nowNanos)) {
      placer.received(wiring, inside, uplink, packet, nowNanos);
    }
  }
}
