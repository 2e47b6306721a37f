package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import net.floodlightcontroller.core.IOFSwitch.SwitchStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFBarrierRequest;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFDescStatsRequest;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFeaturesRequest;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.OFHello;
import org.projectfloodlight.openflow.protocol.OFHelloElemVersionbitmap;
import org.projectfloodlight.openflow.protocol.OFHelloFailedCode;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortDescStatsRequest;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFSetConfig;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;
import org.projectfloodlight.openflow.protocol.OFSwitchConfigFailedCode;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.protocol.errormsg.OFHelloFailedErrorMsg;
import org.projectfloodlight.openflow.types.OFAuxId;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U32;
import org.projectfloodlight.openflow.types.U64;

/** The handshake, without a network and on a clock that stands. */
class HandshakeTest extends EmbeddedSwitch {
  private OFSetConfig config;

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  @Test
  void handshake_goodSwitch_goesThroughAllStatesToActive() {
    assertNull(next(), "the switch speaks first");
    receiveHello(4);
    assertInstanceOf(OFHello.class, next());
    OFMessage features = next();
    assertInstanceOf(OFFeaturesRequest.class, features);
    receive(features(254, OFAuxId.MAIN));
    OFMessage ports = next();
    assertInstanceOf(OFPortDescStatsRequest.class, ports);
    receive(
        FACTORY
            .buildPortDescStatsReply()
            .setFlags(Set.of(OFStatsReplyFlags.REPLY_MORE))
            .setEntries(List.of(port(1)))
            .build());
    assertNull(next(), "the second part of the ports is still to come");
    receive(FACTORY.buildPortDescStatsReply().setEntries(List.of(port(2))).build());
    OFRoleRequest question = assertInstanceOf(OFRoleRequest.class, next());
    assertEquals(OFControllerRole.ROLE_NOCHANGE, question.getRole());
    assertInstanceOf(OFBarrierRequest.class, next());
    assertInstanceOf(OFDescStatsRequest.class, next());
    receive(roleReply(question.getXid(), 42));
    receive(FACTORY.barrierReply());
    receive(description());

    OFRoleRequest role = assertInstanceOf(OFRoleRequest.class, next());
    assertEquals(OFControllerRole.ROLE_MASTER, role.getRole());
    assertEquals(U64.of(42), role.getGenerationId());
    OFSetConfig config = assertInstanceOf(OFSetConfig.class, next());
    assertEquals(0xffff, config.getMissSendLen());
    for (int table = 0; table < 4; table++) {
      OFFlowAdd miss = assertInstanceOf(OFFlowAdd.class, next());
      assertEquals(TableId.of(table), miss.getTableId());
      assertEquals(0, miss.getPriority());
      OFActionOutput output = assertInstanceOf(OFActionOutput.class, miss.getActions().get(0));
      assertEquals(OFPort.CONTROLLER, output.getPort());
      assertEquals(0xffff, output.getMaxLen());
    }
    assertInstanceOf(OFBarrierRequest.class, next());
    assertNull(next());
    assertEquals(List.of(), events, "not active before the barrier is answered");

    receive(FACTORY.barrierReply());
    assertEquals(List.of("activated"), events);
    assertEquals(
        List.of(1, 2),
        sw.getSortedPorts().stream().map(p -> p.getPortNo().getPortNumber()).toList());
    assertEquals(254, sw.getNumTables() & 0xff);
    assertEquals("maker", sw.getSwitchDescription().getManufacturerDescription());
    assertTrue(sw.isActive());

    sw.disconnect();
    channel.runPendingTasks();
    assertEquals(List.of("activated", "disconnected"), events);
    assertEquals(SwitchStatus.DISCONNECTED, sw.getStatus());
    assertFalse(sw.isActive());
  }

  @ParameterizedTest
  @CsvSource({
    "4, 0, OF_13", "5, 0, OF_13", "6, 0, OF_13", "99, 0, OF_13", "6, 0x10, OF_13",
    "99, 0x12, OF_13", "1, 0x12, OF_13", "6, 0x70, OF_13", "5, 0x20, OF_14", "6, 0x60, OF_14",
    "6, 0x40, OF_15"
  })
  void hello_usableVersion_isAnsweredWithThatVersionAlone(
      int version, String bitmap, OFVersion expected) {
    receiveHello(version, Integer.decode(bitmap));
    assertHello(expected, 1 << expected.getWireVersion());
    OFFeaturesRequest request = assertInstanceOf(OFFeaturesRequest.class, next());
    assertEquals(expected, request.getVersion());
  }

