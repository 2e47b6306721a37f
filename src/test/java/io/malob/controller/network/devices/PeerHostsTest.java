package io.malob.controller.network.devices;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.malob.module.PeerTopic;
import io.malob.testing.PeerFuzz;
import io.malob.testing.PeerNetwork;
import io.malob.testing.WireBytes;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Controllers that share their hosts. */
class PeerHostsTest {
  private static final DatapathId SWITCH = DatapathId.of(1);
  private static final MacAddress HOST = MacAddress.of("02:00:00:00:00:01");
  private static final MacAddress OTHER = MacAddress.of("02:00:00:00:00:02");
  private static final IPv4Address IP = IPv4Address.of("10.0.0.1");
  private static final IPv6Address IP6 = IPv6Address.of("2001:db8::1");
  private static final long LIFE = 60_000;

  private final PeerNetwork network = new PeerNetwork();
  private long now = 1_000_000;
  private final Controller a = new Controller("a", 0);
  private final Controller b = new Controller("b", 5_000_000); // clocks differ

  /** One controller's hosts. */
  private final class Controller {
    final PeerNetwork.Peer streams;
    final DeviceTable table = new DeviceTable();
    final Set<NodePortTuple> unknownPorts = new HashSet<>();
    final DeviceTracker tracker;
    final PeerHosts hosts;

    Controller(String name, long clock) {
      streams = network.peer(name);
      DeviceLimits limits = new DeviceLimits(5_000, LIFE);
      tracker =
          new DeviceTracker(
              table,
              limits,
              () -> now + clock,
              (switchId, port) -> !unknownPorts.contains(new NodePortTuple(switchId, port)),
              (change, device) -> changed(change, device));
      hosts = new PeerHosts(streams, table, tracker, limits, () -> now + clock, Runnable::run);
      streams.listen(PeerTopic.HOSTS, hosts);
    }

    private void changed(DeviceTracker.Change change, Device device) {
      hosts.changed(change, device);
    }

    void sees(MacAddress mac, IPAddress<?> address, int port) {
      tracker.seen(new Sighting(mac, 0, address, SWITCH, OFPort.of(port), true));
      hosts.publishChanges();
    }

    Device host(MacAddress mac) {
      return table.get(Device.key(mac, 0));
    }

    int port(MacAddress mac) {
      return host(mac).getAttachmentPoints()[0].getPortId().getPortNumber();
    }
  }

  private void connect() {
    network.connect(a.streams, b.streams);
  }

  @Test
  void host_ofOneController_isKnownToTheOther_withItsAge() {
    connect();
    a.sees(HOST, IP, 1);

    assertEquals(1, b.port(HOST));
    assertEquals(List.of(b.host(HOST)), b.table.withAddress(IP));
    assertEquals(now + 5_000_000, b.host(HOST).lastSeenMillis());
  }

  @Test
  void addressesOfBothIpVersions_areTold_theLatestLast() {
    connect();
    a.sees(HOST, IP6, 1);
    now += 10;
    a.sees(HOST, IP, 1);

    assertEquals(List.of(IP6, IP), b.host(HOST).facts().addresses());
    assertEquals(List.of(b.host(HOST)), b.table.withAddress(IP6));
  }

  @Test
  void damagedMessages_areRejectedAsAWhole() {
    a.sees(HOST, IP, 1);
    a.sees(HOST, IP6, 1);
    a.sees(OTHER, IPv4Address.NONE, 2);
    Device host = a.host(HOST);
    List<PeerHost> hosts = List.of(PeerHost.of(host, now), PeerHost.of(a.host(OTHER), now));
    DeviceLimits limits = new DeviceLimits(5_000, LIFE);
    PeerFuzz.check(
        tasks -> new PeerHosts(b.streams, b.table, b.tracker, limits, () -> now, tasks::add),
        PeerHost.FORMAT.message(hosts),
        PeerHost.FORMAT.message(List.of(PeerHost.gone(host, now))));
  }

  @Test
  void controllerThatIsReachedLater_getsAllHosts_withTheirAges() {
    for (int i = 0; i < 2_500; i++) {
      a.sees(MacAddress.of(0x02_00_00_00_10_00L + i), IPv4Address.NONE, 1 + i % 7);
    }
    now += 10_000;
    connect();

    assertEquals(2_500, b.table.size());
    assertEquals(
        now - 10_000 + 5_000_000, b.host(MacAddress.of(0x02_00_00_00_10_00L)).lastSeenMillis());
  }

