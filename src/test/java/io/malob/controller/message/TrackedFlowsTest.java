package io.malob.controller.message;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.openflow.tracked.ConntrackMatch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * Rules as Open vSwitch 3.1 tells them: one between two ordinary ones matches {@code
 * ct_state=+new+trk,ct_mark=0x1/0xff} and has an action {@code ct(commit,table=2,zone=7,
 * nat(dst=10.0.0.2:8080),exec(set_field:0x15/0xff->ct_mark))}, which openflowj does not know.
 */
class TrackedFlowsTest {
  /** In OpenFlow 1.3; that of 1.4 has another version, and otherwise the same bytes. */
  private static final String REPLY =
      "041301a800000002000100000000000000700000000000000328b740012c00000000000000000000"
          + "6521000000000001000000000000000000000000000000000001001780000a020800800018040a00"
          + "0064800014010600000400280000000000190010800006060a4d4c00000700000000001000000001"
          + "000000000000000000d001000000000001e84800013600000000000000000000652e000000000002"
          + "000000000000000000000000000000000001003580000a020800800018040a000064800014010680"
          + "001c0200500001d30800000021000000210001d70800000001000000ff0000000004006000000000"
          + "00190010800006060a4d4c0000080000ffff00480000232000230001000000000007020000000000"
          + "ffff00180000232000240000000200110a0000021f900000ffff001800002320000700070001d604"
          + "00000000000000150001000802000000005802000000000000d59f80014000000000000000000000"
          + "6524000000000003000000000000000000000000000000000001000e800006060a4d4c0000080000"
          + "000400180000000000000010000000020000000000000000";

  static Stream<Arguments> replies() {
    return Stream.of(
        Arguments.of(OFVersion.OF_13, REPLY),
        Arguments.of(OFVersion.OF_14, "05" + REPLY.substring(2)));
  }

  private static Match.Builder toVip(OFFactory factory) {
    return factory
        .buildMatch()
        .setExact(MatchField.ETH_TYPE, EthType.IPv4)
        .setExact(MatchField.IPV4_DST, IPv4Address.of("10.0.0.100"))
        .setExact(MatchField.IP_PROTO, IpProtocol.TCP);
  }

  private static void check(
      OFFlowStatsEntry rule,
      int table,
      long cookie,
      Match match,
      List<? extends OFInstruction> instructions) {
    assertEquals(TableId.of(table), rule.getTableId());
    assertEquals(U64.of(cookie), rule.getCookie());
    assertEquals(300 + 10 * table, rule.getPriority());
    assertEquals(match, rule.getMatch());
    assertEquals(instructions, rule.getInstructions());
  }

  @ParameterizedTest
  @MethodSource("replies")
  void ruleThatTracks_losesItsActionOnly_andItsNeighboursNothing(OFVersion version, String hex)
      throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    ByteBuf bytes = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
    List<OFFlowStatsEntry> rules =
        ((OFFlowStatsReply) new MessageReader().read(bytes)).getEntries();
    assertEquals(3, rules.size());
    OFInstruction labelled =
        factory.instructions().applyActions(List.of(label(factory, 7), output(factory, 1)));
    check(rules.get(0), 0, 0x6521_0000_0000_0001L, toVip(factory).build(), List.of(labelled));
    check(
        rules.get(1),
        1,
        0x652e_0000_0000_0002L,
        ConntrackMatch.mark(
                ConntrackMatch.beginning(
                    toVip(factory).setExact(MatchField.TCP_DST, TransportPort.of(80))),
                0x1,
                0xff)
            .build(),
        List.of(
            factory.instructions().applyActions(List.of(label(factory, 8))),
            factory.instructions().gotoTable(TableId.of(2))));
    check(
        rules.get(2),
        2,
        0x6524_0000_0000_0003L,
        factory
            .buildMatch()
            .setExact(MatchField.ETH_DST, MacAddress.of("0a:4d:4c:00:00:08"))
            .build(),
        List.of(factory.instructions().applyActions(List.of(output(factory, 2)))));
  }

  private static OFAction label(OFFactory factory, int id) {
    return factory
        .actions()
        .setField(factory.oxms().ethDst(MacAddress.of(0x0a_4d_4c_00_00_00L | id)));
  }

  private static OFAction output(OFFactory factory, int port) {
    return factory.actions().output(OFPort.of(port), 0);
  }
}
