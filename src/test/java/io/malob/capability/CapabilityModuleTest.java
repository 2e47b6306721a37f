package io.malob.capability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.Maps;
import io.malob.capability.ProbedNetwork.ProbedSwitch;
import io.malob.openflow.Cookie;
import io.malob.openflow.TableLayout;
import io.malob.testing.LogLines;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import net.floodlightcontroller.core.IListener.Command;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.OFGroupAdd;
import org.projectfloodlight.openflow.protocol.OFGroupModFailedCode;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.OFErrorCauseData;

/** Probes of switches that refuse one thing or another. */
class CapabilityModuleTest {
  private static final DatapathId ID = DatapathId.of(2);

  private LogLines log;
  private ProbedNetwork network;

  @BeforeEach
  void start() throws Exception {
    log = LogLines.of(Capabilities.class);
    network = new ProbedNetwork(Map.of());
  }

  @AfterEach
  void end() {
    log.close();
  }

  private static ProbedSwitch sw(int tables) {
    return new ProbedSwitch(2, tables);
  }

  private static Function<OFMessage, Optional<OFErrorMsg>> refusing(
      Predicate<OFFlowAdd> which, OFErrorMsg error) {
    return message ->
        message instanceof OFFlowAdd rule && which.test(rule)
            ? Optional.of(error)
            : Optional.empty();
  }

  private static final OFErrorMsg UNKNOWN =
      ProbedNetwork.flowModFailed(OFFlowModFailedCode.UNKNOWN);

  private static boolean isMasked(OFFlowAdd rule) {
    return rule.getMatch().isPartiallyMasked(MatchField.ETH_DST);
  }

  private static boolean isOf(OFFlowAdd rule, EthType family) {
    return family.equals(rule.getMatch().get(MatchField.ETH_TYPE));
  }

  private static Optional<OFErrorMsg> refusedGroup(OFMessage message) {
    return message instanceof OFGroupAdd
        ? Optional.of(
            ProbedNetwork.FACTORY
                .errorMsgs()
                .buildGroupModFailedErrorMsg()
                .setCode(OFGroupModFailedCode.BAD_TYPE)
                .setData(OFErrorCauseData.NONE)
                .build())
        : Optional.empty();
  }

  private TableLayout layout() {
    return network.module().layout(ID);
  }

  @Test
  void switchThatAcceptsAll_hasFourTables_andNoLineInTheLog() {
    CompletableFuture<TableLayout> known = network.module().whenKnown(ID);
    assertFalse(known.isDone());
    network.connect(sw(4));
    assertEquals(TableLayout.FOUR_TABLES, known.getNow(null));
    assertEquals(TableLayout.FOUR_TABLES, layout());
    assertEquals(List.of(), log.takeEvents());
  }

