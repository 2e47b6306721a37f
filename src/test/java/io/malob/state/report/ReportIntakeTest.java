package io.malob.state.report;

import static io.malob.state.report.ReportFixture.NODE;
import static io.malob.state.report.ReportFixture.SERVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.state.network.ServerValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;

class ReportIntakeTest {
  private static final String STATE =
      "{\"cpu\":0.25,\"connections\":{\"80\":7,\"443\":0},\"response_ms\":1.5}";

  private final ReportFixture fixture = new ReportFixture();

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void serverReport_signed_isTaken() {
    assertNull(fixture.sendServer(ReportFixture.server(1, STATE)));

    assertEquals(
        new Report.Server(
            ImmutableMap.of(ServerValue.CPU, 0.25, ServerValue.RESPONSE, 1_500_000.0),
            ImmutableMap.of(80, 7, 443, 0)),
        fixture.taken.get(0).content());
    assertEquals("w1", fixture.takenFrom.get(0).id());
    assertEquals(1, fixture.counts.accepted());
    assertEquals(new AgentStatus(1, 0, 1, -250), fixture.intake.status("w1").orElseThrow());
  }

  @Test
  void linkReport_signed_isTaken() {
    String json =
        ReportFixture.links(
            1, "[{\"neighbour\":\"10.0.0.22\",\"up_mbps\":9.5},{\"neighbour\":\"10.0.0.23\"}]");
    assertNull(fixture.send(ReportFixture.signed("n1", json), NODE));

    assertEquals(
        new Report.Links(
            ImmutableList.of(
                new Report.Throughput(
                    IPv4Address.of("10.0.0.22"), OptionalDouble.of(9.5e6), OptionalDouble.empty()),
                new Report.Throughput(
                    IPv4Address.of("10.0.0.23"), OptionalDouble.empty(), OptionalDouble.empty()))),
        fixture.taken.get(0).content());
  }

  @Test
  void report_fromAnUnknownSource_countsByItsSignature() {
    assertNull(fixture.send(ReportFixture.signed("w1", ReportFixture.server(1, "{}")), null));
  }

  /** The key of the fixture is the one before. */
  @ParameterizedTest
  @CsvSource({"1, ", "0, WRONG_SIGNATURE"})
  void report_signedWithTheFormerKey_countsUntilItEnds(int secondsLeft, Rejection rejection)
      throws Exception {
    fixture.agents =
        AgentTableFormat.read(
            text(
                String.format(
                    "{\"agents\":[{\"id\":\"w1\",\"kind\":\"server\",\"address\":\"%s\",\"key\":\"%s\","
                        + "\"former_key\":\"%s\",\"former_until\":%d}]}",
                    SERVER,
                    "ff".repeat(16),
                    ReportFixture.KEY,
                    ReportFixture.WALL_MILLIS / 1000 + secondsLeft)));
    assertEquals(rejection, fixture.sendServer(ReportFixture.server(1, "{}")));
  }

  @Test
  void report_fromAnyAddressOfItsAgent_isTaken() {
    byte[] report = ReportFixture.signed("w1", ReportFixture.server(1, STATE));
    assertNull(fixture.send(report, IPAddress.of("2001:db8::11")));
  }

  @Test
  void report_fromAnotherAddress_isDropped() {
    byte[] report = ReportFixture.signed("w1", ReportFixture.server(1, STATE));
    assertEquals(Rejection.WRONG_ADDRESS, fixture.send(report, NODE));
    assertNothingTaken();
    assertNull(fixture.send(report, SERVER), "its number is not used up");
  }

  @Test
  void report_ofAnUnknownAgent_isDropped() {
    byte[] report =
        ReportFixture.signed("w9", ReportFixture.json("w9", ReportFixture.BOOT, 1, "\"links\":[]"));
    assertEquals(Rejection.UNKNOWN_AGENT, fixture.send(report, SERVER));
  }

  @Test
  void report_underTheNameOfAnotherAgent_isMalformed() {
    byte[] report = ReportFixture.signed("n1", ReportFixture.server(1, STATE));
    assertEquals(Rejection.MALFORMED, fixture.send(report, NODE));
  }

