package io.malob.balancer.admission;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.Server;
import io.malob.algorithm.ServerLoad;
import io.malob.balancer.api.RejectCounters;
import io.malob.balancer.bucket.Buckets;
import io.malob.balancer.connection.Connection;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Frames are made by the test's own builders, which compute all checksums from nothing. */
class ErrorRelayTest {
  private static final MacAddress CLIENT_MAC = MacAddress.of("02:00:00:00:00:0a");
  private static final MacAddress MEMBER_MAC = MacAddress.of("02:00:00:00:00:0b");
  private static final MacAddress ROUTER_MAC = MacAddress.of("02:00:00:00:00:0c");
  private static final Attachment CLIENT =
      new Attachment(DatapathId.of(1), OFPort.of(5), CLIENT_MAC);
  private static final Attachment MEMBER =
      new Attachment(DatapathId.of(2), OFPort.of(6), MEMBER_MAC);
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int ICMP = 1;
  private static final int MTU = 1_280;

  private final FakeSwitches switches = new FakeSwitches(2);
  private final ConnectionTable connections = new ConnectionTable(9, 9, 9, () -> 0, gone -> {});
  private final ErrorRelay relay = relay();

  /** A network of one IP version, and how much of a packet an error there quotes. */
  private record Net(
      IPAddress<?> client, IPAddress<?> vip, IPAddress<?> member, IPAddress<?> router, int quoted) {
    private static Net ipv4(int quoted) {
      return new Net(
          IPv4Address.of("10.0.0.1"),
          IPv4Address.of("10.0.0.100"),
          IPv4Address.of("10.0.0.2"),
          IPv4Address.of("192.0.2.1"),
          20 + quoted);
    }

    private static Net ipv6(int quoted) {
      return new Net(
          IPv6Address.of("2001:db8::1"),
          IPv6Address.of("2001:db8::64"),
          IPv6Address.of("2001:db8::2"),
          IPv6Address.of("2001:db8:7::1"),
          40 + quoted);
    }

    /** The beginning of a packet as an error quotes it. */
    byte[] quote(int protocol, IPAddress<?> src, int srcPort, IPAddress<?> dst, int dstPort) {
      byte[] frame = frame(protocol, src, srcPort, dst, dstPort);
      return Arrays.copyOfRange(frame, 14, Math.min(frame.length, 14 + quoted));
    }

    private byte[] frame(
        int protocol, IPAddress<?> src, int srcPort, IPAddress<?> dst, int dstPort) {
      MacAddress any = ROUTER_MAC;
      byte[] data = new byte[40];
      if (src instanceof IPv6Address src6) {
        Ipv6Frames frames = new Ipv6Frames(any, any, src6, (IPv6Address) dst);
        return switch (protocol) {
          case TCP -> frames.tcp(srcPort, dstPort, 0x10);
          case UDP -> frames.udp(srcPort, dstPort, data);
          default -> frames.icmp(129, 64, 7, data);
        };
      }
      IPv4Address src4 = (IPv4Address) src;
      IPv4Address dst4 = (IPv4Address) dst;
      return switch (protocol) {
        case TCP -> Frames.tcp(any, any, src4, srcPort, dst4, dstPort, 0x10);
        case UDP -> Frames.udp(any, any, src4, srcPort, dst4, dstPort, data);
        default -> Frames.echo(0, any, any, src4, dst4, 7);
      };
    }

    byte[] error(MacAddress from, MacAddress to, IPAddress<?> src, IPAddress<?> dst, byte[] quote) {
      return src instanceof IPv6Address src6
          ? new Ipv6Frames(from, to, src6, (IPv6Address) dst).icmp(2, 64, MTU, quote)
          : Frames.icmp(3, from, to, (IPv4Address) src, (IPv4Address) dst, MTU, quote);
    }

    FiveTuple request(int protocol) {
      boolean hasPorts = protocol != ICMP;
      return FiveTuple.of(protocol, client, hasPorts ? 40_000 : 0, vip, hasPorts ? 80 : 0);
    }
  }

