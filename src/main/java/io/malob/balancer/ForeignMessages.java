package io.malob.balancer;

import com.google.common.collect.ImmutableSet;
import io.malob.balancer.admission.ErrorRelay;
import io.malob.balancer.admission.Relocations;
import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.ForeignSwitches;
import io.malob.balancer.connection.FtpSessions;
import io.malob.module.IPeerService;
import io.malob.module.IRelayService;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.ForwardedMessage;
import io.malob.openflow.packet.Packet;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.BiConsumer;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
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
 */
final class ForeignMessages implements PeerListener {
  private static final ImmutableSet<OFType> FORWARDED =
      ImmutableSet.of(OFType.PACKET_IN, OFType.FLOW_REMOVED);

  private final ConnectionTable connections;
  private final FtpSessions ftpSessions;
  private final Relocations moves;
  private final ForeignSwitches foreign;
  private final IRelayService relay;
  private final IPeerService peers;
  private final IOFSwitchService switches;
  private final RejectCounters rejects;
  private final BiConsumer<IOFSwitch, OFMessage> receiver;

  /**
   * Forwards by these streams.
   *
   * @param receiver handles forwarded messages as those of the switch, and forwards none of them
   */
  ForeignMessages(
      ConnectionTable connections,
      FtpSessions ftpSessions,
      Relocations moves,
      ForeignSwitches foreign,
      IRelayService relay,
      IPeerService peers,
      IOFSwitchService switches,
      RejectCounters rejects,
      BiConsumer<IOFSwitch, OFMessage> receiver) {
    this.connections = connections;
    this.ftpSessions = ftpSessions;
    this.moves = moves;
    this.foreign = foreign;
    this.relay = relay;
    this.peers = peers;
    this.switches = switches;
    this.rejects = rejects;
    this.receiver = receiver;
  }

  /**
   * Forwards a packet of another controller's connection, or drops it if that one is not reached;
   * false if the packet is this controller's concern. So is one of a client that has moved here.
   */
  boolean takes(DatapathId at, OFPacketIn message, Packet packet) {
    @Nullable Connection connection = find(packet);
    if (connection == null
        || !isForeign(connection)
        || (isRequest(connection, packet)
            && moves.takesOver(connection, at, inPort(message), packet))) {
      return false;
    }
    if (!forward(at, message, connection)) {
      rejects.count(RejectReason.OWNER_NOT_REACHED);
    }
    return true;
  }

  /**
   * Forwards the end of a reply rule of another controller's connection. False if it is this
   * controller's concern, or the owner is not reached.
   */
  boolean takes(DatapathId at, OFFlowRemoved message) {
    @Nullable Connection connection =
        connections.byReply(ConnectionRules.tupleOf(message.getMatch()));
    return connection != null && isForeign(connection) && forward(at, message, connection);
  }

  /**
   * The connection of a packet, or of the one that an ICMP error is about; the control connection,
   * if a member opens FTP data.
   */
  private @Nullable Connection find(Packet packet) {
    @Nullable Connection known = ErrorRelay.connectionOf(connections, packet);
    if (known == null && packet.mayBeReply()) {
      known = connections.byReply(packet.fiveTuple());
    }
    if (known == null) {
      known = connections.byRequest(packet.fiveTuple());
    }
    return known == null ? ftpSessions.controlOf(packet) : known;
  }

  private static boolean isRequest(Connection connection, Packet packet) {
    return connection.request().equals(packet.fiveTuple());
  }

  private static OFPort inPort(OFPacketIn message) {
    return message.getMatch().get(MatchField.IN_PORT);
  }

  private boolean isForeign(Connection connection) {
    return foreign.test(connection.client().switchId());
  }

  private boolean forward(DatapathId at, OFMessage message, Connection connection) {
    Optional<String> owner = relay.otherMaster(connection.client().switchId());
    return owner.isPresent() && peers.send(owner.get(), PeerTopic.MESSAGES, encoded(at, message));
  }

  private static byte[] encoded(DatapathId at, OFMessage message) {
    ByteBuf out = Unpooled.buffer(256);
    out.writeLong(at.getLong());
    message.writeTo(out);
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    return bytes;
  }

  /**
   * Handles a message that another controller has forwarded. A packet without a connection here is
   * dropped: the switch's own master places connections.
   */
  @Override
  public void received(String peer, ByteBuffer bytes) {
    @Nullable IOFSwitch sw = switches.getSwitch(DatapathId.of(bytes.getLong()));
    OFMessage message = ForwardedMessage.read(bytes, FORWARDED);
    if (sw == null) {
      return;
    }
    if (message instanceof OFPacketIn packetIn) {
      @Nullable Connection connection = find(Packet.parse(packetIn.getData()));
      if (connection == null || isForeign(connection)) {
        rejects.count(RejectReason.OWNER_NOT_REACHED);
        return;
      }
    }
    receiver.accept(sw, message);
  }

  @Override
  public void reached(String peer) {
    // messages need no earlier ones
  }

  @Override
  public void lost(String peer) {
    // what it has forwarded is still of use
  }
}
