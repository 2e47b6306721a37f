package io.malob.endhost;

import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.FlowRules;
import io.malob.openflow.uplink.InsideEnd;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.OFPort;

/** Sends the messages of one flow: its rules, its packets, and its resets. Thread-safe. */
record FlowSender(RuleSender ruleSender) {
  /** Installs a flow's rules and forwards one of its packets, in one write. */
  void carry(Wiring wiring, UplinkEnd uplink, Flow flow, boolean rules, byte[] frame) {
    ruleSender.send(
        wiring.switchId(),
        factory -> {
          List<OFMessage> messages = new ArrayList<>(3);
          if (rules) {
            messages.addAll(
                FlowRules.carry(factory, wiring.host(), uplink, flow.key(), flow.generation()));
          }
          messages.add(FlowRules.sendOut(factory, uplink, flow.key(), frame));
          return messages;
        });
  }

  /** Installs a flow's rules and delivers the answer to its first packet, in one write. */
  void carryBack(Wiring wiring, UplinkEnd uplink, Flow flow, byte[] frame) {
    ruleSender.send(
        wiring.switchId(),
        factory -> {
          List<OFMessage> messages =
              new ArrayList<>(
                  FlowRules.carry(factory, wiring.host(), uplink, flow.key(), flow.generation()));
          messages.add(FlowRules.sendBack(factory, wiring.host(), flow.key(), frame));
          return messages;
        });
  }

  /** Forwards a packet of the host over several uplinks. */
  void sendOver(Wiring wiring, List<UplinkEnd> uplinks, FlowKey key, byte[] frame) {
    ruleSender.send(
        wiring.switchId(),
        factory ->
            uplinks.stream()
                .map(uplink -> FlowRules.sendOut(factory, uplink, key, frame))
                .toList());
  }

  /** Installs a flow's rules. */
  void carry(Wiring wiring, UplinkEnd uplink, Flow flow) {
    ruleSender.send(
        wiring.switchId(),
        factory -> FlowRules.carry(factory, wiring.host(), uplink, flow.key(), flow.generation()));
  }

  /** Delivers an answer to the host that was faster than its rule. */
  void handBack(Wiring wiring, FlowKey key, byte[] frame) {
    ruleSender.send(
        wiring.switchId(),
        factory -> List.of(FlowRules.sendBack(factory, wiring.host(), key, frame)));
  }

  /** Drops packets without a flow, until they end. */
  void bar(Wiring wiring, UplinkEnd uplink, FlowKey key) {
    ruleSender.send(wiring.switchId(), factory -> List.of(FlowRules.foreign(factory, uplink, key)));
  }

  /** Deletes a flow's rules. */
  void remove(Wiring wiring, int uplink, long generation) {
    ruleSender.send(
        wiring.switchId(), factory -> List.of(FlowRules.remove(factory, uplink, generation)));
  }

  /** Sends the host a frame of the controller. */
  void tell(Wiring wiring, byte[] frame) {
    ruleSender.sendFrame(wiring.switchId(), List.of(wiring.host().port()), frame);
  }

  /** Sends a frame of the controller from a port. */
  void sendAt(Wiring wiring, OFPort port, byte[] frame) {
    ruleSender.sendFrame(wiring.switchId(), List.of(port), frame);
  }

  /** Resets the connection that a TCP packet of the host belongs to. */
  void reset(Wiring wiring, Packet packet) {
    if (!packet.hasTcpFlags(Packet.TCP_RST)) {
      tell(wiring, Replies.tcpReset(packet));
    }
  }

  /** Resets the connection of a peer that a TCP packet from an uplink belongs to. */
  void resetPeer(Wiring wiring, UplinkEnd uplink, Packet packet) {
    sendAt(wiring, uplink.port(), Replies.tcpReset(packet));
  }

  /** Tells the host that there is no path for a packet that it sent. */
  void noWay(Wiring wiring, Packet packet) {
    tell(wiring, Replies.networkUnreachable(packet));
  }

  /**
   * Makes the host acknowledge its expected sequence number of a connection.
   *
   * @param segment {@link Replies#tcpSyn(Replies.Ends)} or {@link Replies#tcpAck}
   */
  void provoke(Wiring wiring, FlowKey key, Function<Replies.Ends, byte[]> segment) {
    InsideEnd inside = wiring.host();
    inside
        .address(key.version())
        .ifPresent(
            host ->
                tell(
                    wiring,
                    segment.apply(
                        new Replies.Ends(
                            inside.gatewayMac(),
                            inside.mac(),
                            key.peer(),
                            key.peerPort(),
                            host,
                            key.hostPort()))));
  }

  /** Tells the host that there is no longer a listener for its UDP packets. */
  void unreachable(Wiring wiring, FlowKey key) {
    InsideEnd inside = wiring.host();
    inside
        .address(key.version())
        .ifPresent(
            host ->
                tell(
                    wiring,
                    Replies.udpPortUnreachable(
                        new Replies.Ends(
                            inside.mac(),
                            inside.gatewayMac(),
                            host,
                            key.hostPort(),
                            key.peer(),
                            key.peerPort()))));
  }
}
