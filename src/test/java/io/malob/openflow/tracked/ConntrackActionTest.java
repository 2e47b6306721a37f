package io.malob.openflow.tracked;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.hash.Hashing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/** The bytes and the texts are those of Open vSwitch 3.1 (ovs-ofctl add-flow). */
class ConntrackActionTest {
  private static final OFFactory FACTORY_13 = OFFactories.getFactory(OFVersion.OF_13);
  private static final OFFactory FACTORY_15 = OFFactories.getFactory(OFVersion.OF_15);
  private static final List<OFFactory> FACTORIES =
      List.of(FACTORY_13, OFFactories.getFactory(OFVersion.OF_14), FACTORY_15);

  private static final IPAddress<?> MEMBER = IPAddress.of("10.0.0.2");
  private static final IPAddress<?> MEMBER6 = IPAddress.of("2001:db8::2");

  private static final String COMMIT_IN_7 = "0000232000230001000000000007ff0000000000";
  private static final String LOAD_5 = "ffff001800002320000700030001d6040000000000000005";
  private static final String LOAD_1 = "ffff001800002320000702030001d6040000000000000001";

  private static ConntrackAction inZone(OFFactory factory) {
    return ConntrackAction.inZone(factory, 7);
  }

  private static ConntrackAction commit(OFFactory factory) {
    return inZone(factory).commit();
  }

  private static Nat source(String first, String last, int firstPort, int lastPort) {
    return Nat.source(IPAddress.of(first), IPAddress.of(last), firstPort, lastPort);
  }

  static Stream<Arguments> actionsOfEachVersion() {
    return FACTORIES.stream()
        .flatMap(
            factory ->
                Stream.of(
                    Arguments.of(
                        inZone(factory),
                        "ct(zone=7)",
                        "ffff00180000232000230000000000000007ff0000000000"),
                    Arguments.of(
                        inZone(factory).continueIn(TableId.of(3)),
                        "ct(table=3,zone=7)",
                        "ffff00180000232000230000000000000007030000000000"),
                    Arguments.of(
                        ConntrackAction.inZone(factory, 65_535).commit(),
                        "ct(commit,zone=65535)",
                        "ffff0018000023200023000100000000ffffff0000000000"),
                    Arguments.of(
                        commit(factory).continueIn(TableId.of(3)).translate(Nat.EXISTING),
                        "ct(commit,table=3,zone=7,nat)",
                        "ffff00280000232000230001000000000007030000000000"
                            + "ffff0010000023200024000000000000"),
                    Arguments.of(
                        commit(factory).translate(Nat.destination(MEMBER)),
                        "ct(commit,zone=7,nat(dst=10.0.0.2))",
                        "ffff0030"
                            + COMMIT_IN_7
                            + "ffff00180000232000240000000200010a00000200000000"),
                    Arguments.of(
                        commit(factory)
                            .continueIn(TableId.of(3))
                            .translate(Nat.destination(MEMBER, 8_080))
                            .setMark(new Mark(0x15)),
                        "ct(commit,table=3,zone=7,nat(dst=10.0.0.2:8080),"
                            + "exec(set_field:0x15->ct_mark))",
                        "ffff00400000232000230001000000000007030000000000"
                            + "ffff00180000232000240000000200110a0000021f900000"
                            + "001900100001d6040000001500000000"),
                    Arguments.of(
                        commit(factory).translate(Nat.destination(MEMBER6, 8_080)),
                        "ct(commit,zone=7,nat(dst=[2001:db8::2]:8080))",
                        "ffff0040"
                            + COMMIT_IN_7
                            + "ffff002800002320002400000002001420010db8000000000000000000000002"
                            + "1f90000000000000"),
                    Arguments.of(
                        commit(factory).translate(source("10.0.0.9", "10.0.0.9", 1_024, 65_535)),
                        "ct(commit,zone=7,nat(src=10.0.0.9:1024-65535))",
                        "ffff0030"
                            + COMMIT_IN_7
                            + "ffff00180000232000240000000100310a0000090400ffff"),
                    Arguments.of(
                        commit(factory).translate(source("10.0.0.9", "10.0.0.12", 1_024, 65_535)),
                        "ct(commit,zone=7,nat(src=10.0.0.9-10.0.0.12:1024-65535))",
                        "ffff0038"
                            + COMMIT_IN_7
                            + "ffff00200000232000240000000100330a0000090a00000c0400ffff00000000"),
                    Arguments.of(
                        commit(factory)
                            .translate(source("2001:db8::9", "2001:db8::c", 1_024, 65_535)),
                        "ct(commit,zone=7,nat(src=[2001:db8::9]-[2001:db8::c]:1024-65535))",
                        "ffff0050"
                            + COMMIT_IN_7
                            + "ffff003800002320002400000001003c20010db8000000000000000000000009"
                            + "20010db800000000000000000000000c0400ffff00000000"),
                    Arguments.of(
                        commit(factory).translate(source("2001:db8::9", "2001:db8::c", 0, 0)),
                        "ct(commit,zone=7,nat(src=2001:db8::9-2001:db8::c))",
                        "ffff0048"
                            + COMMIT_IN_7
                            + "ffff003000002320002400000001000c20010db8000000000000000000000009"
                            + "20010db800000000000000000000000c")));
  }

