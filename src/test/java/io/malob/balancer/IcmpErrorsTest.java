package io.malob.balancer;

import static io.malob.balancer.ProactiveFixture.ACK;
import static io.malob.balancer.ProactiveFixture.ALL_BUCKETS;
import static io.malob.balancer.ProactiveFixture.FIN;
import static io.malob.balancer.ProactiveFixture.MOVE_SECONDS;
import static io.malob.balancer.ProactiveFixture.SYN;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.ProactiveStats.State;
import io.malob.balancer.api.RejectReason;
import io.malob.state.catalog.Catalog;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import io.malob.testing.SwitchProfile;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * ICMP errors about packets of a VIP's connections, in each placement. The test's own builders make
 * the errors that are expected, with all checksums computed from nothing.
 */
@ParameterizedClass
@EnumSource(
    value = SwitchProfile.class,
    names = {"FOUR_TABLES", "ONE_TABLE"})
class IcmpErrorsTest {
  private static final IPv6Address VIP6 = IPv6Address.of("fd00::64");
  private static final int SHORT = 8;
  private static final int LONG = 99;
  private static final int PORT = 50_000;
  private static final int UNREACHABLE = 3;
  private static final int TOO_BIG = 2;
  private static final int MTU = 1_280;

  private final SwitchProfile profile;
  private ProactiveFixture fixture;

  IcmpErrorsTest(SwitchProfile profile) {
    this.profile = profile;
    this.fixture = new ProactiveFixture(new BalancerNetwork(profile));
  }

  /** How the VIP places its connections. */
  private enum Placement {
    REACTIVE("reactive"),
    PROACTIVE("proactive"),
    AUTO_WITHOUT_LOAD("auto"),
    AUTO_UNDER_LOAD("auto");

    private final String field;

    Placement(String field) {
      this.field = field;
    }

    boolean hasBuckets() {
      return this == PROACTIVE || this == AUTO_UNDER_LOAD;
    }
  }

  /**
   * A case.
   *
   * @param quoted how much of a packet the error quotes, behind its IP header
   * @param fromRouter whether the error comes from a router that may not use the VIP itself
   */
  private record Case(Placement placement, boolean isIpv6, int quoted, boolean fromRouter) {}

  static Stream<Case> cases() {
    return Arrays.stream(Placement.values())
        .flatMap(
            placement ->
                Stream.of(false, true)
                    .flatMap(
                        isIpv6 ->
                            Stream.of(SHORT, LONG)
                                .flatMap(
                                    quoted ->
                                        Stream.of(false, true)
                                            .map(
                                                router ->
                                                    new Case(placement, isIpv6, quoted, router)))));
  }

  private void use(Placement placement, boolean isIpv6) {
    Map<String, String> settings = Map.of("autoPerSecond", "10");
    fixture =
        new ProactiveFixture(
                new BalancerNetwork(profile, settings),
                isIpv6 ? VIP6 : ProactiveFixture.VIP,
                "placement",
                placement.field,
                "allowed_sources",
                isIpv6 ? "fd00::/64" : "10.0.0.0/24")
            .settle();
    if (placement == Placement.AUTO_UNDER_LOAD) {
      for (int port = 41_000; port < 41_040; port++) {
        Host member = fixture.open(fixture.client, port);
        fixture.send(fixture.client, port, FIN);
        fixture.reply(member, fixture.client, port, FIN);
      }
      fixture.pass(2);
    }
    if (!fixture.net.module.proactive().isEmpty()) {
      assertEquals(
          placement.hasBuckets() ? State.PROACTIVE : State.REACTIVE, fixture.stats().state());
    }
  }

  /** Opens a connection, of which the controller has no record if the VIP has buckets. */
  private Host open(Placement placement) {
    int before = fixture.net.module.counters().openConnections();
    Host member = fixture.open(fixture.client, PORT);
    assertEquals(
        placement.hasBuckets() ? 0 : 1, fixture.net.module.counters().openConnections() - before);
    return member;
  }