  @ParameterizedTest
  @CsvSource({
    "4, 0, OF_13",
    "5, 0, OF_14",
    "6, 0, OF_15",
    "99, 0, OF_15",
    "6, 0x32, OF_14",
    "6, 0x70, OF_15"
  })
  void hello_switchWaitedForOurs_agreesOnTheHighestVersion(
      int version, String bitmap, OFVersion expected) {
    pass(500);
    assertHello(OFVersion.OF_15, 0x70);
    receiveHello(version, Integer.decode(bitmap));
    OFFeaturesRequest request = assertInstanceOf(OFFeaturesRequest.class, next());
    assertEquals(expected, request.getVersion());
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "3, 0", "1, 0x2", "7, 0x80"})
  void hello_noUsableVersion_getsHelloFailedAndIsClosed(int version, String bitmap) {
    receiveHello(version, Integer.decode(bitmap));
    assertHello(OFVersion.OF_15, 0x70);
    OFHelloFailedErrorMsg error = assertInstanceOf(OFHelloFailedErrorMsg.class, next());
    assertEquals(OFHelloFailedCode.INCOMPATIBLE, error.getCode());
    assertFalse(channel.isOpen());
  }

  private void assertHello(OFVersion version, int bitmap) {
    OFHello hello = assertInstanceOf(OFHello.class, next());
    assertEquals(version, hello.getVersion());
    OFHelloElemVersionbitmap element =
        assertInstanceOf(OFHelloElemVersionbitmap.class, hello.getElements().get(0));
    assertEquals(List.of(U32.of(bitmap)), element.getBitmaps());
  }

  @Test
  void features_noTable_isRefused() {
    receiveHello(4);
    receive(features(0, OFAuxId.MAIN));
    assertFalse(channel.isOpen());
    assertEquals(List.of(), events);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "3, 3", "4, 4", "5, 4"})
  void tableMissRules_areForTheTablesThatAreThere(int tables, int rules) {
    assertEquals(rules, missRules(tables).size());
    assertTrue(channel.isOpen());
  }

  /** Goes on until the controller has sent its first rules. */
  private List<OFFlowAdd> missRules(int tables) {
    receiveHello(4);
    receive(features(tables, OFAuxId.MAIN));
    receive(FACTORY.buildPortDescStatsReply().setEntries(List.of()).build());
    receive(description());
    List<OFFlowAdd> rules = new ArrayList<>();
    for (OFMessage sent = next(); sent != null; sent = next()) {
      if (sent instanceof OFFlowAdd rule) {
        rules.add(rule);
      } else if (sent instanceof OFSetConfig settings) {
        config = settings;
      }
    }
    return rules;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void tableMiss_isRefused_theSwitchIsActive(int table) {
    receive(flowModFailed(missRules(254).get(table).getXid()));
    receive(FACTORY.barrierReply());
    assertEquals(List.of("activated"), events);
  }

  @Test
  void settingsAreRefused_theSwitchIsActive() {
    missRules(254);
    receive(
        FACTORY
            .errorMsgs()
            .buildSwitchConfigFailedErrorMsg()
            .setXid(config.getXid())
            .setCode(OFSwitchConfigFailedCode.BAD_LEN)
            .setData(OFErrorCauseData.NONE)
            .build());
    receive(FACTORY.barrierReply());
    assertEquals(List.of("activated"), events);
  }

  @Test
  void features_auxiliaryConnection_isRefused() {
    receiveHello(4);
    receive(features(254, OFAuxId.of((short) 1)));
    assertFalse(channel.isOpen());
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "42, 42", "-1, 0", "-2, -2"})
  void mastership_isClaimedWithTheSwitchsOwnGenerationId(long current, long claimed) {
    OFRoleRequest question = askedForGeneration();
    receive(roleReply(question.getXid(), current));
    receive(description());
    OFRoleRequest claim = assertInstanceOf(OFRoleRequest.class, next());
    assertEquals(OFControllerRole.ROLE_MASTER, claim.getRole());
    assertEquals(U64.of(claimed), claim.getGenerationId());
  }

  @Test
  void mastership_isNotClaimedWhereTheSwitchDoesNotAnswerTheQuestion() {
    OFRoleRequest question = askedForGeneration();
    receive(roleReply(question.getXid() + 1, 0));
    receive(description());
    assertInstanceOf(OFSetConfig.class, next());
    receive(FACTORY.barrierReply());
    assertEquals(OFControllerRole.ROLE_EQUAL, sw.getControllerRole());
  }

  @Test
  void mastership_isNotClaimedWhereTheQuestionIsAnsweredWithAnError() {
    OFRoleRequest question = askedForGeneration();
    receive(
        FACTORY
            .errorMsgs()
            .buildBadRequestErrorMsg()
            .setXid(question.getXid())
            .setCode(OFBadRequestCode.BAD_TYPE)
            .setData(OFErrorCauseData.NONE)
            .build());
    assertTrue(channel.isOpen());
    receive(description());
    assertInstanceOf(OFSetConfig.class, next());
    receive(FACTORY.barrierReply());
    assertEquals(OFControllerRole.ROLE_EQUAL, sw.getControllerRole());
  }

  /** Goes on until the controller has asked for the generation id and the description. */
  private OFRoleRequest askedForGeneration() {
    receiveHello(4);
    receive(features(254, OFAuxId.MAIN));
    receive(FACTORY.buildPortDescStatsReply().setEntries(List.of()).build());
    OFMessage message = next();
    while (!(message instanceof OFRoleRequest)) {
      message = next();
    }
    skipSent();
    return (OFRoleRequest) message;
  }

  @Test
  void tableMiss_answeredWithError_isRefused() {
    receiveHello(4);
    receive(features(254, OFAuxId.MAIN));
    receive(FACTORY.buildPortDescStatsReply().setEntries(List.of()).build());
    receive(description());
    receive(flowModFailed(1));
    assertFalse(channel.isOpen());
    assertEquals(List.of(), events);
  }

  @Test
  void handshake_notFinishedInTime_isClosed() {
    receiveHello(4);
    pass(SETTINGS.handshakeTimeoutMillis() - 1);
    assertTrue(channel.isOpen());
    pass(1);
    assertFalse(channel.isOpen());
  }

  @Test
  void handshake_thatGetsOn_isClosedOnlyWhenOneOfItsStepsTakesTooLong() {
    pass(SETTINGS.handshakeTimeoutMillis() / 2);
    receiveHello(4);
    pass(SETTINGS.handshakeTimeoutMillis() - 1);
    receive(features(254, OFAuxId.MAIN));
    for (int part = 0; part < 3; part++) {
      pass(SETTINGS.handshakeTimeoutMillis() / 3);
      assertTrue(channel.isOpen());
      receive(
          FACTORY
              .buildPortDescStatsReply()
              .setFlags(Set.of(OFStatsReplyFlags.REPLY_MORE))
              .setEntries(List.of(port(part + 1)))
              .build());
    }
    pass(3);
    assertFalse(channel.isOpen(), "parts of one answer are one step");
  }

  @Test
  void handshake_finishedInTime_isNotClosedLater() {
    activate();
    IntStream.range(0, 4)
        .forEach(
            any -> {
              pass(SETTINGS.echoIntervalMillis());
              receive(FACTORY.echoReply(new byte[0]));
            });
    assertTrue(channel.isOpen());
  }

  @Test
  void messageBeforeActive_isNotDispatched() {
    receiveHello(4);
    receive(FACTORY.buildPacketOut().setActions(List.of()).build());
    assertEquals(List.of(), events);
  }

  private static OFMessage roleReply(long xid, long generation) {
    return FACTORY
        .buildRoleReply()
        .setXid(xid)
        .setRole(OFControllerRole.ROLE_EQUAL)
        .setGenerationId(U64.of(generation))
        .build();
  }

  private static OFErrorMsg flowModFailed(long xid) {
    return FACTORY
        .errorMsgs()
        .buildFlowModFailedErrorMsg()
        .setXid(xid)
        .setCode(OFFlowModFailedCode.TABLE_FULL)
        .setData(OFErrorCauseData.NONE)
        .build();
  }

  private static OFPortDesc port(int number) {
    return FACTORY.buildPortDesc().setPortNo(OFPort.of(number)).setName("p" + number).build();
  }
}
