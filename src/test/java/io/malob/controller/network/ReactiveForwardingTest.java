package io.malob.controller.network;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.controller.guard.Refusal;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.devicemanager.IDevice;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;
import org.projectfloodlight.openflow.types.VlanVid;

/**
 * A ring; hosts a at s1/1, b at s3/1, c at s2/1:
 *
 * <pre>
 * a - s1 2 -- 2 s2 3 -- 2 s3 - b
 *      3                  3
 *       `-- 2 s4 3 ------'
 * </pre>
 */
class ReactiveForwardingTest {
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S2 = DatapathId.of(2);
  private static final DatapathId S3 = DatapathId.of(3);
  private static final DatapathId S4 = DatapathId.of(4);
  private static final MacAddress A = MacAddress.of("02:00:00:00:00:0a");
  private static final MacAddress B = MacAddress.of("02:00:00:00:00:0b");
  private static final MacAddress C = MacAddress.of("02:00:00:00:00:0c");
  private static final IPv4Address IP_A = IPv4Address.of("10.0.0.1");
  private static final IPv4Address IP_B = IPv4Address.of("10.0.0.2");
  private static final IPv4Address IP_C = IPv4Address.of("10.0.0.3");
  private static final NodePortTuple AT_A = new NodePortTuple(S1, OFPort.of(1));
  private static final NodePortTuple AT_B = new NodePortTuple(S3, OFPort.of(1));
  private static final NodePortTuple AT_C = new NodePortTuple(S2, OFPort.of(1));
  private static final byte[] A_TO_B = Frames.tcp(A, B, IP_A, 40_000, IP_B, 80, 2);

  private static final IPv6Address IP6_A = IPv6Address.of("2001:db8::a");
  private static final IPv6Address IP6_B = IPv6Address.of("2001:db8::b");
  private static final IPv6Address ALL_NODES = IPv6Address.of("ff02::1");
  private static final MacAddress ALL_NODES_MAC = MacAddress.of("33:33:00:00:00:01");
  private static final Ipv6Frames A_TO_B6 = new Ipv6Frames(A, B, IP6_A, IP6_B);
  private static final Ipv6Frames A_TO_ALL6 = new Ipv6Frames(A, ALL_NODES_MAC, IP6_A, ALL_NODES);

  private EmulatedNetwork network;

  @BeforeEach
  void ringWithKnownHosts() throws Exception {
    network = new EmulatedNetwork();
    network.switches.connect(S1, 2, S2, 2);
    network.switches.connect(S2, 3, S3, 2);
    network.switches.connect(S1, 3, S4, 2);
    network.switches.connect(S4, 3, S3, 3);
    for (DatapathId id : List.of(S1, S2, S3, S4)) {
      network.add(id, OFPort.of(1), OFPort.of(2), OFPort.of(3));
    }
    network.pass(2_000);
    inject(AT_A, Frames.arpRequest(A, IP_A, IP_B));
    inject(AT_B, Frames.arpReply(B, A, IP_B, IP_A));
    inject(AT_C, Frames.arpRequest(C, IP_C, IP_B));
  }

  private List<NodePortTuple> inject(NodePortTuple at, byte[] frame) {
    return network.switches.inject(at.getNodeId(), at.getPortId().getPortNumber(), frame).stream()
        .map(Delivery::at)
        .toList();
  }

  private List<FakeRule> rules() {
    return Stream.of(S1, S2, S3, S4)
        .flatMap(id -> network.switches.table(id).rules().stream())
        .toList();
  }

  private IDevice host(MacAddress mac) {
    return network.devices.findDevice(mac, null, IPv4Address.NONE, IPv6Address.NONE, null, null);
  }

  @Test
  void arp_learnsAddressesAndLeavesNoRules() {
    assertEquals(List.of(), rules());
    IDevice found =
        network.devices.findDevice(MacAddress.NONE, null, IP_B, IPv6Address.NONE, null, null);
    assertEquals(B, found.getMACAddress());
    assertEquals(AT_B.getNodeId(), found.getAttachmentPoints()[0].getNodeId());
  }

  @Test
  void firstPacket_arrivesOnce_andTheNextWithoutController() {
    List<Delivery> first = network.switches.inject(S1, 1, A_TO_B);
    assertEquals(1, first.size());
    assertEquals(AT_B, first.get(0).at());
    assertArrayEquals(A_TO_B, first.get(0).frame());
    assertEquals(3, rules().size());
    int before = network.packetIns;
    assertEquals(List.of(AT_B), inject(AT_A, A_TO_B));
    assertEquals(before, network.packetIns);
  }