  private Host router(long number, String name) {
    boolean isIpv6 = fixture.vip instanceof IPv6Address;
    return Host.of(DatapathId.of(number), 4, (isIpv6 ? "2001:db8::c" : "192.0.2.") + name);
  }

  private static byte[] quote(
      IPAddress<?> src, int srcPort, IPAddress<?> dst, int dstPort, int length) {
    MacAddress any = MacAddress.of("02:00:00:00:00:ff");
    byte[] frame =
        src instanceof IPv6Address src6
            ? new Ipv6Frames(any, any, src6, (IPv6Address) dst).tcp(srcPort, dstPort, ACK)
            : Frames.tcp(any, any, (IPv4Address) src, srcPort, (IPv4Address) dst, dstPort, ACK);
    int header = src instanceof IPv6Address ? 40 : 20;
    return Arrays.copyOfRange(frame, 14, Math.min(frame.length, 14 + header + length));
  }

  private static byte[] error(
      MacAddress from, MacAddress to, IPAddress<?> src, IPAddress<?> dst, byte[] quote) {
    return error(src instanceof IPv6Address ? TOO_BIG : UNREACHABLE, from, to, src, dst, quote);
  }

  private static byte[] error(
      int type, MacAddress from, MacAddress to, IPAddress<?> src, IPAddress<?> dst, byte[] quote) {
    return src instanceof IPv6Address src6
        ? new Ipv6Frames(from, to, src6, (IPv6Address) dst).icmp(type, 64, MTU, quote)
        : Frames.icmp(type, from, to, (IPv4Address) src, (IPv4Address) dst, MTU, quote);
  }

  /** An error about a reply, on its way from the VIP to a client. */
  private List<Delivery> aboutReply(Host from, IPAddress<?> client, int quoted) {
    byte[] quote = quote(fixture.vip, 80, client, PORT, quoted);
    return fixture.net.send(
        from, error(from.mac(), MacAddress.of(1), from.address(), fixture.vip, quote));
  }

  /** An error about a request, on its way from the client to a member. */
  private List<Delivery> aboutRequest(
      Host from, MacAddress to, IPAddress<?> client, Host member, int quoted) {
    byte[] quote = quote(client, PORT, member.address(), 8_080, quoted);
    return fixture.net.send(from, error(from.mac(), to, from.address(), client, quote));
  }

  private void assertDelivered(Host to, byte[] expected, List<Delivery> out) {
    ProactiveFixture.assertReaches(to, out);
    byte[] frame = out.get(0).frame();
    assertArrayEquals(
        Arrays.copyOfRange(expected, 12, expected.length),
        Arrays.copyOfRange(frame, 12, frame.length));
    assertEquals(List.of(), fixture.net.passedOn);
  }

