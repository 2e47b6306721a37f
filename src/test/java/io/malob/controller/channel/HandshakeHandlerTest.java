package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableSet;
import io.malob.testing.LogLines;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFControllerRoleReason;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.OFHello;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortDescStatsRequest;
import org.projectfloodlight.openflow.protocol.OFPortReason;
import org.projectfloodlight.openflow.protocol.OFPortStatus;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFRoleRequestFailedCode;
import org.projectfloodlight.openflow.protocol.OFSetConfig;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFAuxId;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/** What the handshake makes of answers that are wrong, late, early or missing. */
class HandshakeHandlerTest extends EmbeddedSwitch {
  private static final Admission TWO_SWITCHES =
      new Admission(Optional.empty(), ImmutableSet.of(DatapathId.of(7), DatapathId.of(8)), () -> 0);

  private final LogLines log = LogLines.of(HandshakeHandler.class);

  HandshakeHandlerTest() {
    super(TWO_SWITCHES);
  }

  @AfterEach
  void close() {
    log.close();
    channel.finishAndReleaseAll();
  }

  /** The steps at which the controller waits for the switch. */
  private enum Step {
    HELLO,
    FEATURES,
    PORTS,
    DESCRIPTION,
    TABLE_MISS_BARRIER
  }

  /** Goes on until the controller waits for this, with the switch's generation id 42. */
  private void reach(Step step) {
    if (step.compareTo(Step.HELLO) > 0) {
      receiveHello(4);
    }
    if (step.compareTo(Step.FEATURES) > 0) {
      receive(features(254, OFAuxId.MAIN));
    }
    if (step.compareTo(Step.PORTS) > 0) {
      skipSent();
      receive(ports(List.of(), Set.of()));
    }
    if (step.compareTo(Step.DESCRIPTION) > 0) {
      receive(roleReply(nextRoleRequest().getXid(), OFControllerRole.ROLE_EQUAL, 42));
      skipSent();
      receive(description());
    }
  }

  // ---- silence ----

  @Test
  void silentSwitch_isSpokenToAfterHalfASecondAndOnlyOnce() {
    pass(499);
    assertNull(next());
    pass(1);
    assertInstanceOf(OFHello.class, next());
    pass(499);
    assertNull(next());
  }

  @Test
  void switchThatHasSpoken_isNotSpokenToAgainAfterHalfASecond() {
    receiveHello(4);
    skipSent();
    pass(500);
    assertNull(next());
  }

