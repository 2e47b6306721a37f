package io.malob.balancer;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.Attachment;
import io.malob.balancer.admission.ErrorRelay;
import io.malob.balancer.admission.RequestHandler;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.module.FieldReader;
import io.malob.module.FieldWriter;
import io.malob.module.IPeerService;
import io.malob.module.IRelayService;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.ForwardedMessage;
import io.malob.openflow.packet.Packet;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.BiConsumer;
import net.floodlightcontroller.core.IOFSwitch;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Forwards messages of this controller's switches to the controllers that own the connections which
 * they concern, and takes such messages from others. The owner of a connection is the master of its
 * client's edge switch; the member's edge switch may have another master. A message is forwarded at
 * most once. It has the datapath id in its first eight bytes; the OpenFlow message follows.
 * Thread-safe; never blocks.
 *
 * @param receiver handles forwarded messages as those of the switch, and forwards none of them
 */
record UnownedMessages(
    BalancerContext context,
    Connecting connecting,
    RequestHandler requests,
    OrdinaryNews news,
    IRelayService relay,
    IPeerService peers,
    BiConsumer<IOFSwitch, OFMessage> receiver)
    implements PeerListener {
  private static final ImmutableSet<OFType> FORWARDED =
      ImmutableSet.of(OFType.PACKET_IN, OFType.FLOW_REMOVED);

  /**
   * Forwards a packet of another controller's connection, or drops it if that one is not reached;
   * false if the packet is this controller's concern. So is one of a client that has moved here.
   */
  boolean takes(DatapathId at, OFPacketIn message, Packet packet) {
    @Nullable Connection connection = find(packet);
    if (connection == null) {
      return takesUnrecorded(at, message, packet);
    }
    if (!isUnowned(connection)
        || (isRequest(connection, packet)
            && connecting.relocations.takesOver(connection, at, inPort(message), packet))) {
      return false;
    }
    if (!forward(at, message, connection.client().switchId())) {
      context.rejects.count(RejectReason.OWNER_NOT_REACHED);
    }
    return true;
  }

  /**
   * The same of a member's packet that no record tells of: the master of its receiver's edge would
   * own the connection, or sees its client's packets.
   */
  private boolean takesUnrecorded(DatapathId at, OFPacketIn message, Packet packet) {
    Optional<DatapathId> edge =
        Cookie.is(message.getCookie(), CookieKind.CLOSED)
            ? Optional.empty()
            : requests
                .receiverOfUnrecorded(packet)
                .map(Attachment::switchId)
                .filter(context.unowned);
    if (edge.isEmpty() || requests.isOrdinary(packet)) {
      return false;
    }
    if (!forward(at, message, edge.get())) {
      context.rejects.count(RejectReason.OWNER_NOT_REACHED);
    }
    return true;
  }

  /**
   * Forwards the end of a reply rule of another controller's connection. False if it is this
   * controller's concern, or the owner is not reached.
   */
  boolean takes(DatapathId at, OFFlowRemoved message) {
    @Nullable Connection connection =
        connecting.connections.byReply(ConnectionRules.tupleOf(message.getMatch()));
    return connection != null
        && isUnowned(connection)
        && forward(at, message, connection.client().switchId());
  }

  /**
   * The connection of a packet, or of the one that an ICMP error is about; the control connection,
   * if a member opens FTP data.
   */
  private @Nullable Connection find(Packet packet) {
    ConnectionTable connections = connecting.connections;
    @Nullable Connection known = ErrorRelay.connectionOf(connections, packet);
    if (known == null && packet.mayBeReply()) {
      known = connections.byReply(packet.fiveTuple());
    }
    if (known == null) {
      known = connections.byRequest(packet.fiveTuple());
    }
    return known == null ? connecting.ftpSessions.controlOf(packet) : known;
  }

  private static boolean isRequest(Connection connection, Packet packet) {
    return connection.request().equals(packet.fiveTuple());
  }

  private static OFPort inPort(OFPacketIn message) {
    return message.getMatch().get(MatchField.IN_PORT);
  }

  private boolean isUnowned(Connection connection) {
    return context.unowned.test(connection.client().switchId());
  }

  private boolean forward(DatapathId at, OFMessage message, DatapathId clientSwitch) {
    Optional<String> owner = relay.otherMaster(clientSwitch);
    return owner.isPresent()
        && peers.send(
            owner.get(),
            PeerTopic.MESSAGES,
            new FieldWriter(256).putSwitch(at).putMessage(message).toBytes());
  }

  /** Whether a member's packet that no record tells of leads to a switch of this controller. */
  private boolean isToOwnClient(Packet packet) {
    return requests
        .receiverOfUnrecorded(packet)
        .filter(to -> !context.unowned.test(to.switchId()))
        .isPresent();
  }

  /**
   * Handles a message that another controller has forwarded. A packet without a connection here is
   * dropped, unless it may be a reply to a client here: the switch's own master places connections.
   */
  @Override
  public void received(String peer, ByteBuffer bytes) {
    @Nullable IOFSwitch sw = context.switches.getSwitch(new FieldReader(bytes).readSwitch());
    OFMessage message = ForwardedMessage.read(bytes, FORWARDED);
    if (sw == null) {
      return;
    }
    if (message instanceof OFPacketIn packetIn) {
      Packet packet = Packet.parse(packetIn.getData());
      @Nullable Connection connection = find(packet);
      if (connection == null ? !isToOwnClient(packet) : isUnowned(connection)) {
        context.rejects.count(RejectReason.OWNER_NOT_REACHED);
        return;
      }
      if (connection == null && requests.isOrdinary(packet)) {
        news.publish(packet.fiveTuple()); // the next packet finds it known there
        return;
      }
    }
    receiver.accept(sw, message);
  }
}
