package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles packets without a rule on the switch: first packets of flows, packets that arrive before
 * their rules, and packets of unknown flows. Thread-safe.
 */
final class FlowPlacer {
  private static final Logger LOG = LoggerFactory.getLogger(FlowPlacer.class);

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
  private final Races races;
  private final BooleanSupplier seesAnswers;
  private final Allowance barred = new Allowance(BARRED_PER_SECOND);

  /**
   * Places no flow yet.
   *
   * @param seesAnswers whether SYN-ACKs without a rule come to the controller
   */
  FlowPlacer(
      OpenFlows flows,
      UplinkChoice choice,
      FlowSender sender,
      Refusals refusals,
      Resets resets,
      Races races,
      BooleanSupplier seesAnswers,
      LongSupplier nanoTime) {
    this.flows = flows;
    this.choice = choice;
    this.sender = sender;
    this.refusals = refusals;
    this.resets = resets;
    this.races = races;
    this.seesAnswers = seesAnswers;
    this.fragments = new Fragments(flows, choice, sender, refusals, nanoTime);
  }

  /**
   * Takes a packet that the host sends.
   *
   * @return whether it was the first of a flow
   */
  boolean sent(Wiring wiring, Packet packet, long nowNanos) {
    Optional<? extends IPAddress<?>> host = wiring.host().address(packet.version());
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
        && place(wiring, key, packet, nowNanos);
  }

  private boolean place(Wiring wiring, FlowKey key, Packet packet, long nowNanos) {
    @Nullable Flow known = flows.find(key);
    Optional<UplinkEnd> uplink = known == null ? Optional.empty() : wiring.uplinkOf(known);
    if (known == null || uplink.isEmpty()) {
      return unknown(wiring, key, packet, known, nowNanos);
    }
    boolean isNew = known.isOver() && packet.isTcpSyn();
    // on the old flow's uplink: the switch may use its rules a moment longer
    Flow flow = isNew ? flows.renew(known, nowNanos) : known;
    send(wiring, uplink.get(), flow, packet, nowNanos);
    return isNew;
  }

  private boolean unknown(
      Wiring wiring, FlowKey key, Packet packet, @Nullable Flow stranded, long nowNanos) {
    if (key.protocol() == FlowKey.TCP && !packet.isTcpSyn()) {
      resets.answered(key);
      refusals.count(Refusal.UNKNOWN_CONNECTION);
      sender.reset(wiring, packet);
      return false;
    }
    if (stranded != null) {
      flows.forget(stranded);
    }
    if (key.protocol() == FlowKey.TCP && raceAgain(wiring, key, packet)) {
      return false;
    }
    Optional<UplinkView> chosen = choice.choose(wiring, key);
    if (chosen.isEmpty() || flows.isFull()) {
      refuse(chosen.isEmpty() ? Refusal.NO_UPLINK : Refusal.TABLE_FULL, wiring, packet);
      return false;
    }
    @Nullable UplinkEnd uplink = wiring.byNumber().get(chosen.get().number());
    if (uplink == null) {
      return false;
    }
    if (race(wiring, key, uplink, packet, nowNanos)) {
      return true;
    }
    IPAddress<?> address = uplink.address(key.version()).orElseThrow();
    Flow flow = flows.open(key, uplink.number(), address, nowNanos);
    send(wiring, wiring.uplinkOf(flow).orElse(uplink), flow, packet, nowNanos);
    return true;
  }

  private void send(Wiring wiring, UplinkEnd uplink, Flow flow, Packet packet, long nowNanos) {
    boolean rules = flow.needsRules(nowNanos, RULES_AGAIN_NANOS);
    sender.carry(wiring, uplink, flow, rules, packet.frame());
  }

  /**
   * Sends a SYN over a second uplink as well: to a port of races, or to try an avoided uplink;
   * false if the connection is not to be raced.
   */
  private boolean race(Wiring wiring, FlowKey key, UplinkEnd first, Packet packet, long nowNanos) {
    // a SYN with data could be executed twice
    boolean mayRace =
        key.protocol() == FlowKey.TCP
            && packet.tcpSequenceLength() == 1
            && seesAnswers.getAsBoolean()
            && !races.isFull();
    Optional<UplinkEnd> second =
        mayRace ? second(wiring, key, first.number(), nowNanos) : Optional.empty();
    second.ifPresent(
        other -> {
          races.begin(key, first.number(), other.number(), packet.tcpSequence(), nowNanos);
          sendAll(wiring, ImmutableList.of(first, other), key, packet);
        });
    return second.isPresent();
  }

