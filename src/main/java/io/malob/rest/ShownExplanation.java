package io.malob.rest;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Explanation;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.ExplainedConnection.Candidate;
import io.malob.balancer.api.ExplainedConnection.ChosenBucket;
import io.malob.balancer.api.ExplainedConnection.ClientBuckets;
import io.malob.balancer.api.ExplainedConnection.Decision;
import io.malob.balancer.api.ExplainedConnection.MemberBuckets;
import io.malob.balancer.api.ExplainedConnection.Placed;
import io.malob.balancer.api.ExplainedConnection.Refused;
import io.malob.json.Json;
import io.malob.monitor.IMonitorService;
import io.malob.state.catalog.AlgorithmChoice;
import io.malob.state.catalog.Pool;
import io.malob.state.catalog.Protocol;
import io.malob.state.catalog.Service;
import io.malob.state.catalog.Vip;
import io.malob.state.network.ServerMeasurements;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/** Shows the placement of a connection with its reasons and all values used. */
final class ShownExplanation {
  /** The max number of shown candidates, besides the chosen one. */
  static final int MAX_CANDIDATES = 1_000;

  private final Question question;
  private final ShownLinks links;
  private final IMonitorService monitor;
  private final long nowNanos;

  /** The question: a connection to the address of a VIP. */
  record Question(IPAddress<?> vip, Protocol protocol, int port) {}

  ShownExplanation(Question question, ShownLinks links, IMonitorService monitor) {
    this.question = question;
    this.links = links;
    this.monitor = monitor;
    this.nowNanos = monitor.nanoTime();
  }

  /** All of it. */
  Map<String, @Nullable Object> of(ExplainedConnection explained) {
    int chosen =
        explained.outcome() instanceof Placed placed ? placed.placement().server().number() : 0;
    ImmutableList<Candidate> candidates = explained.candidates();
    List<Object> shown = new ArrayList<>();
    @Nullable String chosenId = null;
    for (int i = 0; i < candidates.size(); i++) {
      Candidate candidate = candidates.get(i);
      boolean isChosen = candidate.member().number() == chosen;
      if (isChosen) {
        chosenId = candidate.member().id();
      }
      if (i < MAX_CANDIDATES || isChosen) {
        shown.add(candidate(candidate, isChosen, explained.client()));
      }
    }
    return Json.fields(
        "client", client(explained),
        "vip_address", question.vip().toString(),
        "protocol", question.protocol().text(),
        "port", question.port(),
        "vip_id", explained.vip().map(Vip::id),
        "pool_id", explained.pool().map(Pool::id),
        "decision", explained.decision().map(ShownExplanation::decision),
        "member_id", chosenId,
        "refused", explained.outcome() instanceof Refused refused ? refused.reason() : null,
        "buckets", explained.buckets().map(ShownExplanation::buckets),
        "candidates", shown,
        "candidates_left_out", candidates.size() - shown.size());
  }

  private static Map<String, @Nullable Object> client(ExplainedConnection explained) {
    Attachment at = explained.client();
    return Json.fields(
        "address", explained.clientAddress().map(IPAddress::toString),
        "mac", at.mac().toString(),
        "switch", at.switchId().toString(),
        "port", Integer.toUnsignedLong(at.port().getPortNumber()));
  }

  private static Map<String, @Nullable Object> decision(Decision decision) {
    @Nullable AlgorithmChoice choice = decision.choice().orElse(null);
    return Json.fields(
        "algorithm", decision.algorithm().name(),
        "decided_by", choice == null ? "ftp_control" : choice.source(),
        "id", choice == null ? null : choice.item().id(),
        "service_name",
            choice != null && choice.item() instanceof Service service ? service.name() : null,
        "ftp_control", decision.ftpControl().map(ShownExplanation::control),
        "server", decision.server(),
        "path", decision.path());
  }

  private static Map<String, @Nullable Object> buckets(ClientBuckets buckets) {
    return Json.fields(
        "source", buckets.source(),
        "count", buckets.count(),
        "bucket", buckets.chosen().map(ShownExplanation::bucket),
        "members", buckets.members().stream().map(ShownExplanation::bucketsOfMember).toList());
  }

  private static Map<String, @Nullable Object> bucket(ChosenBucket bucket) {
    return Json.fields(
        "index", bucket.index(),
        "member_id", bucket.memberId(),
        "before_id", bucket.beforeId(),
        "cause", bucket.cause(),
        "seconds", Json.rounded(bucket.seconds()),
        "seconds_left", Json.rounded(bucket.secondsLeft()),
        "next", bucket.next());
  }

  private static Map<String, @Nullable Object> bucketsOfMember(MemberBuckets member) {
    return Json.fields(
        "member_id", member.memberId(),
        "buckets", member.buckets(),
        "load", part(member.load()),
        "share", part(member.share()));
  }

  private static @Nullable Double part(OptionalDouble part) {
    return part.isPresent() ? Json.rounded(part.getAsDouble()) : null;
  }

  private static Map<String, Object> control(FiveTuple request) {
    return Json.fields(
        "client_port", request.srcPort(),
        "port", request.dstPort());
  }

  private Map<String, @Nullable Object> candidate(
      Candidate candidate, boolean isChosen, Attachment client) {
    ServerMeasurements known = monitor.servers().get(candidate.member().address(), nowNanos);
    Measured show = new Measured(nowNanos);
    @Nullable Server server = candidate.server();
    Map<String, @Nullable Object> line =
        Json.fields(
            "member_id", candidate.member().id(),
            "address", candidate.member().address().toString(),
            "port", candidate.member().port(),
            "chosen", isChosen,
            "excluded", candidate.excluded().map(why -> why.name().toLowerCase(Locale.ROOT)),
            "values", values(candidate.values()),
            "weight", candidate.member().weight(),
            "share", server == null ? null : Json.rounded(server.load().share()),
            "active_connections",
                server == null ? 0 : server.load().active() + server.load().estimated(),
            "foreign_connections", server == null ? 0 : server.load().direct());
    line.putAll(show.of(known));
    Optional<Path> request = candidate.paths().map(Explanation.Paths::request);
    Optional<Path> reply = candidate.paths().map(Explanation.Paths::reply);
    line.putAll(
        Json.fields(
            "request_path",
                request.map(path -> ShownPath.of(path, client, requireNonNull(server).at())),
            "request_links", request.map(links::of),
            "reply_path",
                reply.map(path -> ShownPath.of(path, requireNonNull(server).at(), client)),
            "reply_links", reply.map(links::of)));
    return line;
  }

  /** Unknown values are null, never infinite or zero. */
  private static Map<String, @Nullable Object> values(Map<String, Double> values) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    values.forEach(
        (name, value) -> shown.put(name, Double.isFinite(value) ? Json.rounded(value) : null));
    return shown;
  }
}
