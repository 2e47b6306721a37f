package io.malob.endhost;

import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.packet.IpPacket;
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
final class FlowSender {
  private final FlowProgrammer programmer;

  FlowSender(FlowProgrammer programmer) {
    this.programmer = programmer;
  }

  /** Installs a flow's rules and forwards one of its packets, in one write. */
  void carry(
      Wiring wiring, InsideEnd inside, UplinkEnd uplink, Flow flow, boolean rules, byte[] frame) {
    programmer.send(
        wiring.switchId(),
        factory -> {
          List<OFMessage> messages = new ArrayList<>(3);
          if (rules) {
            messages.addAll(
                FlowRules.carry(factory, inside, uplink, flow.key(), flow.generation()));
          }
          messages.add(FlowRules.sendOut(factory, uplink, flow.key(), frame));
          return messages;
        });
  }

  /** Installs a flow's rules and delivers the answer to its first packet, in one write. */
  void carryBack(Wiring wiring, InsideEnd inside, UplinkEnd uplink, Flow flow, byte[] frame) {
    programmer.send(
        wiring.switchId(),
        factory -> {
          List<OFMessage> messages =
              new ArrayList<>(
                  FlowRules.carry(factory, inside, uplink, flow.key(), flow.generation()));
          messages.add(FlowRules.sendBack(factory, inside, flow.key(), frame));
          return messages;
        });
  }

  /** Forwards a packet of the host over several uplinks. */
  void sendOver(Wiring wiring, List<UplinkEnd> uplinks, FlowKey key, byte[] frame) {
    programmer.send(
        wiring.switchId(),
        factory ->
            uplinks.stream()
                .map(uplink -> FlowRules.sendOut(factory, uplink, key, frame))
                .toList());
  }

  /** Installs a flow's rules. */
  void carry(Wiring wiring, InsideEnd inside, UplinkEnd uplink, Flow flow) {
    programmer.send(
        wiring.switchId(),
        factory -> FlowRules.carry(factory, inside, uplink, flow.key(), flow.generation()));
  }

  /** Delivers an answer to the host that was faster than its rule. */
  void handBack(Wiring wiring, InsideEnd inside, FlowKey key, byte[] frame) {
    programmer.send(
        wiring.switchId(), factory -> List.of(FlowRules.sendBack(factory, inside, key, frame)));
  }

  /** Drops packets without a flow, until they end. */
  void bar(Wiring wiring, UplinkEnd uplink, FlowKey key) {
    programmer.send(wiring.switchId(), factory -> List.of(FlowRules.foreign(factory, uplink, key)));
  }

  /** Deletes a flow's rules. */
  void remove(Wiring wiring, int uplink, long generation) {
    programmer.send(
        wiring.switchId(), factory -> List.of(FlowRules.remove(factory, uplink, generation)));
  }

  /** Sends the host a frame of the controller. */
  void tell(Wiring wiring, InsideEnd inside, byte[] frame) {
    programmer.sendFrame(wiring.switchId(), List.of(inside.port()), frame);
  }

  /** Sends a frame of the controller from a port. */
  void sendAt(Wiring wiring, OFPort port, byte[] frame) {
    programmer.sendFrame(wiring.switchId(), List.of(port), frame);
  }

  /** Resets the connection that a TCP packet of the host belongs to. */
  void reset(Wiring wiring, InsideEnd inside, IpPacket packet) {
    if (!packet.hasTcpFlags(Packet.TCP_RST)) {
      tell(wiring, inside, Replies.tcpReset(packet));
    }
  }

  /** Resets the connection of a peer that a TCP packet from an uplink belongs to. */
  void resetPeer(Wiring wiring, UplinkEnd uplink, IpPacket packet) {
    sendAt(wiring, uplink.port(), Replies.tcpReset(packet));
  }

  /** Tells the host that there is no path for a packet that it sent. */
  void noWay(Wiring wiring, InsideEnd inside, IpPacket packet) {
    tell(wiring, inside, Replies.networkUnreachable(packet));
  }

  /**
   * Makes the host acknowledge its expected sequence number of a connection.
   *
   * @param segment {@link Replies#tcpSyn(Replies.Ends)} or {@link Replies#tcpAck}
   */
  void provoke(
      Wiring wiring, InsideEnd inside, FlowKey key, Function<Replies.Ends, byte[]> segment) {
    inside
        .address(key.version())
        .ifPresent(
            host ->
                tell(
                    wiring,
                    inside,
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
  void unreachable(Wiring wiring, InsideEnd inside, FlowKey key) {
    inside
        .address(key.version())
        .ifPresent(
            host ->
                tell(
                    wiring,
                    inside,
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
