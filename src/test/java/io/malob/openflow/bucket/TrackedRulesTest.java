package io.malob.openflow.bucket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.Iterables;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Server;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.FoundRule;
import io.malob.openflow.FoundRules;
import io.malob.openflow.NextHopMac;
import io.malob.openflow.Onward;
import io.malob.openflow.SwitchTables;
import io.malob.openflow.TableLayout;
import io.malob.openflow.label.Label;
import io.malob.openflow.tracked.ConntrackAction;
import io.malob.testing.Servers;
import io.malob.testing.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.action.OFActionSetField;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionApplyActions;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv4AddressWithMask;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.Masked;
import org.projectfloodlight.openflow.types.OFMetadata;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U32;

/** Rules as switches read them from the wire. */
class TrackedRulesTest {
  private static final BucketTraffic WEB =
      new BucketTraffic(7, IPv4Address.of("10.0.0.100"), 0, IpProtocol.TCP, 80, 9);
  private static final BucketTraffic NAMES =
      new BucketTraffic(8, IPv4Address.of("10.0.0.100"), 0, IpProtocol.UDP, 53, 9);
  private static final BucketKey PORTS = new BucketKey(BucketSource.PORT, 64);
  private static final Server MEMBER = Servers.of(3, 1); // 10.1.0.3:8080
  private static final Attachment HOP =
      new Attachment(DatapathId.of(9), OFPort.of(4), MacAddress.of("02:00:00:00:00:01"));
  private static final Onward TO_HOP = Onward.by(new Label(42), OFPort.of(7), HOP);
  private static final Onward TO_MEMBER = Onward.by(new Label(43), OFPort.of(8), MEMBER.at());

  private static SwitchTables tables(OFVersion version) {
    return new SwitchTables(OFFactories.getFactory(version), TableLayout.FOUR_TABLES);
  }

  private static OFFlowMod onWire(OFFlowMod sent) {
    return (OFFlowMod) Wire.readBack(sent);
  }

  private static List<OFAction> actions(OFFlowMod rule) {
    OFInstruction first = rule.getInstructions().get(0);
    assertTrue(first instanceof OFInstructionApplyActions, rule.toString());
    return ((OFInstructionApplyActions) first).getActions();
  }

  private static String tracks(OFFlowMod rule) {
    List<OFAction> actions = actions(rule);
    OFAction last = actions.get(actions.size() - 1);
    assertTrue(last instanceof ConntrackAction, actions.toString());
    return last.toString();
  }

