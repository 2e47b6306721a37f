package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.FlowLayout;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeConntrack;
import io.malob.testing.SwitchProfile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadRequestErrorMsg;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;

/** Connections that switches track, and whose member is lost. */
class TrackedFlushTest {
  private BalancerNetwork net;
  private ProactiveFixture fixture;
  private Host client;
  private int packetIns;

  private void setUp(String vip, String protocol) {
    setUp(vip, protocol, true);
  }

  private void setUp(String vip, String protocol, boolean flushes) {
    net = new BalancerNetwork(SwitchProfile.OPEN_VSWITCH, Map.of());
    String[] fields = {"placement", "tracked", "auto_per_second", "0", "protocol", protocol};
    fixture = new ProactiveFixture(net, IPAddress.of(vip), fields);
    client = fixture.client;
    net.table(fixture.s1).setFlushes(flushes);
    net.table(fixture.s3).setFlushes(flushes);
    fixture.settle();
  }

  /** The member of each datagram, which it answers. */
  private Map<Integer, Host> sendAll() {
    Map<Integer, Host> members = new HashMap<>();
    for (int port : ALL_BUCKETS) {
      Host member = fixture.memberOfDatagram(client, port);
      ProactiveFixture.assertReaches(client, fixture.replyDatagram(member, client, port));
      members.put(port, member);
    }
    return members;
  }

  private List<FakeConntrack.Connection> connections() {
    return net.table(fixture.s1).conntrack().connections();
  }

  private void loseMember(boolean isRemoved) {
    if (isRemoved) {
      net.delete(Catalog.MEMBERS, "m1");
    } else {
      fixture.setMember("m1", "admin_state", "down");
    }
  }

  private void countPacketIns() {
    net.network.setController(
        (switchId, port, output) -> {
          packetIns++;
          net.packetIn(switchId, port, output);
        });
  }

  private long rulesOfMembers() {
    return net.table(fixture.s1).rules().stream()
        .filter(rule -> rule.priority() == FlowLayout.PRIORITY_TRACKED)
        .filter(
            rule ->
                Set.of(IpProtocol.TCP, IpProtocol.UDP)
                    .contains(rule.match().get(MatchField.IP_PROTO)))
        .count();
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.100, false", "10.0.0.100, true", "fd00::64, false", "fd00::64, true"})
  void datagramsToALostMember_areLedToOthers_bySwitches(String vip, boolean isRemoved) {
    setUp(vip, "udp");
    assertEquals(Set.of(fixture.m1, fixture.m2), Set.copyOf(sendAll().values()));

    loseMember(isRemoved);
    fixture.pass(1);
    fixture.withoutController();

    assertEquals(Set.of(fixture.m2), Set.copyOf(sendAll().values()));
    assertEquals(Set.of(fixture.m2), Set.copyOf(sendAll().values()));
  }

  @Test
  void datagramsToOthers_stay() {
    setUp("10.0.0.100", "udp");
    Map<Integer, Host> members = sendAll();
    fixture.setMember("m1", "weight", "9");
    fixture.pass(3);
    members.values().removeIf(fixture.m1::equals);
    assertNotEquals(Map.of(), members);

    loseMember(false);
    fixture.pass(40);

    members.forEach((port, member) -> assertEquals(member, fixture.memberOfDatagram(client, port)));
  }

  @Test
  void connectionThatIsOpenedOnceMore_isFlushedAgain() {
    setUp("10.0.0.100", "udp");
    sendAll();
    List<FakeConntrack.Connection> before = connections();
    FakeConntrack conntrack = net.table(fixture.s1).conntrack();
    loseMember(false);
    net.passMillis(250);
    assertEquals(0, connections().stream().filter(this::isOfM1).count());

    // a datagram that was under way when its bucket moved
    FakeConntrack.Connection lost = before.stream().filter(this::isOfM1).findFirst().orElseThrow();
    conntrack.restore(lost);
    assertEquals(1, connections().stream().filter(this::isOfM1).count());
    fixture.pass(1);

    assertEquals(0, connections().stream().filter(this::isOfM1).count());
  }

  private boolean isOfM1(FakeConntrack.Connection connection) {
    return connection.reply().src().equals(fixture.m1.address());
  }

  @Test
  void memberThatIsBack_keepsItsNewConnections() {
    setUp("10.0.0.100", "udp");
    loseMember(false);
    fixture.pass(2);
    fixture.setMember("m1", "admin_state", "up");
    fixture.pass(2);
    Map<Integer, Host> members = sendAll();
    assertTrue(members.containsValue(fixture.m1));

    fixture.pass(40);
    fixture.withoutController();

    assertEquals(members, sendAll());
  }

  /** They survive a member that is down for a short time. */
  @Test
  void connectionsOfTcp_stay_whileTheirMemberIsDown() {
    setUp("10.0.0.100", "tcp");
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(client, port)));
    loseMember(false);
    fixture.pass(5);
    fixture.setMember("m1", "admin_state", "up");
    fixture.pass(5);

