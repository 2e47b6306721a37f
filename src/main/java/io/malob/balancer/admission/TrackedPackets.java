package io.malob.balancer.admission;

import io.malob.algorithm.Attachment;
import io.malob.balancer.bucket.BucketTable.Tracking;
import io.malob.balancer.connection.ConnectionRuleSender;
import io.malob.openflow.NextHopMac;
import io.malob.openflow.bucket.TrackedDelivery;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Vip;
import org.jspecify.annotations.Nullable;

/**
 * Delivers packets of connections that switches track, so that these see them. Called by the
 * threads that read from switches, several at once; never blocks.
 */
public record TrackedPackets(Tables tables, ConnectionRuleSender ruleSender) {
  /**
   * Delivers a packet that has its member's address, as one of a VIP's, to its next hop; false if
   * the switch there does not track the VIP.
   */
  boolean reply(Vip vip, Packet packet, Attachment nextHop) {
    @Nullable Tracking tracking = tables.buckets().trackingAt(vip.number(), nextHop.switchId());
    if (tracking != null) {
      ruleSender.deliver(
          nextHop,
          factory -> TrackedDelivery.reply(factory, tracking.traffic(), nextHop, packet.frame()));
    }
    return tracking != null;
  }

  /** Delivers a packet that has lost its label; false if it is of no tracked connection. */
  boolean labelled(Packet packet, Attachment receiver, CatalogSnapshot catalog) {
    int replyPath = NextHopMac.replyPathIn(packet.srcMac());
    return replyPath == 0
        ? ReplyOrigin.ofAnyVlan(catalog, packet, packet.source(), packet.srcPort()).stream()
            .anyMatch(origin -> reply(origin.vip(), packet, receiver))
        : ReplyOrigin.ofAnyVlan(catalog, packet, packet.destination(), packet.dstPort()).stream()
            .anyMatch(origin -> request(origin, packet, receiver, replyPath));
  }

  private boolean request(ReplyOrigin to, Packet packet, Attachment member, int replyPath) {
    @Nullable Tracking tracking = tables.buckets().tracking(to.vip().number());
    if (tracking != null) {
      ruleSender.deliver(
          member,
          factory ->
              TrackedDelivery.request(
                  factory,
                  tracking.traffic(),
                  member,
                  to.member().number(),
                  replyPath,
                  packet.frame()));
    }
    return tracking != null;
  }
}
