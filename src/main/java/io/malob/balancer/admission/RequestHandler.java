package io.malob.balancer.admission;

import io.malob.algorithm.Attachment;
import io.malob.balancer.api.PacketInCounters;
import io.malob.balancer.api.PacketInCounters.Outcome;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.bucket.TranslatedReply;
import io.malob.balancer.view.BalancerView;
import io.malob.openflow.label.Label;
import io.malob.openflow.packet.Packet;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Handles the packets that reach the controller: delivers those that switches have translated, and
 * has all others decided and executed. Called by the threads that read from switches, several at
 * once; never blocks.
 */
public record RequestHandler(
    Supplier<BalancerView> views,
    DecisionExecutor executor,
    UnrecordedReplies unrecorded,
    TranslatedPackets translated,
    ErrorRelay errorRelay,
    Refusals refusals,
    PacketInCounters packetIns,
    LongSupplier nanoTime) {
  /** Handles an IP packet; false if it is not the balancer's concern. */
  public boolean handle(DatapathId switchId, OFPort inPort, Packet packet) {
    return handle(switchId, inPort, packet, /* isOfNoTracked= */ false);
  }

  /**
   * The same.
   *
   * @param isOfNoTracked whether the switch has found out that the packet is of no connection that
   *     it remembers
   */
  public boolean handle(DatapathId switchId, OFPort inPort, Packet packet, boolean isOfNoTracked) {
    if (Label.isLabel(packet.dstMac())) {
      handleLost(packet);
      return true;
    }
    if (errorRelay.pass(switchId, packet, views.get().catalog())) {
      packetIns.count(Outcome.KNOWN);
      return true;
    }
    Arrival arrival = new Arrival(switchId, inPort, packet, nanoTime.getAsLong());
    return executor.handle(arrival, views.get())
        || (!isOfNoTracked && unrecorded.handle(arrival, views.get().catalog()));
  }

  /** Handles the first packet of a connection that the switch is to track. */
  public void handleOpening(DatapathId switchId, OFPort inPort, Packet packet) {
    boolean unusedAsItIsToVip =
        executor.handle(
            new Arrival(switchId, inPort, packet, nanoTime.getAsLong(), true), views.get());
  }

  /**
   * Where the receiver is of a member's TCP packet that no record tells of, and that may be of a
   * VIP's connection; empty for all other packets.
   */
  public Optional<Attachment> receiverOfUnrecorded(Packet packet) {
    return unrecorded.receiverOf(packet, views.get().catalog());
  }

  /** Whether such a packet opens a connection, or is of one that is not to a VIP. */
  public boolean isOrdinary(Packet packet) {
    return unrecorded.isOrdinary(packet);
  }

  /**
   * Handles a packet that comes by the rule of a connection that was closed: resets its sender,
   * unless the same ends have a new connection.
   */
  public boolean handleAfterClosing(DatapathId switchId, OFPort inPort, Packet packet) {
    if (packet.isTcpSyn() || executor.decider().isKnown(packet.fiveTuple())) {
      return handle(switchId, inPort, packet);
    }
    Arrival arrival = new Arrival(switchId, inPort, packet, nanoTime.getAsLong());
    if (translated.resumeReplies(arrival, views.get().catalog())) {
      packetIns.count(Outcome.KNOWN);
    } else {
      refusals.refuse(Decision.Refused.of(RejectReason.UNKNOWN_CONNECTION), arrival);
    }
    return true;
  }

  /** Rejects a client's packet for which its switch has no source port left. */
  public void rejectForPorts(DatapathId switchId, OFPort inPort, Packet packet) {
    refusals.refuse(
        Decision.Refused.of(RejectReason.NO_SOURCE_PORT),
        new Arrival(switchId, inPort, packet, nanoTime.getAsLong()));
  }

  /** Handles a packet that was translated, and found no rule for its host. */
  public void handleLost(Packet packet) {
    if (translated.deliver(packet, views.get().catalog())) {
      packetIns.count(Outcome.KNOWN);
    }
  }

  /** Whether {@link #replyToClient} is to handle a packet. */
  public boolean isTranslatedReply(OFPacketIn packetIn, Packet packet) {
    return TranslatedReply.is(packetIn, packet, views.get().catalog());
  }

  /** Delivers a member's reply to a client of a proactive VIP that no rule leads to. */
  public void replyToClient(Packet packet) {
    if (translated.deliverReply(packet, views.get().catalog())) {
      packetIns.count(Outcome.KNOWN);
    }
  }

  /**
   * Delivers a reply of a connection that its client's switch does not track, as the client has
   * moved there.
   */
  public void handleUnknownReply(Packet packet, int vipNumber) {
    unrecorded.handleAtClient(packet, vipNumber, views.get().catalog());
  }

  /** Counts a packet for a VIP that cannot be read. */
  public void handleMalformed() {
    refusals.drop(RejectReason.NOT_BALANCED);
  }

  /** Retries all packets that are pending until a host is located or a switch's rules are read. */
  public void retryPending() {
    refusals.pendingPackets().leave().forEach(arrival -> executor.handle(arrival, views.get()));
  }
}