  static Stream<Object[]> cases() {
    // eight bytes of the transport header at least (RFC 792), or all of it
    return Stream.of(Net.ipv4(8), Net.ipv4(99), Net.ipv6(8), Net.ipv6(99))
        .flatMap(net -> Stream.of(TCP, UDP, ICMP).map(protocol -> new Object[] {net, protocol}));
  }

  private void open(Net net, int protocol) {
    Server server = new Server(1, AddressKey.of(net.member), 8_080, 1, MEMBER, new ServerLoad());
    connections.add(
        new Connection(net.request(protocol), 1, Algorithm.DEFAULT, server, CLIENT, 1, 0));
  }

  private ErrorRelay relay() {
    Buckets none = new Buckets(new Buckets.Timeouts(30, 10, 600, 10), any -> true, () -> 0);
    Tables tables = new Tables(connections, null, null, null, null, null, none, null);
    return new ErrorRelay(tables, null, new RuleSender(switches), new RejectCounters());
  }

  private boolean pass(byte[] frame) {
    return relay.pass(DatapathId.of(3), Packet.parse(frame), CatalogSnapshot.empty());
  }

  private void assertSent(Attachment to, byte[] frame) {
    List<OFMessage> messages = switches.get(to.switchId().getLong()).messages();
    assertEquals(1, messages.size());
    OFPacketOut message = (OFPacketOut) messages.get(0);
    assertEquals(to.port(), ((OFActionOutput) message.getActions().get(0)).getPort());
    assertArrayEquals(frame, message.getData());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void errorAboutAReply_reachesTheMember_whichSentIt(Net net, int protocol) {
    open(net, protocol);
    byte[] atVip = net.quote(protocol, net.vip, 80, net.client, 40_000);
    byte[] atMember = net.quote(protocol, net.member, 8_080, net.client, 40_000);

    assertTrue(
        pass(net.error(ROUTER_MAC, EdgeMac.of(CLIENT.switchId()), net.router, net.vip, atVip)));

    assertSent(
        MEMBER,
        net.error(EdgeMac.of(MEMBER.switchId()), MEMBER_MAC, net.router, net.member, atMember));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void errorAboutARequest_reachesTheClient_whichSentItToTheVip(Net net, int protocol) {
    open(net, protocol);
    byte[] atMember = net.quote(protocol, net.client, 40_000, net.member, 8_080);
    byte[] atClient = net.quote(protocol, net.client, 40_000, net.vip, 80);

    assertTrue(pass(net.error(ROUTER_MAC, CLIENT_MAC, net.router, net.client, atMember)));

    assertSent(
        CLIENT,
        net.error(EdgeMac.of(CLIENT.switchId()), CLIENT_MAC, net.router, net.client, atClient));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void errorOfTheMember_comesFromTheVip(Net net, int protocol) {
    open(net, protocol);
    byte[] atMember = net.quote(protocol, net.client, 40_000, net.member, 8_080);
    byte[] atClient = net.quote(protocol, net.client, 40_000, net.vip, 80);

    assertTrue(pass(net.error(MEMBER_MAC, CLIENT_MAC, net.member, net.client, atMember)));

    assertSent(
        CLIENT,
        net.error(EdgeMac.of(CLIENT.switchId()), CLIENT_MAC, net.vip, net.client, atClient));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void errorAboutAnUnknownConnection_orToAnother_isLeft(Net net, int protocol) {
    byte[] atVip = net.quote(protocol, net.vip, 80, net.client, 40_000);
    byte[] unknown =
        net.error(ROUTER_MAC, EdgeMac.of(CLIENT.switchId()), net.router, net.vip, atVip);
    assertFalse(pass(unknown));

    open(net, protocol);
    assertFalse(pass(net.error(ROUTER_MAC, CLIENT_MAC, net.router, net.client, atVip)));
    assertFalse(pass(net.frame(protocol, net.client, 40_000, net.vip, 80)));
    assertTrue(pass(unknown));
  }
}
