package io.malob.endhost;

import static io.malob.endhost.HostOnASwitch.GATEWAY_MAC;
import static io.malob.endhost.HostOnASwitch.HOST;
import static io.malob.endhost.HostOnASwitch.HOST_MAC;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeFlowTable.Output;
import io.malob.testing.Frames;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;

class RefusedRulesTest {
  private static final IPv4Address SERVER = IPv4Address.of("192.0.2.1");
  private static final int SYN = 0x02;
  private static final int RST = 0x04;
  private static final int ACK = 0x10;

  @Test
  void connection_whoseRulesAreRefused_isForgottenAndReset() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    host.opens(39_999, SERVER);
    host.isTableFull = true;
    assertEquals(1, host.sendsTcp(40_000, SERVER, SYN).size(), "the first packet has left");
    assertEquals(1, host.count("flows", "refused", "rule_refused"), "once, for both rules");
    assertEquals(1, host.count("flows", "open"), "others stay");
    assertEquals(2, host.flowRules());
    Packet question = Packet.parse(host.pass(50).get(0).frame());
    assertTrue(question.isTcpSyn());
    assertEquals(40_000, question.dstPort());
    List<Output> answer = host.sendsTcp(40_000, SERVER, ACK);
    assertTrue(Packet.parse(answer.get(0).frame()).hasTcpFlags(RST));
  }

  @Test
  void connection_openedAgainWhenThereIsRoom_isCarried() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    host.isTableFull = true;
    host.sendsTcp(40_000, SERVER, SYN);
    host.isTableFull = false;
    int uplink = host.opens(40_000, SERVER);
    assertEquals(1, host.tcpComesIn(uplink, SERVER, 40_000, 0x12).size());
    assertEquals(List.of(), host.pass(50), "the new one is not reset");
  }

  @Test
  void udp_whoseRulesAreRefused_isTold() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    host.isTableFull = true;
    List<Output> left =
        host.sends(Frames.udp(HOST_MAC, GATEWAY_MAC, HOST, 50_000, SERVER, 443, new byte[8]));
    Packet error =
        left.stream()
            .filter(each -> each.port().equals(ManualUplinks.INSIDE))
            .map(each -> Packet.parse(each.frame()))
            .findFirst()
            .orElseThrow();
    assertEquals(3, error.icmpType());
    assertEquals(0, host.count("flows", "open"));
  }

  @Test
  void rulesThatAreRefusedOfOthers_areNotOurs() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    assertTrue(host.passesOn(HostOnASwitch.tableFull(HostOnASwitch.foreignRule())));
    assertEquals(0, host.count("flows", "refused", "rule_refused"));
  }
}
