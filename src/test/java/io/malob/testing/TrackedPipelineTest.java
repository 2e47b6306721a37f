package io.malob.testing;

import static io.malob.openflow.tracked.ConntrackMatch.DESTINATION_TRANSLATED;
import static io.malob.openflow.tracked.ConntrackMatch.NEW;
import static io.malob.openflow.tracked.ConntrackMatch.REPLY;
import static io.malob.testing.TrackingSwitch.CLIENT;
import static io.malob.testing.TrackingSwitch.CLIENT_MAC;
import static io.malob.testing.TrackingSwitch.MEMBERS;
import static io.malob.testing.TrackingSwitch.MEMBER_MAC;
import static io.malob.testing.TrackingSwitch.OF;
import static io.malob.testing.TrackingSwitch.VIP;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.ConntrackMatch;
import io.malob.openflow.tracked.Mark;
import io.malob.openflow.tracked.Nat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFBadActionCode;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadActionErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadMatchErrorMsg;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFMetadata;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

class TrackedPipelineTest {
  private static final byte[] SYN = Frames.tcp(CLIENT_MAC, MEMBER_MAC, CLIENT, 40_000, VIP, 80, 2);
  private static final byte[] PLACED =
      Frames.tcp(CLIENT_MAC, MEMBER_MAC, CLIENT, 40_000, MEMBERS.get(0), 8080, 2);
  private static final byte[] REPLY_OF_MEMBER =
      Frames.tcp(MEMBER_MAC, CLIENT_MAC, MEMBERS.get(0), 8080, CLIENT, 40_000, 18);
  private static final Match IPV4 = ipv4().build();

  private final FakeFlowTable table = new FakeFlowTable(SwitchProfile.OPEN_VSWITCH, () -> 0);

  private static Match.Builder ipv4() {
    return OF.buildMatch().setExact(MatchField.ETH_TYPE, EthType.IPv4);
  }

  private static OFFlowAdd rule(int tableId, Match match, OFInstruction... instructions) {
    return OF.buildFlowAdd()
        .setTableId(TableId.of(tableId))
        .setPriority(10)
        .setMatch(match)
        .setInstructions(List.of(instructions))
        .build();
  }

  private void add(int tableId, Match match, OFAction... actions) {
    table.apply(rule(tableId, match, apply(actions)));
  }

  private static OFInstruction apply(OFAction... actions) {
    return OF.instructions().applyActions(List.of(actions));
  }

  private static OFAction output(int port) {
    return OF.actions().output(OFPort.of(port), 0xffff);
  }

  private static ConntrackAction track() {
    return ConntrackAction.inZone(OF, 1);
  }

  private static ConntrackAction place(int member) {
    return track().commit().translate(Nat.destination(MEMBERS.get(member), 8080));
  }

  private List<Integer> ports(byte[] frame) {
    return table.process(1, frame).stream().map(out -> out.port().getPortNumber()).toList();
  }

  @Test
  void metadata_isMatchedWithMask_andKeepsOtherBits() {
    OFInstruction low = OF.instructions().writeMetadata(U64.of(0x0000_0012), U64.of(0x0000_00ff));
    OFInstruction high = OF.instructions().writeMetadata(U64.of(0x3400), U64.of(0xff00));
    table.apply(rule(0, IPV4, low, OF.instructions().gotoTable(TableId.of(1))));
    table.apply(rule(1, IPV4, high, OF.instructions().gotoTable(TableId.of(2))));
    add(
        2,
        OF.buildMatch().setExact(MatchField.METADATA, OFMetadata.ofRaw(0x3412)).build(),
        output(3));
    assertEquals(List.of(3), ports(SYN));

    table.apply(rule(0, IPV4, OF.instructions().gotoTable(TableId.of(2))));
    assertEquals(List.of(OFPort.CONTROLLER.getPortNumber()), ports(SYN));
    add(
        2,
        OF.buildMatch()
            .setMasked(MatchField.METADATA, OFMetadata.ofRaw(0x0000), OFMetadata.ofRaw(0xff00))
            .build(),
        output(4));
    assertEquals(List.of(4), ports(SYN));
  }

