package io.malob.endhost;

import static io.malob.endhost.HostOnASwitch.GATEWAY_MAC;
import static io.malob.endhost.HostOnASwitch.HOST_MAC;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.json.RejectedException;
import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeFlowTable.Output;
import io.malob.testing.Ipv6Frames;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.U64;

class Ipv6FlowsTest {
  private static final IPv6Address HOST = IPv6Address.of("fd6d:616c:6f62::2");
  private static final IPv6Address GATEWAY = IPv6Address.of("fd6d:616c:6f62::1");
  private static final IPv6Address SERVER = IPv6Address.of("2001:db8:ff::1");
  private static final IPv6Address ROUTER = IPv6Address.of("fe80::1");
  private static final List<IPv6Address> OWN =
      List.of(IPv6Address.of("2001:db8:1::2"), IPv6Address.of("2001:db8:2::2"));
  private static final Ipv6Frames SENT = new Ipv6Frames(HOST_MAC, GATEWAY_MAC, HOST, SERVER);
  private static final Ipv6Frames TO_HOST = new Ipv6Frames(GATEWAY_MAC, HOST_MAC, SERVER, HOST);
  private static final int SYN = 0x02;
  private static final int RST = 0x04;
  private static final int ACK = 0x10;
  private static final int FIN_ACK = 0x11;
  private static final int SYN_ACK = 0x12;

  private HostOnASwitch host = new HostOnASwitch();

  @BeforeEach
  void configure() throws Exception {
    configure("RR", OWN.get(0), OWN.get(1));
  }

  /** Both uplinks with IPv4, and with that IPv6 address if there is one. */
  private void configure(String algorithm, IPv6Address... own) throws RejectedException {
    String text =
        new String(
            HostOnASwitch.configuration(algorithm, "\"10.0.1.2\"", "\"10.0.2.2\""),
            StandardCharsets.UTF_8);
    text =
        text.replace(
            "\"ipv4\": \"198.18.255.2\",",
            "\"ipv4\": \"198.18.255.2\", \"ipv6\": \"%s\", \"gateway_ipv6\": \"%s\","
                .formatted(HOST, GATEWAY));
    for (int i = 0; i < own.length; i++) {
      text =
          text.replace(
              "\"gateway_ipv4\": \"10.0.%d.1\"".formatted(i + 1),
              "\"gateway_ipv4\": \"10.0.%d.1\", \"ipv6\": \"%s\", \"gateway_ipv6\": \"fe80::1\""
                  .formatted(i + 1, own[i]));
    }
    host.module.configure(text.getBytes(StandardCharsets.UTF_8));
    host.sweep();
  }

  private static Ipv6Frames outside(int uplink) {
    return new Ipv6Frames(
        HostOnASwitch.uplinkMac(uplink),
        ManualUplinks.routerMac(uplink + 1),
        OWN.get(uplink),
        SERVER);
  }

  private static Ipv6Frames coming(int uplink) {
    return from(SERVER, uplink);
  }

  private static Ipv6Frames from(IPv6Address sender, int uplink) {
    return new Ipv6Frames(
        ManualUplinks.routerMac(uplink + 1),
        HostOnASwitch.uplinkMac(uplink),
        sender,
        OWN.get(uplink));
  }

  /** Opens a connection; which uplink it is on. */
  private int opens(int port) {
    return only(host.sends(SENT.tcp(port, 443, SYN))).port().getPortNumber() - 2;
  }

  private static Output only(List<Output> outputs) {
    assertEquals(1, outputs.size());
    return outputs.get(0);
  }

  private static Packet read(Output output) {
    assertTrue(Ipv6Frames.hasRightChecksum(output.frame()));
    return Optional.of(Packet.parse(output.frame())).filter(Packet::isIpv6).orElseThrow();
  }

  @Test
  void connections_areSpreadOverUplinksWithTheirAddresses() {
    for (int uplink : new int[] {0, 1}) {
      Output first = only(host.sends(SENT.tcp(40_000 + uplink, 443, SYN)));
      assertEquals(HostOnASwitch.uplinkPort(uplink), first.port());
      assertArrayEquals(outside(uplink).tcp(40_000 + uplink, 443, SYN), first.frame());
      assertEquals(1, host.count(uplink, "open"));
    }
  }

  @Test
  void packets_ofConnection_areTranslatedByRulesBothWays() {
    int uplink = opens(40_000);
    Output answer = only(host.comesIn(uplink, coming(uplink).tcp(443, 40_000, SYN_ACK)));
    assertNotEquals(U64.ZERO, answer.cookie(), "by a rule, and not by hand");
    assertEquals(ManualUplinks.INSIDE, answer.port());
    assertArrayEquals(TO_HOST.tcp(443, 40_000, SYN_ACK), answer.frame());
    Output more = only(host.sends(SENT.tcp(40_000, 443, ACK)));
    assertNotEquals(U64.ZERO, more.cookie(), "by a rule, and not by hand");
    assertArrayEquals(outside(uplink).tcp(40_000, 443, ACK), more.frame());
  }

