package io.malob.controller.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.label.Label;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.Stub;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IListener.Command;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.linkdiscovery.ILinkDiscovery.LinkType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/**
 * Three switches, 1 to 3, with a host each at port 1; all three have port 2 on a legacy switch, 9,
 * that has a host of its own at port 4. Switches 1 and 2 are joined by a cable as well, at port 3,
 * and switch 4 with its host is behind switch 3.
 *
 * <pre>
 *   h1-1 --- 2-h2     h9
 *       \\   /        /
 *        legacy switch 9 --- 3-h3 --- 4-h4
 * </pre>
 */
class SharedSegmentTest {
  private static final DatapathId PLAIN = DatapathId.of(9);

  /** Where each host is attached, by its number. */
  private final Map<Integer, NodePortTuple> hosts = new TreeMap<>();

  private EmulatedNetwork network;

  @BeforeEach
  void start() throws Exception {
    network = new EmulatedNetwork();
    network.switches.legacy(PLAIN, 4);
    for (int id = 1; id <= 3; id++) {
      network.switches.connect(DatapathId.of(id), 2, PLAIN, id);
      hosts.put(id, port(id, 1));
    }
    network.switches.connect(DatapathId.of(1), 3, DatapathId.of(2), 3);
    network.switches.connect(DatapathId.of(3), 3, DatapathId.of(4), 3);
    hosts.put(4, port(4, 1));
    hosts.put(9, port(9, 4));
    for (int id = 1; id <= 3; id++) {
      network.add(DatapathId.of(id), OFPort.of(1), OFPort.of(2), OFPort.of(3));
    }
    network.add(DatapathId.of(4), OFPort.of(1), OFPort.of(3));
    network.pass(4_000);
  }

  private static NodePortTuple port(int switchId, int port) {
    return new NodePortTuple(DatapathId.of(switchId), OFPort.of(port));
  }

  private static MacAddress mac(int host) {
    return MacAddress.of(0x02_00_00_00_00_00L + host);
  }

  private static IPv4Address ip(int host) {
    return IPv4Address.of(0x0a000000 + host);
  }

  private List<NodePortTuple> inject(int host, byte[] frame) {
    NodePortTuple at = hosts.get(host);
    return network.switches.inject(at.getNodeId(), at.getPortId().getPortNumber(), frame).stream()
        .map(Delivery::at)
        .toList();
  }

  private List<NodePortTuple> broadcastFrom(int host) {
    return inject(host, Frames.arpRequest(mac(host), ip(host), IPv4Address.of("10.0.0.250")));
  }

  private List<NodePortTuple> send(int from, int to) {
    return inject(
        from, Frames.udp(mac(from), mac(to), ip(from), 5_000, ip(to), 6_000, new byte[] {1}));
  }

  private void assertBroadcastsReachEachOtherHostOnce() {
    for (int from : hosts.keySet()) {
      List<NodePortTuple> reached = broadcastFrom(from);
      Set<NodePortTuple> others = new HashSet<>(hosts.values());
      others.remove(hosts.get(from));
      assertEquals(others, new HashSet<>(reached), "from host " + from);
      assertEquals(others.size(), reached.size(), "from host " + from + ": " + reached);
    }
  }

  @Test
  void ports_joinedByALegacySwitch_haveMultihopLinksBesideDirectOnes() {
    Map<LinkType, Integer> count = new TreeMap<>();
    network
        .links
        .getLinks()
        .values()
        .forEach(info -> count.merge(info.getLinkType(), 1, Integer::sum));
    assertEquals(Map.of(LinkType.DIRECT_LINK, 4, LinkType.MULTIHOP_LINK, 6), count);
  }

  @Test
  void broadcast_reachesEachOtherHostOnce() {
    assertBroadcastsReachEachOtherHostOnce();
    assertBroadcastsReachEachOtherHostOnce();
  }

  @Test
  void legacySwitch_seesEachHostAtOnePort() {
    for (int round = 0; round < 2; round++) {
      hosts.keySet().forEach(this::broadcastFrom);
      hosts.keySet().forEach(from -> hosts.keySet().forEach(to -> sendUnlessSame(from, to)));
    }
    Map<Integer, Set<OFPort>> seen = new TreeMap<>();
    hosts.keySet().forEach(host -> seen.put(host, network.switches.placesAt(PLAIN).get(mac(host))));
    assertEquals(
        Map.of(
            1, Set.of(OFPort.of(1)),
            2, Set.of(OFPort.of(2)),
            3, Set.of(OFPort.of(3)),
            4, Set.of(OFPort.of(3)),
            9, Set.of(OFPort.of(4))),
        seen);
  }

