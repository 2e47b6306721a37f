package io.malob.rest;

import io.malob.agent.IAgentService;
import io.malob.agent.IAgentService.KnownAgent;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.state.report.AgentStatus;
import io.malob.state.report.RejectedReportException;
import io.malob.state.report.Rejection;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/** Accepts reports of agents, and shows the agents' state and dropped reports. */
final class ReportResources {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLIS_PER_SECOND = 1e3;

  private final IAgentService agents;

  ReportResources(IAgentService agents) {
    this.agents = agents;
  }

  /** The state of agents. */
  Reply list(Call call) {
    return Reply.ok(shown());
  }

  /** Accepts a report. */
  Reply take(Call call) throws IOException, RejectedException {
    try {
      agents.take(call.body().bytes());
      return Reply.nothing();
    } catch (RejectedReportException e) {
      throw new RejectedException(
          reason(e.reason()), e.reason().label() + ": " + e.sentence(), e.field());
    }
  }

  private static Reason reason(Rejection reason) {
    return switch (reason) {
      case UNKNOWN_AGENT, UNSIGNED, WRONG_SIGNATURE -> Reason.UNSIGNED;
      case REPLAYED, STALE -> Reason.CONFLICT;
      case OVERSIZED -> Reason.TOO_LARGE;
      default -> Reason.INVALID;
    };
  }

  private Map<String, Object> shown() {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("accepted", agents.counts().accepted());
    answer.put("dropped", agents.counts().dropped());
    answer.put("agents", agents.agents().stream().map(this::agent).collect(Collectors.toList()));
    return answer;
  }

  private Map<String, @Nullable Object> agent(KnownAgent known) {
    @Nullable AgentStatus status = known.status().orElse(null);
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("id", known.agent().id());
    line.put("kind", known.agent().kind().label());
    line.put("address", known.agent().address().toString());
    line.put(
        "other_addresses",
        known.agent().otherAddresses().stream().map(IPAddress::toString).toList());
    line.put("signs", known.agent().key().isPresent());
    line.put("accepted", status == null ? 0L : status.accepted());
    line.put(
        "age_s", status == null ? null : (agents.nanoTime() - status.atNanos()) / NANOS_PER_SECOND);
    line.put("sequence", status == null ? null : status.sequence());
    line.put("clock_skew_s", status == null ? null : status.clockSkewMillis() / MILLIS_PER_SECOND);
    return line;
  }
}
