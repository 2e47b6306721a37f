package io.malob.state.report;

import io.malob.state.report.Report.Stamp;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Checks reports: the cheapest checks first; the content is parsed only after the signature has
 * been verified; the check for replays comes last. A dropped report only changes a count.
 * Thread-safe with a lock, so not for threads that read from switches.
 */
public final class ReportIntake {
  /** The max size of a report, which fits into one packet of every network. */
  public static final int MAX_BYTES = 1_400;

  private final Supplier<AgentTable> agents;
  private final ReplayGuard guard;
  private final ReportCounts counts;
  private final LongSupplier wallMillis;
  private final Sink sink;
  private final Map<String, AgentStatus> statuses = new ConcurrentHashMap<>();

  /** Receives accepted reports. */
  public interface Sink {
    /** Handles a report of an agent, one at a time. */
    void take(Agent agent, Report report, long atNanos);
  }

  /**
   * An intake.
   *
   * @param wallMillis the wall clock, from 1970
   */
  public ReportIntake(
      Supplier<AgentTable> agents,
      ReplayGuard guard,
      ReportCounts counts,
      LongSupplier wallMillis,
      Sink sink) {
    this.agents = agents;
    this.guard = guard;
    this.counts = counts;
    this.wallMillis = wallMillis;
    this.sink = sink;
  }

  /**
   * Accepts a report, or drops and counts it.
   *
   * @param source its source address; null if it does not identify the sender
   * @param nowNanos now, on the controller's steady clock
   * @throws RejectedReportException if it is dropped
   */
  public synchronized void take(byte[] bytes, @Nullable IPAddress<?> source, long nowNanos)
      throws RejectedReportException {
    try {
      judge(bytes, source, nowNanos);
    } catch (RejectedReportException e) {
      counts.count(e.reason());
      throw e;
    }
  }

  private void judge(byte[] bytes, @Nullable IPAddress<?> source, long nowNanos)
      throws RejectedReportException {
    if (bytes.length > MAX_BYTES) {
      throw new RejectedReportException(
          Rejection.OVERSIZED, "a report has at most " + MAX_BYTES + " bytes", null);
    }
    AgentTable table = agents.get();
    if (!SignedReport.isOne(bytes)) {
      plain(bytes, source, table, nowNanos);
      return;
    }
    SignedReport signed = SignedReport.parse(bytes);
    @Nullable Agent agent = table.byId().get(signed.agent());
    if (agent == null) {
      throw new RejectedReportException(
          Rejection.UNKNOWN_AGENT, "there is no agent " + signed.agent(), null);
    }
    if (source != null && !source.equals(agent.address())) {
      throw new RejectedReportException(
          Rejection.WRONG_ADDRESS, "agent " + agent.id() + " is at " + agent.address(), null);
    }
    if (!agent.hasSigned(signed, wallMillis.getAsLong())) {
      throw new RejectedReportException(
          Rejection.WRONG_SIGNATURE, "the signature is not that of agent " + agent.id(), null);
    }
    Report report = ReportReader.read(signed.body(), agent.id());
    checkKind(agent, report);
    @Nullable Stamp stamp = report.stamp();
    if (stamp != null) {
      guard.admit(agent.id(), stamp, nowNanos);
    }
    accept(agent, report, nowNanos);
  }

  private void plain(byte[] bytes, @Nullable IPAddress<?> source, AgentTable table, long nowNanos)
      throws RejectedReportException {
    if (!table.allowUnsigned() || source == null) {
      throw new RejectedReportException(Rejection.UNSIGNED, "the report is not signed", null);
    }
    Report report = PlainReport.read(bytes, source.toString());
    Optional<Agent> agent = table.at(source, report.content().kind());
    if (agent.isEmpty()) {
      throw new RejectedReportException(
          Rejection.UNKNOWN_AGENT, "there is no such agent at " + source, null);
    }
    accept(agent.get(), report, nowNanos);
  }

  private static void checkKind(Agent agent, Report report) throws RejectedReportException {
    if (report.content().kind() != agent.kind()) {
      throw new RejectedReportException(
          Rejection.WRONG_KIND,
          "agent " + agent.id() + " is a " + agent.kind().label() + " agent",
          null);
    }
  }

  private void accept(Agent agent, Report report, long nowNanos) {
    counts.countAccepted();
    @Nullable Stamp stamp = report.stamp();
    @Nullable AgentStatus before = statuses.get(agent.id());
    statuses.put(
        agent.id(),
        new AgentStatus(
            before == null ? 1 : before.accepted() + 1,
            nowNanos,
            stamp == null ? 0 : stamp.sequence(),
            stamp == null ? 0 : stamp.timeMillis() - wallMillis.getAsLong()));
    sink.take(agent, report, nowNanos);
  }

  /** Forgets agents that are no longer known. */
  public synchronized void retainKnown() {
    Map<String, Agent> known = agents.get().byId();
    guard.retain(known.keySet());
    statuses.keySet().retainAll(known.keySet());
  }

  /** The memory to save over a restart of the controller. */
  public synchronized Map<String, ReplayGuard.Memory> memory() {
    return guard.memory();
  }

  /** Takes another controller's memory of an agent, so that replays are rejected here, too. */
  public synchronized void learn(String agent, ReplayGuard.Memory theirs, long nowNanos) {
    if (agents.get().byId().containsKey(agent)) {
      guard.learn(agent, theirs, nowNanos);
    }
  }

  /** The last report of an agent; empty if there was none. */
  public Optional<AgentStatus> status(String agent) {
    return Optional.ofNullable(statuses.get(agent));
  }
}
