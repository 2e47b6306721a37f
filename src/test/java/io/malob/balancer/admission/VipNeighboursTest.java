package io.malob.balancer.admission;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Attachment;
import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.bucket.VipNextHops;
import io.malob.balancer.view.BalancerView;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.NextHopMac;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.NeighbourReplies;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.network.SelfAddresses;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import io.malob.testing.Stub;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class VipNeighboursTest {
  private static final DatapathId SWITCH = DatapathId.of(1);
  private static final OFPort PORT = OFPort.of(3);
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final IPv4Address HOST = IPv4Address.of("10.0.0.1");
  private static final IPv6Address VIP6 = IPv6Address.of("2001:db8::64");
  private static final IPv6Address HOST6 = IPv6Address.of("2001:db8::1");
  private static final IPv6Address GROUP6 = IPv6Address.of("ff02::1:ff00:64");
  private static final MacAddress GROUP_MAC = MacAddress.of("33:33:ff:00:00:64");
  private static final MacAddress MAC = MacAddress.of("02:00:00:00:00:01");

  private final List<byte[]> sent = new ArrayList<>();
  private final CatalogSnapshot catalog = mock(CatalogSnapshot.class);
  private final VipNextHops nextHops = new VipNextHops(() -> {});
  private final RejectCounters rejects = new RejectCounters();
  private final VipNeighbours neighbours =
      new VipNeighbours(
          this::view,
          new RuleSender(id -> Optional.of(connection())),
          Stub.of(Clients.class)
              .on("locate", with -> Optional.of(new Attachment(SWITCH, PORT, MAC)))
              .make(),
          nextHops,
          SelfAddresses.parse("10.0.0.200/24, 10.1.0.200/24@100, 2001:db8::200/64").orElseThrow(),
          rejects);

  private BalancerView view() {
    BalancerView view = mock(BalancerView.class);
    when(view.catalog()).thenReturn(catalog);
    return view;
  }

  private RuleSender.SwitchConnection connection() {
    return new RuleSender.SwitchConnection() {
      @Override
      public OFFactory factory() {
        return OFFactories.getFactory(OFVersion.OF_13);
      }

      @Override
      public boolean write(Iterable<OFMessage> messages) {
        messages.forEach(message -> sent.add(((OFPacketOut) message).getData()));
        return true;
      }

      @Override
      public ListenableFuture<?> barrier() {
        return Futures.immediateVoidFuture();
      }
    };
  }

  @BeforeEach
  void vipsOfBothVersions() {
    for (IPAddress<?> vip : List.of(VIP, VIP6)) {
      when(catalog.isVipAddress(vip)).thenReturn(true);
      when(catalog.isVipAddress(vip, 0)).thenReturn(true);
    }
    when(catalog.mayBeProactive(AddressKey.of(VIP))).thenReturn(true);
  }

  private boolean handles(byte[] frame) {
    return neighbours.handle(SWITCH, PORT, Packet.parse(frame));
  }

  @Test
  void arpRequest_isAnswered_andItsSenderIsAClient() {
    assertTrue(handles(Frames.arpRequest(MAC, HOST, VIP)));
    assertEquals(1, sent.size());
    assertArrayEquals(Frames.arpReply(EdgeMac.of(SWITCH), MAC, VIP, HOST), sent.get(0));
    Attachment at = new Attachment(SWITCH, PORT, MAC);
    assertEquals(Map.of(NextHopMac.of(at), at), nextHops.of(AddressKey.of(VIP)));
    assertEquals(Map.of(HOST.getInt(), at), nextHops.askers(AddressKey.of(VIP)));
  }

  @Test
  void requests_forTheBalancersOwnAddresses_areAnswered_andTeachNoClient() {
    IPv4Address own = IPv4Address.of("10.0.0.200");
    assertTrue(handles(Frames.arpRequest(MAC, HOST, own)));
    assertEquals(own, NeighbourMessage.of(Packet.parse(sent.get(0))).orElseThrow().claimed());
    assertEquals(Map.of(), nextHops.of(AddressKey.of(own)));
    IPv6Address own6 = IPv6Address.of("2001:db8::200");
    assertTrue(handles(new Ipv6Frames(MAC, GROUP_MAC, HOST6, GROUP6).solicitation(own6)));
    assertEquals(own6, NeighbourMessage.of(Packet.parse(sent.get(1))).orElseThrow().claimed());
  }

  @Test
  void request_inAnotherVlan_isForAnotherHost() {
    assertFalse(handles(Frames.arpRequest(MAC, HOST, IPv4Address.of("10.1.0.200"))));
    assertEquals(List.of(), sent);
  }

  @Test
  void solicitation_forManyOrForOne_isAnsweredToItsSender() {
    MacAddress vipMac = EdgeMac.of(SWITCH);
    assertTrue(handles(new Ipv6Frames(MAC, GROUP_MAC, HOST6, GROUP6).solicitation(VIP6)));
    assertTrue(handles(new Ipv6Frames(MAC, vipMac, HOST6, VIP6).solicitation(VIP6)));
    byte[] wanted = new Ipv6Frames(vipMac, MAC, VIP6, HOST6).advertisement(VIP6, vipMac);
    assertEquals(2, sent.size());
    sent.forEach(frame -> assertArrayEquals(wanted, frame));
    assertTrue(Ipv6Frames.hasRightChecksum(wanted));
  }

  @Test
  void checkForDuplicates_isAnswered_soThatTheCheckerNotices() {
    assertTrue(
        handles(new Ipv6Frames(MAC, GROUP_MAC, IPv6Address.NONE, GROUP6).solicitation(VIP6)));
    NeighbourMessage answer = NeighbourMessage.of(Packet.parse(sent.get(0))).orElseThrow();
    assertTrue(Ipv6Frames.hasRightChecksum(sent.get(0)));
    assertFalse(answer.isSolicitation());
    assertEquals(VIP6, answer.target());
    assertEquals(IPv6Address.of("ff02::1"), answer.receiver());
    assertEquals(EdgeMac.of(SWITCH), answer.mac());
    handles(Frames.arpRequest(MAC, IPv4Address.NONE, VIP));
    assertEquals(2, sent.size());
    assertFalse(nextHops.takeChanged());
  }

  @Test
  void answersToAVip_endHere() {
    assertTrue(handles(Frames.arpReply(MAC, EdgeMac.of(SWITCH), HOST, VIP)));
    assertTrue(
        handles(new Ipv6Frames(MAC, EdgeMac.of(SWITCH), HOST6, VIP6).advertisement(HOST6, MAC)));
    assertEquals(List.of(), sent);
  }

  @Test
  void announcementOfAVipByAHost_getsNoAnswer() {
    assertTrue(handles(Frames.arpRequest(MAC, VIP, VIP)));
    assertTrue(handles(new Ipv6Frames(MAC, GROUP_MAC, VIP6, GROUP6).solicitation(VIP6)));
    assertEquals(List.of(), sent);
  }

  @Test
  void announcementOfTheBalancersOwn_thatComesBack_endsHere() {
    assertTrue(handles(NeighbourReplies.announcement(EdgeMac.of(SWITCH), VIP)));
    assertTrue(handles(NeighbourReplies.announcement(EdgeMac.of(SWITCH), VIP6)));
    assertEquals(List.of(), sent);
  }

  @Test
  void otherPackets_areLeftToOthers() {
    Ipv6Frames toVip = new Ipv6Frames(MAC, EdgeMac.of(SWITCH), HOST6, VIP6);
    for (byte[] frame :
        List.of(
            Frames.arpRequest(MAC, VIP, HOST),
            toVip.solicitation(HOST6),
            toVip.icmp(135, 64, 0, VIP6.getBytes()),
            toVip.tcp(1, 2, 2),
            Frames.tcp(MAC, EdgeMac.of(SWITCH), HOST, 1, VIP, 2, 2))) {
      assertFalse(handles(frame));
    }
    assertEquals(List.of(), sent);
  }
}
