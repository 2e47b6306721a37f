package io.malob.rest;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Explanation;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.balancer.api.ExplainedConnection;
import io.malob.balancer.api.ExplainedConnection.Candidate;
import io.malob.balancer.api.ExplainedConnection.ChosenBucket;
import io.malob.balancer.api.ExplainedConnection.ClientBuckets;
import io.malob.balancer.api.ExplainedConnection.Decision;
import io.malob.balancer.api.ExplainedConnection.MemberBuckets;
import io.malob.balancer.api.ExplainedConnection.Placed;
import io.malob.balancer.api.ExplainedConnection.Refused;
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
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/** Shows the placement of a connection with its reasons and all values used. */
final class ShownExplanation {
  /** The max number of shown candidates, besides the chosen one. */
  static final int MAX_CANDIDATES = 1_000;

  private static final ImmutableList<String> PATH_FIELDS =
      ImmutableList.of("request_path", "request_links", "reply_path", "reply_links");

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
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("client", client(explained));
    answer.put("vip_address", question.vip().toString());
    answer.put("protocol", question.protocol().text());
    answer.put("port", question.port());
    answer.put("vip_id", explained.vip().map(Vip::id).orElse(null));
    answer.put("pool_id", explained.pool().map(Pool::id).orElse(null));
    answer.put("decision", explained.decision().map(ShownExplanation::decision).orElse(null));
    answer.put("member_id", chosenId);
    answer.put("refused", explained.outcome() instanceof Refused refused ? refused.reason() : null);
    answer.put("buckets", explained.buckets().map(ShownExplanation::buckets).orElse(null));
    answer.put("candidates", shown);
    answer.put("candidates_left_out", candidates.size() - shown.size());
    return answer;
  }

  private static Map<String, @Nullable Object> client(ExplainedConnection explained) {
    Attachment at = explained.client();
    Map<String, @Nullable Object> client = new LinkedHashMap<>();
    client.put("address", explained.clientAddress().map(IPAddress::toString).orElse(null));
    client.put("mac", at.mac().toString());
    client.put("switch", at.switchId().toString());
    client.put("port", Integer.toUnsignedLong(at.port().getPortNumber()));
    return client;
  }

  private static Map<String, @Nullable Object> decision(Decision decision) {
    @Nullable AlgorithmChoice choice = decision.choice().orElse(null);
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("algorithm", decision.algorithm().name());
    shown.put(
        "decided_by",
        choice == null ? "ftp_control" : choice.source().name().toLowerCase(Locale.ROOT));
    shown.put("id", choice == null ? null : choice.item().id());
    shown.put(
        "service_name",
        choice != null && choice.item() instanceof Service service ? service.name() : null);
    shown.put("ftp_control", decision.ftpControl().map(ShownExplanation::control).orElse(null));
    shown.put("server", reason(decision.server()));
    shown.put("path", reason(decision.path()));
    return shown;
  }

  private static Map<String, @Nullable Object> buckets(ClientBuckets buckets) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("source", buckets.source());
    shown.put("count", buckets.count());
    shown.put("bucket", buckets.chosen().map(ShownExplanation::bucket).orElse(null));
    shown.put(
        "members", buckets.members().stream().map(ShownExplanation::bucketsOfMember).toList());
    return shown;
  }

  private static Map<String, @Nullable Object> bucket(ChosenBucket bucket) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("index", bucket.index());
    shown.put("member_id", bucket.memberId().orElse(null));
    shown.put("before_id", bucket.beforeId().orElse(null));
    shown.put("cause", bucket.cause());
    shown.put("seconds", Measured.rounded(bucket.seconds()));
    shown.put("seconds_left", Measured.rounded(bucket.secondsLeft()));
    shown.put("next", bucket.next());
    return shown;
  }

  private static Map<String, @Nullable Object> bucketsOfMember(MemberBuckets member) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("member_id", member.memberId());
    shown.put("buckets", member.buckets());
    shown.put("load", part(member.load()));
    shown.put("share", part(member.share()));
    return shown;
  }

  private static @Nullable Double part(OptionalDouble part) {
    return part.isPresent() ? Measured.rounded(part.getAsDouble()) : null;
  }

  private static Map<String, Object> control(FiveTuple request) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("client_port", request.srcPort());
    shown.put("port", request.dstPort());
    return shown;
  }

  private static Map<String, Object> reason(Reason reason) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("rule", reason.rule());
    shown.put("tie_break", reason.tieBreak());
    return shown;
  }

  private Map<String, @Nullable Object> candidate(
      Candidate candidate, boolean isChosen, Attachment client) {
    ServerMeasurements known = monitor.servers().get(candidate.member().address(), nowNanos);
    Measured show = new Measured(nowNanos);
    @Nullable Server server = candidate.server();
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("member_id", candidate.member().id());
    line.put("address", candidate.member().address().toString());
    line.put("port", candidate.member().port());
    line.put("chosen", isChosen);
    line.put(
        "excluded",
        candidate.excluded().map(why -> why.name().toLowerCase(Locale.ROOT)).orElse(null));
    line.put("values", values(candidate.values()));
    line.put("weight", candidate.member().weight());
    line.put("share", server == null ? null : Measured.rounded(server.load().share()));
    line.put(
        "active_connections",
        server == null ? 0 : server.load().active() + server.load().estimated());
    line.put("foreign_connections", server == null ? 0 : server.load().foreign());
    show.put(line, known);
    Explanation.@Nullable Paths paths = candidate.paths().orElse(null);
    if (server == null || paths == null) {
      PATH_FIELDS.forEach(name -> line.put(name, null));
    } else {
      line.put("request_path", ShownPath.of(paths.request(), client, server.at()));
      line.put("request_links", links.of(paths.request()));
      line.put("reply_path", ShownPath.of(paths.reply(), server.at(), client));
      line.put("reply_links", links.of(paths.reply()));
    }
    return line;
  }

  /** Unknown values are null, never infinite or zero. */
  private static Map<String, @Nullable Object> values(Map<String, Double> values) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    values.forEach(
        (name, value) -> shown.put(name, Double.isFinite(value) ? Measured.rounded(value) : null));
    return shown;
  }
}