  static Stream<Arguments> keptSenders() {
    String text =
        "ct(commit,zone=7,exec(set_field:0x5->ct_mark,move:eth_src->ct_label[0..47],"
            + "move:vlan_tci[0..11]->ct_label[48..59]))";
    String mark = "001900100001d6040000000500000000";
    return Stream.of(
        Arguments.of(
            commit(FACTORY_13).setMark(new Mark(5)).keepSender(),
            text,
            "ffff0058"
                + COMMIT_IN_7
                + mark
                + "ffff0018000023200006003000000000000004060001d810"
                + "ffff0018000023200006000c00000030000008020001d810"),
        Arguments.of(
            commit(FACTORY_15).setMark(new Mark(5)).keepSender(),
            text,
            "ffff0058"
                + COMMIT_IN_7
                + mark
                + "001c00180030000000000000800008060001d81000000000"
                + "001c0018000c000000300000000008020001d81000000000"));
  }

  static Stream<Arguments> maskedMarks() {
    Mark low = new Mark(0x15, 0xff);
    Mark two = new Mark(0x105, 0xf0f);
    String lowText = "ct(commit,zone=7,exec(set_field:0x15/0xff->ct_mark))";
    String twoText = "ct(commit,zone=7,exec(set_field:0x105/0xf0f->ct_mark))";
    return Stream.of(
        Arguments.of(
            commit(FACTORY_13).setMark(low),
            lowText,
            "ffff0030" + COMMIT_IN_7 + "ffff001800002320000700070001d6040000000000000015"),
        Arguments.of(
            commit(FACTORY_15).setMark(low),
            lowText,
            "ffff0028" + COMMIT_IN_7 + "001900100001d70800000015000000ff"),
        Arguments.of(
            commit(FACTORY_13).setMark(two), twoText, "ffff0048" + COMMIT_IN_7 + LOAD_5 + LOAD_1),
        Arguments.of(
            commit(FACTORY_15).setMark(two),
            twoText,
            "ffff0028" + COMMIT_IN_7 + "001900100001d7080000010500000f0f"));
  }

  private static String hex(OFAction action) {
    ByteBuf bytes = Unpooled.buffer();
    action.writeTo(bytes);
    return ByteBufUtil.hexDump(bytes);
  }

  private static ByteBuf bytes(String hex) {
    return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
  }

  private static ConntrackAction read(String hex) throws OFParseError {
    ByteBuf bytes = bytes(hex);
    ConntrackAction read = ConntrackReader.read(OFVersion.OF_13, bytes);
    assertFalse(bytes.isReadable());
    return read;
  }

