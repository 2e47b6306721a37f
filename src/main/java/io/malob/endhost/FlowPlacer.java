package io.malob.endhost;

import io.malob.openflow.packet.IpPacket;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.InsideEnd;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Handles packets without a rule on the switch: first packets of flows, packets that arrive before
 * their rules, and packets of unknown flows. Thread-safe.
 */
final class FlowPlacer {
  /**
   * The time for which sent rules count as in transit: a packet without a rule has only overtaken
   * them.
   */
  private static final long RULES_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Rules that keep the host's own packets away from the controller. */
  private static final int BARRED_PER_SECOND = 100;

  private final OpenFlows flows;
  private final UplinkChoice choice;
  private final FlowSender sender;
  private final Refusals refusals;
  private final Fragments fragments;
  private final Resets resets;
  private final Allowance barred = new Allowance(BARRED_PER_SECOND);

  FlowPlacer(
      OpenFlows flows,
      UplinkChoice choice,
      FlowSender sender,
      Refusals refusals,
      Resets resets,
      LongSupplier nanoTime) {
    this.flows = flows;
    this.choice = choice;
    this.sender = sender;
    this.refusals = refusals;
    this.resets = resets;
    this.fragments = new Fragments(flows, choice, sender, refusals, nanoTime);
  }

  /**
   * Takes a packet that the host sends.
   *
   * @return whether it was the first of a flow
   */
  boolean sent(Wiring wiring, InsideEnd inside, IpPacket packet, long nowNanos) {
    Optional<? extends IPAddress<?>> host = inside.address(packet.version());
    if (host.isEmpty()) {
      return false;
    }
    if (!packet.source().equals(host.get())) {
      refusals.count(Refusal.WRONG_SOURCE);
      return false;
    }
    FlowKey key = FlowKey.sent(packet);
    return !fragments.send(wiring, packet, nowNanos)
        && key.version() == packet.version()
        && place(wiring, inside, key, packet, nowNanos);
  }

  private boolean place(
      Wiring wiring, InsideEnd inside, FlowKey key, IpPacket packet, long nowNanos) {
    @Nullable Flow known = flows.find(key);
    Optional<UplinkEnd> uplink = known == null ? Optional.empty() : wiring.uplinkOf(known);
    if (known == null || uplink.isEmpty()) {
      return unknown(wiring, inside, key, packet, known, nowNanos);
    }
    boolean isNew = known.isOver() && packet.isTcpSyn();
    // on the old flow's uplink: the switch may use its rules a moment longer
    Flow flow = isNew ? flows.renew(known, nowNanos) : known;
    send(wiring, inside, uplink.get(), flow, packet, nowNanos);
    return isNew;
  }

  private boolean unknown(
      Wiring wiring,
      InsideEnd inside,
      FlowKey key,
      IpPacket packet,
      @Nullable Flow stranded,
      long nowNanos) {
    if (key.protocol() == FlowKey.TCP && !packet.isTcpSyn()) {
      resets.answered(key);
      refusals.count(Refusal.UNKNOWN_CONNECTION);
      sender.reset(wiring, inside, packet);
      return false;
    }
    if (stranded != null) {
      flows.forget(stranded);
    }
    Optional<UplinkView> chosen = choice.choose(wiring, key);
    if (chosen.isEmpty() || flows.isFull()) {
      refuse(chosen.isEmpty() ? Refusal.NO_UPLINK : Refusal.TABLE_FULL, wiring, inside, packet);
      return false;
    }
    @Nullable UplinkEnd uplink = wiring.byNumber().get(chosen.get().number());
    if (uplink == null) {
      return false;
    }
    IPAddress<?> address = uplink.address(key.version()).orElseThrow();
    Flow flow = flows.open(key, uplink.number(), address, nowNanos);
    send(wiring, inside, wiring.uplinkOf(flow).orElse(uplink), flow, packet, nowNanos);
    return true;
  }

  private void send(
      Wiring wiring,
      InsideEnd inside,
      UplinkEnd uplink,
      Flow flow,
      IpPacket packet,
      long nowNanos) {
    boolean rules = flow.needsRules(nowNanos, RULES_AGAIN_NANOS);
    sender.carry(wiring, inside, uplink, flow, rules, packet.frame());
  }

  private void refuse(Refusal why, Wiring wiring, InsideEnd inside, IpPacket packet) {
    refusals.count(why);
    if (packet.protocol() == FlowKey.TCP || packet.protocol() == FlowKey.UDP) {
      sender.noWay(wiring, inside, packet);
    }
  }

  /** Takes a packet for the host that came in at an uplink. */
  void received(Wiring wiring, InsideEnd inside, UplinkEnd uplink, IpPacket packet, long nowNanos) {
    FlowKey key = FlowKey.received(packet);
    if (fragments.receive(wiring, inside, uplink, packet, nowNanos)
        || key.version() != packet.version()) {
      return;
    }
    @Nullable Flow flow = flows.find(key);
    if (flow != null && flow.uplink() == uplink.number()) {
      sender.handBack(wiring, inside, key, packet.frame());
    } else if (key.protocol() != FlowKey.TCP && barred.take(nowNanos)) {
      sender.bar(wiring, uplink, key);
    }
  }
}
