package io.malob.controller.message;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFFlowRemovedReason;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupBucket;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsEntry;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFMetadata;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/**
 * Extensions of Open vSwitch that openflowj does not know. openflowj writes messages with
 * placeholders, which are replaced on the wire by extensions of the same size.
 */
class UnknownPartsTest {
  private static final byte[] FRAME = {1, 2, 3};

  // a placeholder, and a field or an action of Open vSwitch
  private static final String[] REGISTER = {"80000408", "80010008"};
  private static final String[] CONNECTION_TRACKING = {
    "0000001011223344" + "0023", "ffff001000002320" + "0023"
  };

  private static final String[] EXPERIMENTER = {"00020018", "ffff0018"};

  private final MessageReader reader = new MessageReader();

  private static ByteBuf bytes(OFMessage message, String[]... replacements) {
    ByteBuf bytes = Unpooled.buffer();
    message.writeTo(bytes);
    String hex = ByteBufUtil.hexDump(bytes);
    for (String[] each : replacements) {
      assertTrue(hex.contains(each[0]), hex);
      hex = hex.replace(each[0], each[1]);
    }
    return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
  }

  private @Nullable OFMessage read(ByteBuf bytes) throws OFParseError {
    OFMessage read = reader.read(bytes);
    assertFalse(bytes.isReadable());
    return read;
  }

  private static Match.Builder inPort(OFFactory factory) {
    return factory.buildMatch().setExact(MatchField.IN_PORT, OFPort.of(3));
  }

  private static OFPacketIn packetIn(OFFactory factory, Match match) {
    return factory
        .buildPacketIn()
        .setXid(5)
        .setBufferId(OFBufferId.NO_BUFFER)
        .setTotalLen(FRAME.length)
        .setReason(OFPacketInReason.ACTION)
        .setTableId(TableId.of(2))
        .setCookie(U64.of(9))
        .setMatch(match)
        .setData(FRAME)
        .build();
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void packetIn_withAFieldThatOpenflowjDoesNotKnow_hasTheOthers(OFVersion version)
      throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    Match register = inPort(factory).setExact(MatchField.METADATA, OFMetadata.ofRaw(7)).build();
    Match more =
        inPort(factory)
            .setExact(MatchField.METADATA, OFMetadata.ofRaw(7))
            .setExact(MatchField.TUNNEL_ID, U64.of(8))
            .build();

    OFPacketIn read = (OFPacketIn) read(bytes(packetIn(factory, register), REGISTER));
    assertEquals(packetIn(factory, inPort(factory).build()), read.createBuilder().build());
    assertArrayEquals(FRAME, read.getData());
    assertEquals(
        packetIn(factory, inPort(factory).setExact(MatchField.TUNNEL_ID, U64.of(8)).build()),
        read(bytes(packetIn(factory, more), REGISTER)));
  }

  @Test
  void packetIn_withOnlyUnknownFields_isMalformed() {
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
    Match register =
        factory.buildMatch().setExact(MatchField.METADATA, OFMetadata.ofRaw(7)).build();
    assertThrows(
        OFParseError.class, () -> reader.read(bytes(packetIn(factory, register), REGISTER)));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void flowRemoved_withAFieldThatOpenflowjDoesNotKnow_hasTheOthers(OFVersion version)
      throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    OFFlowRemoved.Builder removed =
        factory
            .buildFlowRemoved()
            .setXid(1)
            .setCookie(U64.of(4))
            .setReason(OFFlowRemovedReason.DELETE)
            .setTableId(TableId.of(1));
    if (version == OFVersion.OF_15) {
      removed.setStats(factory.buildStatV6().build());
    }
    ByteBuf bytes =
        bytes(
            removed.setMatch(ethernet(factory, /* hasRegister= */ true).build()).build(), REGISTER);
    OFFlowRemoved read = (OFFlowRemoved) read(bytes);
    assertEquals(
        removed.setMatch(ethernet(factory, /* hasRegister= */ false).build()).build(),
        read instanceof LazyFlowRemoved lazy ? lazy.parsed() : read);
  }

  private static Match.Builder ethernet(OFFactory factory, boolean hasRegister) {
    Match.Builder match = factory.buildMatch().setExact(MatchField.ETH_TYPE, EthType.IPv4);
    if (hasRegister) {
      match.setExact(MatchField.METADATA, OFMetadata.ofRaw(7));
    }
    return match.setExact(MatchField.IPV4_DST, IPv4Address.of("10.0.0.1"));
  }

  private static List<OFAction> actions(OFFactory factory, boolean withUnknown) {
    OFAction output = factory.actions().output(OFPort.of(1), 0);
    return withUnknown
        ? List.of(
            factory.actions().output(OFPort.of(0x11223344), 0x23),
            output,
            factory.actions().setField(factory.oxms().metadata(OFMetadata.ofRaw(1))))
        : List.of(output);
  }

