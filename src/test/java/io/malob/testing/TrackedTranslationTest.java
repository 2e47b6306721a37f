package io.malob.testing;

import static io.malob.openflow.tracked.ConntrackMatch.DESTINATION_TRANSLATED;
import static io.malob.openflow.tracked.ConntrackMatch.ESTABLISHED;
import static io.malob.openflow.tracked.ConntrackMatch.INVALID;
import static io.malob.openflow.tracked.ConntrackMatch.NEW;
import static io.malob.openflow.tracked.ConntrackMatch.RELATED;
import static io.malob.openflow.tracked.ConntrackMatch.REPLY;
import static io.malob.openflow.tracked.ConntrackMatch.SOURCE_TRANSLATED;
import static io.malob.openflow.tracked.ConntrackMatch.TRACKED;
import static io.malob.testing.TrackingSwitch.CLIENT;
import static io.malob.testing.TrackingSwitch.CLIENT_MAC;
import static io.malob.testing.TrackingSwitch.MEMBERS;
import static io.malob.testing.TrackingSwitch.MEMBER_MAC;
import static io.malob.testing.TrackingSwitch.OF;
import static io.malob.testing.TrackingSwitch.VIP;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.Nat;
import io.malob.testing.TrackingSwitch.Seen;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

class TrackedTranslationTest {
  private static final int SYN = 2;
  private static final int SYN_ACK = 18;

  private static final int FIRST = NEW | TRACKED | DESTINATION_TRANSLATED;
  private static final int TO_CLIENT = ESTABLISHED | TRACKED | REPLY | SOURCE_TRANSLATED;
  private static final int ERROR_TO_CLIENT = RELATED | TRACKED | REPLY | SOURCE_TRANSLATED;

  private static final IPv4Address MEMBER = MEMBERS.get(0);
  private static final IPv6Address VIP6 = IPv6Address.of("2001:db8::100");
  private static final IPv6Address CLIENT6 = IPv6Address.of("2001:db8::1");
  private static final IPv6Address MEMBER6 = IPv6Address.of("2001:db8::11");

  private final TrackingSwitch ovs = new TrackingSwitch();

  /** With rules that place connections on a member. */
  TrackedTranslationTest() {
    ovs.place(VIP, 0);
    ovs.place(VIP6, MEMBER6, 1);
  }

  /** From the client to a VIP or member. */
  private static byte[] request(IPv4Address dst, int dstPort) {
    return Frames.tcp(CLIENT_MAC, MEMBER_MAC, CLIENT, 40_000, dst, dstPort, SYN);
  }

  /** From a VIP or member to the client. */
  private static byte[] reply(IPv4Address src, int srcPort) {
    return Frames.tcp(MEMBER_MAC, CLIENT_MAC, src, srcPort, CLIENT, 40_000, SYN_ACK);
  }

  private static byte[] quote(byte[] frame) {
    return Arrays.copyOfRange(frame, 14, frame.length);
  }

  private static void assertSeen(int state, byte[] frame, Seen seen) {
    assertArrayEquals(frame, seen.frame());
    assertEquals(new TrackingSwitch.Fields(state, 1), seen.fields());
  }

  @Test
  void icmpError_ofMember_isTranslatedWithItsQuote() {
    byte[] placed = ovs.send(request(VIP, 80)).frame();
    assertSeen(
        ERROR_TO_CLIENT,
        Frames.icmp(3, MEMBER_MAC, CLIENT_MAC, VIP, CLIENT, 0, quote(request(VIP, 80))),
        ovs.send(Frames.icmp(3, MEMBER_MAC, CLIENT_MAC, MEMBER, CLIENT, 0, quote(placed))));
  }

  @Test
  void icmpError_ofRouter_comesFromTheVip() {
    byte[] placed = ovs.send(request(VIP, 80)).frame();
    IPv4Address router = IPv4Address.of("10.0.0.254");
    assertSeen(
        ERROR_TO_CLIENT,
        Frames.icmp(3, MEMBER_MAC, CLIENT_MAC, VIP, CLIENT, 0, quote(request(VIP, 80))),
        ovs.send(Frames.icmp(3, MEMBER_MAC, CLIENT_MAC, router, CLIENT, 0, quote(placed))));
  }

  @Test
  void icmpError_ofClient_isTranslatedToMember() {
    ovs.send(request(VIP, 80));
    assertSeen(
        RELATED | TRACKED | DESTINATION_TRANSLATED,
        Frames.icmp(3, CLIENT_MAC, MEMBER_MAC, CLIENT, MEMBER, 0, quote(reply(MEMBER, 8080))),
        ovs.send(Frames.icmp(3, CLIENT_MAC, MEMBER_MAC, CLIENT, VIP, 0, quote(reply(VIP, 80)))));
  }

  @Test
  void icmpError_aboutUnknownConnection_isInvalid() {
    byte[] quote = quote(request(MEMBER, 8080));
    byte[] frame = Frames.icmp(3, MEMBER_MAC, CLIENT_MAC, MEMBER, CLIENT, 0, quote);
    Seen seen = ovs.send(frame);
    assertEquals(new TrackingSwitch.Fields(INVALID | TRACKED, 0), seen.fields());
    assertArrayEquals(frame, seen.frame());
  }

