package io.malob.endhost;

import static io.malob.endhost.HostOnASwitch.GATEWAY_MAC;
import static io.malob.endhost.HostOnASwitch.HOST;
import static io.malob.endhost.HostOnASwitch.HOST_MAC;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeFlowTable.Output;
import io.malob.testing.Frames;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;

class UplinkLossTest {
  private static final IPv4Address SERVER = IPv4Address.of("192.0.2.1");
  private static final int RST = 0x04;
  private static final int ACK = 0x10;
  private static final int SYN_ACK = 0x12;

  private HostOnASwitch host;

  @BeforeEach
  void start() throws Exception {
    host = new HostOnASwitch().configured();
  }

  @Test
  void connection_onAnUplinkThatDies_isResetAlthoughItsHostIsSilent() {
    assertEquals(0, host.opens(40_000, SERVER));
    host.uplinks.setAlive("eth0", false);
    assertEquals(0, host.flowRules());
    List<Output> asked = host.pass(50);
    assertEquals(1, asked.size());
    Packet question = Packet.parse(asked.get(0).frame());
    assertFalse(question.isTcpSyn());
    assertTrue(question.hasTcpFlags(ACK));
    assertEquals(40_000, question.dstPort());
    assertEquals(HOST.getInt(), question.dstAddress());
    // the host says what it expects, and is reset there
    List<Output> answer = host.sendsTcp(40_000, SERVER, ACK);
    assertEquals(1, answer.size());
    assertTrue(Packet.parse(answer.get(0).frame()).hasTcpFlags(RST));
    assertEquals(1, host.count(0, "reset"));
    assertEquals(0, host.count(0, "open"));
    assertEquals(List.of(), host.pass(1_000), "who has been reset is not asked again");
  }

  @Test
  void host_thatDoesNotAnswer_isAskedAgainButNotForEver() {
    host.opens(40_000, SERVER);
    host.uplinks.setAlive("eth0", false);
    int asked = 0;
    for (int i = 0; i < 100; i++) {
      asked += host.pass(50).size();
    }
    assertEquals(3, asked);
  }

  @Test
  void host_whoseFirewallDropsTheAck_isAskedBySyns() {
    host.opens(40_000, SERVER);
    host.uplinks.setAlive("eth0", false);
    host.pass(50);
    List<Output> again = host.pass(650);
    assertEquals(1, again.size());
    assertTrue(Packet.parse(again.get(0).frame()).isTcpSyn());
  }

  @Test
  void connection_thatIsStillBeingOpened_isMovedInsteadOfReset() {
    assertEquals(0, host.opens(40_000, SERVER));
    host.uplinks.setAlive("eth0", false);
    assertEquals(1, host.pass(50).size());
    // before the handshake, the host rejects the ACK, and retransmits its SYN
    assertEquals(List.of(), host.sendsTcp(40_000, SERVER, RST));
    assertEquals(1, host.opens(40_000, SERVER));
    assertEquals(List.of(), host.pass(1_000), "no SYN ends the attempt");
    assertEquals(1, host.tcpComesIn(1, SERVER, 40_000, SYN_ACK).size());
  }

  @Test
  void newConnections_avoidAnUplinkWhoseRouterOwesAnAnswer() {
    host.uplinks.setSilent("eth0", true);
    assertEquals(1, host.opens(40_000, SERVER));
    assertEquals(1, host.opens(40_001, SERVER));
    host.uplinks.setSilent("eth1", true);
    assertEquals(
        Set.of(0, 1), Set.of(host.opens(40_002, SERVER), host.opens(40_003, SERVER)), "no better");
    host.uplinks.setSilent("eth0", false);
    assertEquals(0, host.opens(40_004, SERVER));
    assertEquals(0, host.count(0, "reset") + host.count(1, "reset"));
  }

  @Test
  void connections_onOtherUplinks_areLeftAlone() {
    host.opens(40_000, SERVER);
    assertEquals(1, host.opens(40_001, SERVER));
    host.uplinks.setAlive("eth0", false);
    assertEquals(2, host.flowRules());
    assertEquals(1, host.tcpComesIn(1, SERVER, 40_001, 0x12).size());
    assertEquals(0, host.count(1, "reset"));
  }

  @Test
  void connection_openedAnew_goesOverAnUplinkThatIsAlive() {
    assertEquals(0, host.opens(40_000, SERVER));
    host.uplinks.setAlive("eth0", false);
    assertEquals(1, host.opens(40_000, SERVER));
    assertEquals(List.of(), host.pass(50), "the new one is not reset");
  }

  @Test
  void connection_whoseUplinkGetsAnotherAddress_isReset() throws Exception {
    assertEquals(0, host.opens(40_000, SERVER));
    host.module.configure(HostOnASwitch.configuration("RR", "\"10.0.1.77\"", "\"10.0.2.2\""));
    assertEquals(0, host.flowRules());
    assertEquals(1, host.pass(50).size());
  }

  @Test
  void connection_stays_ifTheConfigurationComesAgain() throws Exception {
    assertEquals(0, host.opens(40_000, SERVER));
    host.module.configure(HostOnASwitch.configuration("RR", "\"10.0.1.2\"", "\"10.0.2.2\""));
    assertEquals(2, host.flowRules());
    assertEquals(List.of(), host.pass(50));
    assertEquals(1, host.tcpComesIn(0, SERVER, 40_000, 0x12).size());
  }