  @Test
  void switchThatHasGone_isNotSpokenTo() {
    var unused = channel.close();
    pass(500);
    assertNull(next());
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void stepThatTakesTooLong_endsTheConnectionAndIsNamed(Step step) {
    reach(step);
    pass(SETTINGS.handshakeTimeoutMillis() - 1);
    assertTrue(channel.isOpen());
    pass(1);
    assertFalse(channel.isOpen());
    assertEquals(
        List.of(refused("did not finish its handshake, waiting for " + step)), log.lines());
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void switchThatDisconnects_isLoggedOnceWithItsStep(Step step) {
    reach(step);
    var unused = channel.close();
    pass(2L * SETTINGS.handshakeTimeoutMillis());
    assertEquals(
        List.of("handshake_given_up from=embedded asked_for=\"" + step + "\""), log.lines());
    assertEquals(List.of(), events);
  }

  @Test
  void switchThatDisconnectsOnceActive_hasNotGivenUpItsHandshake() {
    activate();
    var unused = channel.close();
    assertEquals(List.of("disconnected"), events);
    assertEquals(List.of(), log.lines());
  }

  // ---- unexpected messages ----

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {"FEATURES", "PORTS", "DESCRIPTION", "TABLE_MISS_BARRIER"})
  void secondHello_changesNothing(Step step) {
    reach(step);
    skipSent();
    receiveHello(6, 0x70);
    assertNull(next());
    assertTrue(channel.isOpen());
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void answerToAnotherQuestion_leavesTheStepAsItIs(Step step) {
    reach(step);
    skipSent();
    List<OFMessage> answers =
        List.of(
            features(254, OFAuxId.MAIN),
            ports(List.of(), Set.of()),
            description(),
            FACTORY.barrierReply());
    for (int each = 0; each < answers.size(); each++) {
      if (each != indexOfAnswer(step)) {
        receive(answers.get(each));
      }
    }
    assertNull(next());
    assertEquals(List.of(), events);
    pass(SETTINGS.handshakeTimeoutMillis());
    assertEquals(
        List.of(refused("did not finish its handshake, waiting for " + step)), log.lines());
  }

  /** Which of features, ports, description and barrier a step waits for; -1: none. */
  private static int indexOfAnswer(Step step) {
    return List.of(Step.values()).indexOf(step) - 1;
  }

  @Test
  void unknownMessage_isNoAnswer() {
    reach(Step.FEATURES);
    skipSent();
    receiveBytes(4, 77, 0, 8, 0, 0, 0, 9);
    assertNull(next());
    receive(features(254, OFAuxId.MAIN));
    assertInstanceOf(OFPortDescStatsRequest.class, next());
  }

  @Test
  void messagesAfterRefusal_areIgnored() {
    reach(Step.FEATURES);
    ByteBuf together = Unpooled.buffer();
    features(3, OFAuxId.MAIN).writeTo(together);
    badRequest(0x7777_7777).writeTo(together);
    channel.writeInbound(together);
    assertEquals(1, log.lines().size(), "the error came after the connection was refused");
  }

  @Test
  void failureInThePipeline_endsTheConnectionAndIsNamed() {
    reach(Step.PORTS);
    channel.pipeline().fireExceptionCaught(new IllegalStateException("on purpose"));
    assertFalse(channel.isOpen());
    assertEquals(List.of(refused("failed in its handshake: on purpose")), log.lines());
  }

  // ---- versions ----

  @Test
  void agreedVersion_isThatOfAllRequests() {
    receiveHello(5, 0x20);
    skipSent();
    OFFactory spoken = OFFactories.getFactory(OFVersion.OF_14);
    receive(
        spoken
            .buildFeaturesReply()
            .setDatapathId(DatapathId.of(7))
            .setNTables((short) 254)
            .setCapabilities(Set.of())
            .build());
    assertEquals(OFVersion.OF_14, next().getVersion());
    receive(spoken.buildPortDescStatsReply().setEntries(List.of()).build());
    OFRoleRequest question = nextRoleRequest();
    assertEquals(OFVersion.OF_14, question.getVersion());
  }

  @Test
  void unusableVersionAfterOurHello_getsNoSecondHello() {
    pass(500);
    assertInstanceOf(OFHello.class, next());
    receiveHello(1);
    assertInstanceOf(OFErrorMsg.class, next());
    assertNull(next());
    assertEquals(
        List.of(refused("supports none of OpenFlow 1.3, 1.4 and 1.5 (its wire version: 1)")),
        log.lines());
  }

  // ---- features ----

  @Test
  void switchThatIsNotListed_isClosedAndCounted() {
    long before = TWO_SWITCHES.unlistedCount();
    reach(Step.FEATURES);
    skipSent();
    receive(
        FACTORY
            .buildFeaturesReply()
            .setDatapathId(DatapathId.of(9))
            .setNTables((short) 254)
            .setCapabilities(Set.of())
            .build());
    assertFalse(channel.isOpen());
    assertNull(next(), "it is asked for nothing more");
    assertEquals(before + 1, TWO_SWITCHES.unlistedCount());
    assertEquals(List.of(), log.lines(), "it tries again for ever");
  }

  @Test
  void switchWithoutTables_isNamed() {
    reach(Step.FEATURES);
    receive(features(0, OFAuxId.MAIN));
    assertEquals(List.of(refused("(switch 00:00:00:00:00:00:00:07) has no tables")), log.lines());
  }

  // ---- ports ----

  @Test
  void asManyPortsAsThereMayBe_arePossible() {
    reach(Step.PORTS);
    receivePorts(1, SwitchPorts.MAX);
    assertTrue(channel.isOpen());
  }

  @Test
  void tooManyPorts_areRefused() {
    reach(Step.PORTS);
    receivePorts(1, SwitchPorts.MAX + 1);
    assertFalse(channel.isOpen());
    assertEquals(List.of(refused("has more than " + SwitchPorts.MAX + " ports")), log.lines());
  }

  @Test
  void portThatChangesDuringTheHandshake_isKnownAfterwards() {
    reach(Step.DESCRIPTION);
    receive(portStatus(OFPortReason.ADD, 3));
    receive(portStatus(OFPortReason.ADD, 4));
    receive(portStatus(OFPortReason.DELETE, 3));
    receive(description());
    receive(FACTORY.barrierReply());
    assertEquals(
        List.of(4),
        sw.getSortedPorts().stream().map(each -> each.getPortNo().getPortNumber()).toList());
  }

  @Test
  void portBeyondTheMaximumDuringTheHandshake_isIgnored() {
    reach(Step.PORTS);
    receivePorts(1, SwitchPorts.MAX);
    receive(portStatus(OFPortReason.ADD, SwitchPorts.MAX + 1));
    receive(ports(List.of(), Set.of()));
    receive(description());
    receive(FACTORY.barrierReply());
    assertEquals(SwitchPorts.MAX, sw.getSortedPorts().size());
    assertNull(sw.getPort(OFPort.of(SwitchPorts.MAX + 1)));
  }

  // ---- roles ----

  @ParameterizedTest
  @EnumSource(
      value = OFControllerRole.class,
      names = {"ROLE_MASTER", "ROLE_SLAVE", "ROLE_EQUAL"})
  void roleThatTheSwitchAnswers_isThatOfTheSwitch(OFControllerRole role) {
    reach(Step.TABLE_MISS_BARRIER);
    receive(roleReply(nextRoleRequest().getXid(), role, 42));
    receive(FACTORY.barrierReply());
    assertEquals(role, sw.getControllerRole());
  }

  @Test
  void roleStatus_inOpenFlow14_isTheRole() {
    OFFactory spoken = OFFactories.getFactory(OFVersion.OF_14);
    receiveHello(5, 0x20);
    receive(
        spoken
            .buildFeaturesReply()
            .setDatapathId(DatapathId.of(7))
            .setNTables((short) 254)
            .setCapabilities(Set.of())
            .build());
    receive(spoken.buildPortDescStatsReply().setEntries(List.of()).build());
    receive(
        spoken
            .buildDescStatsReply()
            .setMfrDesc("")
            .setHwDesc("")
            .setSwDesc("")
            .setSerialNum("")
            .setDpDesc("")
            .build());
    receive(
        spoken
            .buildRoleStatus()
            .setRole(OFControllerRole.ROLE_SLAVE)
            .setReason(OFControllerRoleReason.MASTER_REQUEST)
            .setGenerationId(U64.of(1))
            .build());
    receive(spoken.barrierReply());
    assertEquals(OFControllerRole.ROLE_SLAVE, sw.getControllerRole());
  }

  @Test
  void staleClaim_leavesAnEqualController() {
    reach(Step.TABLE_MISS_BARRIER);
    OFRoleRequest claim = nextRoleRequest();
    assertEquals(OFControllerRole.ROLE_MASTER, claim.getRole());
    receive(
        FACTORY
            .errorMsgs()
            .buildRoleRequestFailedErrorMsg()
            .setXid(claim.getXid())
            .setCode(OFRoleRequestFailedCode.STALE)
            .setData(OFErrorCauseData.NONE)
            .build());
    assertEquals(1, log.lines().size());
    assertTrue(log.lines().get(0).startsWith("switch_role_refused from=embedded why="));
    receive(FACTORY.barrierReply());
    assertEquals(OFControllerRole.ROLE_EQUAL, sw.getControllerRole());
  }

  @Test
  void barrierOfTheQuestion_isNotTakenForThatOfTheRules() {
    reach(Step.DESCRIPTION);
    receive(FACTORY.barrierReply());
    receive(description());
    assertEquals(List.of(), events);
    receive(FACTORY.barrierReply());
    assertEquals(List.of("activated"), events);
  }

  @Test
  void switchThatKnowsNoRoles_getsItsRulesWithoutAClaim() {
    reach(Step.DESCRIPTION);
    OFRoleRequest question = nextRoleRequest();
    skipSent();
    receive(badRequest(question.getXid()));
    receive(description());
    assertInstanceOf(OFSetConfig.class, next());
    receive(FACTORY.barrierReply());
    assertEquals(List.of("activated"), events);
  }

  // ---- errors ----

  @ParameterizedTest
  @EnumSource(Step.class)
  void errorThatIsNotAboutTheRole_endsTheConnectionAndNamesTheStep(Step step) {
    reach(step);
    receive(badRequest(0x7777_7777));
    assertFalse(channel.isOpen());
    assertEquals(1, log.lines().size());
    assertTrue(log.lines().get(0).endsWith("when asked for " + step + "\""), log.lines().get(0));
  }

  @Test
  void rulesThatASlaveMayNotSet_areNoReasonToRefuse() {
    reach(Step.TABLE_MISS_BARRIER);
    receive(roleReply(nextRoleRequest().getXid(), OFControllerRole.ROLE_SLAVE, 42));
    receive(badRequest(0x7777_7777));
    assertTrue(channel.isOpen());
    receive(FACTORY.barrierReply());
    assertEquals(List.of("activated"), events);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ROLE_MASTER", "ROLE_EQUAL"})
  void rulesThatAreRefusedToAnotherRole_endTheConnection(OFControllerRole role) {
    reach(Step.TABLE_MISS_BARRIER);
    receive(roleReply(nextRoleRequest().getXid(), role, 42));
    receive(
        FACTORY
            .errorMsgs()
            .buildFlowModFailedErrorMsg()
            .setXid(0x7777_7777)
            .setCode(OFFlowModFailedCode.TABLE_FULL)
            .setData(OFErrorCauseData.NONE)
            .build());
    assertFalse(channel.isOpen());
    assertEquals(List.of(), events);
  }

  private OFRoleRequest nextRoleRequest() {
    OFMessage message = next();
    while (!(message instanceof OFRoleRequest)) {
      assertFalse(message == null, "no role was asked for");
      message = next();
    }
    return (OFRoleRequest) message;
  }

  /** In parts, as a message holds a thousand. */
  private void receivePorts(int first, int last) {
    for (int from = first; from <= last; from += 500) {
      receive(
          ports(
              IntStream.rangeClosed(from, Math.min(last, from + 499))
                  .mapToObj(HandshakeHandlerTest::port)
                  .toList(),
              Set.of(OFStatsReplyFlags.REPLY_MORE)));
    }
  }

  private static String refused(String reason) {
    return "switch_refused from=embedded it=\"" + reason + "\"";
  }

  private static OFMessage ports(List<OFPortDesc> ports, Set<OFStatsReplyFlags> flags) {
    return FACTORY.buildPortDescStatsReply().setFlags(flags).setEntries(ports).build();
  }

  private static OFPortDesc port(int number) {
    return FACTORY.buildPortDesc().setPortNo(OFPort.of(number)).setName("p" + number).build();
  }

  private static OFPortStatus portStatus(OFPortReason reason, int number) {
    return FACTORY.buildPortStatus().setReason(reason).setDesc(port(number)).build();
  }

  private static OFErrorMsg badRequest(long xid) {
    return FACTORY
        .errorMsgs()
        .buildBadRequestErrorMsg()
        .setXid(xid)
        .setCode(OFBadRequestCode.BAD_TYPE)
        .setData(OFErrorCauseData.NONE)
        .build();
  }
}
