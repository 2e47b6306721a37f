package io.malob.balancer.health;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.balancer.view.VipMac;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.packet.EchoFrames;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.state.catalog.Protocol;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Asks members over the network, as packets of clients come to them: from the VIP, out of the port
 * that the member is attached to. What they answer comes to the controller by the rules for packets
 * to the VIP. The latest question to each member stays until the next one, so that late answers are
 * known for what they are. Probes are sent by one thread at a time, answers come from any.
 */
public final class FrameProbes {
  private static final int FIRST_PORT = 1_024;
  private static final int PORTS = 65_536 - FIRST_PORT;
  private static final int MAX_TRIES = 4;

  private final FlowProgrammer programmer;
  private final IntUnaryOperator random;
  private final Consumer<Probe> answered;
  private final ConcurrentMap<FiveTuple, Sent> latest = new ConcurrentHashMap<>();

  /**
   * No probes yet.
   *
   * @param random gives a number from zero to the one given, without that
   * @param answered takes each probe once, with its first answer, on the thread that read it
   */
  public FrameProbes(FlowProgrammer programmer, IntUnaryOperator random, Consumer<Probe> answered) {
    this.programmer = programmer;
    this.random = random;
    this.answered = answered;
  }

  /** Where a probe goes, and from whom. */
  record Target(int memberNumber, IPAddress<?> address, Attachment at, IPAddress<?> vip) {}

  /**
   * A probe that has been sent.
   *
   * @param answer the five-tuple of what answers it; for an echo, its identifier and sequence
   *     number are the ports
   * @param sequence of the SYN, which an answer acknowledges; 0 for an echo
   */
  private record Sent(FiveTuple answer, int sequence, Probe probe) {}

  /** Opens half a TCP connection; null if all ports that were tried are in use. */
  @Nullable Probe syn(Target target, int port) {
    int sequence = random.applyAsInt(Integer.MAX_VALUE);
    @Nullable Sent sent = register(target, Protocol.TCP, port, sequence);
    if (sent == null) {
      return null;
    }
    MacAddress from = VipMac.of(target.vip);
    FiveTuple tuple = sent.answer().reversed();
    send(target, Replies.tcpSyn(from, target.at.mac(), tuple, sequence));
    return sent.probe;
  }

  /** Sends an echo request; null if all identifiers that were tried are in use. */
  @Nullable Probe echo(Target target) {
    @Nullable Sent sent = register(target, Protocol.ICMP, random.applyAsInt(FIRST_PORT), 0);
    if (sent == null) {
      return null;
    }
    send(
        target,
        EchoFrames.request(
            new EchoFrames.End(VipMac.of(target.vip), target.vip),
            new EchoFrames.End(target.at.mac(), target.address),
            sent.answer().srcPort(),
            sent.answer().dstPort(),
            EchoFrames.LEAST_BYTES));
    return sent.probe;
  }

  private @Nullable Sent register(Target target, Protocol protocol, int port, int sequence) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      FiveTuple answer =
          FiveTuple.of(
              protocol.ipNumber(),
              target.address,
              port,
              target.vip,
              FIRST_PORT + random.applyAsInt(PORTS));
      Probe probe = new Probe(target.memberNumber, answered, () -> latest.remove(answer));
      Sent sent = new Sent(answer, sequence, probe);
      if (latest.putIfAbsent(answer, sent) == null) {
        return sent;
      }
    }
    return null;
  }

  private void send(Target target, byte[] frame) {
    programmer.sendFrame(target.at.switchId(), List.of(target.at.port()), frame);
  }

  /**
   * Takes a packet if it answers a probe. A connection that was accepted is reset at once.
   *
   * @return whether it was one
   */
  public boolean take(DatapathId switchId, OFPort inPort, Packet packet) {
    if (latest.isEmpty() || packet.isFragment()) {
      return false;
    }
    return switch (packet.kind()) {
      case TCP -> takeTcp(switchId, inPort, packet);
      case ICMP -> takeEcho(packet);
      default -> false;
    };
  }

  private boolean takeTcp(DatapathId switchId, OFPort inPort, Packet packet) {
    @Nullable Sent sent =
        packet.hasTcpFlags(Packet.TCP_ACK) ? latest.get(packet.fiveTuple()) : null;
    // a host that does not know the sequence number has not seen the probe
    if (sent == null || packet.tcpAcknowledgement() != sent.sequence() + 1) {
      return false;
    }
    boolean refuses = packet.hasTcpFlags(Packet.TCP_RST);
    if (!refuses) {
      programmer.sendFrame(switchId, List.of(inPort), Replies.tcpReset(packet));
    }
    if (refuses || packet.hasTcpFlags(Packet.TCP_SYN)) {
      sent.probe.answer(!refuses);
    }
    return true;
  }

  private boolean takeEcho(Packet packet) {
    if (packet.icmpType() != EchoFrames.ICMP_ECHO_REPLY) {
      return false;
    }
    @Nullable Sent sent =
        latest.get(
            FiveTuple.of(
                Protocol.ICMP.ipNumber(),
                packet.srcAddress(),
                packet.icmpIdentifier(),
                packet.dstAddress(),
                packet.icmpSequence()));
    if (sent == null) {
      return false;
    }
    sent.probe.answer(true);
    return true;
  }
}
