package io.malob.rest;

import io.malob.balancer.api.ProfileStats;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shows the learnt traffic of services' connections. */
final class LearntServices {
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double MICROS_PER_MILLI = 1e3;

  private LearntServices() {}

  static List<Object> shown(List<ProfileStats> profiles) {
    List<Object> lines = new ArrayList<>();
    for (ProfileStats profile : profiles) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("vip_id", profile.vipId());
      line.put("service_id", profile.serviceId());
      line.put("ftp_data", profile.isFtpData());
      line.put("samples", profile.samples());
      line.put("reply_bytes", Math.round(profile.replyBytes()));
      line.put("request_bytes", Math.round(profile.requestBytes()));
      line.put("service_ms", millis(profile.serviceNanos()));
      List<Object> members = new ArrayList<>();
      profile.serviceNanosByMember().forEach((id, nanos) -> members.add(member(id, millis(nanos))));
      line.put("members", members);
      lines.add(line);
    }
    return lines;
  }

  private static Map<String, Object> member(String id, double millis) {
    Map<String, Object> member = new LinkedHashMap<>();
    member.put("id", id);
    member.put("service_ms", millis);
    return member;
  }

  /** Milliseconds, to the microsecond. */
  private static double millis(double nanos) {
    return (double) Math.round(nanos / NANOS_PER_MICRO) / MICROS_PER_MILLI;
  }
}
