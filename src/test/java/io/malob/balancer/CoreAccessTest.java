package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.google.common.collect.ImmutableSet;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.admission.Relocations;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.MaskedCookie;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.QuotedPacket;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.U64;

/**
 * Hosts behind core switches, which do not translate. Only s1 and s4 do.
 *
 * <pre>
 *              client 1--s2 core--2
 *                                 |
 *  s1 2------------------1 s3 core 2------1 s4 3-- m1
 *                          4
 *                          m2
 * </pre>
 */
@ParameterizedClass
@CsvSource({
  "FOUR_TABLES,NO_MASKS",
  "FOUR_TABLES,NO_REWRITING",
  "ONE_TABLE_WITH_GROUPS,NO_MASKS",
  "ONE_TABLE,NO_REWRITING"
})
class CoreAccessTest {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;

  private final BalancerNetwork net = new BalancerNetwork();
  private final DatapathId s1;
  private final DatapathId s2;
  private final DatapathId s3;
  private final DatapathId s4;
  private final Host client;
  private final Host m1;
  private final Host m2;

  CoreAccessTest(SwitchProfile edge, SwitchProfile core) {
    s1 = net.addSwitch(1, edge);
    s2 = net.addSwitch(2, core);
    s3 = net.addSwitch(3, core);
    s4 = net.addSwitch(4, edge);
    client = Host.of(s2, 1, "10.0.0.1");
    m1 = Host.of(s4, 3, "10.0.0.11");
    m2 = Host.of(s3, 4, "10.0.0.12");
  }

  @BeforeEach
  void connect() {
    net.link(s1, 2, s3, 1);
    net.link(s2, 2, s3, 3);
    net.link(s3, 2, s4, 1);
    net.learn(client);
    net.learn(m1);
    net.learn(m2);
  }

  private List<Delivery> request(int clientPort, int flags) {
    return net.send(
        client,
        Frames.tcp(
            client.mac(), EdgeMac.of(client.switchId()), client.ip(), clientPort, VIP, 80, flags));
  }

  private List<Delivery> reply(Host member, int clientPort) {
    return net.send(
        member,
        Frames.tcp(member.mac(), client.mac(), member.ip(), 8_080, client.ip(), clientPort, ACK));
  }

  private static Packet only(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(receiver.port(), deliveries.get(0).port().getPortNumber());
    Packet packet = Packet.parse(deliveries.get(0).frame());
    assertEquals(receiver.mac(), packet.dstMac());
    return packet;
  }

  private void assertOpen(Host member, int clientPort) {
    net.network.setController(
        (switchId, port, output) ->
            fail(
                switchId
                    + " port "
                    + port
                    + " missed: "
                    + Packet.parse(output.frame()).dstMac()
                    + " "
                    + Packet.parse(output.frame()).fiveTuple()
                    + " by "
                    + output.cookie()));
    assertEquals(member.ip().getInt(), only(request(clientPort, ACK), member).dstAddress());
    assertEquals(VIP.getInt(), only(reply(member, clientPort), client).srcAddress());
  }

  @Test
  void clientBehindCoreSwitches_reachesMemberOfTheNextEdge() {
    net.webService(m1);

    only(request(40_000, SYN), m1);

    assertOpen(m1, 40_000);
  }

  @Test
  void memberBehindACoreSwitch_isReachedThroughTheEdge() {
    net.webService(m2);

    only(request(40_000, SYN), m2);

    assertOpen(m2, 40_000);
  }

  /** Its own way would lead them past every switch that sends them to the controller. */
  @Test
  void icmpErrorsOfAMember_andOfRoutersBehindIt_areTranslated() {
    net.webService(m2);
    byte[] atMember = only(request(40_000, SYN), m2).frame();
    byte[] quote = Arrays.copyOfRange(atMember, 14, 14 + 28);
    IPv4Address router = IPv4Address.of("192.0.2.1");

    for (IPv4Address from : List.of(m2.ip(), router)) {
      byte[] error = Frames.icmp(3, m2.mac(), client.mac(), from, client.ip(), 1_300, quote);
      Packet atClient = only(net.send(m2, error), client);
      assertEquals(from.equals(router) ? router : VIP, atClient.source());
      assertEquals(VIP, QuotedPacket.of(atClient).orElseThrow().destination());
    }
  }

