package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ProactiveStats;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.bucket.BucketCookie;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.state.catalog.CatalogKind;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.FakeRule;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import io.malob.testing.SwitchProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A network with a VIP 10.0.0.100:80 whose placement is proactive, and two members.
 *
 * <pre>
 *  client 1 --1 s1 11---11 s2 12---11 s3 2-- m1
 *  other  3 --/    12\             12 /   3-- m2
 *                     \11  s4  12 ---/
 * </pre>
 */
final class ProactiveFixture {
  static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  static final int SYN = Packet.TCP_SYN;
  static final int ACK = Packet.TCP_ACK;
  static final int SYN_ACK = Packet.TCP_SYN | Packet.TCP_ACK;
  static final int FIN = Packet.TCP_FIN | Packet.TCP_ACK;
  static final int RST = Packet.TCP_RST;
  static final int MOVE_SECONDS = 30;
  static final int FIRST_PORT = 40_000;

  /** A client's ports, one for each of the 64 buckets. */
  static final List<Integer> ALL_BUCKETS =
      IntStream.range(0, 64).mapToObj(index -> FIRST_PORT + 2 * index).toList();

  final BalancerNetwork net;
  final IPAddress<?> vip;
  final DatapathId s1;
  final DatapathId s2;
  final DatapathId s3;
  final DatapathId s4;
  final Host client;
  final Host other;
  final Host m1;
  final Host m2;
  private final List<Host> members = new ArrayList<>();

  ProactiveFixture(String... vipFields) {
    this(Map.of(), vipFields);
  }

  ProactiveFixture(Map<String, String> settings, String... vipFields) {
    this(new BalancerNetwork(settings), vipFields);
  }

  ProactiveFixture(BalancerNetwork net, String... vipFields) {
    this(net, VIP, vipFields);
  }

  /** A VIP of that address, and hosts of its family. */
  ProactiveFixture(BalancerNetwork net, IPAddress<?> vip, String... vipFields) {
    this(net, vip, false, vipFields);
  }

  /** The same, where members see addresses of switches if there is source NAT. */
  ProactiveFixture(
      BalancerNetwork net, IPAddress<?> vip, boolean hasSourceNat, String... vipFields) {
    // the catalog comes first, as at a controller's start
    this.net = net;
    this.vip = vip;
    client = host(1, 1, 1);
    other = host(1, 3, 2);
    m1 = host(3, 2, 11);
    m2 = host(3, 3, 12);
    net.create(
        Catalog.VIPS,
        "id",
        "v",
        "address",
        vip.toString(),
        "protocol",
        "tcp",
        "port",
        "80",
        "placement",
        "proactive");
    if (vipFields.length > 0) {
      set(Catalog.VIPS, "v", vipFields);
    }
    net.create(Catalog.POOLS, "id", "p", "vip_id", "v", "lb_method", "WRR");
    if (hasSourceNat) {
      set(Catalog.POOLS, "p", "source_nat", "true");
    }
    addMember("m1", m1);
    addMember("m2", m2);
    s1 = net.addSwitch(1);
    s2 = net.addSwitch(2);
    s3 = net.addSwitch(3);
    s4 = net.addSwitch(4);
    net.link(s1, 11, s2, 11);
    net.link(s2, 12, s3, 11);
    net.link(s1, 12, s4, 11);
    net.link(s4, 12, s3, 12);
    List.of(client, other, m1, m2).forEach(net::learn);
  }

  /** On Open vSwitch, a VIP whose connections switches track, and whose buckets choose members. */
  static ProactiveFixture tracked(String vip, String... moreFields) {
    List<String> fields = new ArrayList<>(List.of("placement", "tracked", "auto_per_second", "0"));
    fields.addAll(List.of(moreFields));
    return new ProactiveFixture(
            new BalancerNetwork(SwitchProfile.OPEN_VSWITCH, Map.of()),
            IPAddress.of(vip),
            fields.toArray(String[]::new))
        .settle();
  }

  /** The controller starts anew on the same switches, with this change of the VIP. */
  ProactiveFixture restarted(String... vipFields) {
    return new ProactiveFixture(net.restarted(), vip, vipFields);
  }

