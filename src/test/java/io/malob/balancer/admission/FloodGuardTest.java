package io.malob.balancer.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import io.malob.json.RejectedException;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import io.malob.store.MemoryStore;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.ICMPv4Type;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;
import org.projectfloodlight.openflow.types.U8;

class FloodGuardTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final DatapathId SWITCH = DatapathId.of(1);
  private static final MacAddress MAC = MacAddress.of("02:00:00:00:00:01");
  private static final IPv4Address CLIENT = IPv4Address.of("10.0.0.1");
  private static final IPv4Address VIP = IPv4Address.of("10.9.0.1");
  private static final OFPort PORT = OFPort.of(3);
  private static final U64 BY_VIP_RULE = Cookie.of(CookieKind.VIP, 0);
  private static final byte[] SYN = Frames.tcp(MAC, MAC, CLIENT, 40_000, VIP, 80, Packet.TCP_SYN);
  private static final int LINE = 21;
  private static final int OTHER_LINE = 23;

  private final Catalog catalog;
  private final List<OFFlowAdd> sent = new ArrayList<>();
  private long nanos;
  private final FloodGuard guard;

  FloodGuardTest() throws IOException {
    catalog = Catalog.open(new MemoryStore(Runnable::run));
    guard =
        new FloodGuard(
            1_000,
            catalog::snapshot,
            new RuleSender(switchId -> Optional.of(new Recorder())),
            () -> nanos);
  }

  private final class Recorder implements RuleSender.SwitchConnection {
    @Override
    public OFFactory factory() {
      return FACTORY;
    }

    @Override
    public boolean write(Iterable<OFMessage> messages) {
      messages.forEach(message -> sent.add((OFFlowAdd) message));
      return true;
    }

    @Override
    public ListenableFuture<?> barrier() {
      return Futures.immediateVoidFuture();
    }
  }

  private void drop(int line, int count, OFPacketIn one) {
    for (int dropped = 0; dropped < count; dropped += 50) {
      guard.dropped(SWITCH, line, one, 50);
    }
  }

  @Test
  void fewDrops_areLeftToTheController() {
    drop(LINE, 950, packetIn(SYN, TableId.ZERO, BY_VIP_RULE));
    drop(OTHER_LINE, 950, packetIn(SYN, TableId.ZERO, BY_VIP_RULE));

    assertEquals(List.of(), sent);
  }

  @Test
  void floodOfSyns_isDroppedByItsSwitchForASecond_atItsPortAndForItsVip() {
    drop(LINE, 20_000, packetIn(SYN, TableId.ZERO, BY_VIP_RULE));

    assertEquals(1, sent.size());
    OFFlowAdd rule = sent.get(0);
    assertEquals(1, rule.getHardTimeout());
    assertEquals(List.of(), rule.getInstructions());
    assertEquals(PORT, rule.getMatch().get(MatchField.IN_PORT));
    assertEquals(VIP, rule.getMatch().get(MatchField.IPV4_DST));
    assertEquals(TransportPort.of(80), rule.getMatch().get(MatchField.TCP_DST));
    assertTrue(rule.getMatch().isPartiallyMasked(MatchField.OVS_TCP_FLAGS), "SYNs only");
  }

  @Test
  void floodThatGoesOn_isDroppedAgainEachSecond() {
    for (int second = 0; second < 3; second++) {
      drop(LINE, 5_000, packetIn(SYN, TableId.ZERO, BY_VIP_RULE));
      nanos += TimeUnit.SECONDS.toNanos(1);
    }

    assertEquals(3, sent.size());
    drop(LINE, 950, packetIn(SYN, TableId.ZERO, BY_VIP_RULE));
    assertEquals(3, sent.size(), "it has ended");
  }

  @Test
  void floodOfArp_isDroppedForItsTargetOnly() {
    drop(LINE, 1_000, packetIn(Frames.arpRequest(MAC, CLIENT, VIP), TableId.ZERO, BY_VIP_RULE));

    assertEquals(VIP, sent.get(0).getMatch().get(MatchField.ARP_TPA));
    assertEquals(PORT, sent.get(0).getMatch().get(MatchField.IN_PORT));
  }

  @Test
  void floodOfIcmpErrors_isDroppedForItsVipAndTypeOnly() {
    byte[] error = Frames.icmp(3, MAC, MAC, CLIENT, VIP, 1_300, new byte[28]);

    drop(LINE, 1_000, packetIn(error, TableId.ZERO, BY_VIP_RULE));

    assertEquals(1, sent.size());
    OFFlowAdd rule = sent.get(0);
    assertEquals(List.of(), rule.getInstructions());
    assertEquals(1, rule.getHardTimeout());
    assertTrue(rule.getPriority() > FlowLayout.PRIORITY_VIP_ERRORS);
    assertEquals(PORT, rule.getMatch().get(MatchField.IN_PORT));
    assertEquals(VIP, rule.getMatch().get(MatchField.IPV4_DST));
    assertEquals(ICMPv4Type.of((short) 3), rule.getMatch().get(MatchField.ICMPV4_TYPE));
  }

  @Test
  void floodOfIcmpErrorsToAnIpv6Vip_isDropped() {
    IPv6Address vip = IPv6Address.of("fd00::64");
    Ipv6Frames frames = new Ipv6Frames(MAC, MAC, IPv6Address.of("fd00::1"), vip);

    drop(LINE, 1_000, packetIn(frames.icmp(2, 64, 1_300, new byte[48]), TableId.ZERO, BY_VIP_RULE));

    assertEquals(vip, sent.get(0).getMatch().get(MatchField.IPV6_DST));
    assertEquals(U8.of((short) 2), sent.get(0).getMatch().get(MatchField.ICMPV6_TYPE));
  }

  @Test
  void floodWithoutAnyRule_isDroppedBelowAllRules() {
    drop(LINE, 1_000, packetIn(SYN, TableId.ZERO, U64.ZERO));

    assertEquals(1, sent.get(0).getPriority());
    assertEquals(PORT, sent.get(0).getMatch().get(MatchField.IN_PORT));
    assertEquals(null, sent.get(0).getMatch().get(MatchField.ETH_TYPE));
  }

  @Test
  void floodThatCannotBeToldFromConnections_isLeftToTheController() {
    drop(LINE, 5_000, packetIn(SYN, TableId.of(1), Cookie.of(CookieKind.SWITCH, 0)));

    assertEquals(List.of(), sent, "a switch that matches no TCP flags");
  }

  /** Forged clients of a proactive VIP: the members' answers are dropped, clients' packets not. */
  @Test
  void floodOfRepliesToUnknownClients_isDroppedByTheMembersSwitch() {
    byte[] reply = Frames.tcp(MAC, MAC, VIP, 80, CLIENT, 40_000, Packet.TCP_SYN | Packet.TCP_ACK);
    U64 byMiss = Cookie.of(CookieKind.SWITCH, 0);

    drop(PacketInClasses.REPLIES, 20_000, packetIn(reply, FlowLayout.REQUESTS, byMiss));

    assertEquals(1, sent.size());
    OFFlowAdd rule = sent.get(0);
    assertEquals(FlowLayout.REQUESTS, rule.getTableId());
    assertEquals(1, rule.getHardTimeout());
    assertEquals(List.of(), rule.getInstructions());
    assertEquals(VIP, rule.getMatch().get(MatchField.IPV4_SRC));
    assertTrue(rule.getPriority() > FlowLayout.PRIORITY_MISS);
    assertTrue(rule.getPriority() < FlowLayout.PRIORITY_CLIENT, "known clients get theirs");
  }

  /** The packets come to the controller translated; the rule matches them before. */
  @Test
  void floodOfRepliesInOneTable_isDroppedForItsMemberOnly() throws RejectedException {
    int number =
        catalog
            .create(Catalog.MEMBERS, Fields.of("id", "m", "address", "10.0.0.11", "port", "8080"))
            .item()
            .number();
    byte[] reply = Frames.tcp(MAC, MAC, VIP, 80, CLIENT, 40_000, Packet.TCP_SYN | Packet.TCP_ACK);
    U64 ofMember = Cookie.of(CookieKind.PROACTIVE, 1, number, 4);

    drop(PacketInClasses.REPLIES, 20_000, packetIn(reply, FlowLayout.CLASSIFY, ofMember));

    assertEquals(1, sent.size());
    OFFlowAdd rule = sent.get(0);
    assertEquals(FlowLayout.CLASSIFY, rule.getTableId());
    assertEquals(1, rule.getHardTimeout());
    assertEquals(List.of(), rule.getInstructions());
    assertEquals(IPv4Address.of("10.0.0.11"), rule.getMatch().get(MatchField.IPV4_SRC));
    assertEquals(TransportPort.of(8_080), rule.getMatch().get(MatchField.TCP_SRC));
    assertTrue(rule.getPriority() > FlowLayout.PRIORITY_MEMBER_REPLY);
    assertTrue(
        rule.getPriority() < FlowLayout.PRIORITY_ONE_TABLE_CLIENT, "known clients get theirs");
  }

  /** What else comes in at the member's port, as the replies to others, goes on. */
  @Test
  void floodOfAMembersReplies_isDroppedForItsServicePortOnly() throws RejectedException {
    catalog.create(
        Catalog.VIPS, Fields.of("id", "v", "address", "10.9.0.1", "protocol", "tcp", "port", "80"));
    catalog.create(Catalog.POOLS, Fields.of("id", "p", "vip_id", "v"));
    catalog.create(
        Catalog.MEMBERS,
        Fields.of("id", "m", "address", "10.0.0.11", "port", "8080", "pool_id", "p"));

    drop(PacketInClasses.MEMBERS, 20_000, packetIn(fromMember(8_080), TableId.ZERO, U64.ZERO));

    assertEquals(1, sent.size());
    OFFlowAdd rule = sent.get(0);
    assertEquals(1, rule.getPriority());
    assertEquals(PORT, rule.getMatch().get(MatchField.IN_PORT));
    assertEquals(IPv4Address.of("10.0.0.11"), rule.getMatch().get(MatchField.IPV4_SRC));
    assertEquals(TransportPort.of(8_080), rule.getMatch().get(MatchField.TCP_SRC));

    nanos += TimeUnit.SECONDS.toNanos(1);
    drop(PacketInClasses.MEMBERS, 20_000, packetIn(fromMember(50_000), TableId.ZERO, U64.ZERO));
    assertEquals(null, sent.get(1).getMatch().get(MatchField.ETH_TYPE), "a scan, for example");
  }

  private static byte[] fromMember(int port) {
    return Frames.tcp(MAC, MAC, IPv4Address.of("10.0.0.11"), port, CLIENT, 40_000, Packet.TCP_ACK);
  }

  private static OFPacketIn packetIn(byte[] frame, TableId table, U64 cookie) {
    return FACTORY
        .buildPacketIn()
        .setReason(OFPacketInReason.NO_MATCH)
        .setTableId(table)
        .setCookie(cookie)
        .setMatch(FACTORY.buildMatch().setExact(MatchField.IN_PORT, PORT).build())
        .setData(frame)
        .build();
  }
}
