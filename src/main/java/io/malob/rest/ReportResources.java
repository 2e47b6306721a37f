package io.malob.rest;

import io.malob.agent.IAgentService;
import io.malob.agent.IAgentService.KnownAgent;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.state.report.AgentStatus;
import io.malob.state.report.RejectedReportException;
import io.malob.state.report.Rejection;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Accepts reports of agents, and shows the agents' state and dropped reports. */
record ReportResources(IAgentService agents) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLIS_PER_SECOND = 1e3;

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
    return Json.fields(
        "accepted", agents.counts().accepted(),
        "dropped", agents.counts().dropped(),
        "agents", agents.agents().stream().map(this::agent).toList());
  }

  private Map<String, @Nullable Object> agent(KnownAgent known) {
    @Nullable AgentStatus status = known.status().orElse(null);
    return Json.fields(
        "id", known.agent().id(),
        "kind", known.agent().kind(),
        "address", known.agent().address(),
        "other_addresses", known.agent().otherAddresses(),
        "signs", known.agent().key().isPresent(),
        "accepted", status == null ? 0L : status.accepted(),
        "age_s", status == null ? null : (agents.nanoTime() - status.atNanos()) / NANOS_PER_SECOND,
        "sequence", status == null ? null : status.sequence(),
        "clock_skew_s", status == null ? null : status.clockSkewMillis() / MILLIS_PER_SECOND);
  }
}
