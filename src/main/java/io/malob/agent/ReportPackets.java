package io.malob.agent;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.module.DropLog;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.NeighbourReplies;
import io.malob.openflow.packet.Packet;
import io.malob.state.report.AgentTable;
import io.malob.state.report.RateLimit;
import io.malob.state.report.RejectedReportException;
import io.malob.state.report.Rejection;
import io.malob.state.report.ReportCounts;
import io.malob.state.report.ReportIntake;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Extracts reports from packets, on the threads that read from switches: checks sender, rate and
 * size, and leaves signatures and contents to an executor. Answers ARP and neighbour solicitations
 * for the addresses that reports are sent to. Thread-safe; bounded by the number of agents.
 */
final class ReportPackets {
  /** A locally administered address that no host has. */
  static final MacAddress MAC = MacAddress.of("0e:52:50:54:00:01");

  private static final int MAX_WAITING = 1_000;
  private static final int QUESTIONS_PER_SECOND = 1_000;

  private final RuleSender ruleSender;
  private final ImmutableSet<IPAddress<?>> addresses;
  private final int port;
  private final ReportIntake intake;
  private final ReportCounts counts;
  private final DropLog<IPAddress<?>> log;
  private final Executor serialExecutor;
  private final LongSupplier nanoTime;
  private final RateLimit questionLimit;
  private final AtomicInteger waiting = new AtomicInteger();

  /** The rate limit of each agent's address. */
  private volatile ImmutableMap<IPAddress<?>, RateLimit> limits = ImmutableMap.of();

  /**
   * Reports to these addresses and this port.
   *
   * @param addresses no host has them
   */
  ReportPackets(
      RuleSender ruleSender,
      ImmutableSet<IPAddress<?>> addresses,
      int port,
      ReportIntake intake,
      ReportCounts counts,
      DropLog<IPAddress<?>> log,
      Executor serialExecutor,
      LongSupplier nanoTime) {
    this.ruleSender = ruleSender;
    this.addresses = addresses;
    this.port = port;
    this.intake = intake;
    this.counts = counts;
    this.log = log;
    this.serialExecutor = serialExecutor;
    this.nanoTime = nanoTime;
    this.questionLimit = new RateLimit(QUESTIONS_PER_SECOND, nanoTime.getAsLong());
  }

  /** Sets the permitted senders and their limits; to be called by one thread at a time. */
  void setAgents(AgentTable agents, int perSecond) {
    ImmutableMap<IPAddress<?>, RateLimit> before = limits;
    ImmutableMap.Builder<IPAddress<?>, RateLimit> now = ImmutableMap.builder();
    for (IPAddress<?> address : agents.addresses()) {
      @Nullable RateLimit known = before.get(address);
      now.put(address, known == null ? new RateLimit(perSecond, nanoTime.getAsLong()) : known);
    }
    limits = now.build();
  }

  /**
   * Handles a packet from one of the rules for reports; false if hosts may be learned from it: ARP,
   * or a neighbour solicitation.
   */
  boolean report(Packet packet) {
    if (NeighbourMessage.of(packet).isPresent()) {
      return false;
    }
    if (packet.kind() == Packet.Kind.UDP
        && packet.dstPort() == port
        && addresses.contains(packet.destination())) {
      take(packet);
    }
    return true;
  }

  /** Answers a question for the MAC of one of the addresses, where it has come in. */
  void neighbour(DatapathId switchId, OFPort inPort, Packet packet) {
    answer(packet)
        .filter(any -> questionLimit.allows(nanoTime.getAsLong()))
        .ifPresent(answer -> ruleSender.sendFrame(switchId, List.of(inPort), answer));
  }

  private Optional<byte[]> answer(Packet packet) {
    return NeighbourMessage.of(packet)
        .filter(NeighbourMessage::isQuestion)
        .filter(question -> addresses.contains(question.target()))
        .map(question -> NeighbourReplies.answer(packet, question, MAC));
  }

  private void take(Packet packet) {
    long now = nanoTime.getAsLong();
    IPAddress<?> source = packet.source();
    @Nullable RateLimit limit = limits.get(source);
    if (limit == null) {
      drop(source, Rejection.UNKNOWN_AGENT, "no agent has this address");
    } else if (!limit.allows(now)) {
      drop(source, Rejection.RATE_LIMITED, "more reports than reportsPerSecond");
    } else if (packet.isFragment() || packet.udpPayloadBytes() > ReportIntake.MAX_BYTES) {
      drop(source, Rejection.OVERSIZED, "a report must fit into one packet");
    } else if (waiting.incrementAndGet() > MAX_WAITING) {
      waiting.decrementAndGet();
      drop(source, Rejection.OVERLOADED, "too many reports are queued");
    } else {
      byte[] report = packet.udpPayload();
      serialExecutor.execute(() -> judge(report, source, now));
    }
  }

  private void judge(byte[] report, IPAddress<?> source, long atNanos) {
    waiting.decrementAndGet();
    try {
      intake.take(report, source, atNanos);
    } catch (RejectedReportException e) {
      log.note(source, () -> e.reason().label() + ", " + e.sentence());
    }
  }

  private void drop(IPAddress<?> source, Rejection reason, String sentence) {
    counts.count(reason);
    log.note(source, () -> reason.label() + ", " + sentence);
  }
}