  @Test
  void switchesOfOtherMasters_getPacketsAndRules() {
    network.giveAway(S2);
    network.giveAway(S3);
    network.giveAway(S4);
    List<NodePortTuple> flooded = inject(AT_A, Frames.arpRequest(A, IP_A, IP_B));
    assertEquals(Set.of(AT_B, AT_C, new NodePortTuple(S4, OFPort.of(1))), Set.copyOf(flooded));
    assertEquals(List.of(AT_B), inject(AT_A, A_TO_B));
    int before = network.packetIns;
    assertEquals(List.of(AT_B), inject(AT_A, A_TO_B));
    assertEquals(before, network.packetIns);
  }

  @Test
  void rules_ofOneConnection_hideNoOtherFromTheController() {
    inject(AT_A, A_TO_B);
    int before = network.packetIns;
    inject(AT_A, Frames.tcp(A, B, IP_A, 40_001, IP_B, 80, 2));
    assertEquals(before + 1, network.packetIns);
  }

  @Test
  void rules_areTheLowestAndIdleOut() {
    inject(AT_A, A_TO_B);
    assertTrue(rules().stream().allMatch(rule -> rule.priority() == 1));
    assertTrue(rules().stream().allMatch(rule -> rule.idleTimeout() == 5));
    assertTrue(rules().stream().allMatch(rule -> rule.hardTimeout() == 0));
  }

  @Test
  void laterFragment_isDeliveredWithoutRules() {
    byte[] fragment = A_TO_B.clone();
    fragment[21] = 5;
    assertEquals(List.of(AT_B), inject(AT_A, fragment));
    assertEquals(List.of(), rules());
  }

  private static byte[] udp(int srcPort, int bytes) {
    return Frames.udp(A, B, IP_A, srcPort, IP_B, 5_000, new byte[bytes]);
  }

  private void assertWithoutController(byte[]... frames) {
    int before = network.packetIns;
    for (byte[] frame : frames) {
      assertEquals(List.of(AT_B), inject(AT_A, frame));
      assertEquals(before, network.packetIns);
    }
  }

  private void assertByController(byte[]... frames) {
    for (byte[] frame : frames) {
      int before = network.packetIns;
      assertEquals(List.of(AT_B), inject(AT_A, frame));
      assertEquals(before + 1, network.packetIns);
    }
  }

  @Test
  void fragments_ofUdp_goByRules_thatHideNoWholePacket() {
    byte[] first = Frames.fragment(udp(40_000, 64), 0, true);
    byte[] later = Frames.fragment(udp(40_000, 64), 9, false);
    assertByController(later, first);
    assertWithoutController(first, later, Frames.fragment(udp(40_001, 64), 0, true));
    assertWithoutController(udp(40_000, 8));
    assertByController(udp(40_001, 8), Frames.tcp(A, B, IP_A, 40_001, IP_B, 80, 2));
  }

  @Test
  void fragments_ofPings_goByRules_thatHideNoErrors() {
    byte[] ping = Frames.icmp(8, A, B, IP_A, IP_B, 0x10001, new byte[64]);
    byte[] first = Frames.fragment(ping, 0, true);
    byte[] later = Frames.fragment(ping, 9, false);
    assertByController(later, first);
    assertWithoutController(first, later, ping);
    assertByController(Frames.icmp(3, A, B, IP_A, IP_B, 0, A_TO_B));
  }

  @Test
  void fragments_ofIpv6_goByRules_thatHideNoWholePacket() {
    byte[] first = A_TO_B6.fragment(17, 0, true, new byte[24]);
    byte[] later = A_TO_B6.fragment(17, 3, false, new byte[24]);
    assertByController(first);
    assertWithoutController(first, later);
    assertByController(A_TO_B6.udp(40_000, 80, new byte[4]), A_TO_B6.tcp(40_000, 80, 2));
  }

  private static byte[] llc(int... payload) {
    ByteBuffer frame = ByteBuffer.allocate(60).put(B.getBytes()).put(A.getBytes());
    frame.putShort((short) 46);
    for (int each : payload) {
      frame.put((byte) each);
    }
    return frame.array();
  }

  @Test
  void llcFrames_goByTheirRules_andSnapFramesWithout() {
    byte[] netBios = llc(0xf0, 0xf0, 3);
    assertByController(netBios);
    assertWithoutController(netBios);
    assertByController(llc(0xaa, 0xaa, 3, 0, 0, 0, 0x08, 0x00, 0x45));
    assertEquals(3, rules().size());
    assertByController(llc(0xaa, 0xaa, 3, 0, 0, 0, 0x08, 0x00, 0x45));
  }

