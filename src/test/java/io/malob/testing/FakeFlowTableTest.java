package io.malob.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFBadActionCode;
import org.projectfloodlight.openflow.protocol.OFBadInstructionCode;
import org.projectfloodlight.openflow.protocol.OFBadMatchCode;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsEntry;
import org.projectfloodlight.openflow.protocol.OFGroupModFailedCode;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.OFVlanVidMatch;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;

class FakeFlowTableTest {
  private static final OFFactory OF = OFFactories.getFactory(OFVersion.OF_13);
  private static final MacAddress A = MacAddress.of("02:00:00:00:00:0a");
  private static final MacAddress B = MacAddress.of("02:00:00:00:00:0b");
  private static final MacAddress C = MacAddress.of("02:00:00:00:00:0c");
  private static final IPv4Address IP_A = IPv4Address.of("10.0.0.1");
  private static final IPv4Address IP_B = IPv4Address.of("10.0.0.2");
  private static final IPv4Address IP_C = IPv4Address.of("10.0.0.3");
  private static final byte[] SYN = Frames.tcp(A, B, IP_A, 40_000, IP_B, 80, 2);

  private final FakeFlowTable table = new FakeFlowTable();

  private static OFFlowMod.Builder add(int priority, Match match, OFAction... actions) {
    return OF.buildFlowAdd()
        .setPriority(priority)
        .setMatch(match)
        .setInstructions(List.of(OF.instructions().applyActions(List.of(actions))));
  }

  private static OFAction output(int port) {
    return OF.actions().buildOutput().setPort(OFPort.of(port)).setMaxLen(0xffff).build();
  }

  private static Match toMac(String mac, String mask) {
    return OF.buildMatch()
        .setMasked(MatchField.ETH_DST, MacAddress.of(mac), MacAddress.of(mask))
        .build();
  }

  private List<Integer> ports(byte[] frame) {
    return table.process(1, frame).stream().map(out -> out.port().getPortNumber()).toList();
  }

  @Test
  void packet_withoutRule_goesToController() {
    assertEquals(List.of(OFPort.CONTROLLER.getPortNumber()), ports(SYN));
  }

  @Test
  void packet_matchesSeveralRules_followsHighestPriority() {
    table.apply(add(5, OF.buildMatch().build(), output(2)).build());
    table.apply(add(9, toMac("02:00:00:00:00:00", "ff:ff:ff:ff:ff:00"), output(3)).build());
    table.apply(add(99, toMac("02:00:00:00:01:00", "ff:ff:ff:ff:ff:00"), output(4)).build());
    assertEquals(List.of(3), ports(SYN));
  }

  @Test
  void rewrite_ofAddressAndPort_looksLikeFrameBuiltThatWay() {
    Match tcpToB =
        OF.buildMatch()
            .setExact(MatchField.ETH_TYPE, EthType.IPv4)
            .setExact(MatchField.IP_PROTO, IpProtocol.TCP)
            .setExact(MatchField.IPV4_DST, IP_B)
            .setExact(MatchField.TCP_DST, TransportPort.of(80))
            .build();
    OFFlowMod toNext =
        OF.buildFlowAdd()
            .setMatch(tcpToB)
            .setInstructions(
                List.of(
                    OF.instructions()
                        .applyActions(
                            List.of(
                                OF.actions().setField(OF.oxms().ethDst(C)),
                                OF.actions().setField(OF.oxms().ipv4Dst(IP_C)),
                                OF.actions().setField(OF.oxms().tcpDst(TransportPort.of(8_080))))),
                    OF.instructions().gotoTable(TableId.of(3))))
            .build();
    table.apply(toNext);
    table.apply(
        add(1, toMac(C.toString(), "ff:ff:ff:ff:ff:ff"), output(7))
            .setTableId(TableId.of(3))
            .build());
    List<FakeFlowTable.Output> outputs = table.process(1, SYN);
    assertEquals(1, outputs.size());
    assertEquals(OFPort.of(7), outputs.get(0).port());
    assertArrayEquals(Frames.tcp(A, C, IP_A, 40_000, IP_C, 8_080, 2), outputs.get(0).frame());
  }

