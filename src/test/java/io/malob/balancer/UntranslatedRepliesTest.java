package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.FIN;
import static io.malob.balancer.ProactiveFixture.MOVE_SECONDS;
import static io.malob.balancer.ProactiveFixture.RST;
import static io.malob.balancer.ProactiveFixture.SYN;
import static io.malob.balancer.ProactiveFixture.SYN_ACK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.CookieKind;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv6Address;

/**
 * A member's packet of a VIP's connection that no rule translates: it must not reach the client
 * with the member's address, neither from the balancer nor from the forwarder, to which the
 * balancer leaves what it does not know. The client would answer it by a RST, which ends the
 * connection.
 */
@ParameterizedClass
@EnumSource(
    value = SwitchProfile.class,
    names = {"FOUR_TABLES", "ONE_TABLE"})
class UntranslatedRepliesTest {
  private static final int PORT = 40_000;

  private final SwitchProfile profile;
  private ProactiveFixture fixture;
  private BalancerNetwork net;
  private Host client;

  UntranslatedRepliesTest(SwitchProfile profile) {
    this.profile = profile;
    fixture = new ProactiveFixture(new BalancerNetwork(profile));
    net = fixture.net;
    client = fixture.client;
  }

  private void use(String placement) {
    use(placement, Map.of());
  }

  private void use(String placement, Map<String, String> settings) {
    use(
        new ProactiveFixture(new BalancerNetwork(profile, settings), "placement", placement)
            .settle());
  }

  private void use(ProactiveFixture next) {
    fixture = next;
    net = next.net;
    client = next.client;
  }

  /** What a member sends to the client does not come out, or comes from the VIP. */
  private void assertNotUntranslated(Host member, int flags) {
    assertNotUntranslated(member, fixture.reply(member, client, PORT, flags));
  }

  private void assertNotUntranslated(Host member, List<Delivery> deliveries) {
    List<Packet> untranslated =
        Stream.concat(
                deliveries.stream().map(delivery -> Packet.parse(delivery.frame())),
                net.passedOn.stream())
            .filter(packet -> packet.source().equals(member.address()))
            .filter(packet -> packet.destination().equals(client.address()))
            .toList();
    assertEquals(List.of(), untranslated);
  }

  private void lose(DatapathId at, CookieKind kind) {
    fixture.rules(at, kind).forEach(net.table(at)::remove);
  }

  /** These switches have been reset, and the controller has been restarted without records. */
  private void restart(DatapathId... reset) {
    for (DatapathId at : reset) {
      net.table(at).clear();
    }
    use(fixture.restarted());
  }

  @Test
  void knownConnection_whoseRuleIsLost_isTranslated() {
    use("reactive");
    Host member = fixture.open(client, PORT);
    lose(fixture.s3, CookieKind.REPLY);

    fixture.assertAnswered(member, client, PORT, ACK);
  }

  @Test
  void bucketsConnection_whoseMembersEdgeHasNoRules() {
    use("proactive");
    Host member = fixture.open(client, PORT);
    lose(fixture.s3, CookieKind.PROACTIVE);

    assertNotUntranslated(member, ACK);
  }

  @Test
  void bucketsConnection_whoseMemberHasMoved() {
    use("proactive");
    Host member = fixture.open(client, PORT);
    Host moved = new Host(fixture.s2, 4, member.mac(), member.address());

    assertNotUntranslated(moved, ACK); // its first packet there
    net.learn(moved);
    assertNotUntranslated(moved, ACK); // before the next tick
    fixture.pass(4);
    assertNotUntranslated(moved, ACK);
  }

  /** The rule at the client's switch tells of the connection. */
  @Test
  void reactiveConnection_afterARestartOfTheControllerAndTheMembersSwitch() {
    use("reactive");
    Host member = fixture.open(client, PORT);
    restart(fixture.s3);

    assertNotUntranslated(member, ACK);
    fixture.pass(10);
    assertNotUntranslated(member, ACK);
  }

  @Test
  void reactiveConnection_afterARestartOfAll() {
    use("reactive");
    Host member = fixture.open(client, PORT);
    restart(fixture.s1, fixture.s3);

    assertNotUntranslated(member, ACK);
  }

