package io.malob.balancer.health;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.RuleSender;
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
 * Probes members through the data plane. A probe has a VIP as its source, and leaves by the port
 * that the member is attached to. The rules for packets to the VIP send the answer to the
 * controller. The latest probe of each member is kept until the next one, so that a late answer is
 * recognized. One thread at a time sends probes; any thread delivers answers.
 */
public final class FrameProbes {
  private static final int FIRST_PORT = 1_024;
  private static final int PORTS = 65_536 - FIRST_PORT;
  private static final int MAX_TRIES = 4;

  private final RuleSender ruleSender;
  private final IntUnaryOperator random;
  private final Consumer<Probe> answered;
  private final ConcurrentMap<FiveTuple, Sent> latest = new ConcurrentHashMap<>();

  /**
   * Starts without probes.
   *
   * @param random returns a number from 0 (inclusive) to its argument (exclusive)
   * @param answered receives each probe once, at its first answer, on the thread that read the
   *     answer
   */
  public FrameProbes(RuleSender ruleSender, IntUnaryOperator random, Consumer<Probe> answered) {
    this.ruleSender = ruleSender;
    this.random = random;
    this.answered = answered;
  }

  /** The destination and the source of a probe. */
  record Target(int memberNumber, IPAddress<?> address, Attachment at, IPAddress<?> vip) {}

  /**
   * A sent probe.
   *
   * @param answer the five-tuple of the answer; for an echo, identifier and sequence number take
   *     the place of the ports
   * @param sequence the sequence number of the SYN, which an answer acknowledges; 0 for an echo
   */
  private record Sent(FiveTuple answer, int sequence, Probe probe) {}

  /** Sends a SYN. Returns null if all ports that it tried are in use. */
  @Nullable Probe syn(Target target, int port) {
    int sequence = random.applyAsInt(Integer.MAX_VALUE);
    @Nullable Sent sent = register(target, Protocol.TCP, port, sequence);
    if (sent == null) {
      return null;
    }
    MacAddress from = EdgeMac.of(target.at.switchId());
    FiveTuple tuple = sent.answer().reversed();
    send(target, Replies.tcpSyn(Replies.Ends.of(from, target.at.mac(), tuple), sequence));
    return sent.probe;
  }

  /** Sends an echo request. Returns null if all identifiers that it tried are in use. */
  @Nullable Probe echo(Target target) {
    @Nullable Sent sent = register(target, Protocol.ICMP, random.applyAsInt(FIRST_PORT), 0);
    if (sent == null) {
      return null;
    }
    send(
        target,
        EchoFrames.request(
            new Replies.Ends(
                EdgeMac.of(target.at.switchId()),
                target.at.mac(),
                target.vip,
                0,
                target.address,
                0),
            sent.answer().srcPort(),
            sent.answer().dstPort(),
            EchoFrames.minBytes(target.vip)));
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
    ruleSender.sendFrame(target.at, frame);
  }

  /**
   * Consumes a packet if it answers a probe. An accepted connection is reset at once.
   *
   * @return whether the packet answers a probe
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
      ruleSender.sendFrame(switchId, List.of(inPort), Replies.tcpReset(packet));
    }
    if (refuses || packet.hasTcpFlags(Packet.TCP_SYN)) {
      sent.probe.answer(!refuses);
    }
    return true;
  }

  private boolean takeEcho(Packet packet) {
    if (!packet.isEchoReply()) {
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
