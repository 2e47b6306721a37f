package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.openflow.bucket.TrackedFloods;
import io.malob.testing.FakeFlowTable;
import io.malob.testing.SwitchProfile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;

/** Packets of tracked VIPs that flood the controller. */
class TrackedFloodsTest {
  private BalancerNetwork net;
  private ProactiveFixture fixture;
  private Host client;
  private Host other;

  /** What the client's switch has sent to the controller, which is too busy to read it. */
  private final List<OFPacketIn> packetIns = new ArrayList<>();

  private void setUp(String vip, String protocol) {
    net = new BalancerNetwork(SwitchProfile.OPEN_VSWITCH, Map.of());
    fixture =
        new ProactiveFixture(
            net,
            IPAddress.of(vip),
            "placement",
            "tracked",
            "auto_per_second",
            "0",
            "protocol",
            protocol);
    client = fixture.client;
    other = fixture.other;
    List.of(fixture.s1, fixture.s3).forEach(at -> net.table(at).setFlushes(false));
    fixture.settle();
  }

  private void packetIn(DatapathId switchId, OFPort port, FakeFlowTable.Output output) {
    packetIns.add(
        BalancerNetwork.FACTORY
            .buildPacketIn()
            .setBufferId(OFBufferId.NO_BUFFER)
            .setReason(OFPacketInReason.ACTION)
            .setTableId(output.table())
            .setCookie(output.cookie())
            .setMatch(
                output
                    .addFields(
                        BalancerNetwork.FACTORY.buildMatch().setExact(MatchField.IN_PORT, port))
                    .build())
            .setData(output.frame())
            .build());
  }

  private int send(Host from, int port, boolean isTcp) {
    packetIns.clear();
    if (isTcp) {
      fixture.send(from, port, ProactiveFixture.SYN);
    } else {
      fixture.sendDatagram(from, port);
    }
    return packetIns.size();
  }

  private void guard() {
    Optional<OFMessage> rule = TrackedFloods.against(BalancerNetwork.FACTORY, packetIns.get(0), 1);
    net.network.send(fixture.s1, rule.orElseThrow());
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.100", "fd00::64"})
  void datagramsToALostMember_areDroppedForASecond_andNoOthers(String vip) {
    setUp(vip, "udp");
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.memberOfDatagram(client, port)));
    assertNotEquals(1, Map.copyOf(members).values().stream().distinct().count());
    int lost =
        ALL_BUCKETS.stream().filter(p -> members.get(p).equals(fixture.m1)).findAny().orElseThrow();
    int left =
        ALL_BUCKETS.stream().filter(p -> members.get(p).equals(fixture.m2)).findAny().orElseThrow();
    fixture.setMember("m1", "admin_state", "down");
    fixture.pass(1);
    net.network.setController(this::packetIn);
    assertEquals(1, send(client, lost, /* isTcp= */ false));

    guard();

    assertEquals(0, send(client, lost, /* isTcp= */ false));
    assertEquals(fixture.m2, fixture.memberOfDatagram(client, left));
    assertEquals(fixture.m2, fixture.memberOfDatagram(client, left + 1));
    fixture.pass(1);
    assertEquals(1, send(client, lost, /* isTcp= */ false));
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.100, udp", "10.0.0.100, tcp", "fd00::64, udp", "fd00::64, tcp"})
  void connectionsThatDoNotFit_areDroppedForASecond_atTheirPort(String vip, String protocol) {
    boolean isTcp = protocol.equals("tcp");
    setUp(vip, protocol);
    assertEquals(0, send(client, 40_000, isTcp));
    net.table(fixture.s1).conntrack().setMaxConnections(1);
    net.network.setController(this::packetIn);
    assertEquals(1, send(client, 50_000, isTcp));

    guard();

    assertEquals(0, send(client, 50_002, isTcp));
    assertEquals(1, send(other, 50_004, isTcp));
    assertEquals(0, send(client, 40_000, isTcp), "its connection is known");
    fixture.pass(1);
    assertEquals(1, send(client, 50_002, isTcp));
  }

  /** A client that does not answer has moved. */
  @ParameterizedTest
  @CsvSource({"10.0.0.100", "fd00::64"})
  void repliesOfUnknownConnections_areDroppedForASecond_andNoOthers(String vip) {
    setUp(vip, "tcp");
    Host member = fixture.open(client, 40_000);
    net.table(fixture.s1).conntrack().clear();
    Host known = fixture.open(other, 40_002);
    net.network.setController(this::packetIn);
    fixture.reply(member, client, 40_000, ProactiveFixture.ACK);
    assertEquals(1, packetIns.size());

    guard();

    fixture.reply(member, client, 40_000, ProactiveFixture.ACK);
    assertEquals(1, packetIns.size());
    fixture.assertAnswered(known, other, 40_002, ProactiveFixture.ACK);
    fixture.pass(1);
    fixture.reply(member, client, 40_000, ProactiveFixture.ACK);
    assertEquals(2, packetIns.size());
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.100", "fd00::64"})
  void otherPackets_areNotOfThisKind(String vip) {
    setUp(vip, "tcp");
    net.network.setController(this::packetIn);
    fixture.send(client, 40_000, ProactiveFixture.ACK);

    assertEquals(
        Optional.empty(), TrackedFloods.against(BalancerNetwork.FACTORY, packetIns.get(0), 1));
  }
}
