package io.malob.balancer.admission;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.VlanAddress;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.bucket.VipNextHops;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.openflow.NextHopMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Vip;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Delivers packets that a switch has translated, and that no rule leads to their receivers. Called
 * by the threads that read from switches, several at once; never blocks.
 */
public record TranslatedPackets(
    Tables tables,
    Clients clients,
    ConnectionRuleSender ruleSender,
    TrackedPackets tracked,
    ConnectionActivator activator,
    Relocations relocations,
    RejectSender rejectSender,
    VipNextHops nextHops) {
  /** Delivers a packet that found no rule for its host or its label; false if it is dropped. */
  boolean deliver(Packet packet, CatalogSnapshot catalog) {
    FiveTuple reversed = packet.fiveTuple().reversed();
    @Nullable Connection toMember = tables.connections().byReply(reversed);
    if (toMember != null) {
      ruleSender.deliverTranslated(packet, toMember.server().at());
      return true;
    }
    @Nullable Connection toClient = tables.connections().byRequest(reversed);
    if (toClient != null) {
      ruleSender.deliverTranslated(packet, toClient.client());
      toClient.saw(false);
      if (toClient.isAnswered() && !relocations.isOfOther(toClient)) {
        activator.reinstall(toClient); // it has paths again, if it was dormant
      }
      return true;
    }
    // of a connection that a bucket has placed, there is no record
    Optional<Attachment> receiver = ruleSender.lastingNextHop(NextHopMac.numberIn(packet.srcMac()));
    if (receiver.isEmpty()) {
      rejectSender.drop(RejectReason.LOST_LABEL);
      return false;
    }
    if (!tracked.labelled(packet, receiver.get(), catalog)) {
      ruleSender.deliverTranslated(packet, receiver.get());
    }
    return true;
  }

  /**
   * Delivers a member's reply to a client of a proactive VIP to the next hop that the member has
   * chosen, which then gets rules; false if it is dropped.
   */
  boolean deliverReply(Packet reply, CatalogSnapshot catalog) {
    int vip = AddressKey.of(reply.source());
    Optional<Attachment> nextHop = nextHop(reply, catalog.vlanOfVip(vip));
    nextHop.ifPresent(
        at -> {
          nextHops.learn(vip, at);
          ruleSender.deliverTranslated(reply, at);
        });
    return nextHop.isPresent();
  }

  /**
   * Delivers a member's packet that no switch has translated, as one of a VIP's, to the next hop
   * that the member has chosen; false if it is dropped.
   *
   * @param tuple the packet's five-tuple
   */
  boolean deliverFrom(ReplyOrigin origin, Packet packet, FiveTuple tuple) {
    Vip vip = origin.vip();
    Optional<Attachment> nextHop = nextHop(packet, vip.vlan());
    nextHop.ifPresent(
        at -> {
          FiveTuple request = origin.requestTo(tuple);
          if (vip.mayBeProactive()) {
            nextHops.learn(request.dstAddress(), at);
          }
          if (!tracked.reply(vip, packet, at)) {
            ruleSender.deliverAs(request.reversed(), packet, tuple, at);
          }
        });
    return nextHop.isPresent();
  }

  /**
   * Delivers a member's packet that has come by a label, and that its client's switch has not
   * translated, as one of a VIP's; false if it is dropped.
   *
   * @param tuple the packet's five-tuple
   */
  boolean deliverAtClient(ReplyOrigin origin, Packet packet, FiveTuple tuple) {
    Optional<Attachment> nextHop = ruleSender.lastingNextHop(NextHopMac.numberIn(packet.srcMac()));
    nextHop.ifPresentOrElse(
        at -> ruleSender.deliverAs(origin.requestTo(tuple).reversed(), packet, tuple, at),
        () -> rejectSender.drop(RejectReason.NO_CLIENT));
    return nextHop.isPresent();
  }

  /** The next hop of a reply; if it is not known, the reply is counted as dropped. */
  private Optional<Attachment> nextHop(Packet reply, int vlan) {
    Optional<Attachment> found =
        clients
            .find(reply.dstMac(), vlan)
            .or(() -> clients.find(new VlanAddress(reply.destination(), vlan)));
    if (found.isEmpty()) {
      rejectSender.drop(RejectReason.NO_CLIENT);
    }
    return found;
  }

  /**
   * Lets a reply go on by the rules of its bucket, after the rules of an earlier connection; false
   * if no bucket leads its client to the member that has sent it.
   */
  boolean resumeReplies(Arrival arrival, CatalogSnapshot catalog) {
    Packet reply = arrival.packet();
    if (tables.buckets().isEmpty()) {
      return false;
    }
    // a proactive VIP and its members have the same VLAN
    Optional<Attachment> client = clients.find(new VlanAddress(reply.destination(), reply.vlan()));
    if (client.isEmpty()
        || ReplyOrigin.of(catalog, reply).stream()
            .noneMatch(
                origin ->
                    origin.isLed(tables.buckets(), reply.fiveTuple(), client.get().switchId()))) {
      return false;
    }
    ruleSender.resumeReplies(arrival.switchId(), arrival.inPort(), reply);
    return true;
  }
}