  @Test
  void metadata_outlivesRecirculation() {
    table.apply(
        rule(
            0,
            IPV4,
            OF.instructions().writeMetadata(U64.of(5), U64.of(-1)),
            OF.instructions().gotoTable(TableId.of(1))));
    add(1, IPV4, track().continueIn(TableId.of(2)));
    add(2, OF.buildMatch().setExact(MatchField.METADATA, OFMetadata.ofRaw(5)).build(), output(3));
    assertEquals(List.of(3), ports(SYN));
    assertEquals(U64.of(5), table.process(1, SYN).get(0).metadata());
  }

  @Test
  void actionsBehindTrack_areForAnUntrackedPacket() {
    add(0, IPV4, track().continueIn(TableId.of(1)));
    table.apply(
        rule(
            1,
            ConntrackMatch.beginning(ipv4()).build(),
            apply(track().continueIn(TableId.of(2)), output(2)),
            OF.instructions().gotoTable(TableId.of(2))));
    add(2, ConntrackMatch.beginning(OF.buildMatch()).build(), output(3));
    add(2, ConntrackMatch.untracked(OF.buildMatch()).build(), output(4));
    assertEquals(List.of(3, 2, 4), ports(SYN));
  }

  @Test
  void packet_behindTranslation_isNotUsed() {
    add(0, IPV4, place(0), output(2));
    assertThrows(UnsupportedOperationException.class, () -> table.process(1, SYN));
  }

  @Test
  void commit_withoutTable_isKnownToTheNextPacket() {
    add(0, IPV4, track().commit(), output(2));
    assertEquals(List.of(2), ports(SYN));
    assertEquals(1, table.conntrack().connections().size());
  }

  /** In the rule of a path that ends, say, which needs no second look-up. */
  @Test
  void packet_goesOnToTheNextTable_behindACommit() {
    table.apply(
        rule(
            0,
            IPV4,
            apply(track().commit().setMark(new Mark(7))),
            OF.instructions().gotoTable(TableId.of(1))));
    add(1, ConntrackMatch.untracked(ipv4()).build(), output(2));
    assertEquals(List.of(2), ports(SYN));
    assertEquals(7, table.conntrack().connections().get(0).mark());
  }

  /** As Open vSwitch's check of sequence numbers finds out. */
  @Test
  void answerToAnotherSyn_isInvalid_onceTheConnectionHasEnded() {
    add(0, IPV4, track().commit().continueIn(TableId.of(1)));
    add(1, ConntrackMatch.state(OF.buildMatch(), ConntrackMatch.INVALID, 0).build(), output(3));
    table.apply(rule(1, IPV4));
    for (int flags : List.of(2, 16, 17)) {
      table.process(
          1, Frames.tcp(CLIENT_MAC, MEMBER_MAC, CLIENT, 40_000, MEMBERS.get(0), 8080, flags));
      table.process(1, answer(flags == 17 ? 17 : 18));
    }
    table.process(1, Frames.tcp(CLIENT_MAC, MEMBER_MAC, CLIENT, 40_000, MEMBERS.get(0), 8080, 16));
    table.process(1, answer(16));

    assertEquals(List.of(3), ports(answer(18)));
  }

  private static byte[] answer(int flags) {
    return Frames.tcp(MEMBER_MAC, CLIENT_MAC, MEMBERS.get(0), 8080, CLIENT, 40_000, flags);
  }

  @Test
  void recirculation_withoutEnd_fails() {
    add(0, IPV4, track().continueIn(TableId.of(0)));
    assertThrows(IllegalArgumentException.class, () -> table.process(1, SYN));
  }

