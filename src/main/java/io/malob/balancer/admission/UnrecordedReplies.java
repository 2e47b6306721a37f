package io.malob.balancer.admission;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.VlanAddress;
import io.malob.balancer.api.PacketInCounters;
import io.malob.balancer.api.PacketInCounters.Outcome;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Protocol;
import io.malob.state.network.SelfAddresses;
import java.util.List;
import java.util.Optional;

/**
 * Takes the packets of members that no record tells of, and that may be of a VIP's connection: its
 * client must not get them with the member's address, as it would answer with a RST, which ends the
 * connection at the member. They are delivered as the VIP's. A client that has no such connection
 * to the VIP answers that with a RST, which ends nothing, and tells that the connection is an
 * ordinary one; any other answer tells that it is the VIP's. Called by the threads that read from
 * switches, several at once; never blocks.
 *
 * @param selfAddresses addresses of the balancer that are no VIPs
 */
public record UnrecordedReplies(
    Tables tables,
    Clients clients,
    TranslatedPackets translated,
    Refusals refusals,
    PacketInCounters packetIns,
    SelfAddresses selfAddresses) {
  /**
   * Where the receiver of a member's packet is, or the next hop to it, if no record tells of its
   * connection; empty for all other packets, and if it is not known.
   */
  Optional<Attachment> receiverOf(Packet packet, CatalogSnapshot catalog) {
    if (catalog.isVipAddress(packet.destination())
        || selfAddresses.contains(packet.destination())) {
      return Optional.empty();
    }
    List<ReplyOrigin> origins = ReplyOrigin.of(catalog, packet);
    if (isFromClient(packet, origins)) {
      return Optional.empty();
    }
    return origins.stream()
        .findFirst()
        .flatMap(
            origin -> {
              int vlan = origin.vip().vlan();
              return clients
                  .find(new VlanAddress(packet.destination(), vlan))
                  .or(() -> clients.find(packet.dstMac(), vlan));
            });
  }

  /**
   * Handles a packet that is not to a VIP, and of no known connection; false if it is not the
   * balancer's concern.
   */
  boolean handle(Arrival arrival, CatalogSnapshot catalog) {
    Packet packet = arrival.packet();
    if (isTcp(packet) && packet.isFragment()) {
      return dropFragment(packet, catalog);
    }
    List<ReplyOrigin> origins = ReplyOrigin.of(catalog, packet);
    boolean isOrdinary =
        origins.isEmpty() || isOrdinary(packet) || selfAddresses.contains(packet.destination());
    if (isOrdinary) {
      remember(packet, !origins.isEmpty(), catalog);
      return false;
    }
    Optional<FiveTuple> reply = tupleOf(packet);
    return reply.isEmpty() || deliver(arrival, reply.get(), origins);
  }

  /** The five-tuple of a reply; if its client has no key, the reply is counted as dropped. */
  private Optional<FiveTuple> tupleOf(Packet packet) {
    int client = AddressKey.ofClient(packet.destination());
    if (client == AddressKey.NONE) {
      refusals.drop(RejectReason.ADDRESSES_FULL);
      return Optional.empty();
    }
    return Optional.of(
        FiveTuple.of(
            packet.protocol(),
            AddressKey.of(packet.source()),
            packet.srcPort(),
            client,
            packet.dstPort()));
  }

  /**
   * Handles a reply that has arrived at the switch of its client, which does not track its
   * connection: the client's answer to it goes to the same member.
   */
  void handleAtClient(Packet packet, int vipNumber, CatalogSnapshot catalog) {
    Optional<ReplyOrigin> origin =
        ReplyOrigin.ofAnyVlan(catalog, packet, packet.source(), packet.srcPort()).stream()
            .filter(each -> each.vip().number() == vipNumber && each.port() != null)
            .findFirst();
    Optional<FiveTuple> reply = origin.flatMap(any -> tupleOf(packet));
    if (origin.isEmpty()) {
      refusals.drop(RejectReason.UNKNOWN_REPLY);
    } else if (reply.isPresent()) {
      ask(origin.get(), reply.get());
      if (translated.deliverAtClient(origin.get(), packet, reply.get())) {
        packetIns.count(Outcome.KNOWN);
      }
    }
  }

  private void ask(ReplyOrigin origin, FiveTuple reply) {
    tables
        .ordinary()
        .ask(origin.requestTo(reply), reply, origin.vip().number(), origin.member().number());
  }

  private boolean deliver(Arrival arrival, FiveTuple reply, List<ReplyOrigin> origins) {
    Packet packet = arrival.packet();
    for (ReplyOrigin origin : origins) {
      if (origin.isPlacedByBucket(
          tables.buckets(), clients, reply, packet.destination(), arrival.switchId())) {
        deliver(packet, reply, origin);
        return true;
      }
    }
    if (isFromClient(packet, origins)) {
      return false;
    }
    ReplyOrigin only = origins.get(0);
    if (origins.size() > 1 || only.port() == null) {
      refusals.drop(RejectReason.UNKNOWN_REPLY);
      return true;
    }
    ask(only, reply);
    deliver(packet, reply, only);
    return true;
  }

  private void deliver(Packet packet, FiveTuple reply, ReplyOrigin origin) {
    if (translated.deliverFrom(origin, packet, reply)) {
      packetIns.count(Outcome.KNOWN);
    }
  }

  /** A fragment cannot be translated; later ones do not even show their ports. */
  private boolean dropFragment(Packet packet, CatalogSnapshot catalog) {
    boolean isReply =
        packet.kind() == Packet.Kind.TCP
            ? !ReplyOrigin.of(catalog, packet).isEmpty() && !isOrdinary(packet)
            : catalog.membersAt(packet.source()).stream()
                .anyMatch(member -> servesTcp(member, packet.vlan(), catalog));
    if (isReply) {
      refusals.drop(RejectReason.FRAGMENT);
    }
    return isReply;
  }

  private static boolean servesTcp(Member member, int vlan, CatalogSnapshot catalog) {
    return member.vlan() == vlan
        && catalog
            .vipOf(member)
            .filter(vip -> vip.protocol() == null || vip.protocol() == Protocol.TCP)
            .isPresent();
  }

  /**
   * Whether a member sends a datagram as a client of another host, and not as a server: it may do
   * so from any port, of which a VIP without a port may use each; from the port of the service to
   * the same one, as peers of NTP do; and to groups.
   */
  private static boolean isFromClient(Packet packet, List<ReplyOrigin> origins) {
    return packet.kind() == Packet.Kind.UDP
        && (packet.srcPort() == packet.dstPort()
            || packet.isMulticast()
            || origins.stream().allMatch(origin -> origin.vip().port() == null));
  }

  private static boolean isTcp(Packet packet) {
    return packet.isIp() && packet.protocol() == Protocol.TCP.ipNumber();
  }

  /** Whether a member's packet opens a connection, or is of one that is not to a VIP. */
  boolean isOrdinary(Packet packet) {
    return packet.isTcpSyn() || tables.ordinary().contains(packet.fiveTuple());
  }

  /** Remembers a connection to a member itself, or one that a member opens. */
  private void remember(Packet packet, boolean isOfMember, CatalogSnapshot catalog) {
    boolean isUdp = packet.kind() == Packet.Kind.UDP;
    if (!(isUdp || packet.kind() == Packet.Kind.TCP) || packet.hasTcpFlags(Packet.TCP_RST)) {
      return;
    }
    if (isOfMember) {
      int peer = AddressKey.ofClient(packet.destination());
      tables
          .ordinary()
          .seen(
              FiveTuple.of(
                  packet.protocol(),
                  AddressKey.of(packet.source()),
                  packet.srcPort(),
                  peer,
                  packet.dstPort()));
    }
    if (isService(packet, catalog)) {
      tables.ordinary().seen(packet.fiveTuple().reversed());
    }
  }

  private static boolean isService(Packet packet, CatalogSnapshot catalog) {
    Protocol protocol = packet.kind() == Packet.Kind.UDP ? Protocol.UDP : Protocol.TCP;
    return !ReplyOrigin.of(catalog, protocol, packet.destination(), packet.dstPort()).isEmpty();
  }
}
