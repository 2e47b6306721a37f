package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.admission.AclDropRules;
import io.malob.balancer.api.ExplainedConnection.Refused;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import org.junit.jupiter.api.Test;

/** VIPs that only some clients may use. */
class AllowedSourcesTest extends OnEachProfile {
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;

  private final PolicyFixture fixture = new PolicyFixture(network());
  private final BalancerNetwork net = fixture.net;

  AllowedSourcesTest(SwitchProfile profile) {
    super(profile);
  }

  private void allowOther() {
    fixture.setVip("allowed_sources", "10.0.0.2,172.16.0.0/12");
  }

  private List<FakeRule> aclDropRules() {
    return net.rules(fixture.s1, CookieKind.DENIAL);
  }

  private List<Delivery> datagram(Host from, int port) {
    return net.send(
        from,
        Frames.udp(
            from.mac(),
            EdgeMac.of(from.switchId()),
            from.ip(),
            5_000,
            PolicyFixture.VIP,
            port,
            new byte[4]));
  }

  private List<Delivery> answer(Host member, int clientPort) {
    return net.send(
        member,
        Frames.tcp(
            member.mac(),
            fixture.client.mac(),
            member.ip(),
            80,
            fixture.client.ip(),
            clientPort,
            ACK));
  }

  @Test
  void clientThatIsNotAllowed_getsNothing_andTheOthersAreServed() {
    allowOther();

    assertEquals(List.of(), fixture.open(40_000));
    assertEquals(List.of(), datagram(fixture.client, 53));
    assertEquals(List.of(), fixture.send(fixture.client, 40_001, ACK));

    fixture.assertReaches(fixture.first, fixture.send(fixture.other, 40_000, SYN));
    assertEquals(new Refused("not_allowed"), fixture.explain().outcome());
  }

  @Test
  void deniedPackets_areDroppedByTheirSwitch_andCounted() {
    allowOther();
    fixture.open(40_000);
    for (int port = 40_001; port < 40_011; port++) {
      assertEquals(List.of(), fixture.open(port));
    }

    assertEquals(1, net.refused(RejectReason.NOT_ALLOWED));
    assertEquals(1, aclDropRules().size());
    assertEquals(AclDropRules.SECONDS, aclDropRules().get(0).hardTimeout());

    net.pass(AclDropRules.SECONDS + 1);
    net.expire();

    assertEquals(List.of(), aclDropRules());
    assertEquals(10, net.refused(RejectReason.DROPPED_AT_EDGE));
  }

  @Test
  void denial_isOfOnePort_becauseAnotherVipMayAllowAnother() {
    allowOther();
    net.create(
        Catalog.VIPS,
        "id",
        "open",
        "address",
        PolicyFixture.VIP.toString(),
        "protocol",
        "tcp",
        "port",
        "443");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "open");
    net.create(
        Catalog.MEMBERS, "id", "m3", "address", fixture.second.ip().toString(), "pool_id", "q");
    fixture.open(40_000);
    assertEquals(1, aclDropRules().size());

    List<Delivery> deliveries =
        net.send(
            fixture.client,
            Frames.tcp(
                fixture.client.mac(),
                EdgeMac.of(fixture.client.switchId()),
                fixture.client.ip(),
                40_000,
                PolicyFixture.VIP,
                443,
                SYN));

    fixture.assertReaches(fixture.second, deliveries);
  }

  @Test
  void clientThatIsAllowedLater_isServedAtOnce() {
    allowOther();
    fixture.open(40_000);

    fixture.setVip("allowed_sources", "10.0.0.0/24");

    assertEquals(List.of(), aclDropRules());
    fixture.assertReaches(fixture.first, fixture.open(40_000));
  }

  @Test
  void clientThatIsAllowedNoMore_getsNothingMore_andItsMemberIsReset() {
    fixture.assertReaches(fixture.first, fixture.open(40_000));
    fixture.assertReaches(fixture.second, fixture.send(fixture.other, 40_000, SYN));

    allowOther();

    assertEquals(0, net.stats("m1").activeConnections());
    assertEquals(List.of(), fixture.send(fixture.client, 40_000, ACK));
    assertEquals(List.of(), fixture.open(40_001));
    fixture.assertReset(fixture.first, answer(fixture.first, 40_000));
    fixture.assertReaches(fixture.second, fixture.send(fixture.other, 40_000, ACK));
    assertEquals(1, net.stats("m2").activeConnections());
  }

  @Test
  void connectionFoundAfterARestart_goesIfItsClientIsNotAllowedAnyMore() {
    fixture.open(40_000);
    fixture.send(fixture.other, 40_000, SYN);

    PolicyFixture after = fixture.restarted("allowed_sources", "10.0.0.2");

    assertEquals(1, after.net.module.reconcileStats().connectionsAdopted());
    assertEquals(List.of(), after.send(after.client, 40_000, ACK));
    after.assertReaches(after.second, after.send(after.other, 40_000, ACK));
  }

  @Test
  void rulesOfDenials_areBounded_andWhatIsBeyondIsDroppedByTheController() {
    allowOther();
    for (int port = 1; port <= AclDropRules.MAX_RULES + 50; port++) {
      assertEquals(List.of(), datagram(fixture.client, port));
    }

    assertEquals(AclDropRules.MAX_RULES, aclDropRules().size());
    assertEquals(AclDropRules.MAX_RULES + 50, net.refused(RejectReason.NOT_ALLOWED));
    assertEquals(List.of(), datagram(fixture.client, AclDropRules.MAX_RULES + 1));

    net.pass(AclDropRules.SECONDS);
    datagram(fixture.client, AclDropRules.MAX_RULES + 1);
    assertEquals(AclDropRules.MAX_RULES + 1, aclDropRules().size());
  }

  @Test
  void reconciliation_leavesDenialsAlone() {
    allowOther();
    fixture.open(40_000);

    net.passMillis(100);
    net.pass(61);

    assertEquals(1, aclDropRules().size());
    assertEquals(0, net.module.reconcileStats().rulesRemoved());
  }
}