  @ParameterizedTest
  @MethodSource({"actionsOfEachVersion", "maskedMarks", "keptSenders"})
  void action_hasOpenVSwitchsBytesAndText_andIsReadBack(
      ConntrackAction action, String text, String hex) throws Exception {
    assertEquals(hex, hex(action));
    assertEquals(text, action.toString());
    ConntrackAction read = ConntrackReader.read(action.version(), bytes(hex));
    assertEquals(action, read);
    assertEquals(action.hashCode(), read.hashCode());
  }

  @Test
  void mark_isSetFromTheLowestToTheHighestBit() throws Exception {
    for (Mark mark : List.of(new Mark(0), new Mark(-1), new Mark(1 << 31, 1 << 31 | 1))) {
      for (OFFactory factory : FACTORIES) {
        ConntrackAction action = commit(factory).setMark(mark);
        assertEquals(action, ConntrackReader.read(factory.getVersion(), bytes(hex(action))));
      }
    }
  }

  @Test
  void laterWriteToTheMark_replacesTheBitsOfTheEarlierOne() throws Exception {
    assertEquals(
        commit(FACTORY_13).setMark(new Mark(5)),
        read("ffff0040" + COMMIT_IN_7 + "001900100001d604000000ff00000000" + loads(31, 5)));
    assertEquals(
        commit(FACTORY_13).setMark(new Mark(0xf5, 0xff)),
        read("ffff0048" + COMMIT_IN_7 + loads(7, 0xff) + loads(3, 5)));
  }

  private static String loads(int lastBit, int value) {
    return String.format("ffff001800002320%04x%04x0001d604%016x", 7, lastBit, value);
  }

  @Test
  void actionInARule_isWrittenByOpenflowjBetweenItsOwn() {
    for (OFFactory factory : FACTORIES) {
      OFAction output = factory.actions().output(OFPort.of(1), 0);
      ConntrackAction action = inZone(factory);
      ByteBuf bytes = Unpooled.buffer();
      factory.instructions().applyActions(List.of(output, action, output)).writeTo(bytes);
      assertEquals(
          "0004004000000000" + hex(output) + hex(action) + hex(output), ByteBufUtil.hexDump(bytes));
      assertEquals(factory.getVersion(), action.getVersion());
    }
  }

  @Test
  void hash_coversAllThatIsWritten() {
    ConntrackAction action = commit(FACTORY_13).translate(Nat.destination(MEMBER, 80));
    assertEquals(
        Hashing.sha256().hashBytes(ByteBufUtil.decodeHexDump(hex(action))),
        Hashing.sha256().newHasher().putObject(action, OFAction::putTo).hash());
    assertNotEquals(action, commit(FACTORY_13).translate(Nat.destination(MEMBER, 81)));
  }

  @Test
  void actionThatOpenVSwitchWouldRefuse_isNotMade() {
    List<Runnable> wrong =
        List.of(
            () -> ConntrackAction.inZone(FACTORY_13, -1),
            () -> ConntrackAction.inZone(FACTORY_13, 65_536),
            () -> inZone(FACTORY_13).continueIn(TableId.ALL),
            () -> inZone(FACTORY_13).setMark(new Mark(1)),
            () -> inZone(FACTORY_13).translate(Nat.destination(MEMBER)),
            () -> new Mark(1, 2),
            () -> new Mark(0, 0),
            () -> Nat.destination(MEMBER, 65_536),
            () -> Nat.destination(MEMBER, -1),
            () -> Nat.source(MEMBER, MEMBER6, 0, 0),
            () -> source("10.0.0.9", "10.0.0.8", 0, 0),
            () -> source("127.0.0.1", "128.0.0.1", 2, 1),
            () -> source("10.0.0.9", "10.0.0.9", 0, 1));
    wrong.forEach(each -> assertThrows(IllegalArgumentException.class, each::run));
    assertEquals("ct(zone=7,nat)", inZone(FACTORY_13).translate(Nat.EXISTING).toString());
    assertEquals(
        "ct(commit,nat(src=127.0.0.1-128.0.0.1))",
        ConntrackAction.inZone(FACTORY_13, 0)
            .commit()
            .translate(source("127.0.0.1", "128.0.0.1", 0, 0))
            .toString());
  }

