package io.malob.endhost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.FakeFlowTable;
import io.malob.testing.FakeFlowTable.Output;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;

/** How long flows without packets stay (RFC 4787, 5382 and 5508). */
class IdleFlowsTest {
  private static final IPv4Address SERVER = IPv4Address.of("192.0.2.1");
  private static final int ACK = 0x10;
  private static final int SYN_ACK = 0x12;

  private static int connects(HostOnASwitch host, int port) {
    int uplink = host.opens(port, SERVER);
    assertEquals(1, host.tcpComesIn(uplink, SERVER, port, SYN_ACK).size());
    assertEquals(1, host.sendsTcp(port, SERVER, ACK).size());
    return uplink;
  }

  private static void pass(HostOnASwitch host, int seconds) {
    host.pass(TimeUnit.SECONDS.toMillis(seconds));
    host.expire();
    host.sweep();
  }

  @Test
  void connection_thatIsIdleForTwoHours_goesOn() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    int uplink = connects(host, 40_000);

    pass(host, 2 * 3_600 + 4 * 60);

    List<Output> pushed = host.tcpComesIn(uplink, SERVER, 40_000, ACK);
    assertEquals(1, pushed.size());
    assertEquals(ManualUplinks.INSIDE, pushed.get(0).port());
    assertEquals(1, host.sendsTcp(40_000, SERVER, ACK).size());
  }

  @Test
  void connection_thatIsNeverAnswered_leavesAfterMinutes() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    host.opens(40_000, SERVER);
    pass(host, 239);
    assertEquals(2, host.flowRules());

    pass(host, 30);

    assertEquals(0, host.flowRules());
    assertEquals(0, host.count("flows", "open"));
  }

  @Test
  void datagrams_goOnAfterTwoMinutes_butNotQueries() throws Exception {
    HostOnASwitch host = new HostOnASwitch().configured();
    host.sendsUdp(40_000, SERVER, 4_500);
    host.sendsUdp(40_000, SERVER, 53);

    pass(host, 119);

    assertEquals(1, host.count("flows", "open"));
  }

  /** The longest idle ones make room, and their programs are told. */
  @Test
  void idleConnections_makeRoomForNewOnes() throws Exception {
    AtomicLong clock = new AtomicLong(TimeUnit.HOURS.toNanos(1));
    HostOnASwitch host =
        new HostOnASwitch(
                clock,
                new FakeFlowTable(SwitchProfile.OPEN_VSWITCH, clock::get),
                Map.of("maxFlows", "10"))
            .configured();
    for (int port = 40_000; port < 40_010; port++) {
      connects(host, port);
    }
    host.sweep();
    pass(host, 200);
    for (int port = 40_005; port < 40_010; port++) {
      host.sendsTcp(port, SERVER, ACK);
    }
    host.sweep();
    assertEquals(10, host.count("flows", "open"));
    host.pass(TimeUnit.SECONDS.toMillis(200));

    host.sweep();
    List<Output> told = host.pass(1_000);

    assertEquals(9, host.count("flows", "open"));
    assertTrue(told.stream().allMatch(each -> each.port().equals(ManualUplinks.INSIDE)));
    assertFalse(told.isEmpty());
    assertEquals(1, host.sendsTcp(40_009, SERVER, ACK).size());
    host.opens(41_000, SERVER);
  }
}