  Host host(long switchId, int port, int number) {
    String network = vip instanceof IPv6Address ? "fd00::" : "10.0.0.";
    return Host.of(DatapathId.of(switchId), port, network + number);
  }

  void addMember(String id, Host host) {
    members.add(host);
    net.create(
        Catalog.MEMBERS,
        "id",
        id,
        "address",
        host.address().toString(),
        "port",
        "8080",
        "pool_id",
        "p");
  }

  void set(CatalogKind<?> kind, String id, @Nullable String... fields) {
    net.change(kind, id, fields);
  }

  void setVip(@Nullable String... fields) {
    set(Catalog.VIPS, "v", fields);
  }

  void setMember(String id, @Nullable String... fields) {
    set(Catalog.MEMBERS, id, fields);
  }

  /** Time passes, a quarter of a second at a time. */
  void pass(int seconds) {
    for (int tick = 0; tick < 4 * seconds; tick++) {
      net.passMillis(250);
      net.expire();
    }
  }

  /** Both clients ask for the VIP's MAC address, and the edges become proactive. */
  ProactiveFixture settle() {
    askForVip(client);
    askForVip(other);
    pass(4);
    return this;
  }

  List<Delivery> askForVip(Host host) {
    return net.send(
        host,
        vip instanceof IPv6Address address
            ? frames(host, EdgeMac.of(host.switchId()), vip).solicitation(address)
            : Frames.arpRequest(host.mac(), host.ip(), VIP));
  }

  byte[] request(Host from, int srcPort, int flags) {
    return tcp(from, EdgeMac.of(from.switchId()), srcPort, vip, 80, flags);
  }

  /** A datagram of a client to the VIP. */
  List<Delivery> sendDatagram(Host from, int srcPort) {
    return net.send(from, udp(from, EdgeMac.of(from.switchId()), srcPort, vip, 80));
  }

  /** A datagram of a member to a client. */
  List<Delivery> replyDatagram(Host member, Host to, int dstPort) {
    return net.send(member, udp(member, to.mac(), 8_080, to.address(), dstPort));
  }

  private static byte[] udp(
      Host from, MacAddress dstMac, int srcPort, IPAddress<?> to, int dstPort) {
    return to instanceof IPv4Address address
        ? Frames.udp(from.mac(), dstMac, from.ip(), srcPort, address, dstPort, new byte[4])
        : frames(from, dstMac, to).udp(srcPort, dstPort, new byte[4]);
  }

  /** A segment to the service of a member itself. */
  byte[] direct(Host from, int srcPort, Host member, int flags) {
    return tcp(from, member.mac(), srcPort, member.address(), 8_080, flags);
  }

  private static byte[] tcp(
      Host from, MacAddress dstMac, int srcPort, IPAddress<?> to, int dstPort, int flags) {
    return to instanceof IPv4Address address
        ? Frames.tcp(from.mac(), dstMac, from.ip(), srcPort, address, dstPort, flags)
        : frames(from, dstMac, to).tcp(srcPort, dstPort, flags);
  }

  private static Ipv6Frames frames(Host from, MacAddress dstMac, IPAddress<?> to) {
    return new Ipv6Frames(from.mac(), dstMac, (IPv6Address) from.address(), (IPv6Address) to);
  }

  /** A segment of a client to the VIP. */
  List<Delivery> send(Host from, int srcPort, int flags) {
    return net.send(from, request(from, srcPort, flags));
  }

  /** A segment of a member to a client. */
  List<Delivery> reply(Host member, Host to, int dstPort, int flags) {
    return net.send(member, tcp(member, to.mac(), 8_080, to.address(), dstPort, flags));
  }

  /** A router that the network knows. */
  Host router(DatapathId at, int port) {
    Host router = Host.of(at, port, vip instanceof IPv6Address ? "fd00::4" : "10.0.0.4");
    net.learn(router);
    return router;
  }

  /** One of the clients behind a router. */
  Host behind(Host router, int number) {
    String prefix = vip instanceof IPv6Address ? "2001:db8:7::" : "192.168.7.";
    return new Host(
        router.switchId(), router.port(), router.mac(), IPAddress.of(prefix + (number + 1)));
  }