  @Test
  void trafficOfAMemberThatIsNoReply_goesItsOwnWay() {
    net.webService(m2);
    byte[] ssh = Frames.tcp(m2.mac(), client.mac(), m2.ip(), 22, client.ip(), 50_000, ACK);

    assertEquals(m2.ip().getInt(), only(net.send(m2, ssh), client).srcAddress());
    assertEquals(List.of(), net.passedOn);
  }

  @Test
  void edgeThatIsLost_isReplacedByTheOther() {
    net.webService(m1);
    only(request(40_000, SYN), m1);
    DatapathId edge = net.rules(s1, CookieKind.REQUEST).isEmpty() ? s4 : s1;
    assertEquals(s1, edge); // s1 and s4 are equally near; the smaller DPID is first

    net.unlink(s1, 2);
    net.passMillis(Relocations.TICK_MILLIS);

    assertEquals(1, net.rules(s4, CookieKind.REQUEST).size());
    assertOpen(m1, 40_000);
  }

  @Test
  void coreSwitchesWithoutAnEdge_areReported_untilThereIsOne() {
    net.webService(m1);
    net.unlink(s1, 2);
    net.unlink(s3, 2);

    assertEquals(ImmutableSet.of(s2, s3), net.module.unservedSwitches());
    request(40_000, SYN);
    assertEquals(0, net.module.counters().openConnections());

    net.link(s3, 2, s4, 1);
    assertEquals(ImmutableSet.of(), net.module.unservedSwitches());
    only(request(40_001, SYN), m1);
    assertOpen(m1, 40_001);
  }

  @Test
  void restart_keepsTheRulesAndTheConnections() {
    net.webService(m1, m2);
    only(request(40_000, SYN), m1);
    only(request(40_001, SYN), m2);
    List<FakeRule> before = net.rules(s3, CookieKind.ACCESS);
    assertTrue(before.size() > 2);

    BalancerNetwork again = net.restarted();
    again.webService(m1, m2);
    for (long id = 1; id <= 4; id++) {
      again.addSwitch(id);
    }
    again.link(s1, 2, s3, 1);
    again.link(s2, 2, s3, 3);
    again.link(s3, 2, s4, 1);
    again.learn(client);
    again.learn(m1);
    again.learn(m2);
    again.pass(10);

    assertEquals(2, again.module.counters().openConnections());
    assertEquals(
        ImmutableSet.copyOf(before), ImmutableSet.copyOf(again.rules(s3, CookieKind.ACCESS)));
  }

  @Test
  void hostThatIsSilentAfterARestart_keepsItsWay() {
    net.webService(m1);
    only(request(40_000, SYN), m1);

    BalancerNetwork again = net.restarted();
    again.webService(m1);
    for (long id = 1; id <= 4; id++) {
      again.addSwitch(id);
    }
    again.link(s1, 2, s3, 1);
    again.link(s2, 2, s3, 3);
    again.link(s3, 2, s4, 1);
    again.learn(m1);
    for (int minutes = 0; minutes < 4; minutes++) {
      again.pass(60);
      assertOpen(m1, 40_000); // the client's packets go by rules, so the controller never sees it
    }
  }

  @Test
  void audit_restoresAccessRulesThatAreGone() {
    net.webService(m1, m2);
    int count = net.rules(s3, CookieKind.ACCESS).size();
    net.table(s3)
        .apply(
            new MaskedCookie(Cookie.of(CookieKind.ACCESS, 0), U64.NO_MASK)
                .delete(BalancerNetwork.FACTORY));
    assertEquals(0, net.rules(s3, CookieKind.ACCESS).size());

    net.pass(120);

    assertEquals(count, net.rules(s3, CookieKind.ACCESS).size());
  }
}