  @Test
  void ping_isTranslatedAndAnswered() {
    assertSeen(
        FIRST,
        Frames.echoRequest(CLIENT_MAC, MEMBER_MAC, CLIENT, MEMBER),
        ovs.send(Frames.echoRequest(CLIENT_MAC, MEMBER_MAC, CLIENT, VIP)));
    assertSeen(
        TO_CLIENT,
        Frames.echo(0, MEMBER_MAC, CLIENT_MAC, VIP, CLIENT, 0x10001),
        ovs.send(Frames.echo(0, MEMBER_MAC, CLIENT_MAC, MEMBER, CLIENT, 0x10001)));
  }

  @Test
  void ipv6Connection_isTranslatedInBothDirections() {
    Ipv6Frames asked = new Ipv6Frames(CLIENT_MAC, MEMBER_MAC, CLIENT6, VIP6);
    Ipv6Frames placed = new Ipv6Frames(CLIENT_MAC, MEMBER_MAC, CLIENT6, MEMBER6);
    assertSeen(FIRST, placed.tcp(40_000, 8080, SYN), ovs.send(asked.tcp(40_000, 80, SYN)));

    Ipv6Frames answered = new Ipv6Frames(MEMBER_MAC, CLIENT_MAC, MEMBER6, CLIENT6);
    Ipv6Frames translated = new Ipv6Frames(MEMBER_MAC, CLIENT_MAC, VIP6, CLIENT6);
    assertSeen(
        TO_CLIENT,
        translated.tcp(80, 40_000, SYN_ACK),
        ovs.send(answered.tcp(8080, 40_000, SYN_ACK)));
  }

  @Test
  void ipv6Error_isTranslatedWithItsQuote() {
    byte[] syn = new Ipv6Frames(CLIENT_MAC, MEMBER_MAC, CLIENT6, VIP6).tcp(40_000, 80, SYN);
    byte[] placed = ovs.send(syn).frame();
    Ipv6Frames fromMember = new Ipv6Frames(MEMBER_MAC, CLIENT_MAC, MEMBER6, CLIENT6);
    Ipv6Frames fromVip = new Ipv6Frames(MEMBER_MAC, CLIENT_MAC, VIP6, CLIENT6);
    assertSeen(
        ERROR_TO_CLIENT,
        fromVip.icmp(1, 64, 0, quote(syn)),
        ovs.send(fromMember.icmp(1, 64, 0, quote(placed))));
  }

  @Test
  void sourceRange_translatesSourceAndBack() {
    IPv4Address first = IPv4Address.of("10.0.0.200");
    IPv4Address last = IPv4Address.of("10.0.0.203");
    ovs.translate(VIP, Nat.source(first, last, 1024, 1027), 1);
    Seen request = ovs.send(request(VIP, 80));
    ConntrackTuple tuple = ConntrackTuple.of(new MutableFrame(request.frame())).orElseThrow();
    IPv4Address source = (IPv4Address) tuple.src();
    int host = source.getInt() - first.getInt();
    assertTrue(host >= 0 && host <= 3, tuple::toString);
    assertTrue(tuple.srcPort() >= 1024 && tuple.srcPort() <= 1027, tuple::toString);
    assertSeen(
        NEW | TRACKED | SOURCE_TRANSLATED,
        Frames.tcp(CLIENT_MAC, MEMBER_MAC, source, tuple.srcPort(), VIP, 80, SYN),
        request);
    assertSeen(
        ESTABLISHED | REPLY | TRACKED | DESTINATION_TRANSLATED,
        reply(VIP, 80),
        ovs.send(Frames.tcp(MEMBER_MAC, CLIENT_MAC, VIP, 80, source, tuple.srcPort(), SYN_ACK)));
  }

  @Test
  void usedUpSources_leaveFurtherConnectionsNewAndUntranslated() {
    IPv4Address only = IPv4Address.of("10.0.0.200");
    ovs.translate(VIP, Nat.source(only, only, 7, 8), 1);
    for (int port = 1; port <= 2; port++) {
      assertEquals(NEW | TRACKED | SOURCE_TRANSLATED, ovs.send(requestFrom(port)).fields().state());
    }
    Seen third = ovs.send(requestFrom(3));
    assertEquals(new TrackingSwitch.Fields(NEW | TRACKED, 0), third.fields());
    assertArrayEquals(requestFrom(3), third.frame());
    assertEquals(2, ovs.connections().size());
  }

  private static byte[] requestFrom(int port) {
    return Frames.tcp(CLIENT_MAC, MEMBER_MAC, CLIENT, port, VIP, 80, SYN);
  }

  @Test
  void zone_knowsNothingOfAnother() {
    TableId next = TableId.of(3);
    Match ipv4 = OF.buildMatch().setExact(MatchField.ETH_TYPE, EthType.IPv4).build();
    ConntrackAction inOtherZone = ConntrackAction.inZone(OF, 8).commit().continueIn(next);
    ovs.add(1, 5, ipv4, inOtherZone);
    ovs.add(2, 5, ipv4, inOtherZone);
    ovs.add(3, 1, ipv4, OF.actions().output(OFPort.CONTROLLER, 0xffff));
    for (int i = 0; i < 2; i++) {
      Seen seen = ovs.send(request(VIP, 80));
      assertEquals(new TrackingSwitch.Fields(NEW | TRACKED, 0), seen.fields());
      assertArrayEquals(request(MEMBER, 8080), seen.frame());
    }
    assertEquals(2, ovs.connections().size());
  }
}
