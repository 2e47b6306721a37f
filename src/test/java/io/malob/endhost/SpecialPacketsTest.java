package io.malob.endhost;

import static io.malob.endhost.HostOnASwitch.GATEWAY_MAC;
import static io.malob.endhost.HostOnASwitch.HOST;
import static io.malob.endhost.HostOnASwitch.HOST_MAC;
import static io.malob.endhost.HostOnASwitch.UPLINK_ADDRESSES;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.testing.FakeFlowTable.Output;
import io.malob.testing.Frames;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

class SpecialPacketsTest {
  private static final IPv4Address SERVER = IPv4Address.of("192.0.2.1");
  private static final IPv4Address ROUTER = IPv4Address.of("203.0.113.9");

  private HostOnASwitch host;

  @BeforeEach
  void start() throws Exception {
    host = new HostOnASwitch().configured();
  }

  @ParameterizedTest
  @ValueSource(strings = {"198.18.255.1", "192.0.2.1"})
  void arp_ofTheInside_isAnsweredForEveryAddress(String asked) {
    byte[] request = Frames.arpRequest(HOST_MAC, HOST, IPv4Address.of(asked));
    List<Output> answer = host.sends(request);
    assertEquals(1, answer.size());
    assertEquals(ManualUplinks.INSIDE, answer.get(0).port());
    assertArrayEquals(
        Frames.arpReply(GATEWAY_MAC, HOST_MAC, IPv4Address.of(asked), HOST), answer.get(0).frame());
  }

  @Test
  void arp_forTheHostsOwnAddress_isNotAnswered() {
    assertEquals(List.of(), host.sends(Frames.arpRequest(HOST_MAC, HOST, HOST)));
    assertEquals(
        List.of(), host.sends(Frames.arpRequest(HOST_MAC, IPv4Address.NONE, HOST)), "a probe");
  }

  @Test
  void arp_atUplinks_isTheHostsOwnButForAnswers() {
    MacAddress router = ManualUplinks.routerMac(1);
    IPv4Address address = IPv4Address.of("10.0.1.1");
    assertEquals(
        List.of(), host.comesIn(0, Frames.arpRequest(router, address, UPLINK_ADDRESSES[0])));
    assertEquals(List.of(), host.uplinks.taken);
    host.comesIn(
        0, Frames.arpReply(router, HostOnASwitch.uplinkMac(0), address, UPLINK_ADDRESSES[0]));
    assertEquals(1, host.uplinks.taken.size());
  }

  @Test
  void ping_goesOverTheDefaultUplinkAndComesBack() throws Exception {
    host.opens(40_000, SERVER); // so that turns would lead to the other one
    List<Output> sent = host.sends(Frames.echoRequest(HOST_MAC, GATEWAY_MAC, HOST, SERVER));
    assertEquals(HostOnASwitch.uplinkPort(0), sent.get(0).port());
    assertEquals(1, host.comesIn(0, echoReply(0)).size());
    assertEquals(List.of(), host.comesIn(1, echoReply(1)), "that is the host's own");
  }

  private static byte[] echoReply(int uplink) {
    return Frames.echo(
        0,
        ManualUplinks.routerMac(uplink + 1),
        HostOnASwitch.uplinkMac(uplink),
        SERVER,
        UPLINK_ADDRESSES[uplink],
        7);
  }

  @Test
  void multicastAndDhcp_areTheHostsOwn() {
    assertEquals(
        List.of(),
        host.sends(
            Frames.udp(
                HOST_MAC,
                MacAddress.of("01:00:5e:00:00:fb"),
                HOST,
                5353,
                IPv4Address.of("224.0.0.251"),
                5353,
                new byte[9])));
    int before = host.flowRules();
    host.comesIn(
        0,
        Frames.udp(
            ManualUplinks.routerMac(1),
            HostOnASwitch.uplinkMac(0),
            IPv4Address.of("10.0.1.1"),
            67,
            UPLINK_ADDRESSES[0],
            68,
            new byte[9]));
    assertEquals(before, host.flowRules());
  }

