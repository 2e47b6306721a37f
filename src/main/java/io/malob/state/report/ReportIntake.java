package io.malob.state.report;

import io.malob.state.report.Report.Stamp;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
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
  private Accepted accepted = (agent, report, source, atNanos) -> {};
  private final Map<String, AgentStatus> statuses = new ConcurrentHashMap<>();

  /** Receives accepted reports. */
  public interface Sink {
    /** Handles a report of an agent, one at a time. */
    void take(Agent agent, Report report, long atNanos);
  }

  /** Hears of accepted reports as their agents have sent them; not of forwarded ones. */
  public interface Accepted {
    /** A report was accepted; the bytes do not change. */
    void accepted(String agent, byte[] report, @Nullable IPAddress<?> source, long atNanos);
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
      Checked checked = checked(bytes, source);
      @Nullable Stamp stamp = checked.report().stamp();
      if (stamp != null) {
        guard.admit(checked.agent().id(), stamp, nowNanos);
      }
      counts.countAccepted();
      note(checked, nowNanos, 0);
      sink.take(checked.agent(), checked.report(), nowNanos);
      accepted.accepted(checked.agent().id(), bytes, source, nowNanos);
    } catch (RejectedReportException e) {
      counts.count(e.reason());
      throw e;
    }
  }

  /**
   * Accepts a report that another controller has accepted, unless this one has it already. It is
   * checked again, so that the guard rejects it from now on. The throughputs of links are left to
   * the other controller, which shares them as measurements.
   *
   * @param source as for {@link #take}
   * @param ageNanos the time since the other controller received it
   */
  public synchronized void takeForwarded(
      byte[] bytes, @Nullable IPAddress<?> source, long nowNanos, long ageNanos) {
    long atNanos = nowNanos - ageNanos;
    try {
      Checked checked = checked(bytes, source);
      admitForwarded(checked, atNanos);
      note(checked, atNanos, TimeUnit.NANOSECONDS.toMillis(ageNanos));
      if (checked.agent().kind() == Agent.Kind.SERVER) {
        sink.take(checked.agent(), checked.report(), atNanos);
      }
    } catch (RejectedReportException e) {
      // received by both; or one of the controllers knows a change of agents already
    }
  }

  /** After a start, the guard may remember the report, whose content was not saved. */
  private void admitForwarded(Checked checked, long atNanos) throws RejectedReportException {
    String agent = checked.agent().id();
    @Nullable Stamp stamp = checked.report().stamp();
    boolean isKnownByNumberOnly =
        stamp != null && guard.isLast(agent, stamp) && !statuses.containsKey(agent);
    if (stamp != null && !isKnownByNumberOnly) {
      guard.admit(agent, stamp, atNanos);
    }
  }

  /** A report that is valid, except that it may be a replay. */
  private record Checked(Agent agent, Report report) {}

  private Checked checked(byte[] bytes, @Nullable IPAddress<?> source)
      throws RejectedReportException {
    if (bytes.length > MAX_BYTES) {
      throw new RejectedReportException(
          Rejection.OVERSIZED, "a report has at most " + MAX_BYTES + " bytes", null);
    }
    AgentTable table = agents.get();
    if (!SignedReport.isOne(bytes)) {
      return plain(bytes, source, table);
    }
    SignedReport signed = SignedReport.parse(bytes);
    @Nullable Agent agent = table.byId().get(signed.agent());
    if (agent == null) {
      throw new RejectedReportException(
          Rejection.UNKNOWN_AGENT, "there is no agent " + signed.agent(), null);
    }
    if (source != null && !agent.addresses().contains(source)) {
      throw new RejectedReportException(
          Rejection.WRONG_ADDRESS, "agent " + agent.id() + " is at " + agent.address(), null);
    }
    if (!agent.hasSigned(signed, wallMillis.getAsLong())) {
      throw new RejectedReportException(
          Rejection.WRONG_SIGNATURE, "the signature is not that of agent " + agent.id(), null);
    }
    Report report = ReportReader.read(signed.body(), agent.id());
    checkKind(agent, report);
    return new Checked(agent, report);
  }

  private static Checked plain(byte[] bytes, @Nullable IPAddress<?> source, AgentTable table)
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
    return new Checked(agent.get(), report);
  }

  private static void checkKind(Agent agent, Report report) throws RejectedReportException {
    if (report.content().kind() != agent.kind()) {
      throw new RejectedReportException(
          Rejection.WRONG_KIND,
          "agent " + agent.id() + " is a " + agent.kind().label() + " agent",
          null);
    }
  }

  private void note(Checked checked, long atNanos, long ageMillis) {
    @Nullable Stamp stamp = checked.report().stamp();
    @Nullable AgentStatus before = statuses.get(checked.agent().id());
    statuses.put(
        checked.agent().id(),
        new AgentStatus(
            before == null ? 1 : before.accepted() + 1,
            atNanos,
            stamp == null ? 0 : stamp.sequence(),
            stamp == null ? 0 : stamp.timeMillis() - (wallMillis.getAsLong() - ageMillis)));
  }

  /** Sets what hears of reports that are accepted from now on. */
  public synchronized void whenAccepted(Accepted listener) {
    accepted = listener;
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
