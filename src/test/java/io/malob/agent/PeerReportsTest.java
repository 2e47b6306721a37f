package io.malob.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.io.BaseEncoding;
import com.google.common.primitives.Bytes;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.state.report.AgentTable;
import io.malob.state.report.AgentTableFormat;
import io.malob.state.report.ReplayGuard;
import io.malob.state.report.ReportCounts;
import io.malob.state.report.ReportIntake;
import io.malob.testing.PeerFuzz;
import io.malob.testing.PeerNetwork;
import io.malob.testing.Stub;
import io.malob.testing.WireBytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;

/** Controllers that share the reports of a server's agent; their clocks differ. */
class PeerReportsTest {
  private static final String KEY = "00112233445566778899aabbccddeeff";
  private static final IPv4Address SERVER = IPv4Address.of("10.0.0.11");

  private final PeerNetwork network = new PeerNetwork();
  private long now = 1_000_000;
  private final Controller a = new Controller("a", 0);
  private final Controller b = new Controller("b", 90_000_000);

  private final class Controller {
    final PeerNetwork.Peer streams;
    final List<Long> taken = new ArrayList<>();
    final ReportIntake intake;
    final PeerReports shared;
    final long clock;

    Controller(String name, long clock) {
      this.clock = clock;
      streams = network.peer(name);
      AgentTable agents = agents();
      intake =
          new ReportIntake(
              () -> agents,
              new ReplayGuard(Map.of(), clock),
              new ReportCounts(),
              () -> 5_000,
              (agent, report, atNanos) -> taken.add(atNanos - clock));
      shared = new PeerReports(streams, intake, () -> now + clock, Runnable::run);
      intake.whenAccepted(shared);
      streams.listen(PeerTopic.REPORTS, shared);
    }
  }

  private static AgentTable agents() {
    try {
      return AgentTableFormat.read(
          """
          {"agents": [{"id": "w1", "kind": "server", "address": "%s", "key": "%s"}]}
          """
              .formatted(SERVER, KEY)
              .getBytes(StandardCharsets.UTF_8));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] report(int sequence) throws Exception {
    byte[] json =
        """
        {"agent":"w1","boot":"00000000000000a1","sequence":%d,"time_ms":%d,"uptime_ms":%d,\
        "server":{"cpu":0.5}}\
        """
            .formatted(sequence, 4_000 + sequence, sequence)
            .getBytes(StandardCharsets.UTF_8);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(BaseEncoding.base16().lowerCase().decode(KEY), "HmacSHA256"));
    String head =
        "malob-report 1 w1 " + BaseEncoding.base16().lowerCase().encode(mac.doFinal(json)) + "\n";
    return Bytes.concat(head.getBytes(StandardCharsets.US_ASCII), json);
  }

  private void receives(Controller controller, int sequence) throws Exception {
    controller.intake.take(report(sequence), SERVER, now + controller.clock);
  }

  @Test
  void report_ofOneController_isTakenByTheOther_once() throws Exception {
    network.connect(a.streams, b.streams);
    receives(a, 1);

    assertEquals(List.of(now), a.taken);
    assertEquals(List.of(now), b.taken);
    assertEquals(1, network.messages);
  }

  @Test
  void peerThatIsReachedLater_getsTheLastReport_withItsAge() throws Exception {
    receives(a, 1);
    receives(a, 2);
    now += 5_000;
    network.connect(a.streams, b.streams);

    assertEquals(List.of(now - 5_000), b.taken);
  }

  @Test
  void damagedMessages_areRejectedOrTaken() throws Exception {
    byte[] address = SERVER.toString().getBytes(StandardCharsets.US_ASCII);
    byte[] head = ByteBuffer.allocate(9).putLong(40).put((byte) address.length).array();
    PeerFuzz.check(
        tasks -> new PeerReports(b.streams, b.intake, () -> now, tasks::add),
        Bytes.concat(head, address, report(1)),
        Bytes.concat(new byte[9], report(2)));
  }

  @Test
  void reportsOfAgentsThatAreNoLongerKnown_areNotTold() throws Exception {
    receives(a, 1);
    a.shared.retain(List.of());
    network.connect(a.streams, b.streams);

    assertEquals(List.of(), b.taken);
  }

  @Test
  void bytes_areThoseOfTheLastRelease() throws Exception {
    List<ByteBuffer> messages = new ArrayList<>();
    PeerNetwork.Peer streams = network.peer("c");
    streams.listen(
        PeerTopic.REPORTS,
        Stub.of(PeerListener.class)
            .on("received", with -> messages.add((ByteBuffer) with[1]))
            .on("reached", with -> null)
            .make());
    receives(a, 1);
    now += 5_000;
    network.connect(a.streams, streams);
    WireBytes.check("report", messages.get(0).array());
  }
}
