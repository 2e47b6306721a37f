package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.SYN;
import static io.malob.balancer.ProactiveFixture.SYN_ACK;
import static io.malob.balancer.ProactiveFixture.VIP;
import static io.malob.balancer.ProactiveFixture.assertReaches;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ProactiveStats;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A proactive VIP whose clients and members are at edge switches and behind a core switch. For the
 * balancer, those behind it are at port 2 of s1, where all paths from s1 begin, too.
 *
 * <pre>
 *  s1 2---1 s3 core 2---1 s4 3-- m1
 *           4 5             4-- client
 *          m2  far
 * </pre>
 */
@ParameterizedClass
@EnumSource(
    value = SwitchProfile.class,
    names = {"FOUR_TABLES", "ONE_TABLE_WITH_GROUPS", "ONE_TABLE"})
class ProactiveCoreTest {
  private final SwitchProfile edge;
  private final DatapathId s1 = DatapathId.of(1);
  private final DatapathId s3 = DatapathId.of(3);
  private final DatapathId s4 = DatapathId.of(4);
  private BalancerNetwork net = new BalancerNetwork();
  private final Host client = Host.of(DatapathId.of(4), 4, "10.0.0.1");
  private final Host far = Host.of(DatapathId.of(3), 5, "10.0.0.2");
  private final Host m1 = Host.of(DatapathId.of(4), 3, "10.0.0.11");
  private final Host m2 = Host.of(DatapathId.of(3), 4, "10.0.0.12");

  ProactiveCoreTest(SwitchProfile edge) {
    this.edge = edge;
    start();
  }

  private void start() {
    net.create(
        Catalog.VIPS,
        "id",
        "v",
        "address",
        VIP.toString(),
        "protocol",
        "tcp",
        "port",
        "80",
        "placement",
        "proactive");
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v", "lb_method", "WRR");
    for (Host member : List.of(m1, m2)) {
      String id = member.equals(m1) ? "m1" : "m2";
      String address = member.ip().toString();
      net.create(Catalog.MEMBERS, "id", id, "address", address, "port", "8080", "pool_id", "p");
    }
    net.addSwitch(1, edge);
    net.addSwitch(3, SwitchProfile.NO_MASKS);
    net.addSwitch(4, edge);
    net.link(s1, 2, s3, 1);
    net.link(s3, 2, s4, 1);
    List.of(client, far, m1, m2).forEach(net::learn);
    net.send(client, Frames.arpRequest(client.mac(), client.ip(), VIP));
    net.send(far, Frames.arpRequest(far.mac(), far.ip(), VIP));
    pass(4);
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), net.network.refusals());
  }

  private void pass(int seconds) {
    for (int tick = 0; tick < 4 * seconds; tick++) {
      net.passMillis(250);
      net.expire();
    }
  }

  private Host memberOf(Host from, int port, int flags) {
    List<Delivery> out =
        net.send(
            from,
            Frames.tcp(from.mac(), EdgeMac.of(from.switchId()), from.ip(), port, VIP, 80, flags));
    assertEquals(1, out.size(), () -> "came out: " + out);
    Host member = Packet.parse(out.get(0).frame()).dstAddress() == m1.ip().getInt() ? m1 : m2;
    assertReaches(member, out);
    return member;
  }

  private void assertAnswered(Host member, Host to, int port) {
    List<Delivery> out =
        net.send(
            member, Frames.tcp(member.mac(), to.mac(), member.ip(), 8_080, to.ip(), port, SYN_ACK));
    assertReaches(to, out);
    assertEquals(VIP.getInt(), Packet.parse(out.get(0).frame()).srcAddress());
  }

  private void withoutController() {
    net.network.setController(
        (switchId, port, output) -> {
          throw new AssertionError(switchId + " asks in table " + output.table());
        });
  }

  @Test
  void clientAtAnEdge_reachesMembersAtTheEdgeAndBehindTheCoreSwitch_byBuckets() {
    assertEquals(64, net.rules(s4, CookieKind.BUCKET).size());
    assertEquals(ProactiveStats.State.PROACTIVE, net.module.proactive().get(0).state());
    withoutController();

    List<Host> members = new ArrayList<>();
    for (int port : ALL_BUCKETS) {
      Host member = memberOf(client, port, SYN);
      assertAnswered(member, client, port);
      members.add(member);
    }

    assertEquals(32, members.stream().filter(m2::equals).count());
  }

  private Map<Integer, Host> openAll() {
    Map<Integer, Host> members = new HashMap<>();
    for (int port : ALL_BUCKETS) {
      for (Host from : List.of(client, far)) {
        Host member = memberOf(from, port, SYN);
        assertAnswered(member, from, port);
        members.put(from.port() * 100_000 + port, member);
      }
    }
    return members;
  }

  private void assertAllGoOn(Map<Integer, Host> members) {
    for (int port : ALL_BUCKETS) {
      for (Host from : List.of(client, far)) {
        Host member = members.get(from.port() * 100_000 + port);
        assertEquals(member, memberOf(from, port, ACK));
        assertAnswered(member, from, port);
      }
    }
  }

  @Test
  void restart_movesNoConnection() {
    Map<Integer, Host> members = openAll();
    pass(2);

    net = net.restarted();
    start();
    assertAllGoOn(members);
    pass(70);

    assertAllGoOn(members);
    assertEquals(0, net.module.proactive().get(0).moves());
  }

  @Test
  void brokenLink_isGoneAround_andBack() {
    net.link(s1, 3, s4, 2);
    Map<Integer, Host> members = openAll();
    pass(2);

    net.unlink(s3, 2);
    pass(2);
    assertAllGoOn(members);

    net.link(s3, 2, s4, 1);
    pass(5);
    assertAllGoOn(members);
    assertEquals(0, net.module.proactive().get(0).moves());
  }

  /** A switch does not send packets back to their port by rules that many clients share. */
  @Test
  void clientBehindTheCoreSwitch_isPlacedByTheController_asItsBucketWould() {
    List<Host> members = new ArrayList<>();
    for (int port : ALL_BUCKETS) {
      members.add(memberOf(far, port, SYN));
    }
    assertEquals(64, net.module.counters().openConnections());
    withoutController();

    for (int index = 0; index < ALL_BUCKETS.size(); index++) {
      int port = ALL_BUCKETS.get(index);
      assertEquals(members.get(index), memberOf(far, port, ACK));
      assertAnswered(members.get(index), far, port);
    }
    assertEquals(32, members.stream().filter(m2::equals).count());
  }
}
