package io.malob.controller.network.devices;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.malob.controller.network.devices.DeviceTracker.Change;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.floodlightcontroller.core.types.NodePortTuple;
import net.floodlightcontroller.devicemanager.SwitchPort;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class DeviceTrackerTest {
  private static final DatapathId SWITCH = DatapathId.of(1);
  private static final IPv4Address IP = IPv4Address.of("10.0.0.1");
  private static final IPv6Address IP6 = IPv6Address.of("2001:db8::1");

  private final DeviceTable table = new DeviceTable();
  private final List<Change> changes = new ArrayList<>();
  private final Set<NodePortTuple> links = new HashSet<>();
  private long now = 1_000_000;
  private final DeviceTracker tracker =
      new DeviceTracker(
          table,
          new DeviceLimits(200, 60_000),
          () -> now,
          (switchId, port) -> !links.contains(new NodePortTuple(switchId, port)),
          (change, device) -> changes.add(change));

  private static MacAddress mac(int host) {
    return MacAddress.of(0x02_00_00_00_00_00L + host);
  }

  private void seen(int host, int vlan, IPAddress<?> address, int port) {
    tracker.seen(new Sighting(mac(host), vlan, address, SWITCH, OFPort.of(port), true));
  }

  private Device device(int host) {
    return table.get(Device.key(mac(host), 0));
  }

  @Test
  void host_seenTwice_isToldOnce() {
    seen(1, 0, IP, 1);
    seen(1, 0, IP, 1);
    assertEquals(List.of(Change.ADDED, Change.IPV4_ADDRESSES), changes);
    assertArrayEquals(
        new SwitchPort[] {new SwitchPort(SWITCH, OFPort.of(1))}, device(1).getAttachmentPoints());
    assertArrayEquals(new IPv4Address[] {IP}, device(1).getIPv4Addresses());
  }

  @Test
  void host_seenAtOtherPort_moves() {
    seen(1, 0, IP, 1);
    seen(1, 0, IPv4Address.NONE, 2);
    assertEquals(List.of(Change.ADDED, Change.IPV4_ADDRESSES, Change.MOVED), changes);
    assertEquals(OFPort.of(2), device(1).getAttachmentPoints()[0].getPortId());
    assertEquals(OFPort.of(1), device(1).getOldAP()[0].getPortId());
  }

  @Test
  void host_onTwoVlans_isTwoDevices() {
    seen(1, 0, IPv4Address.NONE, 1);
    seen(1, 7, IPv4Address.NONE, 2);
    assertEquals(2, table.size());
    assertEquals(2, table.withMac(mac(1)).size());
  }

  @Test
  void address_claimedByOtherHost_changesItsOwner() {
    seen(1, 0, IP, 1);
    seen(2, 0, IP, 2);
    assertEquals(List.of(device(2)), table.withAddress(IP));
    assertEquals(0, device(1).getIPv4Addresses().length);
  }

  @Test
  void host_claimingManyAddresses_keepsTheNewest() {
    for (int i = 0; i < 1_000; i++) {
      seen(1, 0, IPv4Address.of(0x0a000000 + i), 1);
    }
    assertEquals(DeviceTracker.MAX_ADDRESSES, device(1).getIPv4Addresses().length);
    assertEquals(List.of(device(1)), table.withAddress(IPv4Address.of(0x0a000000 + 999)));
    assertEquals(List.of(), table.withAddress(IPv4Address.of(0x0a000000)));
  }

  @Test
  void host_ofBothIpVersions_isFoundByBothAddresses_andTellsWhichHasChanged() {
    seen(1, 0, IP, 1);
    seen(1, 0, IP6, 1);
    assertEquals(List.of(Change.ADDED, Change.IPV4_ADDRESSES, Change.IPV6_ADDRESSES), changes);
    assertArrayEquals(new IPv4Address[] {IP}, device(1).getIPv4Addresses());
    assertArrayEquals(new IPv6Address[] {IP6}, device(1).getIPv6Addresses());
    assertEquals(List.of(device(1)), table.withAddress(IP));
    assertEquals(List.of(device(1)), table.withAddress(IP6));
  }

  @Test
  void ipv6Address_claimedByOtherHost_changesItsOwner() {
    seen(1, 0, IP6, 1);
    seen(2, 0, IP6, 2);
    assertEquals(List.of(device(2)), table.withAddress(IP6));
    assertEquals(0, device(1).getIPv6Addresses().length);
  }

  @Test
  void privacyAddresses_doNotPushOutAnAddressInUse_norThatOfTheOtherIpVersion() {
    seen(1, 0, IP, 1);
    seen(1, 0, IP6, 1);
    for (int i = 0; i < 1_000; i++) {
      seen(1, 0, IPv6Address.of(0x20010db8_00000001L << 32, i), 1);
      seen(1, 0, IP6, 1);
    }
    assertEquals(DeviceTracker.MAX_ADDRESSES, device(1).getIPv6Addresses().length);
    assertEquals(List.of(device(1)), table.withAddress(IP6));
    assertEquals(List.of(device(1)), table.withAddress(IP));
    assertEquals(DeviceTracker.MAX_ADDRESSES + 1, table.addresses());
  }

  @Test
  void manyHostsWithManyAddresses_areBoundedTogether_andEachKeepsItsLatest() {
    for (int host = 0; host < 200; host++) {
      for (int i = 0; i < DeviceTracker.MAX_ADDRESSES; i++) {
        seen(host, 0, IPv6Address.of(host, i), 1);
      }
    }
    int last = DeviceTracker.MAX_ADDRESSES - 1;
    for (int host = 0; host < 200; host++) {
      assertEquals(List.of(device(host)), table.withAddress(IPv6Address.of(host, last)));
    }
    assertEquals(4 * 200, table.addresses(), 200);
    now += 100_000;
    tracker.removeSilent();
    assertEquals(0, table.addresses());
  }

  @Test
  void addresses_areKept_whenTheHostMoves() {
    seen(1, 0, IP6, 1);
    seen(1, 0, IPv4Address.NONE, 2);
    assertEquals(List.of(device(1)), table.withAddress(IP6));
    assertEquals(Set.of(), table.at(new NodePortTuple(SWITCH, OFPort.of(1))));
    assertEquals(Set.of(device(1)), table.at(new NodePortTuple(SWITCH, OFPort.of(2))));
  }

  @Test
  void port_thatTurnsOutToBeALink_losesItsHosts() {
    seen(1, 0, IP, 1);
    seen(2, 0, IPv4Address.NONE, 2);
    links.add(new NodePortTuple(SWITCH, OFPort.of(1)));
    tracker.topologyChanged();
    assertEquals(0, device(1).getAttachmentPoints().length);
    assertEquals(1, device(2).getAttachmentPoints().length);
    assertArrayEquals(new IPv4Address[] {IP}, device(1).getIPv4Addresses());
    seen(1, 0, IP, 1);
    assertEquals(0, device(1).getAttachmentPoints().length);
  }

  @Test
  void host_silentForItsLife_isForgottenWithItsAddress() {
    seen(1, 0, IP, 1);
    now += 50_000;
    seen(2, 0, IPv4Address.NONE, 1);
    now += 20_000;
    tracker.removeSilent();
    assertNull(device(1));
    assertNotNull(device(2));
    assertEquals(List.of(), table.withAddress(IP));
    assertEquals(List.of(), table.withMac(mac(1)));
    assertEquals(Change.REMOVED, changes.get(changes.size() - 1));
  }

  @Test
  void table_full_makesRoomByTheOldest() {
    for (int host = 0; host < 1_000; host++) {
      now += 10;
      seen(host, 0, IPv4Address.NONE, 1);
    }
    assertEquals(200, table.size());
    assertNull(device(799));
    assertNotNull(device(800));
    assertNotNull(device(999));
  }

  @Test
  void fullTable_losesHostsOfTheFullestPort_notTheOldest() {
    seen(1, 0, IP, 1);
    for (int forged = 1_000; forged < 1_300; forged++) {
      now++;
      seen(forged, 0, IPv4Address.NONE, 2);
    }

    assertNotNull(device(1));
    assertNull(device(1_000));
    assertEquals(200, table.size(), 1);
  }

  private void undecided(int host, int port) {
    tracker.seen(new Sighting(mac(host), 0, IP, SWITCH, OFPort.of(port), false));
  }

  private void setLinked(int port, boolean isLinked) {
    NodePortTuple at = new NodePortTuple(SWITCH, OFPort.of(port));
    if (isLinked) {
      links.add(at);
    } else {
      links.remove(at);
    }
    tracker.topologyChanged();
  }

  @Test
  void host_seenBeforeItsPortIsDecided_isThereAfterwards() {
    seen(1, 0, IP, 1);
    setLinked(2, true);
    setLinked(1, true);
    undecided(1, 2);
    assertNull(device(1).facts().at());
    setLinked(2, false);
    assertEquals(new SwitchPort(SWITCH, OFPort.of(2)), device(1).facts().at());
    setLinked(2, true);
    setLinked(2, false);
    assertNull(device(1).facts().at(), "it was told once");
  }

  @Test
  void host_seenElsewhereMeanwhile_staysThere() {
    setLinked(2, true);
    undecided(1, 2);
    seen(1, 0, IP, 1);
    setLinked(2, false);
    assertEquals(new SwitchPort(SWITCH, OFPort.of(1)), device(1).facts().at());
  }

  @Test
  void hostsThatWait_areLimited_andForgotten() {
    setLinked(2, true);
    for (int host = 1; host <= DeviceTracker.MAX_WAITING + 1; host++) {
      undecided(host, 2);
    }
    now += DeviceTracker.WAITING_MILLIS + 1;
    undecided(1, 2);
    tracker.removeSilent();
    setLinked(2, false);
    assertNotNull(device(1));
    assertNull(device(2));
    assertNull(device(DeviceTracker.MAX_WAITING + 1));
  }
}
