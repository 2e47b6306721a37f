package io.malob.balancer.admission;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.algorithm.VlanAddress;
import io.malob.balancer.bucket.Buckets;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * A VIP and a member that serves it at some address and port: a packet that comes from there may be
 * of a connection to that VIP. Immutable.
 *
 * @param port the port of the VIP that its clients use; null if it cannot be told from the member's
 */
record ReplyOrigin(Vip vip, Member member, @Nullable Integer port) {
  /** The VIPs whose members serve TCP or UDP at an address and port: two look-ups. */
  static List<ReplyOrigin> of(
      CatalogSnapshot catalog, Protocol protocol, IPAddress<?> server, int port) {
    List<Member> withPort = catalog.membersAt(server, port);
    List<Member> others = catalog.membersAt(server, null);
    if (withPort.isEmpty() && others.isEmpty()) {
      return List.of();
    }
    return Stream.concat(withPort.stream(), others.stream())
        .map(member -> of(catalog, protocol, member, port))
        .filter(Objects::nonNull)
        .toList();
  }

  /** Those of the source of a packet of TCP or UDP, in its VLAN; empty for other packets. */
  static List<ReplyOrigin> of(CatalogSnapshot catalog, Packet packet) {
    return ofAnyVlan(catalog, packet, packet.source(), packet.srcPort()).stream()
        .filter(origin -> origin.member.vlan() == packet.vlan())
        .toList();
  }

  /**
   * Those of one end of a packet of TCP or UDP between edges, where packets have no tags; empty for
   * other packets.
   */
  static List<ReplyOrigin> ofAnyVlan(
      CatalogSnapshot catalog, Packet packet, IPAddress<?> server, int port) {
    @Nullable Protocol protocol =
        packet.kind() == Packet.Kind.TCP
            ? Protocol.TCP
            : packet.kind() == Packet.Kind.UDP ? Protocol.UDP : null;
    return protocol == null ? List.of() : of(catalog, protocol, server, port);
  }

  private static @Nullable ReplyOrigin of(
      CatalogSnapshot catalog, Protocol protocol, Member member, int port) {
    @Nullable Vip vip = catalog.vipOf(member).orElse(null);
    if (vip == null || (vip.protocol() != null && vip.protocol() != protocol)) {
      return null;
    }
    @Nullable Integer own = vip.portAt(member);
    if (own != null && own != port) {
      return null;
    }
    @Nullable Integer used = member.port() == null ? Integer.valueOf(port) : vip.port();
    boolean isOfOther =
        used != null
            && catalog
                .vipFor(AddressKey.of(vip.address()), protocol, used)
                .filter(found -> found.number() == vip.number())
                .isEmpty();
    return isOfOther ? null : new ReplyOrigin(vip, member, used);
  }

  /**
   * Whether the packets with this five-tuple are of a connection that a bucket has placed. While
   * switches translate all that the member sends from its service port, there are no connections to
   * the server itself.
   *
   * @param client the client's address
   * @param memberSwitch the edge of the member
   */
  boolean isPlacedByBucket(
      Buckets buckets,
      Clients clients,
      FiveTuple reply,
      IPAddress<?> client,
      DatapathId memberSwitch) {
    if (!buckets.hasTables(vip.number())) {
      return false;
    }
    return buckets.arePlacing(vip.number())
        || clients
            .find(new VlanAddress(client, vip.vlan()))
            .map(at -> isLed(buckets, reply, at.switchId()))
            .orElseGet(
                () ->
                    buckets.membersOf(vip.number(), memberSwitch, requestTo(reply)).stream()
                        .anyMatch(this::isMember));
  }

  /** Whether a bucket leads, or has led, a client's packets to this member. */
  boolean isLed(Buckets buckets, FiveTuple reply, DatapathId clientSwitch) {
    @Nullable Server led =
        port == null ? null : buckets.memberOf(vip.number(), clientSwitch, requestTo(reply), false);
    return led != null && isMember(led);
  }

  private boolean isMember(Server server) {
    return server.number() == member.number();
  }

  /** The five-tuple of the client's packets to the VIP. Only if the port is known. */
  FiveTuple requestTo(FiveTuple reply) {
    return FiveTuple.of(
        reply.protocol(),
        reply.dstAddress(),
        reply.dstPort(),
        AddressKey.of(vip.address()),
        Objects.requireNonNull(port));
  }
}
