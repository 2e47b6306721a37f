package io.malob.endhost;

import static io.malob.endhost.HostOnASwitch.HOST;
import static io.malob.endhost.HostOnASwitch.UPLINK_ADDRESSES;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.json.RejectedException;
import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeFlowTable.Output;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFGroup;

class GroupModeTest {
  private static final IPv4Address SERVER = IPv4Address.of("192.0.2.1");
  private static final OFGroup GROUP = OFGroup.of(0x875);
  private static final int SYN = 0x02;
  private static final int RST = 0x04;
  private static final int SYN_ACK = 0x12;

  private HostOnASwitch host;

  @BeforeEach
  void start() throws Exception {
    host = new HostOnASwitch().configured("GROUP");
  }

  @Test
  void connections_areSpreadByTheSwitch_andTranslatedBothWays() {
    for (int uplink = 0; uplink < 2; uplink++) {
      host.table.selectBucket(uplink);
      List<Output> sent = host.sendsTcp(40_000, SERVER, SYN);
      assertEquals(1, sent.size());
      assertEquals(HostOnASwitch.uplinkPort(uplink), sent.get(0).port());
      Packet packet = Packet.parse(sent.get(0).frame());
      assertEquals(UPLINK_ADDRESSES[uplink].getInt(), packet.srcAddress());
      assertEquals(ManualUplinks.routerMac(uplink + 1), packet.dstMac());
      List<Output> answer = host.tcpComesIn(uplink, SERVER, 40_000, SYN_ACK);
      assertEquals(1, answer.size());
      assertEquals(HOST.getInt(), Packet.parse(answer.get(0).frame()).dstAddress());
    }
    assertEquals(0, host.flowRules());
    assertEquals(false, ((Map<?, ?>) host.module.status().get("flows")).get("known"));
  }

  @Test
  void answers_toPortsThatHostsDoNotChoose_areNotPassedOn() {
    assertEquals(List.of(), host.tcpComesIn(0, SERVER, 22, SYN));
  }

  @Test
  void resets_ofTheInside_toWhatIsTheHostsOwnStayThere() {
    assertEquals(List.of(), host.sendsTcp(40_000, SERVER, RST));
    assertEquals(1, host.sendsTcp(40_000, SERVER, RST | 0x10).size());
  }

  @Test
  void shares_followCapacities_onceTheyDifferEnough() throws Exception {
    assertEquals(List.of(1, 1), weights());
    capacity("eth0", 30_000_000);
    capacity("eth1", 10_000_000);
    assertEquals(List.of(100, 33), weights());
    capacity("eth1", 10_500_000);
    assertEquals(List.of(100, 33), weights());
    capacity("eth1", 15_000_000);
    assertEquals(List.of(100, 50), weights());
  }

  @Test
  void shares_stay_whileMeasuredCapacitiesAreOffByLessThanAFactorOfTwo() {
    host.uplinks.measure("eth0", 10_000_000);
    host.uplinks.measure("eth1", 7_700_000);
    assertEquals(List.of(1, 1), weights());
    host.uplinks.measure("eth1", 30_000_000);
    assertEquals(List.of(33, 100), weights());
    host.uplinks.measure("eth1", 20_000_000);
    assertEquals(List.of(33, 100), weights());
  }

  private void capacity(String uplink, long bps) throws RejectedException {
    String body = "{\"capacity_bps\": " + bps + "}";
    host.module.setCapacity(uplink, body.getBytes(StandardCharsets.UTF_8));
  }

  private List<Integer> weights() {
    return host.table.buckets(GROUP).stream().map(OFBucket::getWeight).toList();
  }

  @Test
  void uplink_thatIsNotAlive_getsNothing() {
    host.uplinks.setAlive("eth0", false);
    assertEquals(1, host.table.buckets(GROUP).size());
    host.uplinks.setAlive("eth1", false);
    assertEquals(0, host.table.buckets(GROUP).size());
    assertEquals(
        HOST.getInt(),
        Packet.parse(host.sendsTcp(40_000, SERVER, SYN).get(0).frame()).dstAddress(),
        "it is told that there is no way");
    host.uplinks.setAlive("eth1", true);
    assertEquals(1, host.table.buckets(GROUP).size());
  }

  @Test
  void flows_ofBefore_stayWhereTheyAre() throws Exception {
    HostOnASwitch before = new HostOnASwitch().configured("RR");
    assertEquals(0, before.opens(40_000, SERVER));
    before.module.setAlgorithm("{\"algorithm\":\"GROUP\"}".getBytes(StandardCharsets.UTF_8));
    before.table.selectBucket(1);
    assertEquals(HostOnASwitch.uplinkPort(0), before.sendsTcp(40_000, SERVER, 0x10).get(0).port());
    assertEquals(HostOnASwitch.uplinkPort(1), before.sendsTcp(40_001, SERVER, SYN).get(0).port());
    before.module.setAlgorithm("{\"algorithm\":\"RR\"}".getBytes(StandardCharsets.UTF_8));
    assertEquals(List.of(), before.table.buckets(GROUP));
  }
}