  @Test
  void bucketsConnection_afterARestartOfTheControllerAndTheMembersSwitch() {
    use("proactive");
    Host member = fixture.open(client, PORT);
    restart(fixture.s3);

    assertNotUntranslated(member, ACK);
    fixture.pass(10);
    assertNotUntranslated(member, ACK);
  }

  @Test
  void connectionThatWasForgottenToMakeRoom() {
    use("reactive", Map.of("maxDormant", "1"));
    Host member = fixture.open(client, PORT);
    fixture.pass(30);
    fixture.open(client, PORT + 2);
    fixture.pass(30);
    fixture.open(client, PORT + 4);
    fixture.pass(30);

    assertNotUntranslated(member, ACK);
  }

  @Test
  void connectionThatWasIdleForTooLong() {
    use("reactive");
    Host member = fixture.open(client, PORT);
    fixture.pass(30);
    net.passMillis(2 * 3_600_000);
    fixture.pass(120);

    assertNotUntranslated(member, ACK);
  }

  /** It retransmits its FIN, for example, when its host was suspended. */
  @Test
  void connectionThatWasClosedLongAgo() {
    use("reactive");
    Host member = fixture.open(client, PORT);
    fixture.setMember(member.equals(fixture.m1) ? "m1" : "m2", "admin_state", "down");
    fixture.pass(60);

    assertNotUntranslated(member, FIN);
  }

  /** Only the server speaks, so that the controller has not seen the connection meanwhile. */
  @Test
  void bucketsConnection_whoseVipIsReactiveByNow() {
    use("proactive");
    Host member = fixture.open(client, PORT);
    fixture.setVip("placement", "reactive");
    fixture.pass(MOVE_SECONDS + 70);
    assertEquals(List.of(), fixture.allRules());

    assertNotUntranslated(member, ACK);
  }

  /** Switches show no ports of fragments, so that no rule for replies matches them. */
  @Test
  void fragmentOfAReply() {
    for (String placement : List.of("reactive", "proactive")) {
      use(placement);
      Host member = fixture.open(client, PORT);
      byte[] segment =
          Frames.tcp(member.mac(), client.mac(), member.ip(), 8_080, client.ip(), PORT, ACK);

      assertNotUntranslated(member, net.send(member, Frames.fragment(segment, 0, true)));
      assertNotUntranslated(member, net.send(member, Frames.fragment(segment, 1, false)));
    }
  }

  @Test
  void bucketsConnection_whoseMembersEdgeIsFull() {
    use("proactive");
    Host member = fixture.open(client, PORT);
    net.refuse(CookieKind.PROACTIVE, true);
    lose(fixture.s3, CookieKind.PROACTIVE);
    fixture.pass(200);

    assertNotUntranslated(member, ACK);
  }

  @Test
  void connectionToTheServerItself_isLeftToOthers() {
    use("reactive");

    assertLeft(client, toServer(SYN));
    assertLeft(fixture.m1, fromServer(SYN_ACK));
    assertLeft(client, toServer(ACK));
    assertLeft(fixture.m1, fromServer(ACK));
    net.passMillis(30 * 60_000);
    assertLeft(fixture.m1, fromServer(ACK));
  }

  @Test
  void connectionThatTheMemberOpens_isLeftToOthers() {
    use("reactive");
    fixture.setVip("port", null, "protocol", null);
    fixture.setMember("m1", "port", null);
    Host member = fixture.m1;

    assertLeft(member, tcp(member, 50_000, client, 22, SYN));
    assertLeft(client, tcp(client, 22, member, 50_000, SYN_ACK));
    assertLeft(member, tcp(member, 50_000, client, 22, ACK));
  }

  /** It is the server itself that the client has a connection to: the VIP's is new to it. */
  @Test
  void connectionToTheServerItself_fromBeforeARestart_outlivesIt() {
    use("reactive");

    List<Delivery> out = fixture.reply(fixture.m1, client, PORT, ACK);
    assertNotUntranslated(fixture.m1, out);
    ProactiveFixture.assertReaches(client, out);
    assertEquals(List.of(), fixture.send(client, PORT, RST), "must not end the connection");
    assertLeft(fixture.m1, fromServer(ACK));
  }

  @Test
  void connectionToTheServerItself_fromBeforeARestart_whoseClientSpeaksFirst() {
    use("reactive");

    assertLeft(client, toServer(ACK));
    assertLeft(fixture.m1, fromServer(ACK));
  }

