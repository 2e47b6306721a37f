package io.malob.endhost;

import static io.malob.endhost.HostOnASwitch.GATEWAY_MAC;
import static io.malob.endhost.HostOnASwitch.HOST;
import static io.malob.endhost.HostOnASwitch.HOST_MAC;
import static io.malob.endhost.HostOnASwitch.SWITCH;
import static io.malob.endhost.HostOnASwitch.UPLINK_ADDRESSES;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeFlowTable;
import io.malob.testing.FakeFlowTable.Output;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

class FlowsTest {
  private static final IPv4Address SERVER = IPv4Address.of("192.0.2.1");
  private static final IPv4Address OTHER = IPv4Address.of("192.0.2.2");
  private static final int SYN = 0x02;
  private static final int RST = 0x04;
  private static final int ACK = 0x10;
  private static final int FIN_ACK = 0x11;
  private static final int SYN_ACK = 0x12;

  @Test
  void firstPacket_ofConnection_leavesByAnUplinkWithItsAddresses() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    List<Output> sent = host.sendsTcp(40_000, SERVER, SYN);
    assertEquals(1, sent.size());
    assertEquals(HostOnASwitch.uplinkPort(0), sent.get(0).port());
    assertArrayEquals(
        Frames.tcp(
            HostOnASwitch.uplinkMac(0),
            ManualUplinks.routerMac(1),
            UPLINK_ADDRESSES[0],
            40_000,
            SERVER,
            80,
            SYN),
        sent.get(0).frame());
    assertEquals(1, host.count(0, "open"));
  }

  @Test
  void packets_ofConnection_areTranslatedByRulesBothWays() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    int uplink = host.opens(40_000, SERVER);
    List<Output> answer = host.tcpComesIn(uplink, SERVER, 40_000, SYN_ACK);
    assertEquals(1, answer.size());
    assertNotEquals(U64.ZERO, answer.get(0).cookie(), "by a rule, and not by hand");
    assertEquals(ManualUplinks.INSIDE, answer.get(0).port());
    assertArrayEquals(
        Frames.tcp(GATEWAY_MAC, HOST_MAC, SERVER, 80, HOST, 40_000, SYN_ACK),
        answer.get(0).frame());
    List<Output> more = host.sendsTcp(40_000, SERVER, ACK);
    assertEquals(1, more.size());
    assertNotEquals(U64.ZERO, more.get(0).cookie(), "by a rule, and not by hand");
  }

  @Test
  void reply_ofUnknownFlow_isNotPassedOn() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    int uplink = host.opens(40_000, SERVER);
    assertEquals(List.of(), host.tcpComesIn(uplink, OTHER, 40_000, SYN_ACK));
    assertEquals(List.of(), host.tcpComesIn(uplink, SERVER, 40_001, SYN_ACK));
    assertEquals(List.of(), host.tcpComesIn(1 - uplink, SERVER, 40_000, SYN_ACK));
    assertEquals(List.of(), host.comesIn(uplink, udp(uplink, SERVER, 53, 40_000)));
  }

  @Test
  void twoConnections_fromOnePortToTwoServers_areToldApart() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    int first = host.opens(40_000, SERVER);
    int second = host.opens(40_000, OTHER);
    assertNotEquals(first, second);
    assertEquals(1, host.tcpComesIn(first, SERVER, 40_000, SYN_ACK).size());
    assertEquals(1, host.tcpComesIn(second, OTHER, 40_000, SYN_ACK).size());
    assertEquals(List.of(), host.tcpComesIn(first, OTHER, 40_000, SYN_ACK));
  }

  @Test
  void severalPacketIns_ofOneFlow_getOneAnswer() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    assertEquals(0, host.opens(40_000, SERVER));
    assertEquals(0, host.opens(40_000, SERVER));
    assertEquals(1, host.count("flows", "total"));
    assertEquals(1, host.opens(40_001, SERVER));
  }

  @Test
  void replyThatOvertakesItsRule_isHandedOver() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    int uplink = host.opens(40_000, SERVER);
    host.table.clear(); // as if the switch still went by what it knew before
    byte[] answer =
        Frames.tcp(
            ManualUplinks.routerMac(uplink + 1),
            HostOnASwitch.uplinkMac(uplink),
            SERVER,
            80,
            UPLINK_ADDRESSES[uplink],
            40_000,
            SYN_ACK);
    List<Output> left = host.comesIn(uplink, answer);
    assertEquals(1, left.size());
    assertArrayEquals(
        Frames.tcp(GATEWAY_MAC, HOST_MAC, SERVER, 80, HOST, 40_000, SYN_ACK), left.get(0).frame());
  }

  @Test
  void packetThatIsNoFirstOne_ofUnknownConnection_isReset() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    List<Output> left = host.sendsTcp(40_000, SERVER, ACK);
    assertEquals(1, left.size());
    assertEquals(ManualUplinks.INSIDE, left.get(0).port());
    assertTrue(Packet.parse(left.get(0).frame()).hasTcpFlags(RST));
    assertEquals(List.of(), host.sendsTcp(40_000, SERVER, RST), "a reset is not answered");
    assertEquals(0, host.count("flows", "total"));
  }

  @Test
  void rules_ofConnectionThatBothEndsHaveClosed_goAfterAWhile() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    int uplink = host.opens(40_000, SERVER);
    assertEquals(1, host.sendsTcp(40_000, SERVER, FIN_ACK).size(), "it goes on all the same");
    assertEquals(1, host.count("flows", "open"));
    assertEquals(1, host.tcpComesIn(uplink, SERVER, 40_000, FIN_ACK).size());
    assertEquals(0, host.count("flows", "open"));
    host.sweep();
    assertEquals(2, host.flowRules());
    host.pass(5_000);
    host.sweep();
    assertEquals(0, host.flowRules());
  }

  @Test
  void reset_ofEitherEnd_endsTheConnection() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    int uplink = host.opens(40_000, SERVER);
    host.tcpComesIn(uplink, SERVER, 40_000, RST);
    assertEquals(0, host.count("flows", "open"));
  }

  @Test
  void synOnThePortOfAConnectionThatHasEnded_isANewOneOnTheSameUplink() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    int uplink = host.opens(40_000, SERVER);
    host.tcpComesIn(uplink, SERVER, 40_000, RST);
    assertEquals(uplink, host.opens(40_000, SERVER));
    assertEquals(2, host.count("flows", "total"));
    assertEquals(1, host.count("flows", "open"));
    host.pass(5_000);
    host.sweep();
    assertEquals(2, host.flowRules(), "the end of the old one leaves the new one alone");
  }

  @Test
  void flow_whoseRulesExpire_isForgotten() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    host.opens(40_000, SERVER);
    host.pass(7_506_000);
    host.expire();
    assertEquals(0, host.flowRules());
    assertEquals(0, host.count("flows", "open"));
    assertEquals(1, host.opens(40_000, SERVER), "a new flow, chosen anew");
  }

  @Test
  void udp_isCarriedByFiveTuple() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    byte[] query =
        Frames.udp(HOST_MAC, GATEWAY_MAC, HOST, 50_000, SERVER, 443, new byte[] {1, 2, 3});
    List<Output> sent = host.sends(query);
    assertEquals(1, sent.size());
    assertEquals(UPLINK_ADDRESSES[0].getInt(), Packet.parse(sent.get(0).frame()).srcAddress());
    assertEquals(1, host.comesIn(0, udp(0, SERVER, 443, 50_000)).size());
    assertEquals(List.of(), host.comesIn(0, udp(0, SERVER, 444, 50_000)));
  }

  @Test
  void otherUdpAtAnUplink_comesToTheControllerOnce_untilAFlowTakesItsPlace() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    assertEquals(List.of(), host.comesIn(0, udp(0, SERVER, 443, 50_000)));
    assertEquals(1, host.flowRules());
    host.sends(Frames.udp(HOST_MAC, GATEWAY_MAC, HOST, 50_000, SERVER, 443, new byte[9]));
    assertEquals(1, host.comesIn(0, udp(0, SERVER, 443, 50_000)).size());
  }

  private static byte[] udp(int uplink, IPv4Address from, int fromPort, int toPort) {
    return Frames.udp(
        ManualUplinks.routerMac(uplink + 1),
        HostOnASwitch.uplinkMac(uplink),
        from,
        fromPort,
        UPLINK_ADDRESSES[uplink],
        toPort,
        new byte[20]);
  }

  @Test
  void flow_withoutUplink_isRefusedAtOnce() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    host.uplinks.setAlive("eth0", false);
    host.uplinks.setAlive("eth1", false);
    Packet answer = Packet.parse(host.sendsTcp(40_000, SERVER, SYN).get(0).frame());
    assertEquals(Packet.Kind.ICMP, answer.kind());
    assertEquals(3, answer.icmpType());
    assertEquals(HOST.getInt(), answer.dstAddress());
    assertEquals(1, host.count("flows", "refused", "no_uplink"));
  }

  @Test
  void flow_beyondTheBound_isRefused() throws Exception {
    AtomicLong clock = new AtomicLong(1);
    HostOnASwitch host =
        new HostOnASwitch(
                clock,
                new FakeFlowTable(SwitchProfile.OPEN_VSWITCH, clock::get),
                Map.of("maxFlows", "1"))
            .configured();
    host.opens(40_000, SERVER);
    host.sendsTcp(40_001, SERVER, SYN);
    assertEquals(1, host.count("flows", "refused", "table_full"));
    assertEquals(2, host.flowRules());
  }

  @Test
  void packetFromAnotherAddress_isNotSent() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    byte[] foreign =
        Frames.tcp(HOST_MAC, GATEWAY_MAC, IPv4Address.of("172.17.0.2"), 40_000, SERVER, 80, SYN);
    assertEquals(List.of(), host.sends(foreign));
    assertEquals(1, host.count("flows", "refused", "wrong_source"));
  }

  @Test
  void packets_ofOtherSwitches_orWithoutConfiguration_areLeftAlone() throws Exception {
    byte[] syn = Frames.tcp(HOST_MAC, GATEWAY_MAC, HOST, 40_000, SERVER, 80, SYN);
    HostOnASwitch host = new HostOnASwitch();
    assertTrue(host.packetIn(SWITCH, OFPort.of(1), U64.ZERO, syn));
    host.configured();
    assertTrue(host.packetIn(DatapathId.of(7), OFPort.of(1), U64.ZERO, syn));
    assertFalse(host.packetIn(SWITCH, OFPort.of(1), U64.ZERO, syn));
    assertFalse(host.packetIn(SWITCH, OFPort.of(9), U64.ZERO, syn), "a port of nobody");
  }

  @Test
  void algorithm_changed_countsForNewFlowsOnly() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    int uplink = host.opens(40_000, SERVER);
    host.module.setCapacity(
        "eth1", "{\"capacity_bps\": 50000000}".getBytes(StandardCharsets.UTF_8));
    host.module.setCapacity("eth0", "{\"capacity_bps\": 1000000}".getBytes(StandardCharsets.UTF_8));
    host.module.setAlgorithm("{\"algorithm\": \"MBW\"}".getBytes(StandardCharsets.UTF_8));
    assertEquals("MBW", host.module.status().get("algorithm"));
    assertEquals(1, host.opens(40_001, SERVER));
    assertEquals(1, host.tcpComesIn(uplink, SERVER, 40_000, SYN_ACK).size());
  }

  @Test
  void bytes_areThoseOfTheRules() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    int uplink = host.opens(40_000, SERVER);
    byte[] answer = host.tcpComesIn(uplink, SERVER, 40_000, SYN_ACK).get(0).frame();
    host.sweep();
    assertEquals((long) answer.length, host.module.flows(10).get(0).get("bytes_received"));
  }
}
