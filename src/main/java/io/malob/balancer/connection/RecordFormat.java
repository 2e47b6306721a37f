package io.malob.balancer.connection;

import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.api.ConnectionRecord;
import io.malob.json.Json;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Protocol;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Formats connection records as lines of JSON (see docs/reference/metrics.md). Keeps the names of
 * deleted VIPs and members, because records of their connections may follow. Thread-safe.
 */
final class RecordFormat {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Bounded by the bits for these numbers in cookies. */
  private final Map<Integer, String> vips = new ConcurrentHashMap<>();

  private final Map<Integer, String> members = new ConcurrentHashMap<>();

  /** Learns the names of VIPs and members. */
  void learn(CatalogSnapshot catalog) {
    catalog.vips().values().forEach(vip -> vips.put(vip.number(), vip.id()));
    catalog.members().values().forEach(member -> members.put(member.number(), member.id()));
  }

  String line(ConnectionRecord connection) {
    FiveTuple request = connection.request();
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("ended", connection.ended().truncatedTo(ChronoUnit.MILLIS).toString());
    line.put(
        "placed",
        connection
            .ended()
            .minusNanos(connection.ageNanos())
            .truncatedTo(ChronoUnit.MILLIS)
            .toString());
    line.put("age_s", connection.ageNanos() / NANOS_PER_SECOND);
    line.put("end", connection.end().text());
    line.put("protocol", protocol(request.protocol()));
    line.put("client", request.source().toString());
    line.put("client_port", request.srcPort());
    line.put("vip_id", vips.get(connection.vipNumber()));
    line.put("vip", request.destination().toString());
    line.put("vip_port", request.dstPort());
    line.put("member_id", members.get(connection.memberNumber()));
    line.put("member", connection.atMember().destination().toString());
    line.put("member_port", connection.atMember().dstPort());
    line.put("algorithm", connection.algorithm());
    line.put("request_bytes", connection.requestBytes());
    line.put("reply_bytes", connection.replyBytes());
    line.put("request_path", switches(connection.requestPath()));
    line.put("reply_path", switches(connection.replyPath()));
    return Json.text(line);
  }

  private static String protocol(int number) {
    for (Protocol each : Protocol.values()) {
      if (each.ipNumber() == number) {
        return each.text();
      }
    }
    return Integer.toString(number);
  }

  private static @Nullable List<String> switches(@Nullable Path path) {
    return path == null
        ? null
        : path.switches().stream().map(DatapathId::toString).collect(Collectors.toList());
  }
}
