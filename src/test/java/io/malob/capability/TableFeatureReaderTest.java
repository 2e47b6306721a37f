package io.malob.capability;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.util.concurrent.SettableFuture;
import io.malob.testing.Stub;
import io.malob.testing.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFTableFeatureProp;
import org.projectfloodlight.openflow.protocol.OFTableFeatures;
import org.projectfloodlight.openflow.protocol.OFTableFeaturesStatsReply;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U32;
import org.projectfloodlight.openflow.types.U64;

/** Asking switches for the features of their tables, on a clock of the test's own. */
class TableFeatureReaderTest {
  private static final OFFactory FACTORY = ProbedNetwork.FACTORY;

  // headers of fields as Open vSwitch 3.1 tells them
  private static final U32 ETH_DST_MASKED = U32.of(0x8000_070c);
  private static final List<U32> IPV4_TRANSLATION =
      fields(
          0x8000_0606,
          0x8000_0806,
          0x8000_1604,
          0x8000_1804,
          0x8000_1a02,
          0x8000_1c02,
          0x8000_1e02,
          0x8000_2002);
  private static final List<U32> IPV6_ADDRESSES = fields(0x8000_3410, 0x8000_3610);

  private static final int DELAY_SECONDS = 5;

  private final AtomicLong nanoTime = new AtomicLong();
  private final Map<DatapathId, IOFSwitch> active = new TreeMap<>();
  private final List<DatapathId> asked = new ArrayList<>();
  private final Map<DatapathId, SettableFuture<List<OFTableFeaturesStatsReply>>> answers =
      new TreeMap<>();
  private final Map<DatapathId, TableFeatures> told = new TreeMap<>();
  private final TableFeatureReader reader =
      new TableFeatureReader(
          Stub.of(IOFSwitchService.class)
              .on("getActiveSwitch", with -> active.get((DatapathId) with[0]))
              .make(),
          nanoTime::get,
          TimeUnit.SECONDS.toNanos(DELAY_SECONDS),
          told::put);

