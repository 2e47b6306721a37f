package io.malob.endhost;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.malob.module.NanoTicker;
import io.malob.openflow.packet.FragmentTranslation;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.InsideEnd;
import io.malob.openflow.uplink.UplinkEnd;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPVersion;

/**
 * Forwards fragments of IPv4 TCP and UDP packets in the controller, over the default uplink: they
 * have no ports, and switches corrupt them. Incoming fragments are accepted from peers of flows on
 * the same uplink, and from recent receivers of fragments. IPv6 fragments are dropped: switches
 * cannot assign them to flows, and hosts know the path MTU before they send any. Thread-safe.
 */
final class Fragments {
  private static final int SENT_PER_SECOND = 2_000;
  private static final int LOOKED_UP_PER_SECOND = 500;
  private static final int MAX_PEERS = 256;
  private static final Duration PEER = Duration.ofSeconds(30);

  private final OpenFlows flows;
  private final UplinkChoice choice;
  private final FlowSender sender;
  private final Refusals refusals;
  private final Allowance sent = new Allowance(SENT_PER_SECOND);
  private final Allowance received = new Allowance(LOOKED_UP_PER_SECOND);

  /** Recent receivers of fragments, with the uplink. */
  private final Cache<FlowKey, Integer> peers;

  Fragments(
      OpenFlows flows,
      UplinkChoice choice,
      FlowSender sender,
      Refusals refusals,
      LongSupplier nanoTime) {
    this.flows = flows;
    this.choice = choice;
    this.sender = sender;
    this.refusals = refusals;
    peers =
        CacheBuilder.newBuilder()
            .concurrencyLevel(1) // the bound is exact
            .maximumSize(MAX_PEERS)
            .expireAfterWrite(PEER)
            .ticker(new NanoTicker(nanoTime))
            .build();
  }

  /** Sends a fragment that the host sends; false if the packet is to be carried as others are. */
  boolean send(Wiring wiring, Packet packet, long nowNanos) {
    if (isByHand(packet)) {
      carry(wiring, packet, nowNanos);
    }
    return isByHand(packet) || isRefused(packet);
  }

  private static boolean isByHand(Packet packet) {
    return packet.isIpv4()
        && packet.isFragment()
        && (packet.protocol() == FlowKey.TCP || packet.protocol() == FlowKey.UDP);
  }

  private boolean isRefused(Packet packet) {
    boolean isRefused = packet.isIpv6() && packet.isFragment();
    if (isRefused) {
      refusals.count(Refusal.FRAGMENT_IPV6);
    }
    return isRefused;
  }

  private void carry(Wiring wiring, Packet packet, long nowNanos) {
    FlowKey key = FlowKey.sent(packet);
    @Nullable UplinkEnd uplink =
        choice.choose(wiring, key).map(view -> wiring.byNumber().get(view.number())).orElse(null);
    if (uplink == null || !uplink.carries(IPVersion.IPv4) || !sent.take(nowNanos)) {
      refusals.count(uplink == null ? Refusal.NO_UPLINK : Refusal.FRAGMENT_RATE);
      return;
    }
    peers.put(key, uplink.number());
    sender.sendAt(
        wiring,
        uplink.port(),
        FragmentTranslation.translated(
            packet,
            uplink.mac(),
            uplink.gatewayMac().orElseThrow(),
            uplink.ipv4().orElseThrow().getInt(),
            packet.dstAddress()));
  }

  /**
   * Delivers a fragment that came in at an uplink to the host; false if the packet is to be carried
   * as others are.
   */
  boolean receive(Wiring wiring, UplinkEnd uplink, Packet packet, long nowNanos) {
    if (isByHand(packet)) {
      deliver(wiring, uplink, packet, nowNanos);
    }
    return isByHand(packet) || isRefused(packet);
  }

  private void deliver(Wiring wiring, UplinkEnd uplink, Packet packet, long nowNanos) {
    if (!received.take(nowNanos)) {
      refusals.count(Refusal.FRAGMENT_RATE);
    } else if (isExpected(FlowKey.received(packet), uplink.number())) {
      InsideEnd inside = wiring.host();
      sender.tell(
          wiring,
          FragmentTranslation.translated(
              packet,
              inside.gatewayMac(),
              inside.mac(),
              packet.srcAddress(),
              inside.ipv4().getInt()));
    }
  }

  private boolean isExpected(FlowKey key, int uplink) {
    return Integer.valueOf(uplink).equals(peers.getIfPresent(key))
        || flows.all().stream()
            .anyMatch(
                flow ->
                    flow.uplink() == uplink
                        && flow.key().protocol() == key.protocol()
                        && flow.key().peerLow() == key.peerLow()
                        && flow.key().peerHigh() == key.peerHigh());
  }
}