  /** The client's answer tells that the connection is the VIP's. */
  @Test
  void reactiveConnection_afterARestartOfAll_goesOnIfTheMemberSpeaksFirst() {
    use("reactive");
    Host member = fixture.open(client, PORT);
    restart(fixture.s1, fixture.s3);

    fixture.assertAnswered(member, client, PORT, ACK);
    assertEquals(member, fixture.memberOf(client, PORT, ACK));
    assertEquals(1, fixture.rules(fixture.s3, CookieKind.REPLY).size());
    assertEquals(1, net.module.counters().openConnections());
    fixture.assertAnswered(member, client, PORT, ACK);
  }

  @Test
  void connectionOfAClientBehindARouter_afterARestartOfAll() {
    use("reactive");
    Host behind = fixture.behind(fixture.router(fixture.s1, 4), 1);
    Host member = fixture.open(behind, PORT);
    restart(fixture.s1, fixture.s3);
    fixture.reply(member, behind, PORT, ACK);
    assertEquals(List.of(), net.passedOn, "no next hop is known yet");
    assertEquals(1, net.refused(RejectReason.NO_CLIENT));
    fixture.router(fixture.s1, 4);

    fixture.assertAnswered(member, behind, PORT, ACK);
  }

  @Test
  void ipv6Connection_afterARestartOfAll() {
    for (String placement : List.of("reactive", "proactive")) {
      use(
          new ProactiveFixture(
                  new BalancerNetwork(profile), IPv6Address.of("fd00::100"), "placement", placement)
              .settle());
      Host member = fixture.open(client, PORT);
      restart(fixture.s1, fixture.s3);

      fixture.assertAnswered(member, client, PORT, ACK);
    }
  }

  @Test
  void replyThatMayBeOfTwoVips_isDropped() {
    use("reactive");
    net.create(Catalog.VIPS, "id", "w", "address", "10.0.0.101", "protocol", "tcp", "port", "80");
    net.create(Catalog.POOLS, "id", "q", "vip_id", "w");
    net.create(Catalog.MEMBERS, "id", "n", "address", "10.0.0.11", "port", "8080", "pool_id", "q");

    assertEquals(List.of(), fixture.reply(fixture.m1, client, PORT, ACK));
    assertEquals(List.of(), net.passedOn);
    assertEquals(1, net.refused(RejectReason.UNKNOWN_REPLY));
    assertLeft(client, toServer(ACK));
    assertLeft(fixture.m1, fromServer(ACK));
  }

  @Test
  void hostWithTheMembersAddressInAnotherVlan_isNoMember() {
    use("reactive");
    fixture.setMember("m1", "vlan", "7");

    assertLeft(fixture.m1, fromServer(ACK));
  }

  @Test
  void taggedMember_whoseClientIsUntagged() {
    use("reactive");
    fixture.setMember("m1", "vlan", "7");

    List<Delivery> out = net.send(fixture.m1, Frames.tagged(fromServer(ACK), 7));

    ProactiveFixture.assertReaches(client, out);
    Packet packet = Packet.parse(out.get(0).frame());
    assertEquals(ProactiveFixture.VIP, packet.source());
    assertFalse(packet.isTagged());
  }

  @Test
  void otherPortsOfTheServer_areLeftToOthers() {
    use("reactive");
    Host member = fixture.m1;

    assertLeft(member, tcp(member, 22, client, PORT, ACK));
  }

  private byte[] toServer(int flags) {
    return tcp(client, PORT, fixture.m1, 8_080, flags);
  }

  private byte[] fromServer(int flags) {
    return tcp(fixture.m1, 8_080, client, PORT, flags);
  }

  private static byte[] tcp(Host from, int srcPort, Host to, int dstPort, int flags) {
    return Frames.tcp(from.mac(), to.mac(), from.ip(), srcPort, to.ip(), dstPort, flags);
  }

  /** The balancer leaves a frame to the forwarder. */
  private void assertLeft(Host from, byte[] frame) {
    net.passedOn.clear();
    assertEquals(List.of(), net.send(from, frame));
    assertEquals(1, net.passedOn.size());
    net.passedOn.clear();
  }
}