  private static U32 state(OFFlowMod rule) {
    return rule.getMatch().getMasked(MatchField.CONN_TRACKING_STATE).getValue();
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void requests_areLookedUp(OFVersion version) {
    OFFlowMod rule =
        onWire(
            BucketRules.toBuckets(
                tables(version).factory(), WEB, IPv4AddressWithMask.of("0.0.0.0/0")));

    assertEquals("ct(table=1,zone=9,nat)", tracks(rule));
    assertEquals(2, actions(rule).size(), "metadata, look-up");
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void bucket_commitsFirstPackets(OFVersion version) {
    SwitchTables tables = tables(version);
    OFFlowMod web = onWire(BucketRules.toMember(tables, WEB, PORTS, 5, MEMBER, TO_MEMBER));
    OFFlowMod names = onWire(BucketRules.toMember(tables, NAMES, PORTS, 5, MEMBER, TO_MEMBER));

    assertEquals(
        "ct(commit,table=1,zone=9,nat(dst=10.1.0.3:8080),exec(set_field:0x3->ct_mark))",
        tracks(web));
    assertEquals(tracks(web), tracks(names));
    assertEquals(U32.of(0x21), state(web));
    assertEquals(U32.of(0x21), state(names));
    assertTrue(web.getMatch().isPartiallyMasked(MatchField.OVS_TCP_FLAGS), "SYNs only");
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void packetsThatWereNotCommitted_comeToTheController(OFVersion version) {
    SwitchTables tables = tables(version);
    OFFlowMod bucket = onWire(BucketRules.toMember(tables, WEB, PORTS, 5, MEMBER, TO_MEMBER));
    OFFlowMod rule = onWire(UncommittedRule.of(tables.factory(), WEB));

    assertEquals(
        rule.getMatch().get(MatchField.METADATA),
        ((OFActionSetField) actions(bucket).get(0)).getField().getValue());
    assertNotEquals(
        OFMetadata.ofRaw(WEB.vipNumber()), rule.getMatch().get(MatchField.METADATA), "of replies");
    assertEquals(U32.of(0x21), state(rule));
    assertTrue(BucketRules.isOf(rule.getMatch(), WEB));
    assertTrue(rule.getPriority() > bucket.getPriority());
    assertEquals(
        List.of("controller"), actions(rule).stream().map(TrackedRulesTest::text).toList());
  }

  @Test
  void packetsOfConnections_areLedToTheirMember() {
    OFFlowMod rule =
        onWire(
            TrackedRules.toMember(
                    tables(OFVersion.OF_13), WEB, new TrackedMember(MEMBER, TO_MEMBER))
                .get(2));

    assertEquals(U32.of(0x20), state(rule));
    assertEquals(U32.of(3), rule.getMatch().getMasked(MatchField.CONN_TRACKING_MARK).getValue());
    assertEquals(2, actions(rule).size(), "next hop and label");
  }

  @Test
  void packetsOfALostMember_comeToTheControllerAsTheyCame() {
    OFFlowMod rule =
        onWire(
            TrackedRules.toMember(tables(OFVersion.OF_13), WEB, new TrackedMember(MEMBER, null))
                .get(0));

    assertEquals(
        List.of("ipv4_dst", "tcp_dst", "controller"),
        actions(rule).stream().map(TrackedRulesTest::text).toList());
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void packetsOfAMemberWithoutARule_comeToTheControllerAsTheyCame(OFVersion version) {
    SwitchTables tables = tables(version);
    OFFlowMod rule = onWire(TrackedRules.toUnknownMembers(tables.factory(), WEB));
    OFFlowMod bucket = onWire(BucketRules.toMember(tables, WEB, PORTS, 5, MEMBER, TO_MEMBER));
    Masked<OFMetadata> requests = rule.getMatch().getMasked(MatchField.METADATA);

    assertEquals(
        List.of("ipv4_dst", "tcp_dst", "controller"),
        actions(rule).stream().map(TrackedRulesTest::text).toList());
    assertEquals(U32.of(0xa0), state(rule));
    assertTrue(rule.getPriority() < FlowLayout.PRIORITY_TRACKED);
    assertTrue(
        requests.matches(
            (OFMetadata) ((OFActionSetField) actions(bucket).get(0)).getField().getValue()));
    assertFalse(requests.matches(OFMetadata.ofRaw(WEB.vipNumber())), "replies");
  }

  private static String text(OFAction action) {
    return action instanceof OFActionSetField set
        ? set.getField().getMatchField().getName()
        : "controller";
  }

  @Test
  void replies_areLabelledByVip_andTranslatedAtTheEnd() {
    SwitchTables tables = tables(OFVersion.OF_13);
    OFFactory factory = tables.factory();
    OFFlowMod toNextHop = onWire(TrackedReplies.toNextHop(tables, WEB, TO_HOP, 0));
    List<OFFlowMod> atTheEnd =
        TrackedRules.replies(factory, WEB, MEMBER).stream().map(TrackedRulesTest::onWire).toList();

    assertEquals(OFMetadata.ofRaw(7), toNextHop.getMatch().get(MatchField.METADATA));
    assertEquals(HOP.mac(), toNextHop.getMatch().get(MatchField.ETH_DST));
    assertTrue(actions(toNextHop).toString().contains(NextHopMac.of(HOP).toString()));
    assertEquals("ct(table=3,zone=9,nat)", tracks(atTheEnd.get(0)));
    assertEquals(
        List.of("controller"),
        actions(atTheEnd.get(1)).stream().map(TrackedRulesTest::text).toList());
    assertTrue(atTheEnd.get(0).getPriority() > atTheEnd.get(1).getPriority());
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14"})
  void requests_sayThePathOfTheirReplies_whichTheMembersEdgeRemembers(OFVersion version) {
    SwitchTables tables = tables(version);
    List<OFFlowAdd> leading =
        TrackedRules.toMember(tables, WEB, new TrackedMember(MEMBER, TO_MEMBER));
    List<OFFlowAdd> remembering =
        TrackedReplies.ofMember(tables.factory(), WEB, MEMBER, true).subList(0, 3);

    for (int path = 1; path <= 3; path++) {
      OFFlowMod request = onWire(leading.get(path == 1 ? 2 : path - 2));
      OFFlowMod remember = onWire(remembering.get(path - 1));
      MacAddress source = written(request, MatchField.ETH_SRC);
      Masked<MacAddress> wanted = remember.getMatch().getMasked(MatchField.ETH_SRC);
      assertEquals(wanted.getValue(), source.applyMask(wanted.getMask()), "path " + path);
      assertEquals(NextHopMac.of(MEMBER.at()), NextHopMac.numberIn(source));
      assertEquals(
          "ct(commit,zone=10,exec(set_field:0x%d0003->ct_mark))".formatted(path), tracks(remember));
    }
  }

  private static MacAddress written(OFFlowMod rule, MatchField<MacAddress> field) {
    return actions(rule).stream()
        .filter(OFActionSetField.class::isInstance)
        .map(action -> ((OFActionSetField) action).getField())
        .filter(oxm -> oxm.getMatchField().id == field.id)
        .map(oxm -> (MacAddress) oxm.getValue())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void whatComesFromMembers_isLookedUp_byItsNextHop() {
    SwitchTables tables = tables(OFVersion.OF_13);

    assertEquals(
        "ct(table=0,zone=10)",
        tracks(onWire(TrackedReplies.lookUpFor(tables.factory(), WEB, TO_HOP))));
    assertEquals(
        List.of("ct(table=0,zone=10)", "ct(table=0,zone=9,nat)", "ct(table=0,zone=9,nat)"),
        TrackedReplies.lookUps(tables.factory(), WEB, true).subList(0, 3).stream()
            .map(rule -> tracks(onWire(rule)))
            .toList());
  }

  /** There is no other sign of the beginning of an exchange of datagrams. */
  @Test
  void onlySegmentsThatOpenConnectionsToMembers_areRememberedAsSuch() {
    OFFactory factory = tables(OFVersion.OF_13).factory();
    String asks = "ct(commit,table=0,zone=10,exec(set_field:0x2000000/0x2000000->ct_mark))";

    assertEquals(1, rulesWith(asks, TrackedReplies.ofMember(factory, WEB, MEMBER, true)));
    assertEquals(0, rulesWith(asks, TrackedReplies.ofMember(factory, WEB, MEMBER, false)));
    assertEquals(0, rulesWith(asks, TrackedReplies.ofMember(factory, NAMES, MEMBER, true)));
  }

  private static long rulesWith(String action, List<OFFlowAdd> rules) {
    return rules.stream()
        .map(TrackedRulesTest::onWire)
        .filter(rule -> rule.getInstructions().toString().contains(action))
        .count();
  }

  @Test
  void pathOfItsOwn_takesThoseWithItsOrdinal() {
    SwitchTables tables = tables(OFVersion.OF_13);
    OFFlowMod all = onWire(TrackedReplies.toNextHop(tables, WEB, TO_HOP, TrackedReplies.ALL_PATHS));
    OFFlowMod second = onWire(TrackedReplies.toNextHop(tables, WEB, TO_HOP, 2));

    assertEquals(
        Masked.of(U32.of(0x2_0000), U32.of(0xff_0000)),
        second.getMatch().getMasked(MatchField.CONN_TRACKING_MARK));
    assertTrue(second.getPriority() > all.getPriority());
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void sources_areTranslatedInAZoneOfTheirOwn_andTheSenderIsKept(OFVersion version) {
    SwitchTables tables = tables(version);
    BucketTraffic web =
        new BucketTraffic(7, IPv4Address.of("10.0.0.100"), 0, IpProtocol.TCP, 80, 9, true);
    IPAddress<?> source = IPv4Address.of("10.1.0.200");
    TrackedMember seeing = new TrackedMember(MEMBER, TO_MEMBER).seeing(source);

    assertEquals(
        "ct(commit,table=1,zone=9,nat(dst=10.1.0.3:8080),exec(set_field:0x3->ct_mark,"
            + "move:eth_src->ct_label[0..47],move:vlan_tci[0..11]->ct_label[48..59]))",
        tracks(BucketRules.toMember(tables, web, PORTS, 5, MEMBER, TO_MEMBER)));
    assertEquals(
        "ct(commit,table=1,zone=11,nat(src=10.1.0.200:1024-65535),exec(set_field:0x3->ct_mark))",
        tracks(Iterables.getOnlyElement(TrackedRules.toMember(tables, web, seeing))));
    assertEquals(
        2, actions(SourceRules.toMember(tables, web, MEMBER, TO_MEMBER)).size(), "label, next hop");
    OFFlowMod exhausted = SourceRules.exhausted(tables.factory(), web, MEMBER);
    assertEquals(
        List.of("ipv4_dst", "tcp_dst", "controller"),
        actions(exhausted).stream().map(TrackedRulesTest::text).toList());
    assertTrue(SourceRules.isExhausted(exhausted.getCookie()));
  }

  /** A controller that has restarted keeps them. */
  @Test
  void rules_areRecognized() {
    SwitchTables tables = tables(OFVersion.OF_13);
    FoundRules parser = new FoundRules(TableLayout.FOUR_TABLES, Map.of());
    List<OFFlowAdd> all = new ArrayList<>();
    all.add(TrackedReplies.toNextHop(tables, WEB, TO_HOP, TrackedReplies.ALL_PATHS));
    all.add(TrackedReplies.lookUpFor(tables.factory(), WEB, TO_HOP));
    all.addAll(TrackedReplies.lookUps(tables.factory(), WEB, true));
    all.addAll(TrackedReplies.ofMember(tables.factory(), WEB, MEMBER, true));
    all.addAll(TrackedRules.toMember(tables, WEB, new TrackedMember(MEMBER, TO_MEMBER)));
    all.addAll(TrackedRules.replies(tables.factory(), WEB, MEMBER));
    for (OFFlowMod sent : all) {
      OFFlowMod rule = onWire(sent);
      OFFlowStatsEntry found =
          tables
              .factory()
              .buildFlowStatsEntry()
              .setTableId(rule.getTableId())
              .setPriority(rule.getPriority())
              .setCookie(rule.getCookie())
              .setMatch(rule.getMatch())
              .setInstructions(rule.getInstructions())
              .build();
      assertTrue(parser.parse(found) instanceof FoundRule.Proactive, rule.toString());
    }
  }
}