  private Optional<UplinkEnd> second(Wiring wiring, FlowKey key, int first, long nowNanos) {
    Set<Integer> others =
        wiring.usable().stream()
            .map(UplinkView::number)
            .filter(number -> number != first && wiring.isUsable(number, key))
            .collect(Collectors.toSet());
    OptionalInt trial = choice.answers().takeTrial(others, nowNanos);
    if (trial.isPresent()) {
      return Optional.ofNullable(wiring.byNumber().get(trial.getAsInt()));
    }
    return wiring.view().network().racePorts().contains(key.peerPort())
        ? choice.other(wiring, key, first).map(other -> wiring.byNumber().get(other.number()))
        : Optional.empty();
  }

  /** Sends a retransmitted SYN like the first; false if its race is decided, or has no uplinks. */
  private boolean raceAgain(Wiring wiring, FlowKey key, Packet packet) {
    List<UplinkEnd> uplinks = new ArrayList<>();
    for (int number : races.running(key, packet.tcpSequence())) {
      @Nullable UplinkEnd uplink = wiring.byNumber().get(number);
      if (uplink != null && wiring.isUsable(number, key)) {
        uplinks.add(uplink);
      }
    }
    if (!uplinks.isEmpty()) {
      sendAll(wiring, uplinks, key, packet);
    }
    return !uplinks.isEmpty();
  }

  private void sendAll(Wiring wiring, List<UplinkEnd> uplinks, FlowKey key, Packet packet) {
    races.extraPackets.add(uplinks.size() - 1L);
    sender.sendOver(wiring, uplinks, key, packet.frame());
  }

  /** Takes a SYN-ACK without a rule. */
  private void answered(
      Wiring wiring, UplinkEnd uplink, FlowKey key, Packet packet, long nowNanos) {
    if (!wiring.isUsable(uplink.number(), key)) {
      return;
    }
    Races.Answer answer = races.answered(key, uplink.number(), packet.tcpAcknowledgement());
    if (answer != Races.Answer.OTHER && choice.answers().answered(uplink.number())) {
      LOG.info(
          "uplink_answered uplink=\"{}\" - new flows use it again", wiring.nameOf(uplink.number()));
    }
    switch (answer) {
      case WINS -> {
        IPAddress<?> address = uplink.address(key.version()).orElseThrow();
        Flow flow = flows.open(key, uplink.number(), address, nowNanos);
        flow.hasRules(nowNanos);
        sender.carryBack(wiring, uplink, flow, packet.frame());
      }
      case LOSES -> sender.resetPeer(wiring, uplink, packet);
      case OTHER -> {} // of the host's own connection
    }
  }

  /** Takes a copy of a reset from an uplink: there is no rule that delivers it during a race. */
  void rejected(Wiring wiring, UplinkEnd uplink, Packet packet) {
    FlowKey key = FlowKey.received(packet);
    boolean isItsAnswer =
        races.running(key, packet.tcpAcknowledgement() - 1).contains(uplink.number());
    if (isItsAnswer && races.rejected(key, uplink.number())) {
      sender.handBack(wiring, key, packet.frame());
    }
  }

  private void refuse(Refusal why, Wiring wiring, Packet packet) {
    refusals.count(why);
    if (packet.protocol() == FlowKey.TCP || packet.protocol() == FlowKey.UDP) {
      sender.noWay(wiring, packet);
    }
  }

  /** Takes a packet for the host that came in at an uplink. */
  void received(Wiring wiring, UplinkEnd uplink, Packet packet, long nowNanos) {
    FlowKey key = FlowKey.received(packet);
    if (fragments.receive(wiring, uplink, packet, nowNanos) || key.version() != packet.version()) {
      return;
    }
    @Nullable Flow flow = flows.find(key);
    if (flow != null && flow.uplink() == uplink.number()) {
      sender.handBack(wiring, key, packet.frame());
    } else if (packet.hasTcpFlags(Packet.TCP_SYN | Packet.TCP_ACK)) {
      answered(wiring, uplink, key, packet, nowNanos);
    } else if (key.protocol() != FlowKey.TCP && barred.take(nowNanos)) {
      sender.bar(wiring, uplink, key);
    }
  }
}
