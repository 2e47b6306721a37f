package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.admission.LimitWarnings;
import io.malob.json.RejectedException;
import io.malob.module.Tasks;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.LogLines;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * What is done now and then, when a part of it fails each time: paths cannot be kept ready, because
 * the controller cannot list its hosts.
 *
 * <pre>
 *  client 1 s1 2---1 s2 2 member
 * </pre>
 */
class HousekeepingTest {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");

  private final BalancerNetwork net = new BalancerNetwork();
  private final DatapathId s1 = net.addSwitch(1);
  private final DatapathId s2 = net.addSwitch(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host member = Host.of(s2, 2, "10.0.0.11");

  @BeforeEach
  void breakDevices() {
    net.link(s1, 2, s2, 1);
    net.learn(member);
    net.webService(member);
    net.devicesAreBroken = true;
  }

  private List<Delivery> send(int srcPort, int flags) {
    return net.send(
        client,
        Frames.tcp(
            client.mac(), EdgeMac.of(client.switchId()), client.ip(), srcPort, VIP, 80, flags));
  }

  @Test
  void housekeeping_ofWhichATaskFails_doesAllOthers() {
    send(40_000, Packet.TCP_SYN);
    net.pass(20);
    net.expire();
    assertEquals(2, net.module.paths().size());

    for (int i = 0; i < 10; i++) {
      net.pass(5);
    }

    assertEquals(0, net.module.paths().size(), "labels that nobody uses are removed");
  }

  @Test
  void limits_areTold_whateverElseFails() {
    try (LogLines log = LogLines.of(LimitWarnings.class)) {
      limitVip();
      send(40_000, Packet.TCP_SYN);
      send(40_001, Packet.TCP_SYN);
      net.pass(5);
      assertEquals(List.of("limit_reached vip=v refused=1"), log.takeEvents());
    }
  }

  private void limitVip() {
    try {
      net.module.catalog().update(Catalog.VIPS, "v", Fields.of("connection_limit", "1"));
    } catch (RejectedException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Test
  void changedTopology_ofWhichATaskFails_letsPacketsGoThatWait() {
    net.disconnect(s2);
    net.forgetLinks(s2);
    net.forget(member);
    send(40_000, Packet.TCP_SYN);

    net.addSwitch(2);
    net.learnLink(s1, 2, s2, 1);
    net.delivered.clear();
    net.learn(member);

    assertTrue(
        net.delivered.stream().anyMatch(out -> out.switchId().equals(s2)), "it is on its way");
  }

  @Test
  void taskThatFails_isLoggedOnceAMinute() {
    try (LogLines log = LogLines.of(Tasks.class)) {
      for (int i = 0; i < 12; i++) {
        net.pass(5);
      }
      assertEquals(List.of("task_failed task=\"preparing paths\" failures=1"), log.takeEvents());
      net.pass(5);
      assertEquals(List.of("task_failed task=\"preparing paths\" failures=13"), log.takeEvents());
    }
  }
}