  private static List<U32> fields(int... headers) {
    return IntStream.of(headers).mapToObj(U32::ofRaw).toList();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it is the stub's answer
  private DatapathId connect(long number, int tables) {
    DatapathId id = DatapathId.of(number);
    active.put(
        id,
        Stub.of(IOFSwitch.class)
            .on("getId", with -> id)
            .on("getOFFactory", with -> FACTORY)
            .on("getNumTables", with -> (short) tables)
            .on("writeStatsRequest", with -> question(id))
            .make());
    reader.add(id);
    return id;
  }

  /** The switches that have connected are due at the next tick. */
  private void passDelay() {
    pass(DELAY_SECONDS - 1);
    assertEquals(List.of(), asked);
  }

  private SettableFuture<List<OFTableFeaturesStatsReply>> question(DatapathId id) {
    asked.add(id);
    SettableFuture<List<OFTableFeaturesStatsReply>> answer = SettableFuture.create();
    answers.put(id, answer);
    return answer;
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(1));
      reader.tick();
    }
  }

  static OFTableFeatures table(int number, long max, OFTableFeatureProp... properties) {
    return FACTORY
        .buildTableFeatures()
        .setTableId(TableId.of(number))
        .setName("")
        .setMetadataMatch(U64.ZERO)
        .setMetadataWrite(U64.ZERO)
        .setMaxEntries(max)
        .setProperties(List.of(properties))
        .build();
  }

  static OFTableFeaturesStatsReply reply(OFTableFeatures... tables) {
    return (OFTableFeaturesStatsReply)
        Wire.readBack(FACTORY.buildTableFeaturesStatsReply().setEntries(List.of(tables)).build());
  }

  private static OFTableFeatureProp setField(List<U32> fields) {
    return FACTORY.buildTableFeaturePropApplySetfield().setOxmIds(fields).build();
  }

  @Test
  void answer_hasTheMaxOfEachTable_overAllItsParts() {
    TableFeatures features =
        TableFeatures.of(List.of(reply(table(0, 2_000), table(1, 0)), reply(table(2, 16))));
    assertEquals(Map.of(0, 2_000L, 1, 0L, 2, 16L), features.maxRules());
    assertEquals(Set.of(SwitchFeature.TABLE_2), features.claimed());
  }

  @Test
  void claims_areThoseOfTheFirstTable() {
    List<U32> both = new ArrayList<>(IPV4_TRANSLATION);
    both.addAll(IPV6_ADDRESSES);
    OFTableFeatureProp masks =
        FACTORY.buildTableFeaturePropMatch().setOxmIds(List.of(ETH_DST_MASKED)).build();
    OFTableFeatureProp exact =
        FACTORY
            .buildTableFeaturePropMatch()
            .setOxmIds(List.of(IPV4_TRANSLATION.get(0), U32.ofRaw(0x0001_070c)))
            .build();
    OFTableFeatureProp groups =
        FACTORY
            .buildTableFeaturePropApplyActions()
            .setActionIds(List.of(FACTORY.actionIds().group()))
            .build();
    assertEquals(
        Set.of(
            SwitchFeature.MAC_MASKS,
            SwitchFeature.IPV4_TRANSLATION,
            SwitchFeature.IPV6_TRANSLATION,
            SwitchFeature.GROUPS),
        claimed(table(0, 9, masks, setField(both), groups)));
    assertEquals(
        Set.of(SwitchFeature.IPV4_TRANSLATION),
        claimed(table(0, 9, exact, setField(IPV4_TRANSLATION))));
    assertEquals(Set.of(), claimed(table(0, 9, exact, setField(IPV4_TRANSLATION.subList(0, 7)))));
    assertEquals(Set.of(SwitchFeature.TABLE_3), claimed(table(3, 9, masks, groups)));
  }

  private static Set<SwitchFeature> claimed(OFTableFeatures table) {
    return TableFeatures.of(List.of(reply(table))).claimed();
  }

  @Test
  void switch_isAskedOnce() {
    DatapathId id = connect(1, 254);
    passDelay();
    pass(1);
    answers.get(id).set(List.of(reply(table(0, 5))));
    pass(60);
    assertEquals(List.of(id), asked);
    assertEquals(Map.of(0, 5L), told.get(id).maxRules());
  }

  @Test
  void switchesWithManyTables_areAskedOneAfterTheOther() {
    DatapathId first = connect(1, 254);
    DatapathId second = connect(2, 254);
    passDelay();
    pass(3);
    assertEquals(List.of(first), asked);
    answers.get(first).set(List.of(reply(table(0, 5))));
    pass(1);
    assertEquals(List.of(first, second), asked);
  }

  @Test
  void switchesWithFewTables_areAskedTogether() {
    IntStream.rangeClosed(1, 70).forEach(number -> connect(number, 4));
    passDelay();
    pass(1);
    assertEquals(64, asked.size());
    answers.values().forEach(answer -> answer.set(List.of(reply(table(0, 5)))));
    pass(1);
    assertEquals(70, asked.size());
  }

  @Test
  void switchThatRefuses_doesNotKeepOthersWaiting() {
    DatapathId first = connect(1, 254);
    DatapathId second = connect(2, 254);
    passDelay();
    pass(1);
    answers.get(first).setException(new IllegalStateException("refused"));
    pass(1);
    assertEquals(List.of(first, second), asked);
    assertEquals(Map.of(), told);
  }

  @Test
  void switchThatDoesNotAnswer_keepsOthersWaitingForHalfAMinute() {
    DatapathId first = connect(1, 254);
    DatapathId second = connect(2, 254);
    passDelay();
    pass(30);
    assertEquals(List.of(first), asked);
    pass(1);
    assertEquals(List.of(first, second), asked);
    answers.get(first).set(List.of(reply(table(0, 5))));
    assertEquals(Map.of(), told, "too late");
  }

  @Test
  void switchThatHasGone_isNotAsked() {
    connect(1, 254);
    active.clear();
    DatapathId second = connect(2, 4);
    passDelay();
    pass(1);
    assertEquals(List.of(second), asked);
  }
}