  @Test
  void output_toPortThatFrameCameFrom_needsInPort() {
    table.apply(add(1, OF.buildMatch().build(), output(1)).build());
    assertEquals(List.of(), ports(SYN));
    table.apply(add(1, OF.buildMatch().build(), OF.actions().output(OFPort.IN_PORT, 0)).build());
    assertEquals(List.of(1), ports(SYN));
  }

  @Test
  void match_onVlan_tellsTaggedFromUntagged() {
    table.apply(
        add(
                2,
                OF.buildMatch().setExact(MatchField.VLAN_VID, OFVlanVidMatch.ofVlan(7)).build(),
                output(2))
            .build());
    table.apply(
        add(
                1,
                OF.buildMatch().setExact(MatchField.VLAN_VID, OFVlanVidMatch.UNTAGGED).build(),
                output(3))
            .build());
    assertEquals(List.of(2), ports(Frames.tagged(SYN, 7)));
    assertEquals(List.of(3), ports(SYN));
  }

  @Test
  void deletion_byCookieMaskOrOutPort_leavesOthers() {
    table.apply(
        add(1, toMac("02:00:00:00:00:01", "ff:ff:ff:ff:ff:ff"), output(2))
            .setCookie(U64.of(0x11))
            .build());
    table.apply(
        add(1, toMac("02:00:00:00:00:02", "ff:ff:ff:ff:ff:ff"), output(2))
            .setCookie(U64.of(0x21))
            .build());
    table.apply(
        add(1, toMac("02:00:00:00:00:03", "ff:ff:ff:ff:ff:ff"), output(3))
            .setCookie(U64.of(0x22))
            .build());
    table.apply(
        OF.buildFlowDelete()
            .setTableId(TableId.ALL)
            .setOutPort(OFPort.ANY)
            .setCookie(U64.of(0x10))
            .setCookieMask(U64.of(0xf0))
            .build());
    assertEquals(2, table.rules().size());
    table.apply(OF.buildFlowDelete().setTableId(TableId.ALL).setOutPort(OFPort.of(3)).build());
    assertEquals(U64.of(0x21), table.rules().get(0).cookie());
    table.apply(
        OF.buildFlowDelete()
            .setTableId(TableId.ALL)
            .setOutPort(OFPort.ANY)
            .setMatch(toMac("02:00:00:00:00:00", "ff:ff:ff:ff:ff:00"))
            .build());
    assertEquals(List.of(), table.rules());
  }

  @Test
  void strictDeletion_ofOtherPriority_deletesNothing() {
    Match match = toMac("02:00:00:00:00:01", "ff:ff:ff:ff:ff:ff");
    table.apply(add(4, match, output(2)).build());
    table.apply(
        OF.buildFlowDeleteStrict().setPriority(5).setMatch(match).setOutPort(OFPort.ANY).build());
    assertEquals(1, table.rules().size());
    table.apply(
        OF.buildFlowDeleteStrict().setPriority(4).setMatch(match).setOutPort(OFPort.ANY).build());
    assertEquals(0, table.rules().size());
  }

  @Test
  void rule_withoutPrerequisiteOfMatch_isRefused() {
    Match bad = OF.buildMatch().setExact(MatchField.IPV4_DST, IP_B).build();
    OFFlowMod message = add(1, bad, output(2)).build();
    assertThrows(IllegalArgumentException.class, () -> table.apply(message));
  }

