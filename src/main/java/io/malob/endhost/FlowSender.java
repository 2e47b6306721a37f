package io.malob.endhost;

import io.malob.algorithm.FiveTuple;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.packet.IpPacket;
import io.malob.openflow.packet.Ipv6Packet;
import io.malob.openflow.packet.Ipv6Replies;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.openflow.uplink.FlowKey;
import io.malob.openflow.uplink.FlowRules;
import io.malob.openflow.uplink.InsideEnd;
import io.malob.openflow.uplink.UplinkEnd;
import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.OFPort;

/** Sends what concerns one flow: its rules, its packets, and what ends it. Thread-safe. */
final class FlowSender {
  private final FlowProgrammer programmer;

  FlowSender(FlowProgrammer programmer) {
    this.programmer = programmer;
  }

  /** Puts a flow's rules in place, and sends a packet of it on its way, in one go. */
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

  /** Puts a flow's rules in place. */
  void carry(Wiring wiring, InsideEnd inside, UplinkEnd uplink, Flow flow) {
    programmer.send(
        wiring.switchId(),
        factory -> FlowRules.carry(factory, inside, uplink, flow.key(), flow.generation()));
  }

  /** Hands an answer to the host that was faster than the rule for it. */
  void handBack(Wiring wiring, InsideEnd inside, FlowKey key, byte[] frame) {
    programmer.send(
        wiring.switchId(), factory -> List.of(FlowRules.sendBack(factory, inside, key, frame)));
  }

  /** Drops what is not of a flow, until it ends. */
  void bar(Wiring wiring, UplinkEnd uplink, FlowKey key) {
    programmer.send(wiring.switchId(), factory -> List.of(FlowRules.foreign(factory, uplink, key)));
  }

  /** Takes a flow's rules away. */
  void remove(Wiring wiring, int uplink, long generation) {
    programmer.send(
        wiring.switchId(), factory -> List.of(FlowRules.remove(factory, uplink, generation)));
  }

  /** Hands the host a frame of our own. */
  void tell(Wiring wiring, InsideEnd inside, byte[] frame) {
    programmer.sendFrame(wiring.switchId(), List.of(inside.port()), frame);
  }

  /** Sends a frame of our own out of a port. */
  void sendAt(Wiring wiring, OFPort port, byte[] frame) {
    programmer.sendFrame(wiring.switchId(), List.of(port), frame);
  }

  /** Resets the connection that a TCP packet of the host belongs to. */
  void reset(Wiring wiring, InsideEnd inside, IpPacket packet) {
    if (!packet.hasTcpFlags(Packet.TCP_RST)) {
      tell(
          wiring,
          inside,
          packet instanceof Ipv6Packet ipv6
              ? Ipv6Replies.tcpReset(ipv6)
              : Replies.tcpReset((Packet) packet));
    }
  }

  /** Tells the host that there is no way for a packet of its. */
  void noWay(Wiring wiring, InsideEnd inside, IpPacket packet) {
    tell(
        wiring,
        inside,
        packet instanceof Ipv6Packet ipv6
            ? Ipv6Replies.noRoute(ipv6)
            : Replies.networkUnreachable((Packet) packet));
  }

  /** Makes the host say, by an acknowledgement, what it expects within a connection. */
  void provoke(Wiring wiring, InsideEnd inside, FlowKey key) {
    if (key.isIpv4()) {
      tell(
          wiring, inside, Replies.tcpSyn(inside.gatewayMac(), inside.mac(), received(inside, key)));
    } else {
      inside
          .ipv6()
          .ifPresent(
              host ->
                  tell(
                      wiring,
                      inside,
                      Ipv6Replies.tcpSyn(
                          new Ipv6Replies.Ends(
                              inside.gatewayMac(),
                              inside.mac(),
                              key.peer6(),
                              key.peerPort(),
                              host,
                              key.hostPort()))));
    }
  }

  /** Tells the host that nobody is there any more for what it sends by UDP. */
  void unreachable(Wiring wiring, InsideEnd inside, FlowKey key) {
    if (key.isIpv4()) {
      tell(
          wiring,
          inside,
          Replies.udpPortUnreachable(
              inside.gatewayMac(), inside.mac(), received(inside, key).reversed()));
    } else {
      inside
          .ipv6()
          .ifPresent(
              host ->
                  tell(
                      wiring,
                      inside,
                      Ipv6Replies.udpPortUnreachable(
                          new Ipv6Replies.Ends(
                              inside.mac(),
                              inside.gatewayMac(),
                              host,
                              key.hostPort(),
                              key.peer6(),
                              key.peerPort()))));
    }
  }

  private static FiveTuple received(InsideEnd inside, FlowKey key) {
    return FiveTuple.of(
        key.protocol(),
        key.peer4().getInt(),
        key.peerPort(),
        inside.ipv4().getInt(),
        key.hostPort());
  }
}