  private void assertReachesMember(Host member, Host from, IPAddress<?> client, int quoted) {
    byte[] quote = quote(member.address(), 8_080, client, PORT, quoted);
    assertDelivered(
        member,
        error(from.mac(), member.mac(), from.address(), member.address(), quote),
        aboutReply(from, client, quoted));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void errorAboutAReply_reachesTheMember(Case each) {
    use(each.placement, each.isIpv6);
    Host member = open(each.placement);
    Host from = each.fromRouter ? router(2, "1") : fixture.client;

    assertReachesMember(member, from, fixture.client.address(), each.quoted);

    assertEquals(0, fixture.net.refused(RejectReason.NOT_BALANCED));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void errorAboutARequest_reachesTheClient(Case each) {
    use(each.placement, each.isIpv6);
    Host member = open(each.placement);
    Host client = fixture.client;
    Host from = each.fromRouter ? router(4, "1") : member;
    byte[] quote = quote(client.address(), PORT, fixture.vip, 80, each.quoted);
    IPAddress<?> shown = each.fromRouter ? from.address() : fixture.vip;

    assertDelivered(
        client,
        error(from.mac(), client.mac(), shown, client.address(), quote),
        aboutRequest(from, client.mac(), client.address(), member, each.quoted));
  }

  @Test
  void errorOfEachType_reachesItsEnd() {
    for (boolean isIpv6 : List.of(false, true)) {
      use(Placement.PROACTIVE, isIpv6);
      Host member = open(Placement.PROACTIVE);
      Host client = fixture.client;
      Host router = router(2, "1");
      byte[] reply = quote(fixture.vip, 80, client.address(), PORT, SHORT);
      byte[] request = quote(client.address(), PORT, member.address(), 8_080, SHORT);
      for (int type : isIpv6 ? List.of(1, 2, 3, 4) : List.of(3, 11, 12)) {
        ProactiveFixture.assertReaches(
            member,
            fixture.net.send(
                router,
                error(type, router.mac(), MacAddress.of(1), router.address(), fixture.vip, reply)));
        ProactiveFixture.assertReaches(
            client,
            fixture.net.send(
                member,
                error(
                    type,
                    member.mac(),
                    client.mac(),
                    member.address(),
                    client.address(),
                    request)));
      }
    }
  }

  @Test
  void errorAtAnySwitch_reachesTheMemberOfTheClientsEdge() {
    use(Placement.PROACTIVE, false);
    Host member = open(Placement.PROACTIVE);
    for (int number = 1; number <= 4; number++) {
      assertReachesMember(member, router(number, "9"), fixture.client.address(), SHORT);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Placement.class,
      names = {"REACTIVE", "PROACTIVE"})
  void errorAboutNoConnection_isCounted(Placement placement) {
    use(placement, false);
    byte[] otherPort = quote(fixture.vip, 81, fixture.client.address(), PORT, SHORT);
    Host router = router(2, "1");
    fixture.net.send(
        router, error(router.mac(), MacAddress.of(1), router.address(), fixture.vip, otherPort));
    assertEquals(1, fixture.net.refused(RejectReason.NOT_BALANCED));

    assertEquals(List.of(), aboutReply(router, IPv4Address.of("203.0.113.1"), SHORT));

    assertEquals(2, fixture.net.refused(RejectReason.NOT_BALANCED), "the client is not allowed");
    assertEquals(List.of(), fixture.net.passedOn);
  }

  @Test
  void errorAboutAConnectionToTheServerItself_isLeftToOthers() {
    use(Placement.REACTIVE, false);

    aboutRequest(fixture.m1, fixture.client.mac(), fixture.client.address(), fixture.m1, SHORT);

    assertEquals(1, fixture.net.passedOn.size());
  }

  /** The next hop of a client behind a router is the one that the member itself chose. */
  @Test
  void errorsOfAClientBehindARouter_reachTheirEnds() {
    for (boolean isIpv6 : List.of(false, true)) {
      use(Placement.PROACTIVE, isIpv6);
      Host router = router(1, "1");
      fixture.net.learn(router);
      IPAddress<?> address = IPAddress.of(isIpv6 ? "fd00::77" : "10.0.0.77");
      Host remote = new Host(router.switchId(), router.port(), router.mac(), address);
      Host member = fixture.memberOf(remote, PORT, SYN);

      assertReachesMember(member, router, address, SHORT);
      byte[] quote = quote(address, PORT, fixture.vip, 80, SHORT);
      assertDelivered(
          router,
          error(member.mac(), router.mac(), fixture.vip, address, quote),
          aboutRequest(member, router.mac(), address, member, SHORT));

      Host unknown = Host.of(fixture.s1, 4, isIpv6 ? "fd00::8888" : "10.0.88.88");
      assertEquals(List.of(), aboutRequest(member, unknown.mac(), address, member, SHORT));
      assertEquals(1, fixture.net.refused(RejectReason.NO_CLIENT));
      assertEquals(List.of(), fixture.net.passedOn, "the client would not recognize it");
    }
  }

  /** Nothing tells through which edge the client's requests come. */
  @Test
  void errorAtASwitchWithoutBuckets_reachesTheMemberOfAnyEdge() {
    use(Placement.PROACTIVE, false);
    IPAddress<?> address = IPv4Address.of("10.0.0.77");
    Host remote = new Host(fixture.s1, 4, MacAddress.of("02:00:00:00:00:07"), address);
    Host member = fixture.memberOf(remote, PORT, SYN);

    assertReachesMember(member, router(4, "1"), address, SHORT);
  }

  @Test
  void bucketThatMoves_leadsErrorsToTheMemberBefore() {
    use(Placement.PROACTIVE, false);
    Map<Integer, Host> members = openAll();
    fixture.pass(2);
    fixture.setMember("m1", "weight", "0");
    fixture.pass(2);
    assertEquals(32, fixture.moving(fixture.s1));

    members.forEach((port, member) -> assertErrorReaches(member, port));
  }

  @Test
  void connectionOnAnotherMemberThanItsBucket_getsItsErrors() {
    use(Placement.PROACTIVE, false);
    Map<Integer, Host> members = openAll();
    fixture.pass(2);
    fixture.setMember("m1", "weight", "0");
    fixture.pass(2);
    members.forEach((port, member) -> fixture.memberOf(fixture.client, port, ACK));
    fixture.pass(MOVE_SECONDS + 1);
    assertEquals(Map.of(fixture.number("m2"), 64L), fixture.byMember(fixture.s1));

    members.forEach((port, member) -> assertErrorReaches(member, port));
    assertEquals(2, new HashSet<>(members.values()).size());
  }

  /** Their clients have used the ports again since, past the controller. */
  @Test
  void dormantConnectionsOfEarlier_getNoErrorsOfTheirBuckets() {
    use(Placement.REACTIVE, false);
    Map<Integer, Host> before = openAll();
    fixture.setVip("placement", "proactive");
    fixture.pass(120);
    fixture.setMember("m1", "weight", "0");
    fixture.pass(MOVE_SECONDS + 5);
    assertEquals(64, fixture.net.module.counters().dormantConnections());
    Map<Integer, Host> members = openAll();
    assertEquals(64, fixture.net.module.counters().dormantConnections());
    assertNotEquals(before, members);

    members.forEach((port, member) -> assertErrorReaches(member, port));
  }

  private Map<Integer, Host> openAll() {
    Map<Integer, Host> members = new HashMap<>();
    ALL_BUCKETS.forEach(port -> members.put(port, fixture.open(fixture.client, port)));
    return members;
  }

  private void assertErrorReaches(Host member, int port) {
    Host router = router(2, "1");
    byte[] quote = quote(fixture.vip, 80, fixture.client.address(), port, SHORT);
    ProactiveFixture.assertReaches(
        member,
        fixture.net.send(
            router, error(router.mac(), MacAddress.of(1), router.address(), fixture.vip, quote)));
  }

  /** An error shows its source alone, which may be a client that is not allowed to ping. */
  @Test
  void deniedPing_hidesNoErrors() {
    use(Placement.REACTIVE, false);
    fixture.net.create(
        Catalog.VIPS,
        "id",
        "ping",
        "protocol",
        "icmp",
        "address",
        fixture.vip.toString(),
        "allowed_sources",
        "10.0.0.0/24");
    Host member = open(Placement.REACTIVE);
    Host router = router(1, "1");
    fixture.net.learn(router);
    byte[] ping =
        Frames.echoRequest(router.mac(), MacAddress.of(1), router.ip(), (IPv4Address) fixture.vip);
    assertEquals(List.of(), fixture.net.send(router, ping));
    fixture.net.send(router, ping);
    assertEquals(1, fixture.net.refused(RejectReason.NOT_ALLOWED), "its switch drops the second");

    assertReachesMember(member, router, fixture.client.address(), SHORT);
  }
}