  @Test
  void report_changedAfterSigning_isDropped() {
    byte[] report = ReportFixture.signed("w1", ReportFixture.server(1, "{\"cpu\":0.25}"));
    report[report.length - 4] = '9';
    assertEquals(Rejection.WRONG_SIGNATURE, fixture.send(report, SERVER));
    assertNothingTaken();
  }

  @Test
  void signedReport_ofAnAgentWithoutKey_isDropped() {
    byte[] report =
        ReportFixture.signed(
            "plain", ReportFixture.json("plain", ReportFixture.BOOT, 1, "\"server\":{}"));
    assertEquals(Rejection.WRONG_SIGNATURE, fixture.send(report, IPv4Address.of("10.0.0.12")));
  }

  @Test
  void report_ofTheWrongKind_isDropped() {
    String json = ReportFixture.json("w1", ReportFixture.BOOT, 1, "\"links\":[]");
    assertEquals(Rejection.WRONG_KIND, fixture.sendServer(json));
  }

  @Test
  void report_sentTwice_countsOnce() {
    assertNull(fixture.sendServer(ReportFixture.server(1, STATE)));
    assertEquals(Rejection.REPLAYED, fixture.sendServer(ReportFixture.server(1, STATE)));
    assertEquals(1, fixture.taken.size());
    assertEquals(ImmutableMap.of("replayed", 1L), fixture.counts.dropped());
    assertEquals(1, fixture.intake.status("w1").orElseThrow().accepted());
  }

