package io.malob.state.report;

import com.google.common.io.BaseEncoding;
import com.google.common.primitives.Bytes;
import io.malob.file.DamagedException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;

/** An intake for a server's and a link's agent, and reports of theirs. */
final class ReportFixture {
  static final String KEY = "00112233445566778899aabbccddeeff";
  static final IPv4Address SERVER = IPv4Address.of("10.0.0.11");
  static final IPv4Address NODE = IPv4Address.of("10.0.0.21");
  static final String BOOT = "00000000000000a1";
  static final String OTHER_BOOT = "00000000000000b2";

  /** The controller's wall clock, which stands still. */
  static final long WALL_MILLIS = 1_800_000_000_000L;

  final ReportCounts counts = new ReportCounts();
  final List<Report> taken = new ArrayList<>();
  final List<Agent> takenFrom = new ArrayList<>();
  final ReportIntake intake;
  AgentTable agents;
  long nowNanos;

  ReportFixture() {
    this(Map.of());
  }

  /** An intake whose guard remembers reports. */
  ReportFixture(Map<String, ReplayGuard.Memory> memory) {
    agents = agents(false);
    intake =
        new ReportIntake(
            () -> agents,
            new ReplayGuard(memory, 0),
            counts,
            () -> WALL_MILLIS,
            (agent, report, atNanos) -> {
              takenFrom.add(agent);
              taken.add(report);
            });
  }

  static AgentTable agents(boolean allowUnsigned) {
    String text =
        """
        {"allow_unsigned": %s, "agents": [
          {"id": "w1", "kind": "server", "address": "%s", "key": "%s",
           "other_addresses": ["2001:db8::11"]},
          {"id": "n1", "kind": "link", "address": "%s", "key": "%s"},
          {"id": "plain", "kind": "server", "address": "10.0.0.12"}]}
        """
            .formatted(allowUnsigned, SERVER, KEY, NODE, KEY);
    try {
      return AgentTableFormat.read(text.getBytes(StandardCharsets.UTF_8));
    } catch (DamagedException e) {
      throw new IllegalArgumentException(e);
    }
  }

  void sleepMillis(long millis) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  static String server(long sequence, String content) {
    return json("w1", BOOT, sequence, "\"server\":" + content);
  }

  static String links(long sequence, String content) {
    return json("n1", BOOT, sequence, "\"links\":" + content);
  }

  static String json(String agent, String boot, long sequence, String content) {
    return """
        {"agent":"%s","boot":"%s","sequence":%d,"time_ms":%d,"uptime_ms":1000,%s}"""
        .formatted(agent, boot, sequence, WALL_MILLIS - 250, content);
  }

  static byte[] signed(String agent, String json) {
    return signed(agent, json.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] signed(String agent, byte[] json) {
    byte[] key = BaseEncoding.base16().lowerCase().decode(KEY);
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      String head =
          "malob-report 1 "
              + agent
              + " "
              + BaseEncoding.base16().lowerCase().encode(mac.doFinal(json))
              + "\n";
      return Bytes.concat(head.getBytes(StandardCharsets.US_ASCII), json);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What becomes of a report: the reason why it is dropped, null if it is accepted. */
  Rejection send(byte[] bytes, IPAddress<?> source) {
    try {
      intake.take(bytes, source, nowNanos);
      return null;
    } catch (RejectedReportException e) {
      return e.reason();
    }
  }

  /** The same of a report of the server's agent, rightly signed and from the right place. */
  Rejection sendServer(String json) {
    return send(signed("w1", json), SERVER);
  }
}