  @Test
  void hosts_areLearnedWhereTheyAre_thoseBehindTheLegacySwitchAtOnePort() {
    hosts.keySet().forEach(this::broadcastFrom);
    hosts.keySet().forEach(from -> hosts.keySet().forEach(to -> sendUnlessSame(from, to)));
    hosts.forEach(
        (host, at) -> {
          NodePortTuple expected = host == 9 ? port(1, 2) : at;
          var device =
              network.devices.getAllDevices().stream()
                  .filter(each -> each.getMACAddress().equals(mac(host)))
                  .findFirst()
                  .orElseThrow();
          var found = device.getAttachmentPoints()[0];
          assertEquals(
              expected, new NodePortTuple(found.getNodeId(), found.getPortId()), "host " + host);
        });
    assertEquals(hosts.size(), network.devices.getAllDevices().size());
  }

  private void sendUnlessSame(int from, int to) {
    if (from != to) {
      send(from, to);
    }
  }

  @Test
  void unicast_betweenAllHosts_arrivesOnceEachTime() {
    hosts.keySet().forEach(this::broadcastFrom);
    for (int round = 0; round < 3; round++) {
      for (int from : hosts.keySet()) {
        for (int to : hosts.keySet()) {
          if (from != to) {
            assertEquals(
                List.of(hosts.get(to)), send(from, to), from + " to " + to + ", round " + round);
          }
        }
      }
    }
  }

  @Test
  void topology_broadcastPortsOfTheSegment_reachItOnceFromAnySwitch() {
    // 1 is the root: 2 is reached over the cable (its smaller segment is that of port 2)
    var now = network.topology.current();
    assertTrue(now.isSamePart(DatapathId.of(1), DatapathId.of(4)));
    int onSegment = 0;
    for (int id = 1; id <= 3; id++) {
      onSegment += now.isBroadcastAllowed(DatapathId.of(id), OFPort.of(2)) ? 1 : 0;
    }
    assertEquals(3, onSegment);
    assertFalse(now.isBroadcastAllowed(DatapathId.of(2), OFPort.of(3)), "that would be a loop");
  }

  @Test
  void segment_whoseBroadcastsStayAway_goesAndItsPortsAreHostPortsAgain() {
    network.switches.cut(DatapathId.of(3), 2);
    network.pass(20_000);
    assertEquals(
        4 + 2,
        network.links.getLinks().size(),
        "the cables, and what the legacy switch still joins");
    assertFalse(network.topology.isInSameCluster(DatapathId.of(1), DatapathId.of(4)));
    assertTrue(network.topology.isAttachmentPointPort(DatapathId.of(3), OFPort.of(2)));
  }

  @Test
  void host_thatMovesBehindTheLegacySwitch_isFoundThereByItsFirstBroadcast() {
    hosts.keySet().forEach(this::broadcastFrom);
    hosts.put(4, port(9, 4));
    hosts.remove(9);
    broadcastFrom(4);
    assertEquals(List.of(hosts.get(4)), send(3, 4));
  }

  /** A copy has no rule for its label; what lacks only the rule of its host is on its path. */
  @Test
  void labelledPacket_isACopyUnlessItsLabelLedItToTheController_andTeachesNothing() {
    assertEquals(Command.STOP, labelled(TableId.of(2), U64.ZERO));
    assertEquals(Command.CONTINUE, labelled(FlowLayout.HOSTS, Cookie.of(CookieKind.SWITCH, 0)));
    assertEquals(Command.CONTINUE, labelled(TableId.of(0), Cookie.of(CookieKind.LABEL, 7)));
    assertEquals(0, network.devices.getAllDevices().size());
  }

  private Command labelled(TableId table, U64 cookie) {
    byte[] frame =
        Frames.udp(
            MacAddress.of("1a:00:00:00:00:01"),
            new Label(7).mac(),
            ip(1),
            5_000,
            ip(2),
            6_000,
            new byte[] {1});
    OFMessage packetIn =
        OFFactories.getFactory(OFVersion.OF_13)
            .buildPacketIn()
            .setReason(OFPacketInReason.NO_MATCH)
            .setTableId(table)
            .setCookie(cookie)
            .setMatch(
                OFFactories.getFactory(OFVersion.OF_13)
                    .buildMatch()
                    .setExact(MatchField.IN_PORT, OFPort.of(2))
                    .build())
            .setData(frame)
            .build();
    IOFSwitch first = Stub.of(IOFSwitch.class).on("getId", with -> DatapathId.of(1)).make();
    return network.devices.receive(first, packetIn, new FloodlightContext());
  }
}
