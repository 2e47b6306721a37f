package io.malob.balancer.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.graph.Topology;
import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.api.RejectReason;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.view.BalancerView;
import io.malob.balancer.view.ServerLocations;
import io.malob.balancer.view.ServerLocations.ServerLocation;
import io.malob.balancer.view.ServerMoves;
import io.malob.openflow.EdgeMac;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.network.SelfAddresses;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import io.malob.testing.Stub;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IListener.Command;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.topology.ITopologyService;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/** Hosts that claim addresses by neighbour discovery. */
class Ipv6SpoofGuardTest {
  private static final OFFactory OF = OFFactories.getFactory(OFVersion.OF_13);
  private static final IPv6Address VIP = IPv6Address.of("2001:db8::64");
  private static final IPv6Address SERVER = IPv6Address.of("2001:db8::11");
  private static final IPv6Address THIEF = IPv6Address.of("2001:db8::1");
  private static final IPv6Address LOCAL = IPv6Address.of("fe80::1");
  private static final IPv6Address ALL_NODES = IPv6Address.of("ff02::1");
  private static final MacAddress ALL_NODES_MAC = MacAddress.of("33:33:00:00:00:01");
  private static final MacAddress THIEF_MAC = MacAddress.of("02:00:00:00:00:01");
  private static final MacAddress SERVER_MAC = MacAddress.of("02:00:00:00:00:11");
  private static final Attachment HOME = new Attachment(DatapathId.of(2), OFPort.of(2), SERVER_MAC);
  private static final ServerLocation LOCATION = new ServerLocation(SERVER, VIP, HOME);

  private final CatalogSnapshot catalog = mock(CatalogSnapshot.class);
  private final ServerLocations servers = mock(ServerLocations.class);
  private final Topology topology = Topology.of(List.of(DatapathId.of(1)), List.of());
  private final RejectCounters rejects = new RejectCounters();
  private final List<IPAddress<?>> probed = new ArrayList<>();
  private long now;
  private final SpoofGuard guard =
      new SpoofGuard(
          this::view,
          Stub.of(ITopologyService.class).on("isAttachmentPointPort", with -> true).make(),
          new ServerMoves(locations(), () -> now),
          mock(CoreAccess.class),
          SelfAddresses.parse("2001:db8::200/64").orElseThrow(),
          rejects,
          reply -> {},
          () -> now);

  private BalancerView view() {
    BalancerView view = mock(BalancerView.class);
    when(view.catalog()).thenReturn(catalog);
    when(view.serverLocations()).thenReturn(servers);
    NetworkSnapshot network = mock(NetworkSnapshot.class);
    when(network.topology()).thenReturn(topology);
    when(view.network()).thenReturn(network);
    return view;
  }

  private ServerMoves.Locations locations() {
    return Stub.of(ServerMoves.Locations.class)
        .on("isUp", with -> true)
        .on("probeAt", with -> probed.add((IPAddress<?>) with[1]))
        .make();
  }

  @BeforeEach
  void aVipAndItsServer() {
    when(catalog.isVipAddress(VIP)).thenReturn(true);
    when(catalog.isVipAddress(VIP, 0)).thenReturn(true);
    when(servers.contains(SERVER)).thenReturn(true);
    when(servers.find(SERVER, THIEF_MAC.getLong(), 0)).thenReturn(LOCATION);
    when(servers.find(SERVER, SERVER_MAC.getLong(), 0)).thenReturn(LOCATION);
  }

  private boolean passes(long switchId, int port, byte[] frame) {
    IOFSwitch sw = Stub.of(IOFSwitch.class).on("getId", with -> DatapathId.of(switchId)).make();
    Command command =
        guard.receive(
            sw,
            OF.buildPacketIn()
                .setReason(OFPacketInReason.NO_MATCH)
                .setTableId(TableId.of(0))
                .setMatch(OF.buildMatch().setExact(MatchField.IN_PORT, OFPort.of(port)).build())
                .setData(frame)
                .build(),
            new FloodlightContext());
    return command == Command.CONTINUE;
  }

  private long count(RejectReason reason) {
    return rejects.byReason().get(reason.text());
  }

  private boolean thiefSends(byte[] frame) {
    return passes(1, 1, frame);
  }

  private static Ipv6Frames fromThief(IPv6Address source) {
    return new Ipv6Frames(THIEF_MAC, ALL_NODES_MAC, source, ALL_NODES);
  }

  @Test
  void claimsOfAVip_areRefused() {
    assertFalse(thiefSends(fromThief(LOCAL).advertisement(VIP, THIEF_MAC)));
    assertTrue(thiefSends(Frames.tagged(fromThief(THIEF).advertisement(VIP, THIEF_MAC), 7)));
    assertFalse(thiefSends(fromThief(VIP).solicitation(THIEF)));
    assertFalse(thiefSends(fromThief(VIP).advertisement(THIEF, THIEF_MAC)));
    assertFalse(thiefSends(fromThief(VIP).tcp(80, 1_000, 2)));
    assertEquals(4, count(RejectReason.SPOOFED));
  }

  @Test
  void claimsOfTheBalancersOwnAddress_areRefused() {
    IPv6Address own = IPv6Address.of("2001:db8::200");
    assertFalse(thiefSends(fromThief(LOCAL).advertisement(own, THIEF_MAC)));
    assertFalse(thiefSends(fromThief(own).tcp(80, 1_000, 2)));
    assertTrue(thiefSends(fromThief(THIEF).solicitation(own)));
    assertEquals(2, count(RejectReason.SPOOFED));
  }

  @Test
  void questionsForAVip_areNoClaims_norIsACheckForDuplicates() {
    assertTrue(thiefSends(fromThief(THIEF).solicitation(VIP)));
    assertTrue(thiefSends(fromThief(IPv6Address.NONE).solicitation(VIP)));
    assertTrue(thiefSends(fromThief(THIEF).advertisement(THIEF, THIEF_MAC)));
    assertEquals(0, count(RejectReason.SPOOFED));
  }

  @Test
  void claimOfAServersAddress_isRefusedWhileItAnswersAtHome() {
    byte[] claim = fromThief(LOCAL).advertisement(SERVER, THIEF_MAC);
    assertFalse(thiefSends(claim));
    assertEquals(1, count(RejectReason.IN_DOUBT));
    assertEquals(List.of(SERVER), probed);
    Ipv6Frames fromServer = new Ipv6Frames(SERVER_MAC, EdgeMac.of(DatapathId.of(1)), SERVER, VIP);
    assertTrue(passes(2, 2, fromServer.advertisement(SERVER, SERVER_MAC)));
    assertFalse(thiefSends(claim));
    assertEquals(1, count(RejectReason.SPOOFED));
  }

  @Test
  void solicitationWithAVipsOwnMac_isStoppedAtOnce_andCountedWhenLinksAreKnown() {
    Ipv6Frames own = new Ipv6Frames(EdgeMac.of(DatapathId.of(1)), ALL_NODES_MAC, VIP, ALL_NODES);
    assertFalse(thiefSends(own.solicitation(SERVER)));
    guard.tick();
    assertEquals(0, count(RejectReason.SPOOFED));
    now += TimeUnit.SECONDS.toNanos(SpoofGuard.LINKS_KNOWN_SECONDS);
    guard.tick();
    assertEquals(1, count(RejectReason.SPOOFED));
  }
}
