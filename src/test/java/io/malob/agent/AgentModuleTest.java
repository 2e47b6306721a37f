package io.malob.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.hash.Hashing;
import com.google.common.io.BaseEncoding;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.Measurement;
import io.malob.state.network.ServerValue;
import io.malob.state.report.Rejection;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.floodlightcontroller.core.IListener.Command;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class AgentModuleTest {
  private static final String KEY = "00112233445566778899aabbccddeeff";
  private static final String AGENTS =
      """
      {"allow_unsigned": %s, "agents": [
        {"id": "w1", "kind": "server", "address": "10.0.0.11", "key": "%s",
         "other_addresses": ["2001:db8::11"]},
        {"id": "n1", "kind": "link", "address": "10.0.0.21", "key": "%s"}]}
      """;
  private static final MacAddress MAC = MacAddress.of("02:00:00:00:00:0b");
  private static final IPv4Address SERVER = IPv4Address.of("10.0.0.11");
  private static final IPAddress<?> SERVER_IPV6 = IPAddress.of("2001:db8::11");
  private static final IPv4Address NODE = IPv4Address.of("10.0.0.21");
  private static final IPv4Address TO_SERVERS = IPv4Address.of("192.168.9.19");
  private static final IPv4Address TO_LINKS = IPv4Address.of("192.168.9.29");
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S2 = DatapathId.of(2);

  @TempDir Path data;
  private AgentNetwork net;

  @BeforeEach
  void setUp() throws Exception {
    writeAgents(false);
    net = new AgentNetwork(Map.of("data", data.toString()));
    net.connect(S1);
  }

  private void writeAgents(boolean allowUnsigned) throws Exception {
    Files.writeString(data.resolve("agents.json"), AGENTS.formatted(allowUnsigned, KEY, KEY));
  }

  private static byte[] signed(String agent, int sequence, String content) {
    String json =
        """
        {"agent":"%s","boot":"00000000000000aa","sequence":%d,"time_ms":5000,"uptime_ms":1000,%s}\
        """
            .formatted(agent, sequence, content);
    byte[] key = BaseEncoding.base16().lowerCase().decode(KEY);
    String head =
        "malob-report 1 "
            + agent
            + " "
            + Hashing.hmacSha256(key).hashString(json, StandardCharsets.UTF_8);
    return (head + "\n" + json).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] udp(IPv4Address from, IPv4Address to, byte[] report) {
    return Frames.udp(MAC, ReportPackets.MAC, from, 40_000, to, 9_876, report);
  }

  private Command sendServer(int sequence, String state) {
    return net.packetIn(S1, udp(SERVER, TO_SERVERS, signed("w1", sequence, "\"server\":" + state)));
  }

  private void sendLinks(int sequence, String links) {
    net.packetIn(S1, udp(NODE, TO_LINKS, signed("n1", sequence, "\"links\":" + links)));
  }

  private double cpu() {
    return cpu(SERVER);
  }

  private double cpu(IPAddress<?> server) {
    Measurement cpu = net.servers.get(server, net.nanoTime.get()).value(ServerValue.CPU);
    return cpu == null ? -1 : cpu.value();
  }

  @Test
  void serverReport_inBand_isMeasured() {
    assertEquals(Command.STOP, sendServer(1, "{\"cpu\":0.75,\"connections\":{\"80\":4}}"));

    assertEquals(0.75, cpu());
    assertEquals(4, net.servers.get(SERVER, net.nanoTime.get()).connections().get(80).value());
    assertEquals(1, net.module.counts().accepted());
    IAgentService.KnownAgent agent = net.module.agents().get(0);
    assertEquals("w1", agent.agent().id());
    assertEquals(1, agent.status().orElseThrow().sequence());
    assertEquals(5_000 - AgentNetwork.WALL_MILLIS, agent.status().orElseThrow().clockSkewMillis());
  }

  @Test
  void reportByOtherWays_isMeasured() throws Exception {
    net.module.take(signed("w1", 1, "\"server\":{\"cpu\":0.5}"));
    assertEquals(0.5, cpu());
  }

  @Test
  void report_isAboutAllAddressesOfItsServer_untilTheAgentIsGone() throws Exception {
    sendServer(1, "{\"cpu\":0.75}");
    assertEquals(0.75, cpu(SERVER_IPV6));
    Files.writeString(data.resolve("agents.json"), "{\"agents\":[]}");
    net.passMillis(2_000);
    assertEquals(-1, cpu(SERVER_IPV6));
  }

  @Test
  void packetOfAnotherRule_isNotLookedAt() {
    byte[] report = udp(SERVER, TO_SERVERS, signed("w1", 1, "\"server\":{\"cpu\":0.5}"));
    assertEquals(Command.CONTINUE, net.packetIn(S1, report, Cookie.of(CookieKind.SWITCH, 0)));
    assertEquals(-1, cpu());
  }

  @Test
  void reports_areTakenBeforeHostsAreLearned_andArpAfter() {
    assertTrue(net.module.isCallbackOrderingPostreq(OFType.PACKET_IN, "devicemanager"));
    byte[] report = udp(SERVER, TO_SERVERS, signed("w1", 1, "\"server\":{}"));
    assertEquals(Command.STOP, net.packetInToFirst(S1, report));
    assertEquals(
        Command.CONTINUE, net.packetInToFirst(S1, Frames.arpRequest(MAC, SERVER, TO_SERVERS)));
    ReportArp arp = new ReportArp(null);
    assertTrue(arp.isCallbackOrderingPrereq(OFType.PACKET_IN, "devicemanager"));
    assertTrue(arp.isCallbackOrderingPostreq(OFType.PACKET_IN, "forwarding"));
  }

  @Test
  void linkReport_isThatOfTheOneLinkBetweenTheSwitches() {
    net.attach(NODE, S1);
    net.attach(IPv4Address.of("10.0.0.22"), S2);
    DirectedLink there = new DirectedLink(S1, OFPort.of(3), S2, OFPort.of(4));
    DirectedLink back = new DirectedLink(S2, OFPort.of(4), S1, OFPort.of(3));
    net.setTopology(Topology.of(List.of(S1, S2), Set.of(there, back)));

    sendLinks(1, "[{\"neighbour\":\"10.0.0.22\",\"up_mbps\":9.5,\"down_mbps\":20}]");

    Map<DirectedLink, LinkMeasurements> links = net.links.snapshot(net.nanoTime.get());
    assertEquals(9.5e6, links.get(there).agentThroughputBps().value());
    assertEquals(20e6, links.get(back).agentThroughputBps().value());
  }

  @Test
  void linkReport_thatFitsNoOneLink_isCounted() {
    net.attach(NODE, S1);
    net.attach(IPv4Address.of("10.0.0.22"), S2);
    DirectedLink one = new DirectedLink(S1, OFPort.of(3), S2, OFPort.of(4));
    DirectedLink other = new DirectedLink(S1, OFPort.of(5), S2, OFPort.of(6));

    sendLinks(1, "[{\"neighbour\":\"10.0.0.99\",\"up_mbps\":9}]");
    sendLinks(2, "[{\"neighbour\":\"10.0.0.22\",\"up_mbps\":9}]");
    net.setTopology(Topology.of(List.of(S1, S2), Set.of(one, other)));
    sendLinks(3, "[{\"neighbour\":\"10.0.0.22\",\"up_mbps\":9}]");

    assertEquals(2, net.module.counts().of(Rejection.UNKNOWN_LINK));
    assertEquals(1, net.module.counts().of(Rejection.AMBIGUOUS_LINK));
    net.links
        .snapshot(net.nanoTime.get())
        .values()
        .forEach(link -> assertEquals(LinkMeasurements.UNKNOWN, link));
  }

  @Test
  void flood_ofOneAgent_isCutBeforeItsSignaturesAreLookedAt() {
    for (int i = 0; i < 1_000; i++) {
      net.packetIn(S1, udp(SERVER, TO_SERVERS, new byte[100]));
    }
    assertEquals(20, net.module.counts().of(Rejection.UNSIGNED));
    assertEquals(980, net.module.counts().of(Rejection.RATE_LIMITED));

    net.passMillis(1_000);
    sendServer(1, "{\"cpu\":0.5}");
    assertEquals(0.5, cpu());
  }

  @Test
  void flood_fromElsewhere_leavesAgentsAlone() {
    for (int i = 0; i < 1_000; i++) {
      net.packetIn(S1, udp(IPv4Address.of(0x0a010000 + i), TO_SERVERS, new byte[100]));
    }
    sendServer(1, "{\"cpu\":0.5}");

    assertEquals(1_000, net.module.counts().of(Rejection.UNKNOWN_AGENT));
    assertEquals(0.5, cpu());
  }

  @Test
  void reportsThatAreNotDealtWith_areBounded() {
    net = new AgentNetwork(Map.of("data", data.toString(), "reportsPerSecond", "100000"));
    net.holdTasks();
    for (int i = 0; i < 1_500; i++) {
      net.packetIn(S1, udp(SERVER, TO_SERVERS, new byte[100]));
    }
    assertEquals(500, net.module.counts().of(Rejection.OVERLOADED));
    net.releaseTasks();
    assertEquals(1_000, net.module.counts().of(Rejection.UNSIGNED));
    sendServer(1, "{\"cpu\":0.5}");
    assertEquals(0.5, cpu());
  }

  @Test
  void oversizedOrFragmentedReport_isDropped() {
    byte[] frame = udp(SERVER, TO_SERVERS, new byte[1_401]);
    net.packetIn(S1, frame);
    net.packetIn(S1, Frames.fragment(udp(SERVER, TO_SERVERS, new byte[100]), 0, true));
    assertEquals(2, net.module.counts().of(Rejection.OVERSIZED));
  }

  @Test
  void garbage_isIgnored() {
    assertEquals(Command.STOP, net.packetIn(S1, new byte[3]));
    net.packetIn(S1, Frames.udp(MAC, MAC, SERVER, 1, TO_SERVERS, 9_877, new byte[9]));
    net.packetIn(S1, udp(SERVER, IPv4Address.of("192.168.9.20"), new byte[9]));
    assertEquals(Map.of(), net.module.counts().dropped());
  }

  @Test
  void arp_forTheReportAddresses_isAnsweredWhereItComesIn() {
    for (IPv4Address address : List.of(TO_SERVERS, TO_LINKS)) {
      byte[] request = Frames.arpRequest(MAC, SERVER, address);
      net.sent(S1).clear();
      assertEquals(Command.STOP, net.packetIn(S1, request));

      OFPacketOut out = (OFPacketOut) net.sent(S1).get(0);
      assertArrayEquals(Replies.arpReply(Packet.parse(request), ReportPackets.MAC), out.getData());
    }
  }

  @Test
  void serverOverIpv6_learnsTheMacOfTheReportAddress_andReports() throws Exception {
    IPv6Address to = IPv6Address.of("fd00:9::19");
    IPv6Address server = IPv6Address.of("2001:db8::11");
    net =
        new AgentNetwork(
            Map.of("data", data.toString(), "serverAddress", "192.168.9.19, fd00:9::19"));
    net.connect(S1);
    net.sent(S1).clear();
    byte[] question =
        new Ipv6Frames(
                MAC, MacAddress.of("33:33:ff:00:00:19"), server, IPv6Address.of("ff02::1:ff00:19"))
            .solicitation(to);
    assertEquals(Command.STOP, net.packetIn(S1, question));
    OFPacketOut out = (OFPacketOut) net.sent(S1).get(0);
    assertArrayEquals(
        new Ipv6Frames(ReportPackets.MAC, MAC, to, server).advertisement(to, ReportPackets.MAC),
        out.getData());

    byte[] report = signed("w1", 1, "\"server\":{\"cpu\":0.75}");
    net.packetIn(S1, new Ipv6Frames(MAC, ReportPackets.MAC, server, to).udp(40_000, 9_876, report));
    assertEquals(0.75, cpu());
    assertEquals(0.75, cpu(SERVER_IPV6));
  }

  @ParameterizedTest
  @ValueSource(strings = {"192.168.9", "192.168.9.19,", "192.168.9.19,192.168.9.20", "fd00::1%2"})
  void reportAddress_thatIsNone_isRefused(String address) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new AgentNetwork(Map.of("data", data.toString(), "serverAddress", address)));
    assertTrue(String.valueOf(e.getMessage()).contains("serverAddress"), e.getMessage());
  }

  @Test
  void arp_forOthersOrByWhoeverClaimsTheAddress_isNotAnswered() {
    net.sent(S1).clear();
    net.packetIn(S1, Frames.arpRequest(MAC, SERVER, IPv4Address.of("192.168.9.20")));
    net.packetIn(S1, Frames.arpRequest(MAC, TO_SERVERS, TO_SERVERS));
    assertEquals(List.of(), net.sent(S1));
  }

  @Test
  void switch_getsAMeterAndItsRules() {
    List<OFMessage> sent = net.sent(S1);
    assertEquals(
        List.of(OFType.METER_MOD, OFType.METER_MOD),
        sent.subList(0, 2).stream().map(OFMessage::getType).toList());
    assertEquals(4, rules(sent).size());
    assertTrue(rules(sent).stream().allMatch(AgentModuleTest::isMetered));
  }

  @Test
  void switchWithoutMeters_getsItsRulesWithoutOne() {
    net.refuseMeters();
    net.connect(S2);

    List<OFFlowAdd> last = rules(net.sent(S2)).subList(4, 8);
    assertFalse(last.stream().anyMatch(AgentModuleTest::isMetered));
    net.passMillis(60_000);
    List<OFFlowAdd> again = rules(net.sent(S2)).subList(8, 12);
    assertFalse(again.stream().anyMatch(AgentModuleTest::isMetered));
  }

  @Test
  void rules_areSetAgainEveryMinute() {
    int before = rules(net.sent(S1)).size();
    net.passMillis(60_000);
    assertEquals(before + 4, rules(net.sent(S1)).size());
  }

  private static List<OFFlowAdd> rules(List<OFMessage> messages) {
    return messages.stream()
        .filter(OFFlowAdd.class::isInstance)
        .map(OFFlowAdd.class::cast)
        .toList();
  }

  private static boolean isMetered(OFFlowAdd rule) {
    return rule.getInstructions().get(0).getType().name().equals("METER");
  }

  @Test
  void agentsFile_changed_isReadAgain() throws Exception {
    sendServer(1, "{\"cpu\":0.5}");
    Files.writeString(data.resolve("agents.json"), "{\"agents\":[]}");
    net.passMillis(2_000);

    assertEquals(-1, cpu(), "what it reported is forgotten");
    sendServer(2, "{\"cpu\":0.6}");
    assertEquals(1, net.module.counts().of(Rejection.UNKNOWN_AGENT));
    writeAgents(true);
    net.passMillis(2_000);
    sendServer(3, "{\"cpu\":0.7}");
    assertEquals(0.7, cpu());
    net.packetIn(S1, udp(SERVER, TO_SERVERS, "1 2 30".getBytes(StandardCharsets.US_ASCII)));
    assertEquals(0.3, cpu());
  }

  @Test
  void linkAgents_asTheFileHasThem_areKnownToTheMonitor() throws Exception {
    assertEquals(Set.of(NODE), net.linkAgents());
    Files.writeString(data.resolve("agents.json"), "{\"agents\":[]}");
    net.passMillis(2_000);
    assertEquals(Set.of(), net.linkAgents());
  }

  @Test
  void agentsFile_withAnError_changesNothing() throws Exception {
    Files.writeString(data.resolve("agents.json"), "{\"agents\":[{}]}");
    net.passMillis(2_000);
    sendServer(1, "{\"cpu\":0.5}");
    assertEquals(0.5, cpu());
  }

  @Test
  void agentsFile_taken_leavesNobody() throws Exception {
    Files.delete(data.resolve("agents.json"));
    net.passMillis(2_000);
    assertEquals(List.of(), net.module.agents());
  }

  @Test
  void restart_doesNotForgetWhatWasAccepted() {
    sendServer(7, "{\"cpu\":0.5}");
    net.shutDown();
    net = new AgentNetwork(Map.of("data", data.toString()));

    sendServer(7, "{\"cpu\":0.5}");
    assertEquals(1, net.module.counts().of(Rejection.REPLAYED));
    assertEquals(-1, cpu());
    sendServer(8, "{\"cpu\":0.6}");
    assertEquals(0.6, cpu());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "agents-heard.json | {\"w1\": | line 1, column 7: not valid JSON",
        "agents-heard.json | {\"w1\":{\"boot\":7}} | line 1, column 8: w1.boot must be a string",
        "agents.json | {\"agents\":[{}]} | line 1, column 12: agents[0] has no id",
        "agents.json | {\"agents\": | line 1, column 11: not valid JSON"
      })
  void restart_withADamagedFile_isRefused_andTheCopyRestoresIt(
      String name, String text, String what) throws Exception {
    sendServer(7, "{\"cpu\":0.5}");
    net.shutDown();
    Path file = data.resolve(name);
    Files.writeString(file, text);

    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new AgentNetwork(Map.of("data", data.toString())));

    String message = String.valueOf(e.getMessage());
    assertTrue(message.contains(file + " is damaged: " + what), message);
    Path copy = data.resolve(name + ".last-good");
    assertTrue(message.contains("\"cp -p " + copy + " " + file + "\" restores it"), message);
    Files.copy(copy, file, StandardCopyOption.REPLACE_EXISTING);
    net = new AgentNetwork(Map.of("data", data.toString()));
    sendServer(7, "{\"cpu\":0.5}");
    assertEquals(1, net.module.counts().of(Rejection.REPLAYED));
  }

  @Test
  void restart_withoutTheFileThatThereWas_isRefused() throws Exception {
    Files.delete(data.resolve("agents.json"));
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new AgentNetwork(Map.of("data", data.toString())));
    assertTrue(String.valueOf(e.getMessage()).contains("is missing, but existed before"));
  }

  /** As in real Floodlight, where nobody else looks at the names of settings. */
  @Test
  void settingThatIsMisspelled_isRefusedByTheModuleItself() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new AgentNetwork(Map.of("data", data.toString(), "reportPerSecond", "7")));
    assertTrue(
        String.valueOf(e.getMessage())
            .contains(
                "There is no setting io.malob.agent.AgentModule.reportPerSecond; did you mean"
                    + " io.malob.agent.AgentModule.reportsPerSecond?"));
  }
}