  /** One about a load balancer's packet must come to the controller. */
  @Test
  void icmpErrors_areDeliveredWithoutRules() {
    assertEquals(List.of(AT_B), inject(AT_A, Frames.icmp(3, A, B, IP_A, IP_B, 0, A_TO_B)));
    assertEquals(List.of(AT_B), inject(AT_A, A_TO_B6.icmp(2, 64, 1_280, A_TO_B)));
    assertEquals(List.of(), rules());
  }

  @Test
  void rule_goneOnTheWay_isMadeAnewFromThere() {
    inject(AT_A, A_TO_B);
    FakeRule middle = network.switches.table(S2).rules().get(0);
    network.switches.send(
        S2,
        OFFactories.getFactory(OFVersion.OF_13)
            .buildFlowDelete()
            .setCookie(middle.cookie())
            .setCookieMask(U64.NO_MASK)
            .setOutPort(OFPort.ANY)
            .build());
    assertEquals(List.of(), network.switches.table(S2).rules());
    assertEquals(List.of(AT_B), inject(AT_A, A_TO_B));
    int before = network.packetIns;
    assertEquals(List.of(AT_B), inject(AT_A, A_TO_B));
    assertEquals(before, network.packetIns);
  }

  @Test
  void linkLost_deletesRulesOfItsPathsOnly_andTrafficGoesTheOtherWay() {
    byte[] cToB = Frames.tcp(C, B, IP_C, 40_000, IP_B, 80, 2);
    inject(AT_A, A_TO_B);
    inject(AT_C, cToB);
    network.switches.cut(S1, 2);
    network.portDown(S1, 2);
    network.portDown(S2, 2);
    assertEquals(2, rules().size());
    assertEquals(List.of(AT_B), inject(AT_A, A_TO_B));
    assertEquals(1, network.switches.table(S4).rules().size());
    assertEquals(List.of(AT_B), inject(AT_C, cToB));
  }

  @Test
  void hostMoved_isReachedAtItsNewPort() {
    inject(AT_A, A_TO_B);
    NodePortTuple elsewhere = new NodePortTuple(S4, OFPort.of(1));
    inject(elsewhere, Frames.arpRequest(B, IP_B, IP_A));
    assertEquals(List.of(), rules());
    assertEquals(List.of(elsewhere), inject(AT_A, A_TO_B));
  }

  @Test
  void hostPortDown_takesTheHostOffIt() {
    network.portDown(S3, 1);
    assertEquals(0, host(B).getAttachmentPoints().length);
  }

  @Test
  void unknownDestination_isFloodedFromHostPortsOnly() {
    byte[] frame =
        Frames.tcp(
            A, MacAddress.of("02:00:00:00:00:99"), IP_A, 1, IPv4Address.of("10.0.0.99"), 2, 2);
    List<NodePortTuple> reached = inject(AT_A, frame);
    assertEquals(3, reached.size());
    assertFalse(reached.contains(AT_A));
    assertEquals(List.of(), inject(new NodePortTuple(S2, OFPort.of(2)), frame));
    assertEquals(List.of(), rules());
  }

  @Test
  void switchItself_isAHost_thatGetsBroadcastsAndPackets() {
    DatapathId alone = DatapathId.of(5);
    NodePortTuple local = new NodePortTuple(alone, OFPort.LOCAL);
    NodePortTuple atHost = new NodePortTuple(alone, OFPort.of(1));
    network.add(alone, OFPort.of(1), OFPort.LOCAL);
    network.pass(2_000);
    assertEquals(List.of(local), inject(atHost, Frames.arpRequest(A, IP_A, IP_B)));
    assertEquals(List.of(atHost), inject(local, Frames.arpReply(B, A, IP_B, IP_A)));
    assertEquals(OFPort.LOCAL, host(B).getAttachmentPoints()[0].getPortId());
    assertEquals(List.of(local), inject(atHost, A_TO_B));
    int before = network.packetIns;
    assertEquals(List.of(local), inject(atHost, A_TO_B));
    assertEquals(before, network.packetIns);
    assertNull(network.probe(local));
  }

  @Test
  void broadcast_fromPortBetweenSwitches_isDropped() {
    NodePortTuple between = new NodePortTuple(S2, OFPort.of(2));
    assertEquals(List.of(), inject(between, Frames.arpRequest(A, IP_A, IP_B)));
    assertEquals(AT_A.getNodeId(), host(A).getAttachmentPoints()[0].getNodeId());
  }

