package io.malob.balancer.admission;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.algorithm.VlanAddress;
import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.QuotedPacket;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Vip;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Delivers ICMP errors about the packets of connections, for example the path MTU. An error quotes
 * the packet as it was where the error arose: the quote is translated, too, so that the sender of
 * the packet recognizes it. The quote alone decides: an error may come from any router. Of a
 * connection that a bucket has placed, there is no record: the quote tells its VIP, and its bucket
 * the member. Thread-safe; never blocks.
 */
public record ErrorRelay(
    Tables tables, Clients clients, RuleSender ruleSender, RejectCounters rejects) {
  /** The connection of the packet that an error is about; null if this is none, or not known. */
  public static @Nullable Connection connectionOf(ConnectionTable connections, Packet packet) {
    @Nullable QuotedPacket quoted = quotedBy(packet);
    if (quoted == null) {
      return null;
    }
    FiveTuple answer = answerTo(quoted);
    @Nullable Connection replying = connections.byRequest(answer);
    return replying == null ? connections.byReply(answer) : replying;
  }

  /**
   * Delivers a packet if it is an error about a packet of a connection; false if not.
   *
   * @param at the switch where the packet came in
   */
  boolean pass(DatapathId at, Packet packet, CatalogSnapshot catalog) {
    @Nullable QuotedPacket quoted = quotedBy(packet);
    if (quoted == null) {
      return false;
    }
    FiveTuple answer = answerTo(quoted);
    @Nullable Connection toMember = tables.connections().byRequest(answer);
    if (toMember != null && !isOutOfDate(toMember)) {
      FiveTuple reply = toMember.reply();
      toMember(toMember.server().at(), quoted, reply.source(), reply.srcPort());
      return true;
    }
    @Nullable Connection toClient = tables.connections().byReply(answer);
    if (toClient != null) {
      FiveTuple request = toClient.request();
      toClient(toClient.client(), quoted, request.destination(), request.dstPort());
      return true;
    }
    // a client has no such connection to the VIP as it was delivered a datagram of
    if (quoted.isPortUnreachable()
        && quoted.protocol() == Protocol.UDP.ipNumber()
        && quoted.hasPorts()
        && tables.ordinary().denied(answer)) {
      return true;
    }
    return !tables.buckets().isEmpty()
        && quoted.hasPorts()
        && (catalog.isVipAddress(packet.destination())
            ? passToBucket(at, quoted, answer, catalog)
            : passFromBucket(at, packet, quoted, catalog));
  }

  /** What an error quotes, which is to be a packet of the error's receiver; null if it is none. */
  private static @Nullable QuotedPacket quotedBy(Packet packet) {
    return packet.kind() == Packet.Kind.ICMP
        ? QuotedPacket.of(packet)
            .filter(quoted -> quoted.source().equals(packet.destination()))
            .orElse(null)
        : null;
  }

  /** The five-tuple of packets that answer the quoted one. */
  private static FiveTuple answerTo(QuotedPacket quoted) {
    boolean hasPorts = quoted.hasPorts();
    return FiveTuple.of(
        quoted.isIcmp() ? Protocol.ICMP.ipNumber() : quoted.protocol(),
        AddressKey.find(quoted.destination()),
        hasPorts ? quoted.dstPort() : 0,
        AddressKey.find(quoted.source()),
        hasPorts ? quoted.srcPort() : 0);
  }

  /** Whether a bucket may have led packets of a connection's five-tuple to another member since. */
  private boolean isOutOfDate(Connection known) {
    if (tables.buckets().isEmpty()) {
      return false;
    }
    OptionalLong until =
        tables.buckets().ledUntil(known.vipNumber(), known.client().switchId(), known.request());
    return until.isPresent() && known.wasDormantAt(until.getAsLong());
  }

  /** About a reply of a connection that a bucket has placed: for the bucket's member. */
  private boolean passToBucket(
      DatapathId at, QuotedPacket quoted, FiveTuple answer, CatalogSnapshot catalog) {
    @Nullable Vip vip =
        catalog.vipFor(answer.dstAddress(), protocolOf(quoted), answer.dstPort()).orElse(null);
    if (vip == null || !tables.buckets().hasTables(vip.number())) {
      return false;
    }
    int client = AddressKey.ofClient(quoted.destination());
    if (!vip.allows(client)) {
      return false;
    }
    FiveTuple request =
        FiveTuple.of(
            answer.protocol(), client, answer.srcPort(), answer.dstAddress(), answer.dstPort());
    ImmutableList<Server> members = membersOf(vip, at, quoted, request);
    members.forEach(
        member ->
            toMember(
                member.at(),
                quoted,
                AddressKey.toAddress(member.address()),
                member.port() == 0 ? quoted.srcPort() : member.port()));
    return !members.isEmpty();
  }

  /**
   * The member of a client's bucket. The requests of a client that is no known host may come
   * through any edge, where its bucket may lead to another member: these get the error, too, and
   * ignore it.
   */
  private ImmutableList<Server> membersOf(
      Vip vip, DatapathId at, QuotedPacket quoted, FiveTuple request) {
    Buckets buckets = tables.buckets();
    Optional<Attachment> client = clients.find(new VlanAddress(quoted.destination(), vip.vlan()));
    @Nullable Server member =
        client.isEmpty()
            ? null
            : buckets.memberOf(vip.number(), client.get().switchId(), request, false);
    return member == null ? buckets.membersOf(vip.number(), at, request) : ImmutableList.of(member);
  }

  /**
   * About a request of a connection that a bucket has placed: for its client, or for the next hop
   * to it that the error's sender has chosen. Without one it is dropped, as the client would not
   * recognize its connection in the quote.
   */
  private boolean passFromBucket(
      DatapathId at, Packet packet, QuotedPacket quoted, CatalogSnapshot catalog) {
    FiveTuple reply =
        FiveTuple.of(
            quoted.protocol(),
            AddressKey.find(quoted.destination()),
            quoted.dstPort(),
            AddressKey.ofClient(quoted.source()),
            quoted.srcPort());
    @Nullable ReplyOrigin of =
        ReplyOrigin.of(catalog, protocolOf(quoted), quoted.destination(), quoted.dstPort()).stream()
            .filter(
                origin ->
                    origin.isPlacedByBucket(tables.buckets(), clients, reply, quoted.source(), at))
            .findFirst()
            .orElse(null);
    if (of == null) {
      return false;
    }
    clients
        .find(new VlanAddress(quoted.source(), of.vip().vlan()))
        .or(() -> clients.find(packet.dstMac(), packet.vlan()))
        .ifPresentOrElse(
            to -> toClient(to, quoted, of.vip().address(), Objects.requireNonNull(of.port())),
            () -> rejects.count(RejectReason.NO_CLIENT));
    return true;
  }

  private static Protocol protocolOf(QuotedPacket quoted) {
    return quoted.protocol() == Protocol.TCP.ipNumber() ? Protocol.TCP : Protocol.UDP;
  }

  /** About a reply on its way from the VIP to the client. */
  private void toMember(Attachment member, QuotedPacket quoted, IPAddress<?> address, int port) {
    send(member, quoted.withSender(EdgeMac.of(member.switchId()), member.mac(), address, port));
  }

  /** About a request on its way from the client to the member. */
  private void toClient(Attachment client, QuotedPacket quoted, IPAddress<?> vip, int port) {
    send(client, quoted.withReceiver(EdgeMac.of(client.switchId()), client.mac(), vip, port));
  }

  private void send(Attachment receiver, byte[] frame) {
    ruleSender.sendFrame(receiver, frame);
  }
}