  @ParameterizedTest
  @CsvSource({
    "1, 'refused table_1, table_2, table_3'",
    "2, 'refused table_2, table_3'",
    "3, refused table_3"
  })
  void fewerTables_areOne(int tables, String why) {
    network.connect(sw(tables));
    assertEquals(TableLayout.ONE_TABLE_WITH_GROUPS, layout());
    assertEquals(
        List.of(
            "switch_layout switch=00:00:00:00:00:00:00:02 layout=one-table-with-groups role=any"
                + " why=\""
                + why
                + "\""),
        log.takeEvents());
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3"})
  void tableThatRefusesItsRule_isNone(int table) {
    network.connect(
        sw(254).refuses(refusing(rule -> rule.getTableId().getValue() == table, UNKNOWN)));
    assertEquals(TableLayout.ONE_TABLE_WITH_GROUPS, layout());
  }

  @Test
  void tablesWithoutRoomForAnyRule_areNone() {
    network.connect(
        sw(254)
            .refuses(
                refusing(rule -> rule.getTableId().getValue() > 0, ProbedNetwork.tableFull())));
    assertEquals(TableLayout.ONE_TABLE_WITH_GROUPS, layout());
    assertEquals(
        List.of(
            "switch_layout switch=00:00:00:00:00:00:00:02 layout=one-table-with-groups role=any"
                + " why=\"refused table_1, table_2, table_3\""),
        log.takeEvents());
  }

  @Test
  void tablesThatAreFullOfRules_areThere() {
    network.connect(
        sw(254)
            .refuses(refusing(rule -> true, ProbedNetwork.tableFull()))
            .rules(Map.of(0, 2_000L, 1, 2_000L, 2, 9L, 3, 9L)));
    assertEquals(TableLayout.FOUR_TABLES, layout());
  }

  @Test
  void groupsAreRefused_oneTableIsLeft() {
    network.connect(sw(1).refuses(CapabilityModuleTest::refusedGroup));
    assertEquals(TableLayout.ONE_TABLE, layout());
  }

  @Test
  void ruleToAGroupIsRefused_oneTableIsLeft() {
    network.connect(
        sw(1).refuses(refusing(rule -> rule.toString().contains("OFActionGroup"), UNKNOWN)));
    assertEquals(TableLayout.ONE_TABLE, layout());
  }

  @Test
  void groupsAreRefused_fourTablesDoWithout() {
    network.connect(sw(4).refuses(CapabilityModuleTest::refusedGroup));
    assertEquals(TableLayout.FOUR_TABLES, layout());
  }

  @Test
  void masksAreRefused_labelsAreLeft() {
    network.connect(sw(4).refuses(refusing(CapabilityModuleTest::isMasked, UNKNOWN)));
    assertEquals(TableLayout.LABELS_ONLY, layout());
    assertEquals(
        List.of(
            "switch_layout switch=00:00:00:00:00:00:00:02 layout=labels-only role=core"
                + " why=\"refused mac_masks\""),
        log.takeEvents());
  }

  @Test
  void translationIsRefused_labelsAreLeft() {
    network.connect(
        sw(1)
            .refuses(
                refusing(
                    rule -> isOf(rule, EthType.IPv4) && rule.toString().contains("SetField"),
                    UNKNOWN)));
    assertEquals(TableLayout.LABELS_ONLY, layout());
  }

  @Test
  void translationOfUdpAloneIsRefused_labelsAreLeft() {
    network.connect(sw(4).refuses(refusing(rule -> rule.toString().contains("UdpSrc"), UNKNOWN)));
    assertEquals(TableLayout.LABELS_ONLY, layout());
  }

  @Test
  void ipv6IsRefused_theSwitchTranslatesIpv4() {
    network.connect(sw(4).refuses(refusing(rule -> isOf(rule, EthType.IPv6), UNKNOWN)));
    assertEquals(TableLayout.FOUR_TABLES, layout());
    assertEquals(List.of("ipv6_not_translated switch=00:00:00:00:00:00:00:02"), log.takeEvents());
  }

  @Test
  void probe_isOneFlush_leavesNothing_andIsNotTakenForOthers() {
    ProbedSwitch sw = network.connect(sw(4).refuses(refusing(rule -> isMasked(rule), UNKNOWN)));
    assertEquals(List.of(), sw.held);
    // an error, and a packet
    assertEquals(List.of(Command.STOP, Command.STOP), sw.commands);
    List<OFFlowAdd> rules =
        sw.received.stream()
            .filter(OFFlowAdd.class::isInstance)
            .map(OFFlowAdd.class::cast)
            .toList();
    assertTrue(rules.size() > 10, rules.size() + " rules");
    for (OFFlowAdd rule : rules) {
      assertTrue(rule.getHardTimeout() > 0, rule.toString());
      assertEquals(Optional.empty(), Cookie.kind(rule.getCookie()));
    }
    assertEquals(
        rules.size(),
        rules.stream().map(rule -> List.of(rule.getTableId(), rule.getMatch())).distinct().count(),
        "a rule replaces another");
  }

  @ParameterizedTest
  @CsvSource({"1, LABELS_ONLY", "3, LABELS_ONLY", "4, FOUR_TABLES", "254, FOUR_TABLES"})
  void silentSwitch_isAssumed(int tables, TableLayout layout) {
    network.connect(sw(tables).silent());
    network.passMillis(SwitchProber.PATIENCE_MILLIS - 1);
    assertNull(layout());
    network.passMillis(1);
    assertEquals(layout, layout());
    assertEquals(
        List.of(
            "switch_layout_assumed switch=00:00:00:00:00:00:00:02 layout="
                + layout.text()
                + " tables="
                + tables),
        log.takeEvents());
  }

  @Test
  void switchThatRejectsASlavesRules_isNotJudgedByThat() {
    OFErrorMsg slave =
        ProbedNetwork.FACTORY
            .errorMsgs()
            .buildBadRequestErrorMsg()
            .setCode(OFBadRequestCode.IS_SLAVE)
            .setData(OFErrorCauseData.NONE)
            .build();
    ProbedSwitch sw = network.connect(sw(4).refuses(refusing(rule -> true, slave)));
    assertNull(layout());
    network.deactivate(sw);
    network.passMillis(SwitchProber.PATIENCE_MILLIS);
    assertNull(layout());
    assertEquals(List.of(), log.takeEvents());
  }

  @Test
  void disconnectedSwitch_isForgotten() {
    ProbedSwitch sw = network.connect(sw(4));
    network.disconnect(sw);
    assertNull(layout());
    assertFalse(network.module().whenKnown(ID).isDone());
  }

  @Test
  void sameSwitchAgain_isNotProbedAgain() {
    ProbedSwitch sw = network.connect(sw(1));
    network.disconnect(sw);
    int messages = sw.received.size();
    network.connect(sw);
    assertEquals(messages, sw.received.size());
    assertEquals(TableLayout.ONE_TABLE_WITH_GROUPS, layout());
  }

  @Test
  void switchWithOtherSoftware_isProbedAgain() {
    network.disconnect(network.connect(sw(1)));
    network.connect(sw(1).software("2").refuses(CapabilityModuleTest::refusedGroup));
    assertEquals(TableLayout.ONE_TABLE, layout());
  }

  @Test
  void switchWithOtherTables_isProbedAgain() {
    network.disconnect(network.connect(sw(1)));
    network.connect(sw(4));
    assertEquals(TableLayout.FOUR_TABLES, layout());
  }

  @Test
  void longAfterItsProbe_theSameSwitchIsProbedAgain() {
    network.disconnect(network.connect(sw(1)));
    network.passMillis(600_000);
    network.connect(sw(1).refuses(CapabilityModuleTest::refusedGroup));
    assertEquals(TableLayout.ONE_TABLE, layout());
  }

  @Test
  void silentSwitch_isProbedAgainWhenItReturns() {
    ProbedSwitch sw = network.connect(sw(4).silent());
    network.passMillis(SwitchProber.PATIENCE_MILLIS);
    network.disconnect(sw);
    network.connect(sw(4).refuses(refusing(CapabilityModuleTest::isMasked, UNKNOWN)));
    assertEquals(TableLayout.LABELS_ONLY, layout());
  }

  @Test
  void resultOfAnEarlierConnection_doesNotCount() {
    network.disconnect(network.connect(sw(1).silent()));
    network.connect(sw(4));
    network.passMillis(SwitchProber.PATIENCE_MILLIS);
    assertEquals(TableLayout.FOUR_TABLES, layout());
  }

  @Test
  void featureThatIsClaimedAndRefused_isLoggedOnce_andTheProbeWins() {
    network.connect(
        sw(254)
            .features(
                TableFeatureReaderTest.reply(
                    TableFeatureReaderTest.table(0, 100),
                    TableFeatureReaderTest.table(1, 100),
                    TableFeatureReaderTest.table(2, 0)))
            .refuses(refusing(rule -> rule.getTableId().getValue() > 0, UNKNOWN)));
    log.takeEvents();
    network.passSeconds(60);
    assertEquals(TableLayout.ONE_TABLE_WITH_GROUPS, layout());
    assertEquals(
        List.of("capability_refused switch=00:00:00:00:00:00:00:02 what=\"table_1\""),
        log.takeEvents());
  }

  @Test
  void tables_haveTheirRulesAndTheMaxThatTheSwitchClaims() {
    ProbedSwitch sw =
        network.connect(
            sw(4)
                .features(TableFeatureReaderTest.reply(TableFeatureReaderTest.table(0, 100)))
                .rules(Map.of(0, 95L, 3, 1L)));
    network.passSeconds(31);
    assertEquals(
        Map.of(
            ID,
            Map.of(
                0, new TableUse(95, OptionalLong.of(100)),
                3, new TableUse(1, OptionalLong.empty()))),
        network.module().tables());
    network.disconnect(sw);
    assertEquals(Map.of(), network.module().tables());
  }

  @Test
  void masterTellsItsPeers_whichKnowTheLayout_andDoNotProbeWhenTheyAreMaster() throws Exception {
    ProbedNetwork other = new ProbedNetwork(Map.of());
    network.peer().reached("other");
    ProbedSwitch sw = network.connect(sw(1));
    network.passSeconds(1);
    for (byte[] message : network.told) {
      other.peer().received("this", ByteBuffer.wrap(message));
    }
    assertEquals(TableLayout.ONE_TABLE_WITH_GROUPS, other.module().layout(ID));
    assertEquals(
        Map.of(ID, TableLayout.ONE_TABLE_WITH_GROUPS),
        Maps.transformValues(other.module().capabilities(), SwitchCapability::layout));
    assertFalse(other.module().whenKnown(ID).isDone());

    network.deactivate(sw);
    int messages = sw.received.size();
    other.connect(sw);
    assertEquals(messages, sw.received.size());
    assertEquals(TableLayout.ONE_TABLE_WITH_GROUPS, other.module().whenKnown(ID).getNow(null));
  }

  @Test
  void forcedSwitch_isNotProbed() throws Exception {
    network =
        new ProbedNetwork(Map.of("layouts", "00:00:00:00:00:00:00:02=one-table,3=labels-only"));
    ProbedSwitch sw = network.connect(sw(254));
    assertEquals(TableLayout.ONE_TABLE, layout());
    assertEquals(List.of(), sw.received);
    assertEquals(
        List.of(
            "switch_layout switch=00:00:00:00:00:00:00:02 layout=one-table role=edge"
                + " why=\"the setting layouts\""),
        log.takeEvents());
  }

  @ParameterizedTest
  @CsvSource({
    "1, '\"1\" is not SWITCH=LAYOUT'",
    "x=one-table, '\"x=one-table\" has no datapath id such as 00:00:00:00:00:00:00:02'",
    "1=two-tables, '\"1=two-tables\" has none of the layouts four-tables, one-table-with-groups,"
        + " one-table, labels-only'",
    "'1=one-table,01=labels-only', '\"01=labels-only\" names its switch again'"
  })
  void wrongLayouts_areNamed(String setting, String error) {
    FloodlightModuleException wrong =
        assertThrows(
            FloodlightModuleException.class, () -> new ProbedNetwork(Map.of("layouts", setting)));
    assertEquals("io.malob.capability.CapabilityModule.layouts: " + error, wrong.getMessage());
  }
}
