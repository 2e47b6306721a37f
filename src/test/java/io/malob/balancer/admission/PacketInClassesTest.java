package io.malob.balancer.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.malob.json.RejectedException;
import io.malob.module.IPacketInQueueService;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogItem;
import io.malob.state.catalog.CatalogKind;
import io.malob.state.catalog.Fields;
import io.malob.store.MemoryStore;
import io.malob.testing.Frames;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

class PacketInClassesTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final MacAddress MAC = MacAddress.of("02:00:00:00:00:01");
  private static final IPv4Address CLIENT = IPv4Address.of("10.0.0.1");
  private static final IPv4Address MEMBER = IPv4Address.of("10.0.1.1");
  private static final IPv4Address VIP = IPv4Address.of("10.9.0.1");
  private static final IPv4Address OTHER_VIP = IPv4Address.of("10.9.0.2");
  private static final IPv4Address NOBODY = IPv4Address.of("10.7.0.1");
  private static final IPv4Address REPORTS = IPv4Address.of("192.168.9.19");
  private static final int SYN = Packet.TCP_SYN;
  private static final int ACK = Packet.TCP_ACK;

  private Catalog catalog;
  private PacketInClasses classes;

  @BeforeEach
  void twoVipsAndAMember() throws IOException, RejectedException {
    catalog = Catalog.open(new MemoryStore(Runnable::run));
    create(Catalog.VIPS, "id", "web", "address", VIP.toString(), "protocol", "TCP", "port", "80");
    create(Catalog.VIPS, "id", "all", "address", OTHER_VIP.toString());
    create(Catalog.MEMBERS, "id", "m", "address", MEMBER.toString());
    classes = new PacketInClasses(catalog::snapshot);
  }

  @Test
  void syns_ofEachVip_haveTheirOwnLine() {
    int web = tcp(CLIENT, VIP, 80, SYN);

    assertEquals(web, tcp(NOBODY, VIP, 80, SYN), "whoever sends it");
    assertNotEquals(web, tcp(CLIENT, OTHER_VIP, 80, SYN));
    assertEquals("web", classes.nameOf(web));
  }

  @Test
  void packetsWithinConnections_doNotWaitBehindSyns() {
    assertNotEquals(tcp(CLIENT, VIP, 80, SYN), tcp(CLIENT, VIP, 80, ACK));
    assertEquals("web", classes.nameOf(tcp(CLIENT, VIP, 80, ACK)));
  }

  @Test
  void portsWithoutVip_shareOneLine_apartFromTheVips() {
    int garbage = tcp(CLIENT, VIP, 81, SYN);

    assertEquals(garbage, tcp(CLIENT, VIP, 4_711, ACK));
    assertNotEquals(garbage, tcp(CLIENT, VIP, 80, SYN));
    assertEquals("_no_vip", classes.nameOf(garbage));
  }

  @Test
  void membersAnswers_haveALineOfTheirOwn() {
    int answer = tcp(MEMBER, CLIENT, 40_000, SYN | ACK);

    assertEquals(answer, tcp(MEMBER, VIP, 50_000, SYN | ACK), "to a health check");
    assertNotEquals(answer, tcp(NOBODY, CLIENT, 40_000, SYN | ACK));
    assertEquals("_members", classes.nameOf(answer));
  }

  @Test
  void translatedReplies_haveALineOfTheirOwn() {
    byte[] reply = Frames.tcp(MAC, MAC, VIP, 80, NOBODY, 40_000, SYN | ACK);

    int replies = classOf(reply, 1, Cookie.of(CookieKind.SWITCH, 0), FlowLayout.REQUESTS);

    assertEquals("_replies", classes.nameOf(replies));
    assertNotEquals(replies, tcp(MEMBER, CLIENT, 40_000, SYN | ACK), "members' other packets");
    assertNotEquals(replies, tcp(NOBODY, VIP, 80, SYN));
    assertEquals("_other", classes.nameOf(classOf(reply, 1, U64.ZERO)), "a host that claims a VIP");
  }

  @Test
  void icmpErrors_toAnyVip_haveALineOfTheirOwn() {
    int toPort = icmp(3, NOBODY, VIP);

    assertEquals("_errors", classes.nameOf(toPort));
    assertEquals(toPort, icmp(11, MEMBER, OTHER_VIP), "whoever sends it");
    assertEquals("all", classes.nameOf(icmp(8, NOBODY, OTHER_VIP)), "a ping");
    assertEquals("_members", classes.nameOf(icmp(3, MEMBER, CLIENT)));
    assertEquals("_other", classes.nameOf(icmp(3, NOBODY, CLIENT)));
  }

  private int icmp(int type, IPv4Address from, IPv4Address to) {
    return classOf(Frames.icmp(type, MAC, MAC, from, to, 0, new byte[28]), 1, U64.ZERO);
  }

  @Test
  void probesOfLinks_goFirst() {
    byte[] lldp = Frames.ethernet(MAC, MAC, Packet.ETHERTYPE_LLDP, new byte[46]);

    assertEquals(IPacketInQueueService.FIRST, classOf(lldp, 1, U64.ZERO));
    assertEquals("_probes", classes.nameOf(IPacketInQueueService.FIRST));
  }

  @Test
  void arpAndUnknown_areToldApartByPort() {
    byte[] arp = Frames.arpRequest(MAC, CLIENT, VIP);
    byte[] noise = Frames.udp(MAC, MAC, NOBODY, 1, CLIENT, 2, new byte[4]);

    assertNotEquals(classOf(arp, 1, U64.ZERO), classOf(arp, 2, U64.ZERO));
    assertNotEquals(classOf(noise, 1, U64.ZERO), classOf(noise, 2, U64.ZERO));
    assertEquals("_arp", classes.nameOf(classOf(arp, 1, U64.ZERO)));
    assertEquals("_other", classes.nameOf(classOf(noise, 1, U64.ZERO)));
  }

  @Test
  void reports_haveALineOfTheirOwn() {
    byte[] report = Frames.udp(MAC, MAC, NOBODY, 1, REPORTS, 9_876, new byte[4]);

    assertEquals("_reports", classes.nameOf(classOf(report, 1, Cookie.of(CookieKind.REPORT, 0))));
  }

  @Test
  void whatCannotBeRead_isOfSomeClass() {
    assertEquals("_other", classes.nameOf(classOf(new byte[3], 1, U64.ZERO)));
  }

  private <T extends CatalogItem> void create(CatalogKind<T> kind, String... fields)
      throws RejectedException {
    var unused = catalog.create(kind, Fields.of(fields));
  }

  private int tcp(IPv4Address from, IPv4Address to, int port, int flags) {
    return classOf(Frames.tcp(MAC, MAC, from, 40_000, to, port, flags), 1, U64.ZERO);
  }

  private int classOf(byte[] frame, int port, U64 cookie) {
    return classOf(frame, port, cookie, FlowLayout.CLASSIFY);
  }

  private int classOf(byte[] frame, int port, U64 cookie, TableId table) {
    OFPacketIn packetIn =
        FACTORY
            .buildPacketIn()
            .setTableId(table)
            .setReason(OFPacketInReason.NO_MATCH)
            .setCookie(cookie)
            .setMatch(FACTORY.buildMatch().setExact(MatchField.IN_PORT, OFPort.of(port)).build())
            .setData(frame)
            .build();
    return classes.classOf(packetIn);
  }
}
