package io.malob.rest;

import io.malob.agent.IAgentService;
import io.malob.agent.IAgentService.KnownAgent;
import io.malob.state.report.AgentStatus;
import io.malob.state.report.RejectedReportException;
import io.malob.state.report.Rejection;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Takes in reports of agents, and shows how agents were heard and what was dropped. */
final class ReportResources {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLIS_PER_SECOND = 1e3;

  private final IAgentService agents;

  ReportResources(IAgentService agents) {
    this.agents = agents;
  }

  Reply answer(String method, RequestBody body) throws IOException, RefusedException {
    return switch (method) {
      case "GET" -> Reply.ok(shown());
      case "POST" -> take(body.bytes());
      default -> throw RefusedException.method(method, "GET", "POST");
    };
  }

  private Reply take(byte[] report) throws RefusedException {
    try {
      agents.take(report);
      return Reply.nothing();
    } catch (RejectedReportException e) {
      throw new RefusedException(
          status(e.reason()), e.reason().label() + ": " + e.sentence(), e.field());
    }
  }

  private static int status(Rejection reason) {
    return switch (reason) {
      case UNKNOWN_AGENT, UNSIGNED, WRONG_SIGNATURE -> 401;
      case REPLAYED, STALE -> 409;
      case OVERSIZED -> 413;
      default -> 400;
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
    line.put("signs", known.agent().key().isPresent());
    line.put("accepted", status == null ? 0L : status.accepted());
    line.put(
        "age_s", status == null ? null : (agents.nanoTime() - status.atNanos()) / NANOS_PER_SECOND);
    line.put("sequence", status == null ? null : status.sequence());
    line.put("clock_skew_s", status == null ? null : status.clockSkewMillis() / MILLIS_PER_SECOND);
    return line;
  }
}