    fixture.withoutController();

    members.forEach(
        (port, member) ->
            assertEquals(member, fixture.memberOf(client, port, ProactiveFixture.ACK)));
  }

  @Test
  void rulesOfARemovedMember_endAfterAMinute_andItsConnectionsAtOnce() {
    setUp("10.0.0.100", "tcp");
    ALL_BUCKETS.forEach(port -> fixture.open(client, port));
    assertEquals(2, rulesOfMembers());
    loseMember(true);
    fixture.pass(1);
    assertEquals(0, connections().stream().filter(this::isOfM1).count());
    fixture.pass(57);
    assertEquals(2, rulesOfMembers());

    fixture.pass(4);

    assertEquals(1, rulesOfMembers());
  }

  private void deleteVip() {
    net.delete(Catalog.MEMBERS, "m1");
    net.delete(Catalog.MEMBERS, "m2");
    net.delete(Catalog.POOLS, "p");
    net.delete(Catalog.VIPS, "v");
    fixture.pass(1);
  }

  /** The members have other numbers than before. */
  private void createVipAnew(String protocol) {
    String vip = fixture.vip.toString();
    net.create(
        Catalog.VIPS,
        "id",
        "v",
        "address",
        vip,
        "protocol",
        protocol,
        "port",
        "80",
        "placement",
        "tracked",
        "auto_per_second",
        "0");
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v", "lb_method", "WRR");
    fixture.addMember("m1", fixture.m1);
    fixture.addMember("m2", fixture.m2);
    fixture.settle();
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.100, tcp", "10.0.0.100, udp", "fd00::64, tcp"})
  void connectionsOfADeletedVip_areForgotten_andNotThoseOfTheNext(String vip, String protocol) {
    setUp(vip, protocol);
    placeAll(protocol);
    deleteVip();
    assertEquals(List.of(), connections());

    createVipAnew(protocol);
    placeAll(protocol);
    fixture.pass(40);

    assertEquals(64, connections().size());
  }

  private Map<Integer, Host> placeAll(String protocol) {
    if (protocol.equals("udp")) {
      return sendAll();
    }
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(client, port)));
    return members;
  }

  @Test
  void connectionsOfAVipWithAnotherPort_areForgotten() {
    setUp("10.0.0.100", "tcp");
    placeAll("tcp");

    fixture.setVip("port", "81");
    fixture.pass(5);

    assertEquals(List.of(), connections());
  }

  @Test
  void connectionsOfAVipThatIsNoLongerTracked_areForgotten_afterAnHour() {
    setUp("10.0.0.100", "tcp");
    placeAll("tcp");
    fixture.setVip("placement", "reactive");
    fixture.pass(3_590);
    assertEquals(64, connections().size());

    fixture.pass(20);

    assertEquals(List.of(), connections());
  }

  /** Their switch still knows the members of before. */
  @ParameterizedTest
  @CsvSource({"10.0.0.100, tcp", "10.0.0.100, udp", "fd00::64, tcp", "fd00::64, udp"})
  void clientsOfADeletedVip_areServedByTheNext_whereASwitchDoesNotFlush(
      String vip, String protocol) {
    setUp(vip, protocol, /* flushes= */ false);
    placeAll(protocol);
    deleteVip();
    createVipAnew(protocol);

    assertEquals(Set.of(fixture.m1, fixture.m2), Set.copyOf(placeAll(protocol).values()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.100", "fd00::64"})
  void whereASwitchDoesNotFlush_theControllerForwards_andRulesStayForAnHour(String vip) {
    setUp(vip, "udp", /* flushes= */ false);
    Map<Integer, Host> members = sendAll();
    loseMember(true);
    fixture.pass(3_590);

    countPacketIns();
    assertEquals(Set.of(fixture.m2), Set.copyOf(sendAll().values()));
    assertEquals(members.values().stream().filter(fixture.m1::equals).count(), packetIns);
    assertEquals(2, rulesOfMembers());
    fixture.pass(20);

    assertEquals(1, rulesOfMembers());
    assertEquals(
        List.of(OFBadRequestCode.BAD_EXPERIMENTER_TYPE, OFBadRequestCode.BAD_EXPERIMENTER_TYPE),
        net.network.refusals().stream()
            .map(each -> ((OFBadRequestErrorMsg) each).getCode())
            .toList(),
        "each edge is asked once");
  }
}