  /** The number of rules of all switches. */
  int rules() {
    return Stream.of(s1, s2, s3, s4).mapToInt(each -> net.table(each).rules().size()).sum();
  }

  /** The member that a segment reaches; fails if it is not exactly one. */
  Host memberOf(Host from, int srcPort, int flags) {
    return memberOf(from, send(from, srcPort, flags));
  }

  /** The same of a datagram. */
  Host memberOfDatagram(Host from, int srcPort) {
    return memberOf(from, sendDatagram(from, srcPort));
  }

  private Host memberOf(Host from, List<Delivery> out) {
    assertEquals(1, out.size(), () -> "came out: " + out);
    Packet packet = Packet.parse(out.get(0).frame());
    Host member =
        members.stream()
            .filter(host -> host.address().equals(packet.destination()))
            .findFirst()
            .orElseThrow();
    assertReaches(member, out);
    assertEquals(8_080, packet.dstPort());
    assertEquals(from.address(), packet.source());
    return member;
  }

  /** A client opens a connection and gets the answer; its member. */
  Host open(Host from, int srcPort) {
    Host member = memberOf(from, srcPort, SYN);
    assertAnswered(member, from, srcPort, SYN_ACK);
    assertEquals(member, memberOf(from, srcPort, ACK));
    return member;
  }

  /** A member's segment reaches the client, from the VIP. */
  void assertAnswered(Host member, Host to, int srcPort, int flags) {
    List<Delivery> out = reply(member, to, srcPort, flags);
    assertReaches(to, out);
    Packet packet = Packet.parse(out.get(0).frame());
    assertEquals(vip, packet.source());
    assertEquals(80, packet.srcPort());
    assertTrue(
        Stream.of(s1, s2, s3, s4).map(EdgeMac::of).anyMatch(packet.srcMac()::equals),
        packet.toString());
  }

  static void assertReaches(Host host, List<Delivery> deliveries) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertEquals(host.port(), deliveries.get(0).port().getPortNumber());
    assertEquals(host.switchId(), deliveries.get(0).switchId());
    assertEquals(host.mac(), Packet.parse(deliveries.get(0).frame()).dstMac());
  }

  void assertReset(List<Delivery> deliveries) {
    assertEquals(1, deliveries.size(), () -> "came out: " + deliveries);
    assertTrue(Packet.parse(deliveries.get(0).frame()).hasTcpFlags(Packet.TCP_RST));
  }

  /** From now on, no packet may reach the controller. */
  void withoutController() {
    net.network.setController(
        (switchId, port, output) -> {
          throw new AssertionError(switchId + " asks in table " + output.table());
        });
  }

  /** The rules of some kind on a switch. */
  List<FakeRule> rules(DatapathId at, CookieKind kind) {
    return net.table(at).rules().stream().filter(rule -> Cookie.is(rule.cookie(), kind)).toList();
  }

  /** The content of a switch's buckets. */
  List<BucketCookie> buckets(DatapathId at) {
    return rules(at, CookieKind.BUCKET).stream()
        .map(rule -> BucketCookie.of(rule.cookie()).orElseThrow())
        .toList();
  }

  /** The number of buckets by the number of their member. */
  Map<Integer, Long> byMember(DatapathId at) {
    return buckets(at).stream()
        .collect(Collectors.groupingBy(BucketCookie::memberNumber, Collectors.counting()));
  }

  long moving(DatapathId at) {
    return buckets(at).stream().filter(BucketCookie::isMoving).count();
  }

  /** All rules of proactive placement, on all switches. */
  List<FakeRule> allRules() {
    return List.of(s1, s2, s3, s4).stream()
        .flatMap(
            at ->
                List.of(CookieKind.BUCKET, CookieKind.PROACTIVE).stream()
                    .flatMap(kind -> rules(at, kind).stream()))
        .toList();
  }

  int number(String memberId) {
    return net.module.catalog().snapshot().members().get(memberId).number();
  }

  Host host(int memberNumber) {
    return memberNumber == number("m1") ? m1 : m2;
  }

  ProactiveStats stats() {
    return net.module.proactive().get(0);
  }

  Optional<ProactiveStats.Edge> edge(DatapathId at) {
    return stats().edges().stream().filter(edge -> edge.switchId().equals(at)).findFirst();
  }
}