  @Test
  void neighbourAndRouterDiscovery_isFloodedUntouched() {
    byte[] solicitation = A_TO_ALL6.solicitation(IP6_B);
    byte[] routerSolicitation = A_TO_ALL6.icmp(133, 255, 0, new byte[8]);
    byte[] routerAdvertisement = A_TO_ALL6.icmp(134, 255, 0x4000_0708, new byte[24]);
    for (byte[] frame : List.of(solicitation, routerSolicitation, routerAdvertisement)) {
      List<Delivery> flooded = network.switches.inject(S1, 1, frame);
      assertEquals(3, flooded.size());
      flooded.forEach(each -> assertArrayEquals(frame, each.frame()));
    }
    assertEquals(List.of(), rules());
  }

  private List<IPv6Address> addresses6(MacAddress mac) {
    return List.of(host(mac).getIPv6Addresses());
  }

  @Test
  void neighbourDiscovery_teachesAddresses() {
    inject(AT_A, A_TO_ALL6.solicitation(IP6_B));
    inject(AT_B, new Ipv6Frames(B, A, IP6_B, IP6_A).advertisement(IP6_B, B));
    assertEquals(List.of(IP6_A), addresses6(A));
    assertEquals(List.of(IP6_B), addresses6(B));
    IDevice found =
        network.devices.findDevice(MacAddress.NONE, null, IPv4Address.NONE, IP6_B, null, null);
    assertEquals(B, found.getMACAddress());
    assertArrayEquals(new IPv4Address[] {IP_B}, found.getIPv4Addresses());
  }

  @Test
  void advertisement_teachesItsTarget_notTheAddressOfItsLink() {
    IPv6Address local = IPv6Address.of("fe80::a");
    inject(AT_A, new Ipv6Frames(A, ALL_NODES_MAC, local, ALL_NODES).solicitation(IP6_B));
    inject(AT_A, new Ipv6Frames(A, ALL_NODES_MAC, local, ALL_NODES).advertisement(local, A));
    assertEquals(List.of(), addresses6(A));
    inject(AT_A, new Ipv6Frames(A, ALL_NODES_MAC, local, ALL_NODES).advertisement(IP6_A, A));
    assertEquals(List.of(IP6_A), addresses6(A));
  }

  @Test
  void checkForDuplicates_routedMessage_otherMac_andOtherPackets_teachNoIpv6Address() {
    IPv6Address free = IPv6Address.NONE;
    inject(AT_A, new Ipv6Frames(A, ALL_NODES_MAC, free, ALL_NODES).solicitation(IP6_A));
    inject(AT_A, A_TO_ALL6.icmp(135, 254, 0, IP6_B.getBytes()));
    inject(AT_A, A_TO_ALL6.advertisement(IP6_A, C));
    inject(AT_A, A_TO_B6.tcp(40_000, 80, 2));
    assertEquals(List.of(), addresses6(A));
  }

  @Test
  void neighbourDiscovery_onAVlan_teachesTheHostOfThatVlan() {
    inject(AT_A, Frames.tagged(A_TO_ALL6.solicitation(IP6_B), 7));
    IDevice found =
        network.devices.findDevice(A, VlanVid.ofVlan(7), IPv4Address.NONE, IP6_A, null, null);
    assertEquals(1, found.getIPv6Addresses().length);
    assertEquals(
        List.of(), List.of(network.devices.getDevice(A.getLong() << 12).getIPv6Addresses()));
  }

  @Test
  void ipv6Flow_goesByItsOwnRules_andHidesNoOtherFromTheController() {
    assertEquals(List.of(AT_B), inject(AT_A, A_TO_B6.tcp(40_000, 80, 2)));
    assertEquals(3, rules().size());
    int before = network.packetIns;
    assertEquals(List.of(AT_B), inject(AT_A, A_TO_B6.tcp(40_000, 80, 2)));
    assertEquals(before, network.packetIns);
    for (byte[] other :
        List.of(
            A_TO_B6.tcp(40_001, 80, 2),
            A_TO_B6.udp(40_000, 80, new byte[4]),
            A_TO_B6.icmp(128, 64, 1, new byte[8]),
            new Ipv6Frames(A, B, IP6_B, IP6_A).tcp(40_000, 80, 2))) {
      assertEquals(List.of(AT_B), inject(AT_A, other));
      assertEquals(++before, network.packetIns);
    }
  }