  @Test
  void mark_ofKnownConnection_isChangedByAnotherCommit_butNotItsMember() {
    add(0, IPV4, place(0).setMark(new Mark(0x11)).continueIn(TableId.of(1)));
    add(1, ConntrackMatch.mark(OF.buildMatch(), 0x11).build(), output(2));
    assertEquals(List.of(2), ports(SYN));

    add(0, IPV4, place(1).setMark(new Mark(0x20, 0xf0)).continueIn(TableId.of(1)));
    add(1, ConntrackMatch.mark(OF.buildMatch(), 0x20, 0xf0).build(), output(3));
    List<FakeFlowTable.Output> out = table.process(1, SYN);
    assertEquals(3, out.get(0).port().getPortNumber());
    assertArrayEquals(PLACED, out.get(0).frame());
    assertEquals(0x21, table.conntrack().connections().get(0).mark());
  }

  @Test
  void secondTrackInZone_ofTranslatedPacket_findsTheSameConnection() {
    add(0, IPV4, place(0).continueIn(TableId.of(1)));
    add(1, IPV4, track().continueIn(TableId.of(2)));
    add(
        2,
        ConntrackMatch.state(OF.buildMatch(), NEW | DESTINATION_TRANSLATED, REPLY).build(),
        output(2));
    assertEquals(List.of(2), ports(SYN));
    assertEquals(1, table.conntrack().connections().size());
  }

  @Test
  void packetOut_isTracked() {
    add(1, IPV4, output(2));
    table.apply(
        OF.buildPacketOut()
            .setInPort(OFPort.CONTROLLER)
            .setActions(List.of(place(0).continueIn(TableId.of(1))))
            .setData(SYN)
            .build());
    add(0, IPV4, track().translate(Nat.EXISTING).continueIn(TableId.of(1)));
    assertArrayEquals(
        Frames.tcp(MEMBER_MAC, CLIENT_MAC, VIP, 80, CLIENT, 40_000, 18),
        table.process(1, REPLY_OF_MEMBER).get(0).frame());
  }

  @Test
  void bucket_mayTrack() {
    table.apply(
        OF.buildGroupAdd()
            .setGroupType(OFGroupType.INDIRECT)
            .setGroup(OFGroup.of(1))
            .setBuckets(
                List.of(
                    OF.buildBucket()
                        .setActions(List.of(place(0).continueIn(TableId.of(1))))
                        .build()))
            .build());
    add(0, IPV4, OF.actions().group(OFGroup.of(1)));
    add(1, IPV4, output(2));
    assertArrayEquals(PLACED, table.process(1, SYN).get(0).frame());
  }

  @Test
  void otherSwitches_refuseActionAndMatch() {
    FakeFlowTable plain = new FakeFlowTable();
    assertInstanceOf(OFBadActionErrorMsg.class, refusal(plain, rule(0, IPV4, apply(track()))));
    OFErrorMsg match =
        refusal(plain, rule(0, ConntrackMatch.untracked(OF.buildMatch()).build(), apply()));
    assertInstanceOf(OFBadMatchErrorMsg.class, match);
  }

  @Test
  void track_ofOtherThanIp_isRefused() {
    OFErrorMsg any = refusal(table, rule(0, OF.matchWildcardAll(), apply(track())));
    assertEquals(OFBadActionCode.MATCH_INCONSISTENT, ((OFBadActionErrorMsg) any).getCode());
    Match ipv6 = OF.buildMatch().setExact(MatchField.ETH_TYPE, EthType.IPv6).build();
    OFErrorMsg otherVersion = refusal(table, rule(0, ipv6, apply(place(0))));
    assertEquals(
        OFBadActionCode.MATCH_INCONSISTENT, ((OFBadActionErrorMsg) otherVersion).getCode());
    table.apply(rule(0, ipv6, apply(track())));
    assertEquals(1, table.rules().size());
  }

  private static OFErrorMsg refusal(FakeFlowTable plain, OFFlowAdd rule) {
    return assertThrows(RefusedMessageException.class, () -> plain.apply(rule)).error();
  }
}
