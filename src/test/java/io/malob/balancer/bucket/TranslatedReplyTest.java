package io.malob.balancer.bucket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.AddressKey;
import io.malob.json.RejectedException;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.Fields;
import io.malob.state.catalog.PlacementMode;
import io.malob.state.catalog.Vip;
import io.malob.store.MemoryStore;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

class TranslatedReplyTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final MacAddress MAC = MacAddress.of("02:00:00:00:00:01");
  private static final IPv4Address CLIENT = IPv4Address.of("10.0.0.1");
  private static final IPv4Address MEMBER = IPv4Address.of("10.0.1.1");
  private static final IPv4Address VIP = IPv4Address.of("10.9.0.1");
  private static final IPv4Address OTHER_VIP = IPv4Address.of("10.9.0.2");
  private static final U64 MISS = Cookie.of(CookieKind.SWITCH, 0);
  private static final byte[] REPLY = reply(VIP, CLIENT);

  private Catalog catalog;

  @BeforeEach
  void twoVips() throws IOException, RejectedException {
    catalog = Catalog.open(new MemoryStore(Runnable::run));
    Vip web =
        catalog
            .create(
                Catalog.VIPS,
                Fields.of("id", "v", "address", "10.9.0.1", "protocol", "TCP", "port", "80"))
            .item();
    assertEquals(PlacementMode.REACTIVE, web.placement(), "a VIP may have been proactive before");
    var unused = catalog.create(Catalog.VIPS, Fields.of("id", "w", "address", "10.9.0.2"));
  }

  private static byte[] reply(IPv4Address from, IPv4Address to) {
    return Frames.tcp(MAC, MAC, from, 80, to, 40_000, Packet.TCP_SYN | Packet.TCP_ACK);
  }

  private boolean is(byte[] frame, TableId table, U64 cookie) {
    OFPacketIn packetIn =
        FACTORY
            .buildPacketIn()
            .setTableId(table)
            .setReason(OFPacketInReason.NO_MATCH)
            .setCookie(cookie)
            .setData(frame)
            .build();
    return TranslatedReply.is(packetIn, Packet.parse(frame), catalog.snapshot());
  }

  @Test
  void packetFromAVip_thatMissesInTheTableOfRequests_isAReply() {
    assertTrue(is(REPLY, FlowLayout.REQUESTS, MISS));
  }

  /** Its address has no key then, and neither has the VIP's in the packet. */
  @Test
  void ipv6PacketToAClientThatNothingKnows_isAReply() throws RejectedException {
    var unused = catalog.create(Catalog.VIPS, Fields.of("id", "x", "address", "fd00::64"));
    IPv6Address client = IPv6Address.of("fd00::7:7");
    byte[] reply =
        new Ipv6Frames(MAC, MAC, IPv6Address.of("fd00::64"), client)
            .tcp(80, 40_000, Packet.TCP_SYN | Packet.TCP_ACK);
    byte[] other =
        new Ipv6Frames(MAC, MAC, IPv6Address.of("fd00::65"), client)
            .tcp(80, 40_000, Packet.TCP_SYN | Packet.TCP_ACK);

    assertTrue(is(reply, FlowLayout.REQUESTS, MISS));
    assertFalse(is(other, FlowLayout.REQUESTS, MISS));
    assertEquals(AddressKey.NONE, AddressKey.find(client));
  }

  @Test
  void packetOfAHostThatClaimsAVip_isNone() {
    assertFalse(is(REPLY, FlowLayout.CLASSIFY, MISS));
  }

  @Test
  void packetThatARuleInOneTableHasTranslated_isAReply() {
    U64 ofMember = Cookie.of(CookieKind.PROACTIVE, 1, 2, 4);

    assertTrue(is(REPLY, FlowLayout.CLASSIFY, ofMember));
    assertFalse(is(reply(MEMBER, VIP), FlowLayout.CLASSIFY, ofMember), "an answer to a check");
  }

  @Test
  void packetByARule_isNone() {
    assertFalse(is(REPLY, FlowLayout.REQUESTS, Cookie.of(CookieKind.PROACTIVE, 0)));
  }

  @Test
  void packetFromAnotherAddress_isNone() {
    assertFalse(is(reply(MEMBER, CLIENT), FlowLayout.REQUESTS, MISS));
  }

  /** Answers to health checks and requests. */
  @Test
  void packetToAVip_isNone() {
    assertFalse(is(reply(VIP, OTHER_VIP), FlowLayout.REQUESTS, MISS));
    assertFalse(is(reply(MEMBER, VIP), FlowLayout.REQUESTS, MISS));
  }

  @Test
  void arp_isNone() {
    assertFalse(is(Frames.arpRequest(MAC, VIP, CLIENT), FlowLayout.REQUESTS, MISS));
  }

  @Test
  void packetThatCannotBeRead_isNone() {
    assertFalse(is(new byte[3], FlowLayout.REQUESTS, MISS));
  }
}
