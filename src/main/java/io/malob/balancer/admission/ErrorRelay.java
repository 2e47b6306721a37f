package io.malob.balancer.admission;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.view.VipMac;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.packet.IpPacket;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.QuotedPacket;
import io.malob.state.catalog.Protocol;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Delivers ICMP errors about the packets of connections, for example the path MTU. An error quotes
 * the packet as it was where the error arose: the quote is translated, too, so that the sender of
 * the packet recognizes it. Thread-safe.
 */
public final class ErrorRelay {
  private final ConnectionTable connections;
  private final FlowProgrammer programmer;

  public ErrorRelay(ConnectionTable connections, FlowProgrammer programmer) {
    this.connections = connections;
    this.programmer = programmer;
  }

  /** The connection of the packet that an error is about; null if this is none, or not known. */
  public static @Nullable Connection connectionOf(ConnectionTable connections, Packet packet) {
    @Nullable QuotedPacket quoted = quotedBy(packet);
    return quoted == null ? null : find(connections, answerTo(quoted));
  }

  private static @Nullable Connection find(ConnectionTable connections, FiveTuple answer) {
    @Nullable Connection replying = connections.byRequest(answer);
    return replying == null ? connections.byReply(answer) : replying;
  }

  /** Delivers a packet if it is an error about a packet of a known connection; false if not. */
  boolean pass(Packet packet) {
    @Nullable QuotedPacket quoted = quotedBy(packet);
    if (quoted == null) {
      return false;
    }
    FiveTuple answer = answerTo(quoted);
    @Nullable Connection connection = find(connections, answer);
    if (connection == null) {
      return false;
    }
    if (connection.request().equals(answer)) {
      toMember(connection, packet, quoted);
    } else {
      toClient(connection, quoted);
    }
    return true;
  }

  /** What an error quotes, which is to be a packet of the error's receiver; null if it is none. */
  private static @Nullable QuotedPacket quotedBy(Packet packet) {
    return packet.kind() == Packet.Kind.ICMP
        ? IpPacket.of(packet)
            .flatMap(QuotedPacket::of)
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

  /** About a reply on its way from the VIP to the client. */
  private void toMember(Connection connection, Packet packet, QuotedPacket quoted) {
    FiveTuple reply = connection.reply();
    Attachment member = connection.server().at();
    send(member, quoted.withSender(packet.srcMac(), member.mac(), reply.source(), reply.srcPort()));
  }

  /** About a request on its way from the client to the member. */
  private void toClient(Connection connection, QuotedPacket quoted) {
    FiveTuple request = connection.request();
    Attachment client = connection.client();
    send(
        client,
        quoted.withReceiver(
            VipMac.of(request.dstAddress()),
            client.mac(),
            request.destination(),
            request.dstPort()));
  }

  private void send(Attachment receiver, byte[] frame) {
    programmer.sendFrame(receiver.switchId(), List.of(receiver.port()), frame);
  }
}
