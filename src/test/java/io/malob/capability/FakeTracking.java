package io.malob.capability;

import io.malob.openflow.packet.Packet;
import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.ConntrackMatch;
import io.malob.openflow.tracked.Nat;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TransportPort;

/** Does what Open vSwitch does with a PACKET_OUT of one action {@code ct}, for one connection. */
final class FakeTracking {
  private static final int IPV4_DESTINATION = 30;
  private static final int UDP_DESTINATION = 36;

  private @Nullable ConntrackAction committed;

  /** The packet, if it comes to a rule; each leads to the controller. */
  Optional<OFPacketIn> packetIn(OFPacketOut packetOut, List<OFMessage> rules) {
    ConntrackAction action = (ConntrackAction) packetOut.getActions().get(0);
    if (action.commits()) {
      committed = action;
      return Optional.empty();
    }
    if (committed == null || committed.zone() != action.zone() || action.nat().isEmpty()) {
      return Optional.empty();
    }
    byte[] frame = translated(packetOut.getData(), committed.nat().flatMap(Nat::range));
    int mark = committed.mark().orElseThrow().value();
    return rules.stream()
        .filter(OFFlowAdd.class::isInstance)
        .map(OFFlowAdd.class::cast)
        .filter(rule -> action.table().equals(Optional.of(rule.getTableId())))
        .filter(rule -> matches(rule.getMatch(), Packet.parse(frame), action.zone(), mark))
        .findFirst()
        .map(rule -> packetIn(rule, action.zone(), mark, frame));
  }

  private static byte[] translated(byte[] frame, Optional<Nat.Range> to) {
    return ByteBuffer.wrap(frame.clone())
        .put(IPV4_DESTINATION, to.orElseThrow().first().getBytes())
        .putShort(UDP_DESTINATION, (short) to.orElseThrow().firstPort())
        .array();
  }

  private static boolean matches(Match match, Packet packet, int zone, int mark) {
    Match tracked = tracked(zone, mark);
    return Objects.equals(match.get(MatchField.IPV4_SRC), packet.source())
        && Objects.equals(match.get(MatchField.IPV4_DST), packet.destination())
        && Objects.equals(match.get(MatchField.UDP_DST), TransportPort.of(packet.dstPort()))
        && Objects.equals(
            match.get(MatchField.CONN_TRACKING_ZONE), tracked.get(MatchField.CONN_TRACKING_ZONE))
        && Objects.equals(
            match.get(MatchField.CONN_TRACKING_MARK), tracked.get(MatchField.CONN_TRACKING_MARK));
  }

  private static Match tracked(int zone, int mark) {
    Match.Builder match =
        ProbedNetwork.FACTORY.buildMatch().setExact(MatchField.IN_PORT, OFPort.CONTROLLER);
    return ConntrackMatch.mark(ConntrackMatch.zone(match, zone), mark).build();
  }

  /** What a rule sends to the controller. */
  static OFPacketIn packetIn(OFFlowAdd rule, int zone, int mark, byte[] frame) {
    return ProbedNetwork.FACTORY
        .buildPacketIn()
        .setBufferId(OFBufferId.NO_BUFFER)
        .setReason(OFPacketInReason.ACTION)
        .setTableId(rule.getTableId())
        .setCookie(rule.getCookie())
        .setMatch(tracked(zone, mark))
        .setData(frame)
        .build();
  }
}
