package io.malob.balancer;

import static io.malob.balancer.BalancerNetwork.FACTORY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.LabelGroups;
import io.malob.openflow.packet.Packet;
import io.malob.testing.FakeFlowTable;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFErrorType;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsReply;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * A controller does not know which groups others have made or removed: two controllers, and two
 * paths between client and member over switches of the second one.
 *
 * <pre>
 *  client --1 s1 2---1 s2 2---1 s3 2-- member
 *             a       b  3     b  3
 *                        \--1 s4 2/
 *                             b
 * </pre>
 */
class ForeignGroupsTest {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");

  private final ControllerPair pair = new ControllerPair(Map.of(), true);
  private final BalancerNetwork a = pair.a;
  private final BalancerNetwork b = pair.b;

  private DatapathId s2;
  private Host client;
  private Host member;

  @BeforeEach
  void buildNetwork() {
    pair.network.setProfile(SwitchProfile.ONE_TABLE_WITH_GROUPS);
    DatapathId s1 = pair.addSwitch(1);
    s2 = pair.addSwitchOfB(2);
    DatapathId s3 = pair.addSwitchOfB(3);
    DatapathId s4 = pair.addSwitchOfB(4);
    client = Host.of(s1, 1, "10.0.0.1");
    member = Host.of(s3, 2, "10.0.0.11");
    pair.link(s1, 2, s2, 1);
    pair.link(s2, 2, s3, 1);
    pair.link(s2, 3, s4, 1);
    pair.link(s4, 2, s3, 3);
    pair.learn(member);
    pair.webService(member);
    pair.meet();
    pair.pass(1); // the topology has the switches of both
    assertDelivered(a.send(client, toVip(Packet.TCP_SYN)), member);
    pair.talk();
  }

  private byte[] toVip(int flags) {
    return Frames.tcp(
        client.mac(), EdgeMac.of(client.switchId()), client.ip(), 40_000, VIP, 80, flags);
  }

  private byte[] fromMember() {
    return Frames.tcp(
        member.mac(), client.mac(), member.ip(), 8_080, client.ip(), 40_000, Packet.TCP_ACK);
  }

  private static void assertDelivered(List<Delivery> deliveries, Host receiver) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(receiver.switchId(), deliveries.get(0).switchId());
    assertEquals(receiver.port(), deliveries.get(0).port().getPortNumber());
  }

  private void assertGoesBothWays() {
    pair.network.setController(
        (at, port, output) -> {
          throw new AssertionError("missed at " + at);
        });
    assertDelivered(b.send(client, toVip(Packet.TCP_ACK)), member);
    assertDelivered(b.send(member, fromMember()), client);
  }

  private void loseGroupsOut(OFPort port) {
    FakeFlowTable table = pair.network.table(s2);
    OFGroupDescStatsReply groups =
        FACTORY.buildGroupDescStatsReply().setEntries(table.tellGroups(FACTORY)).build();
    LabelGroups.ports(List.of(groups)).entrySet().stream()
        .filter(each -> each.getValue().equals(port))
        .forEach(each -> table.apply(new LabelGroups().remove(FACTORY, s2, each.getKey())));
  }

  private void assertOnlyGroupsWereRefused() {
    List<OFErrorMsg> refusals = pair.network.refusals();
    assertTrue(
        !refusals.isEmpty()
            && refusals.stream().allMatch(e -> e.getErrType() == OFErrorType.GROUP_MOD_FAILED),
        () -> "refused: " + refusals);
  }

  @Test
  void labelOfACrashedController_isReroutedByAnother_whichDoesNotKnowItsGroups() {
    pair.kill();
    pair.takeOver();
    b.unlink(s2, 2);
    pair.pass(3);
    assertGoesBothWays();
    assertOnlyGroupsWereRefused();
  }

  @Test
  void labelWhoseGroupTheSwitchHasLost_isRerouted() {
    loseGroupsOut(OFPort.of(2));
    b.unlink(s2, 2);
    a.learnBreak(s2, 2);
    pair.pass(3);
    assertGoesBothWays();
    assertOnlyGroupsWereRefused();
  }
}