  @Test
  void report_ofMoreThanOnePacket_isOversized() {
    assertEquals(Rejection.OVERSIZED, fixture.send(new byte[1_401], SERVER));
    assertEquals(Rejection.UNSIGNED, fixture.send(new byte[1_400], SERVER));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"cpu\":7.3}",
        "{\"cpu\":-0.1}",
        "{\"cpu\":1e999}",
        "{\"response_ms\":-1}",
        "{\"response_ms\":600001}",
        "{\"connections\":{\"80\":-1}}",
        "{\"connections\":{\"80\":10000001}}",
        "{\"connections\":{\"80\":99999999999999999999}}"
      })
  void value_thatCannotBe_isAbsurd(String state) {
    assertEquals(Rejection.ABSURD, fixture.sendServer(ReportFixture.server(1, state)));
    assertNothingTaken();
    assertNull(fixture.sendServer(ReportFixture.server(1, STATE)), "its number is not used up");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1000000.5", "1e999"})
  void throughput_thatCannotBe_isAbsurd(String mbps) {
    String json =
        ReportFixture.links(1, "[{\"neighbour\":\"10.0.0.22\",\"up_mbps\":" + mbps + "}]");
    assertEquals(Rejection.ABSURD, fixture.send(ReportFixture.signed("n1", json), NODE));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"cpu\":NaN}",
        "{\"cpu\":\"0.2\"}",
        "{\"cpu\":null}",
        "{\"cpu\":true}",
        "{\"cpu\":0.1,\"cpu\":0.2}",
        "{\"cpus\":0.1}",
        "{\"cpu\":0.1",
        "{\"connections\":[80]}",
        "{\"connections\":{\"080\":1}}",
        "{\"connections\":{\"0\":1}}",
        "{\"connections\":{\"65536\":1}}",
        "{\"connections\":{\"80\":1.5}}",
        "{\"connections\":{\"80\":1,\"80\":2}}",
        "[]",
        "7",
        "{}},{",
        "{}},\"links\":[]",
        "{},\"server\":{}",
        "{},\"more\":1"
      })
  void report_notOfTheFormat_isMalformed(String state) {
    assertEquals(Rejection.MALFORMED, fixture.sendServer(ReportFixture.server(1, state)));
    assertNothingTaken();
  }

  @ParameterizedTest
  @ValueSource(strings = {"agent", "boot", "sequence", "time_ms", "uptime_ms"})
  void report_withoutPartOfItsStamp_isMalformed(String field) throws Exception {
    String json = ReportFixture.server(1, "{}");
    String less = json.replaceFirst("\"" + field + "\":(\"[^\"]*\"|\\d+),", "");
    assertTrue(less.length() < json.length());
    assertEquals(Rejection.MALFORMED, fixture.sendServer(less));
  }

  @ParameterizedTest
  @CsvSource({
    "sequence, 0",
    "sequence, 99999999999999999999",
    "time_ms, -1",
    "uptime_ms, 99999999999999"
  })
  void stamp_outOfBounds_isAbsurd(String field, String value) {
    String json = ReportFixture.server(1, "{}");
    String other = json.replaceFirst("\"" + field + "\":\\d+", "\"" + field + "\":" + value);
    assertEquals(Rejection.ABSURD, fixture.sendServer(other));
  }

  @Test
  void report_ofTooManyPorts_isAbsurd() {
    assertEquals(Rejection.ABSURD, fixture.sendServer(ReportFixture.server(1, ports(65))));
    assertNull(fixture.sendServer(ReportFixture.server(1, ports(64))));
  }

  private static String ports(int number) {
    return IntStream.rangeClosed(1, number)
        .mapToObj(port -> "\"" + port + "\":1")
        .collect(Collectors.joining(",", "{\"connections\":{", "}}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "malob-report 2 w1 %s\n{}",
        "malob-report 1  %s\n{}",
        "malob-report 1 w1 %s",
        "malob-report 1 w1 %s {}",
        "malob-report 1 w1 %s0\n{}",
        "malob-report "
      })
  void head_notOfThisVersion_isMalformed(String report) {
    String signature = "0".repeat(64);
    assertEquals(Rejection.MALFORMED, fixture.send(text(report.formatted(signature)), SERVER));
  }

  @Test
  void plainReport_withoutLeave_isDropped() {
    assertEquals(Rejection.UNSIGNED, fixture.send(text("12.5 3 40.5"), SERVER));
  }

  @Test
  void plainReport_ofAServer_isTakenWhereAllowed() {
    fixture.agents = ReportFixture.agents(true);
    assertNull(fixture.send(text("12.5 3 40.5\n"), IPv4Address.of("10.0.0.12")));

    assertEquals(
        new Report.Server(
            ImmutableMap.of(ServerValue.CPU, 0.405, ServerValue.RESPONSE, 12_500_000.0),
            ImmutableMap.of(0, 3)),
        fixture.taken.get(0).content());
    assertEquals("plain", fixture.takenFrom.get(0).id());
  }

  @Test
  void plainReport_ofALink_isTakenFromItsFirstNodeOnly() {
    fixture.agents = ReportFixture.agents(true);
    assertNull(fixture.send(text("10.0.0.21:10.0.0.22:93.5"), NODE));
    assertEquals(Rejection.WRONG_ADDRESS, fixture.send(text("10.0.0.22:10.0.0.21:93.5"), NODE));

    assertEquals(
        new Report.Links(
            ImmutableList.of(
                new Report.Throughput(
                    IPv4Address.of("10.0.0.22"),
                    OptionalDouble.of(93.5e6),
                    OptionalDouble.empty()))),
        fixture.taken.get(0).content());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "12.5 3 140.5 | ABSURD",
        "12.5 3 -1 | MALFORMED",
        "12.5 3 NaN | MALFORMED",
        "12.5 3 | MALFORMED",
        "700000 3 1 | ABSURD",
        "10.0.0.11:10.0.0.999:5 | MALFORMED",
        "10.0.0.11:10.0.0.22:-1 | MALFORMED",
        "10.0.0.11:10.0.0.22:1 | UNKNOWN_AGENT"
      })
  void plainReport_thatCannotBe_isDropped(String report, Rejection reason) {
    fixture.agents = ReportFixture.agents(true);
    assertEquals(reason, fixture.send(text(report), SERVER));
    assertNothingTaken();
  }

  @Test
  void plainReport_withoutSource_isDropped() {
    fixture.agents = ReportFixture.agents(true);
    assertEquals(Rejection.UNSIGNED, fixture.send(text("12.5 3 40.5"), null));
  }

  @Test
  void agent_noLongerKnown_isForgotten() {
    assertNull(fixture.sendServer(ReportFixture.server(1, STATE)));
    fixture.agents = AgentTable.EMPTY;
    fixture.intake.retainKnown();

    assertTrue(fixture.intake.status("w1").isEmpty());
    assertTrue(fixture.intake.memory().isEmpty());
    assertEquals(Rejection.UNKNOWN_AGENT, fixture.sendServer(ReportFixture.server(2, STATE)));
  }

  private void assertNothingTaken() {
    assertEquals(0, fixture.taken.size());
    assertEquals(0, fixture.counts.accepted());
    assertTrue(fixture.intake.status("w1").isEmpty());
    assertTrue(fixture.intake.memory().isEmpty());
  }

  private void forward(long sequence, long ageMillis) {
    fixture.intake.takeForwarded(
        ReportFixture.signed("w1", ReportFixture.server(sequence, STATE)),
        SERVER,
        fixture.nowNanos,
        TimeUnit.MILLISECONDS.toNanos(ageMillis));
  }

  @Test
  void forwardedReport_isTaken_andItsCopyFromTheNetworkIsAReplay() {
    fixture.sleepMillis(5_000);
    forward(3, 1_000);

    assertEquals(1, fixture.taken.size());
    assertEquals(Rejection.REPLAYED, fixture.sendServer(ReportFixture.server(3, STATE)));
    assertEquals(Rejection.REPLAYED, fixture.sendServer(ReportFixture.server(2, STATE)));
    assertNull(fixture.sendServer(ReportFixture.server(4, STATE)));
    assertEquals(2, fixture.taken.size());
    // the agent's clock is compared with the time at which the other controller got the report
    forward(5, 1_000);
    assertEquals(750, fixture.intake.status("w1").orElseThrow().clockSkewMillis());
  }

  @Test
  void forwardedReport_thatWasReceivedHere_isNotTakenAgain_andNotCounted() {
    assertNull(fixture.sendServer(ReportFixture.server(3, STATE)));
    forward(3, 0);
    forward(2, 0);

    assertEquals(1, fixture.taken.size());
    assertEquals(1, fixture.counts.accepted());
    assertEquals(0, fixture.counts.dropped().values().stream().mapToLong(each -> each).sum());
  }

  /** The guard's memory was saved, but not the report. */
  @Test
  void forwardedReport_thatTheGuardRemembersFromBeforeAStart_isTakenOnce() {
    ReportFixture restarted =
        new ReportFixture(
            Map.of(
                "w1",
                new ReplayGuard.Memory(
                    ReportFixture.BOOT, 3, ReportFixture.WALL_MILLIS - 250, ImmutableList.of())));
    byte[] report = ReportFixture.signed("w1", ReportFixture.server(3, STATE));

    restarted.intake.takeForwarded(report, SERVER, 0, 0);
    restarted.intake.takeForwarded(report, SERVER, 0, 0);

    assertEquals(1, restarted.taken.size());
    assertEquals(Rejection.REPLAYED, restarted.send(report, SERVER));
  }

  @Test
  void forwardedReport_withAWrongSignature_isNotTaken() {
    byte[] report = ReportFixture.signed("w1", ReportFixture.server(3, STATE));
    report[report.length - 2] ^= 1;
    fixture.intake.takeForwarded(report, SERVER, 0, 0);

    assertTrue(fixture.taken.isEmpty());
  }

  /** Their throughputs come as measurements. */
  @Test
  void forwardedLinkReport_isRememberedOnly() {
    byte[] report =
        ReportFixture.signed("n1", ReportFixture.links(1, "[{\"neighbour\":\"10.0.0.22\"}]"));
    fixture.intake.takeForwarded(report, NODE, 0, 0);

    assertTrue(fixture.taken.isEmpty());
    assertEquals(1, fixture.intake.status("n1").orElseThrow().accepted());
    assertEquals(Rejection.REPLAYED, fixture.send(report, NODE));
  }

  @Test
  void acceptedReports_areTold_asTheyCame_forwardedOnesAreNot() {
    List<byte[]> told = new ArrayList<>();
    fixture.intake.whenAccepted((agent, report, source, atNanos) -> told.add(report));
    byte[] report = ReportFixture.signed("w1", ReportFixture.server(1, STATE));
    assertNull(fixture.send(report, SERVER));
    forward(2, 0);
    assertEquals(Rejection.REPLAYED, fixture.send(report, SERVER));

    assertEquals(List.of(report), told);
  }
}