  @Test
  void udp_onAnUplinkThatDies_isMovedToAnotherUplink() {
    assertEquals(0, host.sendsUdp(50_000, SERVER, 443));
    host.comesIn(0, answer(0, 443));
    List<Output> told = host.whileIt(() -> host.uplinks.setAlive("eth0", false));
    assertEquals(List.of(), told, "its host learns nothing of it");
    assertEquals(2, host.flowRules());
    // both directions by the switch alone
    assertEquals(1, host.sendsUdp(50_000, SERVER, 443));
    List<Output> back = host.comesIn(1, answer(1, 443));
    assertEquals(1, back.size());
    assertEquals(HOST.getInt(), Packet.parse(back.get(0).frame()).dstAddress());
    assertEquals(List.of(), host.comesIn(0, answer(0, 443)), "answers to the former address");
    assertEquals(List.of(0L, 1L, 1L, 0L), uplinkCounts(0));
    assertEquals(List.of(1L, 1L, 0L, 0L), uplinkCounts(1));
  }

  private List<Long> uplinkCounts(int uplink) {
    return Stream.of("open", "total", "moved", "reset").map(n -> host.count(uplink, n)).toList();
  }

  private static byte[] answer(int uplink, int port) {
    return Frames.udp(
        ManualUplinks.routerMac(uplink + 1),
        HostOnASwitch.uplinkMac(uplink),
        SERVER,
        port,
        HostOnASwitch.UPLINK_ADDRESSES[uplink],
        50_000,
        new byte[8]);
  }

  @Test
  void udp_staysWhereItWasMoved_whenItsUplinkComesBack() {
    host.sendsUdp(50_000, SERVER, 443);
    host.uplinks.setAlive("eth0", false);
    host.uplinks.setAlive("eth0", true);
    host.sweep();
    assertEquals(1, host.sendsUdp(50_000, SERVER, 443));
    assertEquals(1, host.count(0, "moved"));
    assertEquals(0, host.count(1, "moved"));
  }

  @Test
  void udp_isSpreadOverTheUplinksThatAreLeft_byTheAlgorithm() throws Exception {
    for (int port = 50_000; port < 50_004; port++) {
      host.sendsUdp(port, SERVER, 443);
    }
    host.uplinks.setAlive("eth1", false);
    assertEquals(4, host.count(0, "open"));
    assertEquals(2, host.count(1, "moved"));
  }

  @Test
  void udp_whoseUplinkGetsAnotherAddress_continuesFromIt() throws Exception {
    assertEquals(0, host.sendsUdp(50_000, SERVER, 443));
    host.uplinks.setAlive("eth1", false);
    host.module.configure(HostOnASwitch.configuration("RR", "\"10.0.1.77\"", "\"10.0.2.2\""));
    assertEquals(2, host.flowRules());
    List<Output> sent = host.sends(question(443));
    assertEquals(HostOnASwitch.uplinkPort(0), sent.get(0).port());
    assertEquals(
        IPv4Address.of("10.0.1.77").getInt(), Packet.parse(sent.get(0).frame()).srcAddress());
  }

  @Test
  void udp_withoutAnotherUplink_isTold() {
    host.sendsUdp(50_000, SERVER, 443);
    host.uplinks.setAlive("eth1", false);
    assertToldUnreachable(host.whileIt(() -> host.uplinks.setAlive("eth0", false)));
    assertEquals(0, host.flowRules());
    assertEquals(1, host.count(0, "reset"));
  }

  @Test
  void dnsQuery_onAnUplinkThatDies_isToldAndPlacedAnew() {
    assertEquals(0, host.sendsUdp(50_000, SERVER, 53));
    assertToldUnreachable(host.whileIt(() -> host.uplinks.setAlive("eth0", false)));
    assertEquals(0, host.flowRules());
    assertEquals(1, host.sendsUdp(50_000, SERVER, 53));
  }

  private static void assertToldUnreachable(List<Output> told) {
    assertEquals(1, told.size());
    Packet error = Packet.parse(told.get(0).frame());
    assertEquals(3, error.icmpType());
    assertEquals(SERVER.getInt(), error.srcAddress());
  }

  private static byte[] question(int port) {
    return Frames.udp(HOST_MAC, GATEWAY_MAC, HOST, 50_000, SERVER, port, new byte[8]);
  }

  @Test
  void flows_outliveTheConnectionToTheSwitch() {
    host.opens(40_000, SERVER);
    host.uplinks.switchGone();
    host.sweep();
    assertEquals(2, host.flowRules());
    host.uplinks.switchChanged();
    host.sweep();
    assertEquals(1, host.tcpComesIn(0, SERVER, 40_000, 0x12).size());
    assertEquals(0, host.count(0, "reset"));
  }

  @Test
  void rules_thatTheSwitchHasLost_arePutBack() {
    host.opens(40_000, SERVER);
    host.pass(2_000);
    host.table.clear();
    host.module.switchActivated(HostOnASwitch.SWITCH);
    host.sweep();
    assertEquals(2, host.flowRules());
    assertEquals(1, host.tcpComesIn(0, SERVER, 40_000, ACK).size());
  }

  @Test
  void everything_isResetAndTakenAway_whenTheConfigurationIsDeleted() {
    host.opens(40_000, SERVER);
    assertTrue(host.module.clear());
    assertEquals(List.of(), host.table.rules());
    assertEquals(0, host.count("flows", "open"));
    assertFalse(host.module.clear());
  }
}
