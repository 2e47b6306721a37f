package io.malob.endhost;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.json.RejectedException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;

class RestartTest {
  private static final IPv4Address SERVER = IPv4Address.of("192.0.2.1");

  @Test
  void flows_ofBeforeARestart_goOnAndAreKnown() throws Exception {
    HostOnASwitch before = new HostOnASwitch().configured();
    before.opens(40_000, SERVER);
    before.opens(40_001, SERVER);
    HostOnASwitch host = before.restarted().configured();
    assertEquals(2, host.count("flows", "open"));
    assertEquals(4, host.flowRules());
    assertEquals(1, host.tcpComesIn(1, SERVER, 40_001, 0x12).size());
    assertEquals("eth0", uplinkOf(host, 40_000));
    assertEquals("eth1", uplinkOf(host, 40_001));
    // they end as all others do
    host.tcpComesIn(1, SERVER, 40_001, 0x04);
    assertEquals(1, host.count("flows", "open"));
    host.uplinks.setAlive("eth0", false);
    assertEquals(1, host.count(0, "reset"));
  }

  private static Object uplinkOf(HostOnASwitch host, int port) throws RejectedException {
    return host.module.flows(10).stream()
        .filter(flow -> Integer.valueOf(port).equals(flow.get("source_port")))
        .findFirst()
        .orElseThrow()
        .get("uplink");
  }

  @Test
  void flows_ofAnUplinkThatIsNotKnownYet_areWaitedFor() throws Exception {
    HostOnASwitch before = new HostOnASwitch().configured();
    before.opens(40_000, SERVER);
    HostOnASwitch host = before.restarted();
    host.uplinks.setAlive("eth0", false);
    host.configured();
    host.pass(9_000);
    host.sweep();
    assertEquals(2, host.flowRules());
    host.uplinks.setAlive("eth0", true);
    host.sweep();
    assertEquals(1, host.count("flows", "open"));
    assertEquals(2, host.flowRules());
  }

  @Test
  void flows_ofAnUplinkThatDiesSoonAfterARestart_areResetWhileOthersAreWaitedFor()
      throws Exception {
    HostOnASwitch before = new HostOnASwitch().configured();
    before.opens(40_000, SERVER);
    before.opens(40_001, SERVER);
    HostOnASwitch host = before.restarted();
    host.uplinks.setAlive("eth0", false);
    host.configured();
    host.sweep();
    assertEquals(1, host.count("flows", "open"));

    host.uplinks.setAlive("eth1", false);

    assertEquals(1, host.count(1, "reset"));
    assertEquals(2, host.flowRules(), "those of eth0, which was not alive yet");
    host.uplinks.setAlive("eth0", true);
    host.sweep();
    assertEquals("eth0", uplinkOf(host, 40_000));
  }

  @Test
  void flows_takenOverBeforeAnEarlierChangeIsDealtWith_stay() throws Exception {
    HostOnASwitch before = new HostOnASwitch().configured();
    before.opens(40_000, SERVER);
    before.opens(40_001, SERVER);
    HostOnASwitch host = before.restarted();
    host.uplinks.setAlive("eth0", false);
    host.uplinks.setAlive("eth1", false);
    host.answersLate = true;
    host.configured();
    host.sweep();
    // what waits is, in this order: the switch's rules, one uplink alive, both alive
    host.hold();
    host.answersLate = false;
    host.answer();
    host.uplinks.setAlive("eth0", true);
    host.uplinks.setAlive("eth1", true);
    host.release();
    assertEquals(2, host.count("flows", "open"));
    assertEquals(0, host.count(0, "reset") + host.count(1, "reset"));
    assertEquals(4, host.flowRules());
  }

  @Test
  void flows_ofAnUplinkThatIsGoneForGood_areResetAndTheirRulesTaken() throws Exception {
    HostOnASwitch before = new HostOnASwitch().configured();
    before.opens(40_000, SERVER);
    HostOnASwitch host = before.restarted();
    host.uplinks.setAlive("eth0", false);
    host.configured();
    host.pass(10_000);
    host.sweep();
    assertEquals(0, host.flowRules());
    assertEquals(1, host.pass(50).size(), "its host is asked what it expects");
  }

  @Test
  void fixedRules_ofAnUplinkThatIsNoLongerConfigured_go() throws Exception {
    HostOnASwitch before = new HostOnASwitch().configured();
    int rules = before.table.rules().size();
    HostOnASwitch host = before.restarted().configured();
    assertEquals(rules, host.table.rules().size());
    host.module.configure(HostOnASwitch.configuration("RR", "null", "\"10.0.2.2\""));
    assertEquals(
        List.of(),
        host.table.rules().stream()
            .filter(rule -> rule.match().toString().contains("10.0.1.2"))
            .toList());
  }
}
