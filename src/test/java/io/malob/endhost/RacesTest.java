package io.malob.endhost;

import static io.malob.endhost.HostOnASwitch.GATEWAY_MAC;
import static io.malob.endhost.HostOnASwitch.HOST;
import static io.malob.endhost.HostOnASwitch.HOST_MAC;
import static io.malob.endhost.HostOnASwitch.UPLINK_ADDRESSES;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.malob.json.RejectedException;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.testing.FakeFlowTable.Output;
import io.malob.testing.Frames;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

class RacesTest {
  private static final IPv4Address SERVER = IPv4Address.of("192.0.2.1");
  private static final int PORT = 40_000;
  private static final int SYN = 0x02;
  private static final int ACK = 0x10;
  private static final int RST_ACK = 0x14;
  private static final int SYN_ACK = 0x12;

  /** The frames of tests acknowledge 0, which comes after it. */
  private static final int SEQUENCE = -1;

  private static final List<OFPort> BOTH =
      List.of(HostOnASwitch.uplinkPort(0), HostOnASwitch.uplinkPort(1));

  private HostOnASwitch host;

  @BeforeEach
  void configure() throws RejectedException {
    host = new HostOnASwitch().configured();
    racePorts("80, 443");
  }

  private void racePorts(String ports) throws RejectedException {
    String document =
        new String(
                HostOnASwitch.configuration("RR", "\"10.0.1.2\"", "\"10.0.2.2\""),
                StandardCharsets.UTF_8)
            .replace("\"inside\"", "\"race_ports\": [" + ports + "], \"inside\"");
    host.module.configure(document.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void syn_leavesOverBothUplinksWithTheAddressesOfEach() {
    List<Output> sent = syn(SEQUENCE);
    assertEquals(BOTH, ports(sent));
    for (int uplink = 0; uplink < 2; uplink++) {
      assertArrayEquals(
          Frames.tcp(
              HostOnASwitch.uplinkMac(uplink),
              ManualUplinks.routerMac(uplink + 1),
              UPLINK_ADDRESSES[uplink],
              PORT,
              SERVER,
              80,
              SYN,
              SEQUENCE),
          sent.get(uplink).frame());
    }
    assertEquals(0, host.count("flows", "total"), "no uplink has been chosen yet");
    assertEquals(1, host.count("races", "total"));
    assertEquals(1, host.count("races", "extra_packets"));
  }

  @Test
  void firstAnswer_choosesTheUplink() {
    syn(SEQUENCE);
    List<Output> answer = host.tcpComesIn(1, SERVER, PORT, SYN_ACK);
    assertEquals(1, answer.size());
    assertEquals(ManualUplinks.INSIDE, answer.get(0).port());
    assertArrayEquals(
        Frames.tcp(GATEWAY_MAC, HOST_MAC, SERVER, 80, HOST, PORT, SYN_ACK), answer.get(0).frame());
    List<Output> more = host.sendsTcp(PORT, SERVER, ACK);
    assertEquals(List.of(HostOnASwitch.uplinkPort(1)), ports(more));
    assertNotEquals(U64.ZERO, more.get(0).cookie(), "by a rule, and not by hand");
    assertEquals(1, host.tcpComesIn(1, SERVER, PORT, ACK).size());
    assertEquals(1, host.count(1, "open"));
    assertEquals(0, host.count(0, "total"));
    assertEquals(1, host.count("races", "won_by_second"));
  }

  @Test
  void laterAnswer_isResetAtThePeerAndDoesNotReachTheHost() {
    syn(SEQUENCE);
    host.tcpComesIn(0, SERVER, PORT, SYN_ACK);
    for (int i = 0; i < 2; i++) { // the server retransmits it
      List<Output> reset = host.tcpComesIn(1, SERVER, PORT, SYN_ACK);
      assertEquals(List.of(HostOnASwitch.uplinkPort(1)), ports(reset));
      Packet packet = Packet.parse(reset.get(0).frame());
      assertEquals(UPLINK_ADDRESSES[1], packet.source());
      assertEquals(SERVER, packet.destination());
      assertEquals(ManualUplinks.routerMac(2), packet.dstMac());
      assertEquals(PORT, packet.srcPort());
      assertEquals(true, packet.hasTcpFlags(Packet.TCP_RST));
      assertEquals(SEQUENCE + 1, packet.tcpSequence());
    }
    assertEquals(1, host.tcpComesIn(0, SERVER, PORT, ACK).size(), "the winner is not affected");
    assertEquals(0, host.count("races", "won_by_second"));
    assertEquals(1 + 2 * 2, host.count("races", "extra_packets"));
  }

  @Test
  void retransmittedSyn_leavesOverTheSameUplinksWhileNoAnswerHasCome() {
    syn(SEQUENCE);
    assertEquals(BOTH, ports(syn(SEQUENCE)));
    assertEquals(1, host.count("races", "total"));
    assertEquals(2, host.count("races", "extra_packets"));
    host.uplinks.setAlive("eth0", false);
    assertEquals(List.of(HostOnASwitch.uplinkPort(1)), ports(syn(SEQUENCE)));
    assertEquals(1, host.tcpComesIn(1, SERVER, PORT, SYN_ACK).size());
    assertEquals(List.of(HostOnASwitch.uplinkPort(1)), ports(syn(SEQUENCE)), "it is decided");
  }

  @Test
  void answerToAnotherSyn_isOfTheHostsOwnConnection() {
    syn(1_000);
    assertEquals(List.of(), host.tcpComesIn(0, SERVER, PORT, SYN_ACK));
    assertEquals(List.of(), host.tcpComesIn(0, SERVER, PORT, RST_ACK));
    assertEquals(0, host.count("flows", "total"));
    syn(SEQUENCE); // another connection with the same ports
    assertEquals(1, host.tcpComesIn(0, SERVER, PORT, SYN_ACK).size());
  }

  @Test
  void rejection_reachesTheHostOnceNoUplinkIsLeft() {
    syn(SEQUENCE);
    assertEquals(List.of(), host.tcpComesIn(0, SERVER, PORT, RST_ACK));
    assertEquals(List.of(HostOnASwitch.uplinkPort(1)), ports(syn(SEQUENCE)));
    List<Output> rejected = host.tcpComesIn(1, SERVER, PORT, RST_ACK);
    assertEquals(List.of(ManualUplinks.INSIDE), ports(rejected));
    assertArrayEquals(
        Frames.tcp(GATEWAY_MAC, HOST_MAC, SERVER, 80, HOST, PORT, RST_ACK),
        rejected.get(0).frame());
  }

  @Test
  void unreachableOverOneUplink_leavesTheOther() {
    List<Output> sent = syn(SEQUENCE);
    assertEquals(List.of(), host.comesIn(0, unreachable(sent.get(0))));
    assertEquals(List.of(ManualUplinks.INSIDE), ports(host.tcpComesIn(1, SERVER, PORT, SYN_ACK)));
  }

  @Test
  void unreachableOverBothUplinks_reachesTheHost() {
    List<Output> sent = syn(SEQUENCE);
    assertEquals(List.of(), host.comesIn(0, unreachable(sent.get(0))));
    assertEquals(List.of(ManualUplinks.INSIDE), ports(host.comesIn(1, unreachable(sent.get(1)))));
  }

  private static byte[] unreachable(Output syn) {
    return Replies.networkUnreachable(Packet.parse(syn.frame()));
  }

  @Test
  void connectionsToOtherPorts_useOneUplink() throws Exception {
    racePorts("443");
    assertEquals(1, syn(SEQUENCE).size());
    assertEquals(1, host.count("flows", "total"));
    racePorts("");
    assertEquals(1, host.sendsTcp(PORT + 1, SERVER, SYN).size());
    assertEquals(0, host.count("races", "total"));
  }

  @Test
  void withOneLiveUplink_thereIsNoRace() {
    host.uplinks.setAlive("eth0", false);
    assertEquals(List.of(HostOnASwitch.uplinkPort(1)), ports(syn(SEQUENCE)));
    assertEquals(1, host.count("flows", "total"));
    assertEquals(0, host.count("races", "total"));
  }

  @Test
  void race_isForgottenWhenServersNoLongerAnswer() {
    syn(SEQUENCE);
    host.tcpComesIn(0, SERVER, PORT, SYN_ACK);
    host.pass(62_000);
    host.sweep();
    assertEquals(1, host.tcpComesIn(1, SERVER, PORT, SYN_ACK).size());
    host.pass(1_000);
    host.sweep();
    assertEquals(List.of(), host.tcpComesIn(1, SERVER, PORT, SYN_ACK));
  }

  private List<Output> syn(int sequence) {
    return host.sends(Frames.tcp(HOST_MAC, GATEWAY_MAC, HOST, PORT, SERVER, 80, SYN, sequence));
  }

  private static List<OFPort> ports(List<Output> sent) {
    return sent.stream().map(Output::port).toList();
  }
}
