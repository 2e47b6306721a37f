package io.malob.controller.network;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.openflow.EdgeMac;
import io.malob.testing.FakeNetwork.Delivery;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * One switch. At port 1 the tagged host a, at port 2 the tagged host b, at port 3 the untagged host
 * c, at port 4 the untagged host d; at port 5 one of each; at port 6 no known host.
 */
class VlanFloodTest {
  private static final DatapathId S1 = DatapathId.of(1);
  private static final int VLAN = 100;
  private static final MacAddress A = MacAddress.of("02:00:00:00:00:0a");
  private static final MacAddress ALL_NODES = MacAddress.of("33:33:00:00:00:01");
  private static final MacAddress UNKNOWN = MacAddress.of("02:00:00:00:00:99");
  private static final IPv6Address IP6_A = IPv6Address.of("2001:db8::a");
  private static final IPv6Address IP6_B = IPv6Address.of("2001:db8::b");

  private EmulatedNetwork network;

  private static MacAddress mac(int host) {
    return MacAddress.of(A.getLong() + host);
  }

  private static IPv4Address ip(int host) {
    return IPv4Address.of(0x0a000001 + host);
  }

  private Set<Integer> reached(int port, byte[] frame) {
    return network.switches.inject(S1, port, frame).stream()
        .map(Delivery::at)
        .map(at -> at.getPortId().getPortNumber())
        .collect(Collectors.toSet());
  }

  private static byte[] greeting(int host) {
    return Frames.arpRequest(mac(host), ip(host), ip(host));
  }

  private static byte[] multicast(int host) {
    return new Ipv6Frames(mac(host), ALL_NODES, IP6_A, IPv6Address.of("ff02::fb"))
        .udp(5353, 5353, new byte[8]);
  }

  private static byte[] to(MacAddress mac, int host) {
    return Frames.udp(mac(host), mac, ip(host), 1, IPv4Address.of("10.0.0.99"), 2, new byte[8]);
  }

  @BeforeEach
  void hostsOfVlans() throws Exception {
    network = new EmulatedNetwork();
    network.add(
        S1,
        Arrays.stream(new int[] {1, 2, 3, 4, 5, 6}).mapToObj(OFPort::of).toArray(OFPort[]::new));
    network.pass(2_000);
    reached(1, Frames.tagged(greeting(0), VLAN));
    reached(2, Frames.tagged(greeting(1), VLAN));
    reached(3, greeting(2));
    reached(4, greeting(3));
    reached(5, greeting(4));
    reached(5, Frames.tagged(greeting(5), VLAN));
  }

  @Test
  void multicastAndUnknown_reachPortsWithHostsOfTheVlan_andThoseWithoutAnyHost() {
    assertEquals(Set.of(2, 5, 6), reached(1, Frames.tagged(multicast(0), VLAN)));
    assertEquals(Set.of(2, 5, 6), reached(1, Frames.tagged(to(UNKNOWN, 0), VLAN)));
    assertEquals(Set.of(4, 5, 6), reached(3, multicast(2)));
    assertEquals(Set.of(4, 5, 6), reached(3, to(UNKNOWN, 2)));
    assertEquals(Set.of(6), reached(1, Frames.tagged(multicast(7), 7)));
  }

  @Test
  void questions_reachAllPorts_untilTheHostIsKnown() {
    byte[] known = Frames.tagged(Frames.arpRequest(mac(0), ip(0), ip(1)), VLAN);
    assertEquals(Set.of(2, 5, 6), reached(1, known));
    byte[] otherVlan = Frames.tagged(Frames.arpRequest(mac(0), ip(0), ip(2)), VLAN);
    assertEquals(Set.of(2, 3, 4, 5, 6), reached(1, otherVlan));
    byte[] silent = new Ipv6Frames(mac(0), ALL_NODES, IP6_A, IP6_B).solicitation(IP6_B);
    assertEquals(Set.of(2, 3, 4, 5, 6), reached(1, Frames.tagged(silent, VLAN)));
    reached(
        2,
        Frames.tagged(
            new Ipv6Frames(mac(1), mac(0), IP6_B, IP6_A).advertisement(IP6_B, mac(1)), VLAN));
    assertEquals(Set.of(2, 5, 6), reached(1, Frames.tagged(silent, VLAN)));
  }

  @Test
  void hostThatMoves_takesItsVlanAlong() {
    reached(4, Frames.tagged(greeting(1), VLAN));
    assertEquals(Set.of(2, 4, 5, 6), reached(1, Frames.tagged(multicast(0), VLAN)));
    reached(2, greeting(6));
    assertEquals(Set.of(4, 5, 6), reached(1, Frames.tagged(multicast(0), VLAN)));
  }

  @Test
  void silentHosts_areForgottenWithTheirVlan() {
    network.pass(3_700_000);
    assertEquals(Set.of(2, 3, 4, 5, 6), reached(1, Frames.tagged(multicast(0), VLAN)));
  }

  /** They are for the balancer, whichever switch they are addressed to. */
  @Test
  void framesForTheSwitchesThemselves_areNotFlooded() {
    DatapathId other = DatapathId.of(2);
    network.add(other, OFPort.of(1), OFPort.of(2));
    network.switches.connect(S1, 6, other, 2);
    network.pass(2_000);
    assertEquals(Set.of(), reached(1, Frames.tagged(to(EdgeMac.of(S1), 0), VLAN)));
    assertEquals(Set.of(), reached(3, to(EdgeMac.of(other), 2)));
    assertEquals(Set.of(4, 5, 1), reached(3, to(EdgeMac.of(DatapathId.of(3)), 2)));
  }
}
