package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeFlowTable;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFValueType;

/**
 * The addresses of an untagged VIP, its client and its member exist in VLAN 100, too, where they
 * are those of other hosts.
 *
 * <pre>
 *  client --1 s1 2---1 s2 2-- member
 * </pre>
 */
class VlanOverlapTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int OTHER = 100;
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;

  private final BalancerNetwork net = network();
  private final DatapathId s1 = DatapathId.of(1);
  private final DatapathId s2 = DatapathId.of(2);
  private final Host client = Host.of(s1, 1, "10.0.0.1");
  private final Host member = Host.of(s2, 2, "10.0.0.11");

  VlanOverlapTest(SwitchProfile profile) {
    super(profile);
  }

  private void build(BalancerNetwork at, String placement) {
    at.create(
        Catalog.VIPS,
        "id",
        "v",
        "protocol",
        "tcp",
        "address",
        VIP.toString(),
        "port",
        "80",
        "placement",
        placement);
    at.create(Catalog.POOLS, "id", "p", "vip_id", "v");
    at.create(Catalog.MEMBERS, "id", "m", "address", member.address().toString(), "pool_id", "p");
    at.addSwitch(1);
    at.addSwitch(2);
    at.link(s1, 2, s2, 1);
    at.learn(client);
    at.learn(member);
  }

  private void open(BalancerNetwork at) {
    assertReaches(member, at.send(client, fromClient(SYN)));
    assertReaches(client, at.send(member, fromMember(SYN | ACK)));
    assertReaches(member, at.send(client, fromClient(ACK)));
  }

  private byte[] fromClient(int flags) {
    return Frames.tcp(client.mac(), EdgeMac.of(s1), client.ip(), 40_000, VIP, 80, flags);
  }

  private byte[] fromMember(int flags) {
    return Frames.tcp(member.mac(), client.mac(), member.ip(), 80, client.ip(), 40_000, flags);
  }

  private static void assertReaches(Host host, List<Delivery> deliveries) {
    assertEquals(1, deliveries.size(), deliveries.toString());
    assertEquals(host.switchId(), deliveries.get(0).switchId());
    assertEquals(host.port(), deliveries.get(0).port().getPortNumber());
  }

  /** The balancer leaves packets of the other VLAN to others, untouched. */
  private void assertOthersAreLeftAlone() {
    for (int flags : new int[] {SYN, ACK}) {
      assertIsPassedOn(client, Frames.tagged(fromClient(flags), OTHER));
    }
    assertIsPassedOn(member, Frames.tagged(fromMember(ACK), OTHER));
  }

  private void assertIsPassedOn(Host from, byte[] frame) {
    net.passedOn.clear();
    assertEquals(List.of(), net.send(from, frame));
    assertEquals(List.of(Packet.parse(frame).toString()), texts());
  }

  private List<String> texts() {
    return net.passedOn.stream().map(Packet::toString).toList();
  }

  @Test
  void packetsOfTheOtherVlan_areNotThoseOfAConnection() {
    build(net, "reactive");
    open(net);
    assertOthersAreLeftAlone();
  }

  @Test
  void packetsOfTheOtherVlan_areNotThoseOfAProactiveVip() {
    build(net, "proactive");
    net.send(client, Frames.arpRequest(client.mac(), client.ip(), VIP));
    for (int tick = 0; tick < 16; tick++) {
      net.passMillis(250);
    }
    assertFalse(net.rules(s1, CookieKind.BUCKET).isEmpty());
    open(net);
    assertOthersAreLeftAlone();
  }

  @Test
  void packetsOfTheOtherVlan_areNotThoseOfAClosedConnection() {
    build(net, "reactive");
    open(net);
    net.delete(Catalog.MEMBERS, "m");
    assertOthersAreLeftAlone();
  }

  @Test
  void rulesOfEarlierVersions_areReplaced_andConnectionsStay() {
    build(net, "reactive");
    open(net);
    asEarlierVersionsDid();
    BalancerNetwork after = net.restarted();
    build(after, "reactive");

    assertEquals(1, after.stats("m").activeConnections());
    assertEquals(1, connectionRules(after, s1).size());
    assertEquals(1, connectionRules(after, s2).size());
    after.network.setController(
        (switchId, port, output) -> fail(switchId + " missed in table " + output.table()));
    assertReaches(member, after.send(client, fromClient(ACK)));
    assertReaches(client, after.send(member, fromMember(ACK)));
    for (DatapathId at : List.of(s1, s2)) {
      assertTrue(
          connectionRules(after, at).stream()
              .allMatch(rule -> rule.match().get(MatchField.VLAN_VID) != null));
    }
  }

  private static List<FakeRule> connectionRules(BalancerNetwork of, DatapathId at) {
    return Stream.of(CookieKind.REQUEST, CookieKind.REPLY)
        .flatMap(kind -> of.rules(at, kind).stream())
        .toList();
  }

  /** Takes the VLAN out of the rules of connections. */
  private void asEarlierVersionsDid() {
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
    for (DatapathId at : List.of(s1, s2)) {
      FakeFlowTable table = net.table(at);
      for (FakeRule rule : connectionRules(net, at)) {
        table.remove(rule);
        table.apply(
            factory
                .buildFlowAdd()
                .setTableId(rule.table())
                .setPriority(rule.priority())
                .setCookie(rule.cookie())
                .setIdleTimeout(rule.idleTimeout())
                .setFlags(rule.flags())
                .setMatch(inAnyVlan(factory, rule.match()))
                .setInstructions(rule.instructions())
                .build());
      }
    }
  }

  private static Match inAnyVlan(OFFactory factory, Match match) {
    Match.Builder copy = factory.buildMatch();
    for (MatchField<?> field : match.getMatchFields()) {
      if (field.id != MatchField.VLAN_VID.id) {
        copy(match, field, copy);
      }
    }
    return copy.build();
  }

  private static <F extends OFValueType<F>> void copy(
      Match from, MatchField<F> field, Match.Builder to) {
    to.setExact(field, from.get(field));
  }
}