  @Test
  void frame_overTwoSwitches_comesOutAtHostPort() {
    FakeNetwork network = new FakeNetwork();
    DatapathId first = DatapathId.of(1);
    DatapathId second = DatapathId.of(2);
    network.connect(first, 2, second, 3);
    network.send(first, add(1, OF.buildMatch().build(), output(2)).build());
    network.setController(
        (switchId, inPort, output) ->
            network.send(
                switchId,
                OF.buildPacketOut()
                    .setInPort(inPort)
                    .setBufferId(OFBufferId.NO_BUFFER)
                    .setActions(List.of(output(9)))
                    .setData(output.frame())
                    .build()));
    List<FakeNetwork.Delivery> delivered = network.inject(first, 1, SYN);
    assertEquals(1, delivered.size());
    assertEquals(second, delivered.get(0).switchId());
    assertEquals(OFPort.of(9), delivered.get(0).port());
  }

  @Test
  void expire_takesRulesWhoseIdleOrHardTimeIsOver() {
    AtomicLong nanos = new AtomicLong();
    FakeFlowTable timed = new FakeFlowTable(nanos::get);
    timed.apply(OF.buildFlowAdd().setPriority(3).setIdleTimeout(10).build());
    timed.apply(OF.buildFlowAdd().setPriority(2).setHardTimeout(15).build());
    timed.apply(OF.buildFlowAdd().setPriority(1).build());

    nanos.set(TimeUnit.SECONDS.toNanos(9));
    timed.process(1, new byte[60]);
    nanos.set(TimeUnit.SECONDS.toNanos(15));
    assertEquals(List.of(2), timed.expire().stream().map(FakeRule::priority).toList());
    nanos.set(TimeUnit.SECONDS.toNanos(19));
    assertEquals(List.of(3), timed.expire().stream().map(FakeRule::priority).toList());
    assertEquals(List.of(1), timed.rules().stream().map(FakeRule::priority).toList());
  }

  private static OFBucket bucket(OFAction... actions) {
    return OF.buildBucket()
        .setWatchPort(OFPort.ANY)
        .setWatchGroup(OFGroup.ANY)
        .setActions(List.of(actions))
        .build();
  }

  private static OFMessage addGroup(int group, OFGroupType type, OFBucket... buckets) {
    return OF.buildGroupAdd()
        .setGroup(OFGroup.of(group))
        .setGroupType(type)
        .setBuckets(List.of(buckets))
        .build();
  }

  private static OFMessage addIndirect(int group, OFAction... actions) {
    return addGroup(group, OFGroupType.INDIRECT, bucket(actions));
  }

  private static OFMessage modifyIndirect(int group, OFAction... actions) {
    return OF.buildGroupModify()
        .setGroup(OFGroup.of(group))
        .setGroupType(OFGroupType.INDIRECT)
        .setBuckets(List.of(bucket(actions)))
        .build();
  }

  private static OFMessage deleteGroup(OFGroup group) {
    return OF.buildGroupDelete().setGroup(group).setGroupType(OFGroupType.INDIRECT).build();
  }

  private static OFAction toGroup(int group) {
    return OF.actions().group(OFGroup.of(group));
  }

  private void assertRefused(
      Function<OFMessage, OFErrorMsg> expected, FakeFlowTable onTable, OFMessage message) {
    OFErrorMsg error =
        assertThrows(RefusedMessageException.class, () -> onTable.apply(message)).error();
    assertEquals(expected.apply(message), error);
    assertEquals(message.getXid(), error.getXid());
  }

  private void assertRefused(OFGroupModFailedCode code, OFMessage message) {
    assertRefused(refused -> SwitchErrors.groupModFailed(refused, code), table, message);
  }

  private static Match all() {
    return OF.buildMatch().build();
  }

  @Test
  void indirectGroup_modified_leadsRulesThatNameItElsewhere() {
    table.apply(addIndirect(7, OF.actions().setField(OF.oxms().ethDst(C)), output(2)));
    table.apply(add(1, all(), toGroup(7)).build());
    FakeFlowTable.Output output = table.process(1, SYN).get(0);
    assertEquals(OFPort.of(2), output.port());
    assertArrayEquals(Frames.tcp(A, C, IP_A, 40_000, IP_B, 80, 2), output.frame());
    table.apply(modifyIndirect(7, output(3)));
    assertEquals(List.of(3), ports(SYN));
  }

