package io.malob.balancer;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
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
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Asks members over the network, as packets of clients come to them: from the VIP, out of the port
 * that the member is attached to. What they answer comes to the controller by the rules for packets
 * to the VIP. The latest question to each member stays until the next one, so that late answers are
 * known for what they are. Questions are asked by one thread at a time, answers come from any.
 */
final class HealthProbes {
  private static final int FIRST_PORT = 1_024;
  private static final int PORTS = 65_536 - FIRST_PORT;
  private static final int MAX_TRIES = 4;

  private final FlowProgrammer programmer;
  private final IntUnaryOperator random;
  private final Consumer<Question> answered;
  private final ConcurrentMap<FiveTuple, Probe> latest = new ConcurrentHashMap<>();

  /**
   * No questions yet.
   *
   * @param random gives a number from zero to the one given, without that
   * @param answered takes each question once, with its first answer, on the thread that read it
   */
  HealthProbes(FlowProgrammer programmer, IntUnaryOperator random, Consumer<Question> answered) {
    this.programmer = programmer;
    this.random = random;
    this.answered = answered;
  }

  /** Where a question goes, and from whom. */
  record Target(int memberNumber, IPv4Address address, Attachment at, IPv4Address vip) {}

  /**
   * A question on its way.
   *
   * @param answer the five-tuple of what answers it; for an echo, its identifier and sequence
   *     number are the ports
   * @param sequence of the SYN, which an answer acknowledges; 0 for an echo
   */
  private record Probe(FiveTuple answer, int sequence, Question question) {}

  /** Opens half a TCP connection; null if all ports that were tried are in use. */
  @Nullable Question syn(Target target, int port) {
    int sequence = random.applyAsInt(Integer.MAX_VALUE);
    @Nullable Probe probe = register(target, Protocol.TCP, port, sequence);
    if (probe == null) {
      return null;
    }
    MacAddress from = VipMac.of(target.vip.getInt());
    FiveTuple tuple = probe.answer().reversed();
    send(target, Replies.tcpSyn(from, target.at.mac(), tuple, sequence));
    return probe.question;
  }

  /** Sends an echo request; null if all identifiers that were tried are in use. */
  @Nullable Question echo(Target target) {
    @Nullable Probe probe = register(target, Protocol.ICMP, random.applyAsInt(FIRST_PORT), 0);
    if (probe == null) {
      return null;
    }
    send(
        target,
        EchoFrames.request(
            new EchoFrames.End(VipMac.of(target.vip.getInt()), target.vip),
            new EchoFrames.End(target.at.mac(), target.address),
            probe.answer().srcPort(),
            probe.answer().dstPort(),
            EchoFrames.LEAST_BYTES));
    return probe.question;
  }

  private @Nullable Probe register(Target target, Protocol protocol, int port, int sequence) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      FiveTuple answer =
          FiveTuple.of(
              protocol.ipNumber(),
              target.address.getInt(),
              port,
              target.vip.getInt(),
              FIRST_PORT + random.applyAsInt(PORTS));
      Question question = new Question(target.memberNumber, answered, () -> latest.remove(answer));
      Probe probe = new Probe(answer, sequence, question);
      if (latest.putIfAbsent(answer, probe) == null) {
        return probe;
      }
    }
    return null;
  }

  private void send(Target target, byte[] frame) {
    programmer.sendFrame(target.at.switchId(), List.of(target.at.port()), frame);
  }

  /**
   * Takes a packet if it answers a question. A connection that was accepted is reset at once.
   *
   * @return whether it was one
   */
  boolean take(DatapathId switchId, OFPort inPort, Packet packet) {
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
    @Nullable Probe probe =
        packet.hasTcpFlags(Packet.TCP_ACK) ? latest.get(packet.fiveTuple()) : null;
    // whoever does not know the sequence number has not seen the question
    if (probe == null || packet.tcpAcknowledgement() != probe.sequence() + 1) {
      return false;
    }
    boolean refuses = packet.hasTcpFlags(Packet.TCP_RST);
    if (!refuses) {
      programmer.sendFrame(switchId, List.of(inPort), Replies.tcpReset(packet));
    }
    if (refuses || packet.hasTcpFlags(Packet.TCP_SYN)) {
      probe.question.answer(!refuses);
    }
    return true;
  }

  private boolean takeEcho(Packet packet) {
    if (packet.icmpType() != EchoFrames.ICMP_ECHO_REPLY) {
      return false;
    }
    @Nullable Probe probe =
        latest.get(
            FiveTuple.of(
                Protocol.ICMP.ipNumber(),
                packet.srcAddress(),
                packet.icmpIdentifier(),
                packet.dstAddress(),
                packet.icmpSequence()));
    if (probe == null) {
      return false;
    }
    probe.question.answer(true);
    return true;
  }
}