  private static OFFlowStatsEntry entry(OFFactory factory, boolean withUnknown) {
    OFInstruction apply = factory.instructions().applyActions(actions(factory, withUnknown));
    OFInstruction next = factory.instructions().gotoTable(TableId.of(3));
    OFFlowStatsEntry.Builder entry =
        factory
            .buildFlowStatsEntry()
            .setTableId(TableId.of(2))
            .setPriority(44)
            .setCookie(U64.of(0x1234))
            .setMatch(ethernet(factory, withUnknown).build())
            .setInstructions(
                withUnknown
                    ? List.of(
                        factory.instructions().writeMetadata(U64.of(0x2320L << 32), U64.ZERO),
                        apply,
                        next)
                    : List.of(apply, next));
    if (factory.getVersion() == OFVersion.OF_15) {
      entry.setStats(factory.buildStatV6().build());
    }
    return entry.build();
  }

  private static OFMessage flows(OFFactory factory, boolean withUnknown) {
    OFFlowStatsEntry ordinary = entry(factory, /* withUnknown= */ false);
    return factory
        .buildFlowStatsReply()
        .setXid(6)
        .setFlags(Set.of())
        .setEntries(List.of(ordinary, entry(factory, withUnknown), ordinary))
        .build();
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void flows_withUnknownFieldsActionsAndInstructions_haveTheOthers(OFVersion version)
      throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    ByteBuf bytes =
        bytes(flows(factory, /* withUnknown= */ true), REGISTER, CONNECTION_TRACKING, EXPERIMENTER);
    assertEquals(flows(factory, /* withUnknown= */ false), read(bytes));
  }

  private static OFMessage groups(OFFactory factory, boolean withUnknown) {
    OFBucket.Builder bucket = factory.buildBucket().setActions(actions(factory, withUnknown));
    if (factory.getVersion() == OFVersion.OF_15) {
      bucket.setBucketId(OFGroupBucket.BUCKET_FIRST);
    } else {
      bucket.setWatchPort(OFPort.ANY).setWatchGroup(OFGroup.ANY);
    }
    OFGroupDescStatsEntry entry =
        factory
            .buildGroupDescStatsEntry()
            .setGroup(OFGroup.of(8))
            .setGroupType(OFGroupType.SELECT)
            .setBuckets(List.of(bucket.build(), bucket.build()))
            .build();
    return factory
        .buildGroupDescStatsReply()
        .setXid(6)
        .setFlags(Set.of())
        .setEntries(List.of(entry, entry))
        .build();
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void groups_withUnknownActions_haveTheOthers(OFVersion version) throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    assertEquals(
        groups(factory, /* withUnknown= */ false),
        read(bytes(groups(factory, /* withUnknown= */ true), REGISTER, CONNECTION_TRACKING)));
  }

  @Test
  void message_withUnknownPartsAndAnyByteChanged_isReadOrRefused() {
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
    ByteBuf flows =
        bytes(flows(factory, /* withUnknown= */ true), REGISTER, CONNECTION_TRACKING, EXPERIMENTER);
    Match register = inPort(factory).setExact(MatchField.METADATA, OFMetadata.ofRaw(7)).build();
    for (ByteBuf message : List.of(flows, bytes(packetIn(factory, register), REGISTER))) {
      for (int at = 8; at < message.readableBytes(); at++) {
        for (int value : new int[] {0, 1, 4, 7, 8, 0x7f, 0xff}) {
          ByteBuf changed = message.copy().setByte(at, value);
          try {
            assertInstanceOf(OFMessage.class, reader.read(changed));
          } catch (OFParseError | RuntimeException e) {
            assertFalse(e instanceof ClassCastException, e::toString);
          }
          assertTrue(changed.readerIndex() <= message.readableBytes());
        }
      }
    }
  }

  @Test
  void fields_ofMoreKindsThanExist_countAsUnknown() {
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
    KnownFields fields = new KnownFields(factory);
    assertTrue(fields.includes(0x8000_0004));
    IntStream.range(0, 2_000).forEach(any -> assertFalse(fields.includes(0x0bad_0000 + any)));
    assertTrue(fields.includes(0x8000_0004));
    assertFalse(fields.includes(0x8000_0a02), "beyond the bound, nothing is tried");
  }

  @Test
  void ordinaryFlows_areReadOnce() throws Exception {
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
    OFFlowStatsReply expected = (OFFlowStatsReply) flows(factory, /* withUnknown= */ false);
    assertEquals(expected, read(bytes(expected)));
  }
}
