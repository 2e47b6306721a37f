package io.malob.mptcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.Route;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.RuleSender;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.subflow.Fan;
import io.malob.openflow.subflow.Fan.Tagging;
import io.malob.testing.Frames;
import io.malob.testing.Topologies;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** A host at switch 1, whose alias has a route to switch 2 but not to switch 3. */
class SubflowRefusalsTest {
  private static final int VLAN = 100;
  private static final MacAddress HOST = MacAddress.of("02:00:00:00:00:01");
  private static final MacAddress LABEL = MacAddress.of("0a:4d:4c:80:00:01");
  private static final IPv4Address ALIAS = IPv4Address.of("10.0.0.11");
  private static final IPv4Address NEAR = IPv4Address.of("10.0.0.2");
  private static final IPv4Address FAR = IPv4Address.of("10.0.0.3");
  private static final IPv4Address UNKNOWN = IPv4Address.of("10.0.0.4");

  private final FakeSwitches switches = new FakeSwitches(3);
  private final SubflowRefusals refusals =
      new SubflowRefusals(
          () ->
              new PlanTracker.View(
                  Optional.empty(),
                  ImmutableMap.of(ALIAS, at(ALIAS, 1), NEAR, at(NEAR, 2), FAR, at(FAR, 3)),
                  ImmutableMap.of(
                      ALIAS,
                      new Route(
                          new FlowIdentity(Topologies.link(1, 2), VLAN),
                          Route.Kind.HAMILTONIAN,
                          ImmutableList.of(Topologies.path(1, 2)),
                          "cut")),
                  false,
                  Optional.empty(),
                  0),
          new RuleSender(switches));

  private static Fan.Address at(IPv4Address address, long switchId) {
    return new Fan.Address(
        address,
        address.withMaskOfLength(24),
        DatapathId.of(switchId),
        OFPort.of(7),
        HOST,
        VLAN,
        Tagging.SWITCH);
  }

  private boolean handle(IPv4Address to, int flags) {
    byte[] frame = Frames.tcp(HOST, LABEL, ALIAS, 4000, to, 80, flags);
    return refusals.handle(Packet.parse(Frames.tagged(frame, VLAN)));
  }

  @Test
  void synThatTheRouteDoesNotLeadToItsDestination_isResetAtTheHostWithoutTheTagOfItsSwitch() {
    assertTrue(handle(FAR, Packet.TCP_SYN));
    Packet reset = Packet.parse(((OFPacketOut) switches.get(1).messages().get(0)).getData());
    assertFalse(reset.isTagged());
    assertEquals(HOST, reset.dstMac());
    assertEquals(FAR, reset.source());
    assertEquals(ALIAS, reset.destination());
    assertEquals(List.of(80, 4000), List.of(reset.srcPort(), reset.dstPort()));
    assertTrue(reset.hasTcpFlags(Packet.TCP_RST | Packet.TCP_ACK));
  }

  @Test
  void packetWhoseRouteLeadsToItsDestination_isNotReset() {
    assertFalse(handle(NEAR, Packet.TCP_SYN));
    assertFalse(handle(UNKNOWN, Packet.TCP_SYN));
    assertEquals(List.of(), switches.get(1).messages());
  }

  @Test
  void packetOfAConnection_isNotReset() {
    assertFalse(handle(FAR, Packet.TCP_ACK));
    assertEquals(List.of(), switches.get(1).messages());
  }
}