  @Test
  void answer_ofUnknownFlow_isNotPassedOn() {
    int uplink = opens(40_000);
    int other = 1 - uplink;
    assertEquals(List.of(), host.comesIn(uplink, coming(uplink).tcp(443, 40_001, SYN_ACK)));
    assertEquals(List.of(), host.comesIn(other, coming(other).tcp(443, 40_000, SYN_ACK)));
    assertEquals(List.of(), host.comesIn(uplink, coming(uplink).udp(53, 50_000, new byte[9])));
  }

  @Test
  void udp_isCarriedByFiveTuple() {
    assertEquals(
        HostOnASwitch.uplinkPort(0), only(host.sends(SENT.udp(50_000, 53, new byte[3]))).port());
    assertEquals(
        HostOnASwitch.uplinkPort(1), only(host.sends(SENT.udp(50_000, 54, new byte[3]))).port());
    assertArrayEquals(
        TO_HOST.udp(53, 50_000, new byte[7]),
        only(host.comesIn(0, coming(0).udp(53, 50_000, new byte[7]))).frame());
  }

  @Test
  void ping_goesOverTheDefaultUplinkAndComesBack() {
    byte[] body = {1, 2, 3};
    Output ping = only(host.sends(SENT.icmp(128, 64, 0x10001, body)));
    assertArrayEquals(outside(0).icmp(128, 64, 0x10001, body), ping.frame());
    assertArrayEquals(
        TO_HOST.icmp(129, 60, 0x10001, body),
        only(host.comesIn(0, coming(0).icmp(129, 60, 0x10001, body))).frame());
  }

  @Test
  void flow_goesOverUplinksThatHaveIpv6Alone() throws Exception {
    configure("RR", OWN.get(0));
    Set<Integer> taken = new TreeSet<>();
    for (int port = 40_000; port < 40_006; port++) {
      taken.add(opens(port));
    }
    assertEquals(Set.of(0), taken);
    assertEquals(1, host.opens(40_100, IPv4Address.of("192.0.2.1")), "IPv4 has both");
  }

  @Test
  void flow_withoutUplink_isToldThatThereIsNoRoute() throws Exception {
    configure("RR");
    Packet told = read(only(host.sends(SENT.tcp(40_000, 443, SYN))));
    assertEquals(1, told.icmpType());
    assertEquals(HOST, told.destination());
    assertEquals(1, host.count("flows", "refused", "no_uplink"));
  }

  @Test
  void packetThatIsNoFirstOne_ofUnknownConnection_isReset() {
    Packet reset = read(only(host.sends(SENT.tcp(40_000, 443, ACK))));
    assertTrue(reset.hasTcpFlags(RST));
    assertEquals(SERVER, reset.source());
    assertEquals(List.of(), host.sends(SENT.tcp(40_000, 443, RST)));
  }

  @Test
  void connectionThatBothEndsHaveClosed_isOver() {
    int uplink = opens(40_000);
    assertEquals(1, host.sends(SENT.tcp(40_000, 443, FIN_ACK)).size());
    assertEquals(1, host.comesIn(uplink, coming(uplink).tcp(443, 40_000, FIN_ACK)).size());
    assertEquals(0, host.count(uplink, "open"));
    host.pass(6_000);
    host.sweep();
    assertEquals(0, host.flowRules());
  }

  @Test
  void connection_onAnUplinkThatDies_isResetAlthoughItsHostIsSilent() {
    assertEquals(0, opens(40_000));
    assertEquals(1, opens(40_001));
    host.uplinks.setAlive("eth0", false);
    assertEquals(2, host.flowRules());
    Packet question = read(only(host.pass(50)));
    assertTrue(question.hasTcpFlags(ACK));
    assertEquals(40_000, question.dstPort());
    assertEquals(HOST, question.destination());
    Packet reset = read(only(host.sends(SENT.tcp(40_000, 443, ACK))));
    assertTrue(reset.hasTcpFlags(RST));
    assertEquals(1, host.count(0, "reset"));
    assertEquals(0, host.count(1, "reset"));
    assertEquals(List.of(), host.pass(1_000), "who has been reset is not asked again");
  }

  @Test
  void flows_ofAnUplinkThatLosesIpv6_endAndThoseOfIpv4Stay() throws Exception {
    assertEquals(0, opens(40_000));
    assertEquals(1, host.opens(40_001, IPv4Address.of("192.0.2.1")));
    assertEquals(0, host.opens(40_002, IPv4Address.of("192.0.2.1")));
    configure("RR");
    assertEquals(4, host.flowRules());
    assertEquals(1, host.count(0, "reset"));
  }

  @Test
  void udp_onAnUplinkThatDies_isTold() {
    only(host.sends(SENT.udp(50_000, 53, new byte[3])));
    List<Output> told = host.whileIt(() -> host.uplinks.setAlive("eth0", false));
    Packet error = read(only(told));
    assertEquals(1, error.icmpType());
    assertEquals(SERVER, error.source());
  }