  @Test
  void icmpError_aboutAFlow_isToldToTheHostAboutItsOwnPacket() {
    byte[] sent =
        host.sends(Frames.udp(HOST_MAC, GATEWAY_MAC, HOST, 50_000, SERVER, 33_434, new byte[5]))
            .get(0)
            .frame();
    List<Output> told = host.comesIn(0, unreachable(sent));
    assertEquals(1, told.size());
    assertEquals(ManualUplinks.INSIDE, told.get(0).port());
    // just as if the router had seen the packet before it was translated, but for its checksum
    Packet asSent =
        Packet.parse(Frames.udp(GATEWAY_MAC, HOST_MAC, HOST, 50_000, SERVER, 33_434, new byte[5]));
    assertArrayEquals(withMacs(Replies.portUnreachable(asSent)), told.get(0).frame());
  }

  /** As a server answers that nobody listens. */
  private static byte[] unreachable(byte[] sent) {
    return Replies.portUnreachable(Packet.parse(sent));
  }

  private static byte[] withMacs(byte[] frame) {
    System.arraycopy(HOST_MAC.getBytes(), 0, frame, 0, 6);
    System.arraycopy(GATEWAY_MAC.getBytes(), 0, frame, 6, 6);
    return frame;
  }

  @Test
  void icmpError_aboutTheHostsOwnPacket_isNotPassedOn() {
    byte[] own =
        Frames.udp(
            HostOnASwitch.uplinkMac(0),
            ManualUplinks.routerMac(1),
            UPLINK_ADDRESSES[0],
            50_000,
            SERVER,
            33_434,
            new byte[5]);
    assertEquals(List.of(), host.comesIn(0, unreachable(own)));
  }

  @Test
  void icmpErrors_aboveTheRate_areDropped() {
    byte[] sent =
        host.sends(Frames.udp(HOST_MAC, GATEWAY_MAC, HOST, 50_000, SERVER, 33_434, new byte[5]))
            .get(0)
            .frame();
    int told = 0;
    for (int i = 0; i < 300; i++) {
      told += host.comesIn(0, unreachable(sent)).size();
    }
    assertEquals(200, told);
    assertEquals(100, host.count("flows", "refused", "icmp_rate"));
  }

  @Test
  void fragments_goOverTheDefaultUplinkWithTheirPayloadAsItWas() {
    host.opens(40_000, SERVER);
    byte[] payload = new byte[64];
    Arrays.fill(payload, (byte) 'q');
    byte[] whole = Frames.udp(HOST_MAC, GATEWAY_MAC, HOST, 50_000, SERVER, 53, payload);
    byte[] translated =
        Frames.udp(
            HostOnASwitch.uplinkMac(0),
            ManualUplinks.routerMac(1),
            UPLINK_ADDRESSES[0],
            50_000,
            SERVER,
            53,
            payload);
    List<Output> first = host.sends(Frames.fragment(whole, 0, true));
    assertEquals(1, first.size());
    assertArrayEquals(Frames.fragment(translated, 0, true), first.get(0).frame());
    byte[] laterPart = Frames.udp(HOST_MAC, GATEWAY_MAC, HOST, 28_784, SERVER, 29_299, payload);
    byte[] sent = host.sends(Frames.fragment(laterPart, 8, false)).get(0).frame();
    for (int i = 34; i < laterPart.length; i++) {
      assertEquals(laterPart[i], sent[i], "byte " + i);
    }
    assertEquals(UPLINK_ADDRESSES[0].getInt(), Packet.parse(sent).srcAddress());
  }

  @Test
  void fragments_ofAPeerThatAFlowIsWith_comeIn() {
    host.sends(Frames.udp(HOST_MAC, GATEWAY_MAC, HOST, 50_000, SERVER, 53, new byte[5]));
    byte[] answer =
        Frames.udp(
            ManualUplinks.routerMac(1),
            HostOnASwitch.uplinkMac(0),
            SERVER,
            53,
            UPLINK_ADDRESSES[0],
            50_000,
            new byte[64]);
    List<Output> handed = host.comesIn(0, Frames.fragment(answer, 0, true));
    assertEquals(1, handed.size());
    byte[] inside = Frames.udp(GATEWAY_MAC, HOST_MAC, SERVER, 53, HOST, 50_000, new byte[64]);
    assertArrayEquals(Frames.fragment(inside, 0, true), handed.get(0).frame());
    byte[] ofOthers =
        Frames.udp(
            ManualUplinks.routerMac(1),
            HostOnASwitch.uplinkMac(0),
            ROUTER,
            53,
            UPLINK_ADDRESSES[0],
            50_000,
            new byte[64]);
    assertEquals(List.of(), host.comesIn(0, Frames.fragment(ofOthers, 0, true)));
  }
}
