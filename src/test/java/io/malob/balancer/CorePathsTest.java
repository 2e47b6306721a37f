package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Paths over core switches, which do not translate, between edge switches, which do.
 *
 * <pre>
 *  client 1--s1 2---1 core  2---1 s4 3-- member
 *             3-----1 other 2---2
 * </pre>
 */
@ParameterizedClass
@CsvSource({
  "10.0.0., FOUR_TABLES, NO_MASKS, NO_REWRITING, FOUR_TABLES",
  "10.0.0., ONE_TABLE_WITH_GROUPS, NO_REWRITING, NO_MASKS, ONE_TABLE_WITH_GROUPS",
  "10.0.0., ONE_TABLE, NO_MASKS, NO_REWRITING, ONE_TABLE",
  "10.0.0., ONE_TABLE, NO_REWRITING, ONE_TABLE_WITH_GROUPS, FOUR_TABLES",
  "10.0.0., ONE_TABLE_WITH_GROUPS, NO_MASKS, FOUR_TABLES, ONE_TABLE",
  "2001:db8::, FOUR_TABLES, NO_MASKS, NO_REWRITING, FOUR_TABLES",
  "2001:db8::, ONE_TABLE_WITH_GROUPS, NO_REWRITING, NO_MASKS, ONE_TABLE"
})
class CorePathsTest {
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;

  private BalancerNetwork net = new BalancerNetwork();
  private final DatapathId s1;
  private final DatapathId core;
  private final DatapathId other;
  private final DatapathId s4;
  private final Host client;
  private final Host member;
  private final IPAddress<?> vip;

  CorePathsTest(
      String network,
      SwitchProfile atClient,
      SwitchProfile a,
      SwitchProfile b,
      SwitchProfile atMember) {
    s1 = net.addSwitch(1, atClient);
    core = net.addSwitch(2, a);
    other = net.addSwitch(3, b);
    s4 = net.addSwitch(4, atMember);
    client = Host.of(s1, 1, network + "1");
    member = Host.of(s4, 3, network + "11");
    vip = IPAddress.of(network + "100");
  }

  @BeforeEach
  void openOneConnectionOverTheCore() {
    net.link(s1, 2, core, 1);
    net.link(core, 2, s4, 1);
    net.learn(client);
    net.learn(member);
    net.webService(vip.toString(), member);
    only(fromClient(SYN), member);
    net.link(s1, 3, other, 1);
    net.link(other, 2, s4, 2);
    net.nanoTime.addAndGet(5_000_000_000L);
  }

  @AfterEach
  void assertNothingRefused() {
    assertEquals(List.of(), net.network.refusals());
  }

  private List<Delivery> fromClient(int flags) {
    return net.send(client, tcp(client, EdgeMac.of(client.switchId()), 40_000, vip, 80, flags));
  }

  private List<Delivery> fromMember() {
    return net.send(member, tcp(member, client.mac(), 8_080, client.address(), 40_000, ACK));
  }

  private static byte[] tcp(
      Host from, MacAddress toMac, int srcPort, IPAddress<?> to, int dstPort, int flags) {
    return from.address() instanceof IPv6Address src
        ? new Ipv6Frames(from.mac(), toMac, src, (IPv6Address) to).tcp(srcPort, dstPort, flags)
        : Frames.tcp(from.mac(), toMac, from.ip(), srcPort, (IPv4Address) to, dstPort, flags);
  }

  private static Packet only(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(receiver.port(), deliveries.get(0).port().getPortNumber());
    Packet packet = Packet.parse(deliveries.get(0).frame());
    assertEquals(receiver.mac(), packet.dstMac());
    return packet;
  }

  /** Packets go both ways without the controller. */
  private void assertGoesOn() {
    net.network.setController(
        (switchId, port, output) -> fail(switchId + ": " + Packet.parse(output.frame()).dstMac()));
    assertEquals(8_080, only(fromClient(ACK), member).dstPort());
    assertEquals(vip, only(fromMember(), client).source());
  }

  private List<FakeRule> labels(DatapathId at) {
    return net.rules(at, CookieKind.LABEL);
  }

  /** Long enough for each switch to have been audited. */
  private void passARound() {
    for (int i = 0; i < 15; i++) {
      net.pass(5);
    }
  }

  @Test
  void packets_crossTheCoreByTheirLabels() {
    assertEquals(2, labels(core).size());
    assertEquals(List.of(), labels(other));
    assertGoesOn();
  }

  @Test
  void brokenLinkAtTheEdge_isGoneAround() {
    net.unlink(s1, 2);
    net.passMillis(50);

    assertEquals(2, labels(other).size());
    assertEquals(List.of(), labels(core));
    assertGoesOn();
  }

  @Test
  void brokenLinkInTheCore_isGoneAround_andBack() {
    net.unlink(core, 2);
    net.passMillis(50);
    assertEquals(2, labels(other).size());
    only(fromClient(ACK), member);

    net.link(core, 2, s4, 1);
    net.unlink(s1, 3);
    net.passMillis(50);

    assertGoesOn();
  }

  @Test
  void labelRulesThatACoreSwitchHasLost_areSentAgainWithTheNextRound() {
    List<FakeRule> before = labels(core);
    net.table(core).clear();

    passARound();

    assertEquals(before, labels(core));
    assertGoesOn();
  }

  @Test
  void labelRuleThatLeadsElsewhere_isMendedWithTheNextRound() {
    FakeRule rule = labels(core).get(0);
    net.network.send(
        core,
        BalancerNetwork.FACTORY
            .buildFlowAdd()
            .setTableId(rule.table())
            .setPriority(rule.priority())
            .setCookie(rule.cookie())
            .setMatch(rule.match())
            .setInstructions(
                List.of(
                    BalancerNetwork.FACTORY
                        .instructions()
                        .applyActions(
                            List.of(BalancerNetwork.FACTORY.actions().output(OFPort.of(9), 0)))))
            .build());

    passARound();

    assertGoesOn();
  }

  @Test
  void coreSwitchThatComesBackEmpty_isProgrammedAnew() {
    List<FakeRule> before = net.table(core).rules();
    net.disconnect(core);
    net.table(core).clear();

    net.reconnect(core);
    net.explore(core);
    net.passMillis(50);

    assertEquals(before.size(), net.table(core).rules().size());
    assertGoesOn();
  }

  @Test
  void unusedLabels_leaveTheCore() {
    net.timeOut(s1, net.rules(s1, CookieKind.REQUEST).get(0));
    net.delete(Catalog.MEMBERS, "m1");

    net.pass(31);

    assertEquals(List.of(), labels(core));
  }

  /** A new controller on these switches, which finds the links that are whole. */
  private void restart() {
    net = net.restarted();
    net.webService(vip.toString(), member);
    for (int id = 1; id <= 4; id++) {
      net.addSwitch(id);
    }
    net.link(s1, 2, core, 1);
    net.link(core, 2, s4, 1);
    net.link(s1, 3, other, 1);
    net.link(other, 2, s4, 2);
    net.learn(client);
    net.learn(member);
  }

  @Test
  void restartedController_recoversTheConnectionAndItsLabels() {
    List<FakeRule> before = labels(core);

    restart();

    assertEquals(1, net.module.reconcileStats().connectionsAdopted());
    assertEquals(1, net.stats("m1").activeConnections());
    assertEquals(before, labels(core).stream().filter(before::contains).toList());
    assertGoesOn();
  }

  @Test
  void recoveredConnection_isRepaired() {
    restart();

    net.unlink(core, 2);
    net.passMillis(50);

    assertGoesOn();
  }
}