  /** Of Open vSwitch: force, a zone in a register, random ports, by hash, ct_clear; and others. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ffff00180000232000230003000000000007ff0000000000",
        "ffff0018000023200023000100010004000fff0000000000",
        "ffff0030" + COMMIT_IN_7 + "ffff00180000232000240000001200110a0000021f900000",
        "ffff0030" + COMMIT_IN_7 + "ffff00180000232000240000000d00010a00000900000000",
        "ffff001000002320002b000000000000",
        "ffff0018" + "0000232000230001000000000007ff0000000015",
        "0000001000000001ffff000000000000",
        "ffff0030" + COMMIT_IN_7 + "ffff001800002320000700030001d8040000000000000005",
        "ffff0028" + COMMIT_IN_7 + "001900100001d804000000ff00000000",
        "ffff0028" + COMMIT_IN_7 + "00000010000000010000000000000000"
      })
  void unsupportedAction_isRefused(String hex) {
    assertThrows(OFParseError.class, () -> read(hex));
  }

  /** The nested actions, for a commit in zone 7 of the length before. */
  private static final Map<String, String> MALFORMED =
      Map.ofEntries(
          Map.entry("both ends", "ffff00180000232000240000000300010a00000200000000"),
          Map.entry("a range of no end", "ffff00180000232000240000000000010a00000200000000"),
          Map.entry("both families", "ffff00180000232000240000000200050a00000200000000"),
          Map.entry("no address", "ffff00180000232000240000000200101f90000000000000"),
          Map.entry("a last address alone", "ffff00180000232000240000000200020a00000200000000"),
          Map.entry("a last port alone", "ffff00180000232000240000000200210a0000021f900000"),
          Map.entry("port 0", "ffff00180000232000240000000200110a00000200000000"),
          Map.entry("ports backwards", "ffff00180000232000240000000200310a0000021f901f8f"),
          Map.entry("addresses backwards", "ffff00180000232000240000000200030a0000020a000001"),
          Map.entry("a cut address", "ffff0018000023200024000000020004200100010000ffff"),
          Map.entry("a cut port", "ffff00180000232000240000000200330a0000010a000002"),
          Map.entry("33 bits", "ffff001800002320000700600001d6040000000000000001"),
          Map.entry("a large value", "ffff001800002320000700030001d6040000000000000010"),
          Map.entry("a short load", "ffff001000002320000700030001d604"),
          Map.entry("a value outside the mask", "001900100001d708000001050000000f"),
          Map.entry("an empty mask", "001900100001d7080000000000000000"),
          Map.entry("no length", "0019000000001d708000000000000000"),
          Map.entry("a long part", "001900180001d7080000010500000f0f"),
          Map.entry("an odd length", "0019000f0001d7080000010500000f0f"));

  @Test
  void malformedAction_isRefused() {
    MALFORMED.forEach(
        (what, nested) -> {
          String hex = String.format("ffff%04x", 24 + nested.length() / 2) + COMMIT_IN_7 + nested;
          assertThrows(OFParseError.class, () -> read(hex), what);
        });
    String twice = "ffff0010000023200024000000000000".repeat(2);
    assertThrows(OFParseError.class, () -> read("ffff0038" + COMMIT_IN_7 + twice));
  }

  @Test
  void cutAction_isRefused_andWhatFollowsIsNotRead() throws Exception {
    String hex = hex(commit(FACTORY_13).translate(Nat.destination(MEMBER6, 80)));
    for (int length = 0; length < hex.length(); length += 2) {
      String cut = hex.substring(0, length);
      assertThrows(OFParseError.class, () -> read(cut));
    }
    ByteBuf two = bytes(hex + hex);
    ConntrackReader.read(OFVersion.OF_13, two);
    assertEquals(hex.length() / 2, two.readerIndex());
    assertTrue(two.isReadable());
  }
}