  @Test
  void group_addedTwiceOrModifiedUnknown_isRefusedAndChangesNothing() {
    assertRefused(OFGroupModFailedCode.UNKNOWN_GROUP, modifyIndirect(7, output(2)));
    table.apply(addIndirect(7, output(2)));
    assertRefused(OFGroupModFailedCode.GROUP_EXISTS, addIndirect(7, output(3)));
    table.apply(add(1, all(), toGroup(7)).build());
    assertEquals(List.of(2), ports(SYN));
  }

  @Test
  void indirectGroup_withoutExactlyOneBucket_isRefused() {
    assertRefused(OFGroupModFailedCode.INVALID_GROUP, addGroup(7, OFGroupType.INDIRECT));
    assertRefused(
        OFGroupModFailedCode.INVALID_GROUP,
        addGroup(7, OFGroupType.INDIRECT, bucket(output(2)), bucket(output(3))));
    assertEquals(List.of(), table.tellGroups(OF));
  }

  @Test
  void rule_thatNamesUnknownGroup_isRefusedAndReplacesNothing() {
    table.apply(add(1, all(), output(2)).build());
    Function<OFMessage, OFErrorMsg> unknown =
        refused -> SwitchErrors.badAction(refused, OFBadActionCode.BAD_OUT_GROUP);
    assertRefused(unknown, table, add(1, all(), toGroup(7)).build());
    assertRefused(
        unknown,
        table,
        OF.buildFlowModify()
            .setInstructions(List.of(OF.instructions().applyActions(List.of(toGroup(7)))))
            .build());
    assertEquals(List.of(2), ports(SYN));
  }

  @Test
  void deletedGroup_takesRulesThatNameItAlong() {
    table.apply(addIndirect(7, output(2)));
    table.apply(addIndirect(8, output(3)));
    table.apply(add(3, all(), toGroup(7)).build());
    table.apply(add(2, all(), toGroup(8)).build());
    table.apply(add(1, all(), output(4)).build());
    table.apply(deleteGroup(OFGroup.of(7)));
    assertEquals(List.of(3), ports(SYN));
    table.apply(deleteGroup(OFGroup.of(7)));
    assertEquals(2, table.rules().size());
    table.apply(deleteGroup(OFGroup.ALL));
    assertEquals(List.of(4), ports(SYN));
    assertEquals(List.of(), table.tellGroups(OF));
  }

  @Test
  void groups_askedFor_areToldWithTheirBuckets() {
    table.apply(addIndirect(8, output(3)));
    table.apply(addIndirect(7, output(2)));
    List<OFGroupDescStatsEntry> told = table.tellGroups(OF);
    assertEquals(
        List.of(OFGroup.of(7), OFGroup.of(8)),
        told.stream().map(OFGroupDescStatsEntry::getGroup).toList());
    assertEquals(OFGroupType.INDIRECT, told.get(0).getGroupType());
    assertEquals(List.of(output(2)), told.get(0).getBuckets().get(0).getActions());
  }

