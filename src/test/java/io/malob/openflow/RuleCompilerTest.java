package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.algorithm.Attachment;
import io.malob.openflow.label.Label;
import io.malob.testing.FakeFlowTable;
import io.malob.testing.FakeFlowTable.Output;
import io.malob.testing.Frames;
import io.malob.testing.Ipv6Frames;
import io.malob.testing.SwitchProfile;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;

class RuleCompilerTest {
  private static final OFFactory OF = OFFactories.getFactory(OFVersion.OF_13);
  private static final DatapathId S1 = DatapathId.of(1);
  private static final MacAddress SENDER = MacAddress.of("02:00:00:00:00:01");
  private static final MacAddress LABEL = new Label(7).mac();

  private static byte[] ipv4(MacAddress src, MacAddress dst) {
    return Frames.tcp(src, dst, IPv4Address.of("10.0.0.1"), 1, IPv4Address.of("10.0.0.2"), 2, 0x10);
  }

  private static byte[] ipv6(MacAddress src, MacAddress dst) {
    return new Ipv6Frames(src, dst, IPv6Address.of("2001:db8::1"), IPv6Address.of("2001:db8::2"))
        .tcp(1, 2, 0x10);
  }

  private static Attachment host(int port) {
    return new Attachment(S1, OFPort.of(port), mac(port));
  }

  @ParameterizedTest
  @EnumSource(names = {"ONE_TABLE_WITH_GROUPS", "ONE_TABLE"})
  void hosts_getThePacketsWithTheirNumber_ofThoseWithALabel(SwitchProfile profile) {
    FakeFlowTable table = new FakeFlowTable(profile, () -> 0);
    RuleCompiler compiler = new RuleCompiler(any -> profile.layout(), new LabelGroups());
    Attachment tagged = new Attachment(S1, OFPort.of(3), mac(3), 100);
    List.of(host(2), host(3), tagged)
        .forEach(at -> send(compiler, profile, table, HostRules.add(OF, at, 60)));
    MacAddress to2 = NextHopMac.of(host(2));
    MacAddress to3 = NextHopMac.of(host(3));
    MacAddress toTagged = NextHopMac.of(tagged);
    MacAddress edge = EdgeMac.of(S1);

    assertDelivered(ipv4(edge, mac(2)), 2, table.process(9, ipv4(to2, LABEL)));
    assertDelivered(ipv4(edge, mac(3)), 3, table.process(9, ipv4(to3, LABEL)));
    assertDelivered(ipv4(edge, mac(3)), 3, table.process(3, ipv4(to3, LABEL)));
    assertDelivered(ipv6(edge, mac(2)), 2, table.process(9, ipv6(to2, LABEL)));
    assertDelivered(ipv6(edge, mac(3)), 3, table.process(9, ipv6(to3, LABEL)));
    byte[] withTag = Frames.tagged(ipv4(edge, mac(3)), 100);
    assertDelivered(withTag, 3, table.process(9, ipv4(toTagged, LABEL)));
    assertDelivered(withTag, 3, table.process(3, ipv4(toTagged, LABEL)));
    assertMissed(table.process(9, ipv4(NextHopMac.of(host(4)), LABEL)));
    assertMissed(table.process(9, ipv4(to2, mac(2))));

    send(compiler, profile, table, HostRules.remove(OF, host(3)));
    assertMissed(table.process(9, ipv4(to3, LABEL)));
    assertMissed(table.process(3, ipv4(to3, LABEL)));
    assertDelivered(withTag, 3, table.process(3, ipv4(toTagged, LABEL)));
    send(compiler, profile, table, List.of(HostRules.removeSamePort(OF, tagged)));
    assertDelivered(withTag, 3, table.process(9, ipv4(toTagged, LABEL)));
    assertEquals(
        List.of(), table.process(3, ipv4(toTagged, LABEL)).stream().map(Output::port).toList());
  }

  @ParameterizedTest
  @EnumSource(names = "OPEN_VSWITCH", mode = EnumSource.Mode.EXCLUDE)
  void flood_isDroppedAtItsPort(SwitchProfile profile) {
    FakeFlowTable table = new FakeFlowTable(profile, () -> 0);
    RuleCompiler compiler = new RuleCompiler(any -> profile.layout(), new LabelGroups());
    IPv4Address vip = IPv4Address.of("10.0.0.100");
    send(compiler, profile, table, SwitchRules.addVip(OF, vip));
    byte[] question = Frames.arpRequest(SENDER, IPv4Address.of("10.0.0.1"), vip);
    byte[] unknown = ipv4(SENDER, mac(2));

    for (byte[] frame : List.of(question, unknown)) {
      send(compiler, profile, table, List.of(floodRule(table.process(9, frame).get(0))));
      assertEquals(List.of(), table.process(9, frame));
      assertMissed(table.process(8, frame));
    }
  }

  private static void send(
      RuleCompiler compiler, SwitchProfile profile, FakeFlowTable table, List<OFMessage> rules) {
    compiler.compile(S1, profile.layout(), OF, rules).forEach(table::apply);
  }

  private static OFMessage floodRule(Output output) {
    OFPacketIn packetIn =
        OF.buildPacketIn()
            .setBufferId(OFBufferId.NO_BUFFER)
            .setReason(OFPacketInReason.NO_MATCH)
            .setTableId(output.table())
            .setCookie(output.cookie())
            .setMatch(OF.buildMatch().setExact(MatchField.IN_PORT, OFPort.of(9)).build())
            .setData(output.frame())
            .build();
    return FloodRules.against(OF, packetIn, 1).orElseThrow();
  }

  private static MacAddress mac(int number) {
    return MacAddress.of(0x02_00_00_00_01_00L + number);
  }

  private static void assertDelivered(byte[] frame, int port, List<Output> outputs) {
    assertEquals(1, outputs.size());
    assertEquals(OFPort.of(port), outputs.get(0).port());
    assertArrayEquals(frame, outputs.get(0).frame());
  }

  private static void assertMissed(List<Output> outputs) {
    assertEquals(List.of(true), outputs.stream().map(Output::isToController).toList());
  }
}