  @Test
  void nothingIsToldBack() {
    connect();
    a.sees(HOST, IP, 1);
    int told = network.messages;
    b.hosts.publishChanges();
    now += 60_000;
    b.hosts.refresh();

    assertEquals(1, told);
    assertEquals(told, network.messages);
  }

  @Test
  void hostThatMoves_movesEverywhere_whoeverSeesIt() {
    connect();
    a.sees(HOST, IP, 1);
    now += 10;
    b.sees(HOST, IPv4Address.NONE, 2);
    assertEquals(2, a.port(HOST));
    now += 10;
    a.sees(HOST, IPv4Address.NONE, 3);
    assertEquals(3, b.port(HOST));
  }

  @Test
  void newestSightingWins_afterASeparation() {
    connect();
    a.sees(HOST, IP, 1);
    network.disconnect(a.streams, b.streams);
    now += 100;
    a.sees(HOST, IPv4Address.NONE, 2);
    now += 100;
    b.sees(HOST, IPv4Address.NONE, 3);
    connect();

    assertEquals(3, a.port(HOST));
    assertEquals(3, b.port(HOST));
  }

  @Test
  void address_belongsToTheHostThatWasSeenLast() {
    a.sees(HOST, IP, 1);
    now += 100;
    b.sees(OTHER, IP, 2);
    connect();

    assertEquals(List.of(a.host(OTHER)), a.table.withAddress(IP));
    assertEquals(List.of(b.host(OTHER)), b.table.withAddress(IP));
  }

  @Test
  void address_thatAnotherHostClaims_changesItsOwnerEverywhere() {
    connect();
    a.sees(HOST, IP, 1);
    now += 100;
    a.sees(OTHER, IP, 2);

    assertEquals(List.of(b.host(OTHER)), b.table.withAddress(IP));
  }

  @Test
  void silentHost_isForgotten_unlessTheOtherControllerSeesIt() {
    connect();
    a.sees(HOST, IP, 1);
    a.sees(OTHER, IPv4Address.NONE, 2);
    now += LIFE / 2;
    a.host(OTHER).touch(now);
    a.hosts.refresh();
    now += LIFE / 2 + 1;
    b.tracker.removeSilent();
    a.tracker.removeSilent();
    a.hosts.publishChanges();

    assertNull(b.host(HOST));
    assertNotNull(b.host(OTHER));
  }

  @Test
  void forgottenHost_isForgottenByTheOther() {
    connect();
    a.sees(HOST, IP, 1);
    now += LIFE + 1;
    a.tracker.removeSilent();
    a.hosts.publishChanges();

    assertNull(b.host(HOST));
  }

  @Test
  void forgottenHost_thatTheOtherHasSeen_stays() {
    connect();
    a.sees(HOST, IP, 1);
    now += LIFE;
    b.host(HOST).touch(now + 5_000_000);
    now += 1;
    a.tracker.removeSilent();
    a.hosts.publishChanges();

    assertNull(a.host(HOST));
    assertNotNull(b.host(HOST));
    b.hosts.refresh();
    assertNotNull(a.host(HOST));
  }

  /** A standby that starts hears of hosts before its switches have connected. */
  @Test
  void hostAtAnUnknownPort_isLearnedWhenThePortIsKnown() {
    a.sees(HOST, IP, 1);
    NodePortTuple port = new NodePortTuple(SWITCH, OFPort.of(1));
    b.unknownPorts.add(port);
    connect();
    assertNull(b.host(HOST));

    b.unknownPorts.remove(port);
    b.hosts.topologyChanged();

    assertEquals(1, b.port(HOST));
  }

  @Test
  void peerWithAFullQueue_getsAllHostsLater() {
    connect();
    a.streams.isFull = true;
    a.sees(HOST, IP, 1);
    a.hosts.publishLate();
    assertNull(b.host(HOST));

    a.streams.isFull = false;
    a.hosts.publishLate();

    assertEquals(1, b.port(HOST));
  }

  @Test
  void bytes_areThoseOfTheLastRelease() {
    a.sees(HOST, IP, 1);
    a.sees(HOST, IP6, 1);
    a.sees(OTHER, IPv4Address.NONE, 2);
    Device host = a.host(HOST);
    List<PeerHost> hosts =
        List.of(
            PeerHost.of(host, now + 7),
            PeerHost.of(a.host(OTHER), now),
            PeerHost.gone(host, now + 8));
    WireBytes.check("hosts", PeerHost.FORMAT.message(hosts));
    assertEquals(hosts, PeerHost.FORMAT.readAll(ByteBuffer.wrap(WireBytes.read("hosts"))));
  }
}