  @Test
  void unicastNeighbourMessages_leaveNoRules() {
    assertEquals(List.of(AT_B), inject(AT_A, A_TO_B6.solicitation(IP6_B)));
    assertEquals(List.of(AT_B), inject(AT_A, A_TO_B6.advertisement(IP6_A, A)));
    assertEquals(List.of(), rules());
  }

  @Test
  void framesForBridgesOrLabels_areNotForwarded() {
    byte[] payload = new byte[50];
    for (String dst : List.of("01:80:c2:00:00:00", "01:80:c2:00:00:0e", "0a:4d:4c:00:00:07")) {
      byte[] frame = Frames.ethernet(A, MacAddress.of(dst), 0x0900, payload);
      assertEquals(List.of(), inject(AT_A, frame), dst);
    }
    byte[] lldp = Frames.ethernet(A, B, 0x88cc, payload);
    assertEquals(List.of(), inject(AT_A, lldp));
    assertEquals(1, network.refusals.of(Refusal.PROBE_FOREIGN));
  }

  @Test
  void hostWithLabelOrGroupAsItsAddress_isRefused() {
    for (String src : List.of("0a:4d:4c:00:00:07", "01:00:5e:00:00:01", "00:00:00:00:00:00")) {
      byte[] frame = Frames.ethernet(MacAddress.of(src), B, 0x0900, new byte[50]);
      assertEquals(List.of(), inject(AT_A, frame), src);
      assertNull(network.devices.getDevice(MacAddress.of(src).getLong() << 12));
    }
    assertEquals(3, network.devices.refusedPackets());
    assertEquals(3, network.devices.getAllDevices().size());
  }

  @Test
  void taggedFrame_goesToTheHostOfItsVlan() {
    inject(AT_C, Frames.tagged(Frames.arpRequest(B, IP_B, IP_A), 7));
    assertEquals(List.of(AT_C), inject(AT_A, Frames.tagged(A_TO_B, 7)));
    assertEquals(List.of(AT_B), inject(AT_A, A_TO_B));
    int before = network.packetIns;
    assertEquals(List.of(AT_C), inject(AT_A, Frames.tagged(A_TO_B, 7)));
    assertEquals(before, network.packetIns);
    IDevice tagged =
        network.devices.findDevice(
            B, VlanVid.ofVlan(7), IPv4Address.NONE, IPv6Address.NONE, null, null);
    assertEquals(AT_C.getNodeId(), tagged.getAttachmentPoints()[0].getNodeId());
  }

  @Test
  void hostsBehindOnePort_getNothingBack() {
    inject(AT_A, Frames.arpRequest(C, IP_C, IP_A));
    assertEquals(List.of(), inject(AT_A, Frames.tcp(A, C, IP_A, 1, IP_C, 2, 2)));
  }

  @Test
  void ipPacketOfRouter_teachesNoAddress() {
    inject(AT_A, Frames.tcp(A, B, IPv4Address.of("8.8.8.8"), 53, IP_B, 4_000, 2));
    assertArrayEquals(new IPv4Address[] {IP_A}, host(A).getIPv4Addresses());
  }

  @Test
  void malformedFrame_isDropped() {
    byte[] frame = A_TO_B.clone();
    frame[17] = (byte) 0xff;
    assertEquals(List.of(), inject(AT_A, frame));
    assertEquals(List.of(), rules());
  }

  @Test
  void floodOfForgedSources_isLearntAtItsPortsRate_whileOthersAreLearntAtOnce() {
    for (int i = 0; i < 2_500; i++) {
      inject(AT_A, ofForged(i));
    }
    MacAddress late = MacAddress.of("02:00:00:00:00:0d");
    inject(AT_C, Frames.tcp(late, B, IP_C, 40_000, IP_B, 80, 2));

    assertEquals(AT_C.getNodeId(), host(late).getAttachmentPoints()[0].getNodeId());
    int hosts = 2_000 + 3; // a itself is one of its port's 2,000
    assertEquals(hosts, network.devices.getAllDevices().size());
    network.pass(1_000);
    inject(AT_A, ofForged(3_000));
    assertEquals(hosts + 1, network.devices.getAllDevices().size(), "learning goes on");
  }

  private static byte[] ofForged(int host) {
    MacAddress mac = MacAddress.of(0x06_00_00_00_00_00L + host);
    return Frames.tcp(mac, B, IPv4Address.of(0x0b00_0000 + host), 40_000, IP_B, 80, 2);
  }

  @Test
  void rule_matchesVlanOfUntaggedFrames() {
    inject(AT_A, A_TO_B);
    assertTrue(rules().stream().allMatch(rule -> rule.match().isExact(MatchField.VLAN_VID)));
  }
}