  @Test
  void flows_ofBeforeARestart_goOn() throws Exception {
    int uplink = opens(40_000);
    byte[] answer = coming(uplink).tcp(443, 40_000, ACK);
    assertEquals(1, host.comesIn(uplink, answer).size());
    host = host.restarted();
    configure();
    assertEquals(1, host.count(uplink, "open"));
    assertEquals(1, host.comesIn(uplink, answer).size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"fd6d:616c:6f62::1", "fd6d:616c:6f62::3", "fe80::1", "2001:db8::7"})
  void solicitation_ofTheInside_isAnsweredForEveryAddress(String asked) {
    IPv6Address target = IPv6Address.of(asked);
    Output answer = only(host.sends(toGroup(HOST).solicitation(target)));
    assertEquals(ManualUplinks.INSIDE, answer.port());
    assertArrayEquals(
        new Ipv6Frames(GATEWAY_MAC, HOST_MAC, target, HOST).advertisement(target, GATEWAY_MAC),
        answer.frame());
  }

  private static Ipv6Frames toGroup(IPv6Address sender) {
    return new Ipv6Frames(
        HOST_MAC, MacAddress.of("33:33:ff:00:00:01"), sender, IPv6Address.of("ff02::1:ff00:1"));
  }

  @Test
  void solicitation_thatLooksWhetherAnAddressIsFree_isNotAnswered() {
    Ipv6Frames nobody = toGroup(IPv6Address.NONE);
    assertEquals(List.of(), host.sends(nobody.solicitation(HOST)));
    assertEquals(List.of(), host.sends(nobody.solicitation(IPv6Address.of("fe80::7"))));
    assertEquals(List.of(), host.sends(toGroup(ROUTER).solicitation(HOST)), "its own");
  }

  @Test
  void multicastAndOtherSources_ofTheInside_stayThere() {
    Ipv6Frames group = toGroup(HOST);
    assertEquals(List.of(), host.sends(group.icmp(133, 255, 0, new byte[0])));
    assertEquals(List.of(), host.sends(group.udp(5_353, 5_353, new byte[4])));
    Ipv6Frames local = new Ipv6Frames(HOST_MAC, GATEWAY_MAC, ROUTER, SERVER);
    assertEquals(List.of(), host.sends(local.udp(1_000, 53, new byte[4])));
    assertEquals(List.of(), host.sends(SENT.icmp(1, 64, 0, new byte[48])));
    assertEquals(0, host.count("flows", "open"));
  }

  @Test
  void advertisements_ofRouters_comeToWhatIsMeasured() {
    MacAddress its = ManualUplinks.routerMac(1);
    host.comesIn(0, from(ROUTER, 0).advertisement(ROUTER, its));
    assertEquals(1, host.uplinks.advertisements);
    host.comesIn(0, from(SERVER, 0).advertisement(SERVER, its));
    assertEquals(1, host.uplinks.advertisements, "others' are the host's own");
  }

  @Test
  void icmpError_aboutAFlow_isToldToTheHostAboutItsOwnPacket() {
    int uplink = opens(40_000);
    IPv6Address router = IPv6Address.of("2001:db8:7::1");
    byte[] about = withoutEthernet(outside(uplink).tcp(40_000, 443, ACK));
    Output told = only(host.comesIn(uplink, from(router, uplink).icmp(2, 60, 1_280, about)));
    byte[] wanted = withoutEthernet(SENT.tcp(40_000, 443, ACK));
    assertArrayEquals(
        new Ipv6Frames(GATEWAY_MAC, HOST_MAC, router, HOST).icmp(2, 60, 1_280, wanted),
        told.frame());
    byte[] foreign = withoutEthernet(outside(uplink).tcp(40_009, 443, ACK));
    assertEquals(List.of(), host.comesIn(uplink, from(router, uplink).icmp(2, 60, 1_280, foreign)));
  }

  private static byte[] withoutEthernet(byte[] frame) {
    return Arrays.copyOfRange(frame, 14, frame.length);
  }

  @Test
  void fragments_areNotCarriedAndCountedOncePerPacket() {
    assertEquals(List.of(), host.sends(SENT.fragment(17, 0, true, new byte[64])));
    assertEquals(List.of(), host.sends(SENT.fragment(17, 8, false, new byte[64])));
    assertEquals(1, host.count("flows", "refused", "fragment_ipv6"));
    assertEquals(0, host.count("flows", "open"));
  }

  @Test
  void switchThatSpreadsFlowsItself_leavesIpv6ToTheController() throws Exception {
    configure("GROUP", OWN.get(0), OWN.get(1));
    Set<Integer> taken = new TreeSet<>();
    for (int port = 40_000; port < 40_004; port++) {
      taken.add(opens(port));
    }
    assertEquals(Set.of(0, 1), taken);
    assertEquals(8, host.flowRules());
    assertEquals(1, host.comesIn(0, coming(0).tcp(443, 40_000, SYN_ACK)).size());
  }

  @Test
  void packetThatCannotBeRead_isCounted() {
    byte[] cut = SENT.tcp(40_000, 443, SYN);
    cut[14 + 5] = 60; // longer than it is
    host.sends(cut);
    assertEquals(1, host.count("flows", "refused", "malformed"));
  }
}