  private static FakeFlowTable of(SwitchProfile profile) {
    return new FakeFlowTable(profile, () -> 0);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"OPEN_VSWITCH", "FOUR_TABLES"},
      mode = EnumSource.Mode.EXCLUDE)
  void switchWithOneTable_refusesOtherTablesAndGoto(SwitchProfile profile) {
    FakeFlowTable one = of(profile);
    assertRefused(
        refused -> SwitchErrors.flowModFailed(refused, OFFlowModFailedCode.BAD_TABLE_ID),
        one,
        add(1, all(), output(2)).setTableId(TableId.of(1)).build());
    assertRefused(
        refused -> SwitchErrors.badInstruction(refused, OFBadInstructionCode.BAD_TABLE_ID),
        one,
        OF.buildFlowAdd()
            .setInstructions(List.of(OF.instructions().gotoTable(TableId.of(1))))
            .build());
    assertEquals(List.of(), one.rules());
    one.apply(add(1, all(), output(2)).build());
    one.apply(OF.buildFlowDelete().setTableId(TableId.ALL).setOutPort(OFPort.ANY).build());
    assertEquals(List.of(), one.rules());
  }

  @Test
  void switchWithFourTables_refusesFifth() {
    assertRefused(
        refused -> SwitchErrors.flowModFailed(refused, OFFlowModFailedCode.BAD_TABLE_ID),
        table,
        add(1, all(), output(2)).setTableId(TableId.of(4)).build());
  }

  @Test
  void switchWithoutMasks_takesOnlyWholeMacs() {
    FakeFlowTable exact = of(SwitchProfile.NO_MASKS);
    assertRefused(
        refused -> SwitchErrors.badMatch(refused, OFBadMatchCode.BAD_DL_ADDR_MASK),
        exact,
        add(1, toMac("02:00:00:00:00:00", "ff:ff:ff:ff:ff:00"), output(2)).build());
    assertEquals(List.of(), exact.rules());
    exact.apply(add(1, toMac(B.toString(), "ff:ff:ff:ff:ff:ff"), output(2)).build());
    assertEquals(OFPort.of(2), exact.process(1, SYN).get(0).port());
  }

  @Test
  void switchWithoutRewriting_refusesSetFieldOfRulesAndPackets() {
    FakeFlowTable plain = of(SwitchProfile.NO_REWRITING);
    OFAction rewrite = OF.actions().setField(OF.oxms().ethDst(C));
    Function<OFMessage, OFErrorMsg> badSetType =
        refused -> SwitchErrors.badAction(refused, OFBadActionCode.BAD_SET_TYPE);
    assertRefused(badSetType, plain, add(1, all(), rewrite, output(2)).build());
    assertRefused(
        badSetType,
        plain,
        OF.buildPacketOut()
            .setBufferId(OFBufferId.NO_BUFFER)
            .setActions(List.of(rewrite, output(2)))
            .setData(SYN)
            .build());
    assertEquals(List.of(), plain.rules());
    plain.apply(add(1, all(), output(2)).build());
  }

  @ParameterizedTest
  @EnumSource(names = {"ONE_TABLE", "NO_MASKS", "NO_REWRITING"})
  void switchWithoutGroups_refusesThemAndRulesThatNameThem(SwitchProfile profile) {
    FakeFlowTable plain = of(profile);
    Function<OFMessage, OFErrorMsg> badType =
        refused -> SwitchErrors.badRequest(refused, OFBadRequestCode.BAD_TYPE);
    assertRefused(badType, plain, addIndirect(7, output(2)));
    assertRefused(badType, plain, deleteGroup(OFGroup.ALL));
    assertRefused(
        refused -> SwitchErrors.badAction(refused, OFBadActionCode.BAD_TYPE),
        plain,
        add(1, all(), toGroup(7)).build());
    assertEquals(List.of(), plain.rules());
  }

  @Test
  void switchWithIndirectGroups_refusesOtherTypesAndChains() {
    FakeFlowTable grouped = of(SwitchProfile.ONE_TABLE_WITH_GROUPS);
    assertRefused(
        refused -> SwitchErrors.groupModFailed(refused, OFGroupModFailedCode.BAD_TYPE),
        grouped,
        addGroup(7, OFGroupType.SELECT, bucket(output(2)), bucket(output(3))));
    grouped.apply(addIndirect(7, output(2)));
    assertRefused(
        refused -> SwitchErrors.groupModFailed(refused, OFGroupModFailedCode.CHAINING_UNSUPPORTED),
        grouped,
        addIndirect(8, toGroup(7)));
    assertEquals(1, grouped.tellGroups(OF).size());
  }
}
