package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.module.Mastership;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.testing.LogLines;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFAsyncSet;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFBarrierRequest;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFRoleRequestFailedCode;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFAuxId;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/** The role at a switch whose controller belongs to a cluster. */
class ClusterHandshakeTest extends EmbeddedSwitch {
  private static final byte[] TCP = frame(0x0800);
  private static final byte[] LLDP = frame(0x88cc);
  private static final byte[] LATENCY_PROBE = frame(0x88b5);
  private static final byte[] ARP = frame(0x0806);

  private final Recorder election;
  private final LogLines log = LogLines.of(HandshakeHandler.class);

  /** Writes down what an election is told. */
  private static final class Recorder implements Mastership {
    final List<String> calls = new ArrayList<>();
    RoleChannel sw;

    @Override
    public void connected(RoleChannel connected) {
      sw = connected;
      calls.add("connected " + connected.id().getLong());
    }

    @Override
    public void granted(RoleChannel same, long generation) {
      calls.add("granted " + generation);
    }

    @Override
    public void staleClaim(RoleChannel same, long generation) {
      calls.add("stale " + generation);
    }

    @Override
    public void replaced(RoleChannel same) {
      calls.add("replaced");
    }

    @Override
    public void generationSeen(RoleChannel same, long generation) {
      calls.add("seen " + generation);
    }

    @Override
    public void disconnected(RoleChannel same) {
      calls.add("disconnected");
    }

    @Override
    public void followProbeKey(Consumer<byte[]> follower) {}
  }

  ClusterHandshakeTest() {
    super(Admission.EVERYONE, Optional.of(new Recorder()));
    election = (Recorder) mastership.orElseThrow();
  }

  @AfterEach
  void close() {
    log.close();
    channel.finishAndReleaseAll();
  }

  /** Goes on until the controller has requested to be a slave. */
  private OFRoleRequest reachSlaveRequest() {
    receiveHello(4);
    receive(features(254, OFAuxId.MAIN));
    receive(FACTORY.buildPortDescStatsReply().setEntries(List.of()).build());
    receive(roleReply(nextOf(OFRoleRequest.class).getXid(), OFControllerRole.ROLE_EQUAL, 42));
    skipSent();
    receive(description());
    return nextOf(OFRoleRequest.class);
  }

  /** Goes through the handshake as a slave. */
  private void becomeSlave() {
    OFRoleRequest request = reachSlaveRequest();
    receive(roleReply(request.getXid(), OFControllerRole.ROLE_SLAVE, 42));
    receive(barrierReply(nextOf(OFBarrierRequest.class)));
    skipSent();
    events.clear();
    election.calls.clear();
  }

  /** Becomes master with this generation id. */
  private void becomeMaster(long generation) {
    election.sw.requestMaster(generation);
    OFRoleRequest claim = nextOf(OFRoleRequest.class);
    receive(roleReply(claim.getXid(), OFControllerRole.ROLE_MASTER, generation));
  }

  private <T extends OFMessage> T nextOf(Class<T> type) {
    OFMessage next = next();
    while (next != null && !type.isInstance(next)) {
      next = next();
    }
    return assertInstanceOf(type, next);
  }

  private static OFMessage barrierReply(OFBarrierRequest request) {
    return FACTORY.buildBarrierReply().setXid(request.getXid()).build();
  }

  private static OFMessage stale(long xid) {
    return FACTORY
        .errorMsgs()
        .buildRoleRequestFailedErrorMsg()
        .setXid(xid)
        .setCode(OFRoleRequestFailedCode.STALE)
        .setData(OFErrorCauseData.NONE)
        .build();
  }

  private static byte[] frame(int type) {
    byte[] frame = new byte[60];
    frame[12] = (byte) (type >> 8);
    frame[13] = (byte) type;
    return frame;
  }

  private static OFMessage packetIn(byte[] frame) {
    return FACTORY
        .buildPacketIn()
        .setReason(OFPacketInReason.NO_MATCH)
        .setMatch(FACTORY.buildMatch().setExact(MatchField.IN_PORT, OFPort.of(1)).build())
        .setData(frame)
        .build();
  }

  private long packetIns() {
    return events.stream().filter("received PACKET_IN"::equals).count();
  }

  @Test
  void newSwitch_isAskedForTheRoleOfSlave_andGetsNoRules() {
    OFRoleRequest request = reachSlaveRequest();
    assertEquals(OFControllerRole.ROLE_SLAVE, request.getRole());
    assertEquals(U64.of(42), request.getGenerationId());
    OFAsyncSet async = assertInstanceOf(OFAsyncSet.class, next());
    assertEquals(0x3, async.getPacketInMaskSlave(), "misses and actions");
    assertEquals(0x7, async.getPortStatusMaskSlave());
    assertEquals(0, async.getFlowRemovedMaskSlave());
    assertEquals(0x3, async.getPacketInMaskEqualMaster(), "as without this message");
    assertEquals(0xf, async.getFlowRemovedMaskEqualMaster());
    OFBarrierRequest barrier = assertInstanceOf(OFBarrierRequest.class, next());
    assertNull(next());

    receive(roleReply(request.getXid(), OFControllerRole.ROLE_SLAVE, 42));
    assertEquals(List.of(), events);
    receive(barrierReply(barrier));
    assertEquals(List.of("activated"), events);
    assertEquals(OFControllerRole.ROLE_SLAVE, sw.getControllerRole());
    assertFalse(sw.isActive());
    assertEquals(List.of("connected 7"), election.calls);
  }

  @Test
  void packetInBeforeTheRoleIsKnown_isDropped() {
    OFRoleRequest request = reachSlaveRequest();
    receive(packetIn(ARP));
    receive(roleReply(request.getXid(), OFControllerRole.ROLE_SLAVE, 42));
    receive(barrierReply(nextOf(OFBarrierRequest.class)));
    pass(1);
    assertEquals(List.of("activated"), events);
  }

  @Test
  void staleSlaveRequest_isRepeatedWithTheNewGenerationId() {
    OFRoleRequest request = reachSlaveRequest();
    OFBarrierRequest first = nextOf(OFBarrierRequest.class);
    receive(stale(request.getXid()));
    receive(barrierReply(first));
    OFRoleRequest question = nextOf(OFRoleRequest.class);
    assertEquals(OFControllerRole.ROLE_NOCHANGE, question.getRole());
    OFBarrierRequest behind = nextOf(OFBarrierRequest.class);
    receive(roleReply(question.getXid(), OFControllerRole.ROLE_EQUAL, 50));
    receive(barrierReply(behind));
    assertEquals(List.of(), events);

    OFRoleRequest again = nextOf(OFRoleRequest.class);
    assertEquals(OFControllerRole.ROLE_SLAVE, again.getRole());
    assertEquals(U64.of(50), again.getGenerationId());
    receive(roleReply(again.getXid(), OFControllerRole.ROLE_SLAVE, 50));
    receive(barrierReply(nextOf(OFBarrierRequest.class)));
    assertEquals(List.of("activated"), events);
  }

  @Test
  void switchThatDoesNotAnswerAboutRoles_isRefused() {
    receiveHello(4);
    receive(features(254, OFAuxId.MAIN));
    receive(FACTORY.buildPortDescStatsReply().setEntries(List.of()).build());
    receive(description());
    assertFalse(channel.isOpen());
    assertEquals(
        List.of(
            "switch_refused from=embedded it=\"does not support roles, which a cluster needs\""),
        log.lines());
  }

  @Test
  void switchThatKeepsAnotherRole_isRefused() {
    reachSlaveRequest();
    receive(barrierReply(nextOf(OFBarrierRequest.class)));
    assertFalse(channel.isOpen());
  }

  @Test
  void switchThatCannotChooseMessages_isAccepted() {
    OFRoleRequest request = reachSlaveRequest();
    OFAsyncSet async = nextOf(OFAsyncSet.class);
    receive(roleReply(request.getXid(), OFControllerRole.ROLE_SLAVE, 42));
    receive(
        FACTORY
            .errorMsgs()
            .buildBadRequestErrorMsg()
            .setXid(async.getXid())
            .setCode(OFBadRequestCode.BAD_TYPE)
            .setData(OFErrorCauseData.NONE)
            .build());
    receive(barrierReply(nextOf(OFBarrierRequest.class)));
    assertEquals(List.of("activated"), events);
  }

  @Test
  void slave_getsProbesAndArp_andFewOtherPackets() {
    becomeSlave();
    for (int i = 0; i < 1_000; i++) {
      receive(packetIn(TCP));
    }
    assertEquals(PacketInGate.STANDBY_SAMPLES_PER_SECOND, packetIns());
    for (int i = 0; i < 30; i++) {
      receive(packetIn(LLDP));
      receive(packetIn(ARP));
      receive(packetIn(LATENCY_PROBE));
    }
    assertEquals(PacketInGate.STANDBY_SAMPLES_PER_SECOND + 90, packetIns());
    pass(1_000);
    receive(packetIn(TCP));
    assertEquals(PacketInGate.STANDBY_SAMPLES_PER_SECOND + 91, packetIns());
  }

  @Test
  void acceptedClaim_makesThisControllerMaster_andSendsTheFirstRules() {
    becomeSlave();
    election.sw.requestMaster(77);
    OFRoleRequest claim = nextOf(OFRoleRequest.class);
    assertEquals(OFControllerRole.ROLE_MASTER, claim.getRole());
    assertEquals(U64.of(77), claim.getGenerationId());
    assertNull(next());

    receive(roleReply(claim.getXid(), OFControllerRole.ROLE_MASTER, 77));
    assertEquals("ROLE_MASTER MASTER", events.get(0));
    assertEquals(List.of("seen 77", "granted 77"), election.calls);
    for (int table = 0; table < 4; table++) {
      nextOf(OFFlowMod.class);
    }
    assertNull(next());
    for (int i = 0; i < 100; i++) {
      receive(packetIn(TCP));
    }
    assertEquals(100, packetIns());
  }

  @Test
  void staleClaim_isTold_andTheControllerStaysSlave() {
    becomeSlave();
    election.sw.requestMaster(41);
    receive(stale(nextOf(OFRoleRequest.class).getXid()));
    assertEquals(List.of("stale 41"), election.calls);
    assertEquals(OFControllerRole.ROLE_SLAVE, sw.getControllerRole());
    assertEquals(List.of(), events);
  }

  @Test
  void master_whoseWriteIsRejectedAsASlaves_stepsDown() {
    becomeSlave();
    becomeMaster(77);
    events.clear();
    election.calls.clear();
    receive(
        FACTORY
            .errorMsgs()
            .buildBadRequestErrorMsg()
            .setXid(1)
            .setCode(OFBadRequestCode.IS_SLAVE)
            .setData(OFErrorCauseData.NONE)
            .build());
    assertEquals(List.of("replaced"), election.calls);
    assertEquals("ROLE_SLAVE SLAVE", events.get(0));
    assertFalse(sw.isActive());
  }

  /** As Open vSwitch 3.1 sends it: ONF's extension 191 of OpenFlow 1.3. */
  @Test
  void master_thatIsToldOfItsSuccessor_stepsDown() {
    becomeSlave();
    becomeMaster(77);
    election.calls.clear();
    receiveBytes(
        4, 4, 0, 32, 0, 0, 0, 0, 'O', 'N', 'F', 0, 0, 0, 0x07, 0x77, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 80);
    assertEquals(List.of("replaced"), election.calls);
    assertFalse(sw.isActive());
  }

  @Test
  void otherExperimentersMessage_isNoRole() {
    becomeSlave();
    becomeMaster(77);
    receiveBytes(
        4, 4, 0, 32, 0, 0, 0, 0, 'O', 'N', 'F', 1, 0, 0, 0x07, 0x77, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 80);
    assertTrue(sw.isActive());
  }

  @Test
  void master_thatAsksAndIsASlave_stepsDown() {
    becomeSlave();
    becomeMaster(77);
    skipSent();
    election.calls.clear();
    election.sw.askRole();
    OFRoleRequest question = nextOf(OFRoleRequest.class);
    assertEquals(OFControllerRole.ROLE_NOCHANGE, question.getRole());
    receive(roleReply(question.getXid(), OFControllerRole.ROLE_SLAVE, 80));
    assertEquals(List.of("replaced", "seen 80"), election.calls);
  }

  private static byte[] bytesOf(OFMessage message) {
    ByteBuf buffer = Unpooled.buffer();
    message.writeTo(buffer);
    return ByteBufUtil.getBytes(buffer);
  }

  // ---- hand-over ----

  @Test
  void handingOn_givesPacketsOfHostsAway_untilTheRoleChanges() {
    becomeSlave();
    becomeMaster(77);
    skipSent();
    events.clear();
    List<byte[]> given = new ArrayList<>();
    CompletableFuture<Void> isDone = election.sw.handOn(given::add);
    OFBarrierRequest barrier = nextOf(OFBarrierRequest.class);
    OFMessage packet = packetIn(TCP);
    receive(packet);
    receive(packetIn(ARP));
    assertArrayEquals(bytesOf(packet), given.get(0));
    assertEquals(1, given.size());
    assertEquals(1, packetIns(), "the next master gets ARP from the switch");
    assertFalse(isDone.isDone());
    receive(barrierReply(barrier));
    assertTrue(isDone.isDone());

    election.sw.stopHandingOn();
    channel.runPendingTasks();
    receive(packetIn(TCP));
    assertEquals(2, packetIns());

    var unused = election.sw.handOn(given::add);
    channel.runPendingTasks();
    receive(roleReply(1, OFControllerRole.ROLE_SLAVE, 80));
    receive(packetIn(TCP));
    assertEquals(1, given.size(), "the next master gets them from the switch");
  }

  @Test
  void handingOn_thatFails_leavesThePacketHere() {
    becomeSlave();
    becomeMaster(77);
    events.clear();
    var unused = election.sw.handOn(message -> false);
    channel.runPendingTasks();
    receive(packetIn(TCP));
    assertEquals(1, packetIns());
  }

  @Test
  void packetThatIsHandedOn_waitsForTheRole() {
    becomeSlave();
    election.sw.takeHandedOn(bytesOf(packetIn(TCP)));
    pass(100);
    assertEquals(List.of(), events);
    becomeMaster(77);
    pass(0);
    assertEquals(
        List.of("ROLE_MASTER MASTER", "received ROLE_REPLY", "received PACKET_IN"), events);
    election.sw.takeHandedOn(bytesOf(packetIn(TCP)));
    pass(0);
    assertEquals(2, packetIns(), "later ones are handled at once");
  }

  @Test
  void packetThatIsHandedOn_isForgottenAfterTwoSeconds() {
    becomeSlave();
    election.sw.takeHandedOn(bytesOf(packetIn(TCP)));
    pass(0);
    pass(PacketInGate.EARLY_MILLIS);
    becomeMaster(77);
    pass(0);
    assertEquals(0, packetIns());
  }

  /** How many packets the switch is told to pass through its tables again. */
  private int returned() {
    int count = 0;
    for (OFMessage next = next(); next != null; next = next()) {
      if (next instanceof OFPacketOut packet
          && packet.getInPort().equals(OFPort.of(1))
          && packet.getActions().get(0) instanceof OFActionOutput output
          && output.getPort().equals(OFPort.TABLE)) {
        count++;
      }
    }
    return count;
  }

  @Test
  void packetShortlyBeforeTheRole_returnsToTheSwitch_andNoOlderOne() {
    becomeSlave();
    receive(packetIn(TCP));
    pass(TimeUnit.NANOSECONDS.toMillis(RecentPackets.AGE_NANOS) + 1);
    receive(packetIn(TCP));
    receive(packetIn(ARP));
    receive(packetIn(LLDP));
    events.clear(); // without the samples
    becomeMaster(77);
    pass(0);
    assertEquals(2, returned());
    assertEquals(0, packetIns(), "the switch decides first: there may be rules for them");
  }

  @Test
  void copyOfAConnectionsEnd_shortlyBeforeTheRole_isHandled() {
    becomeSlave();
    OFMessage copy =
        FACTORY
            .buildPacketIn()
            .setReason(OFPacketInReason.ACTION)
            .setCookie(Cookie.of(CookieKind.END, 0))
            .setMatch(FACTORY.buildMatch().setExact(MatchField.IN_PORT, OFPort.of(1)).build())
            .setData(TCP)
            .build();
    for (int i = 0; i <= PacketInGate.STANDBY_SAMPLES_PER_SECOND; i++) {
      receive(copy);
    }
    events.clear(); // without the samples
    becomeMaster(77);
    pass(0);
    assertEquals(0, returned(), "the switch has forwarded the packet");
    assertEquals(PacketInGate.STANDBY_SAMPLES_PER_SECOND + 1, packetIns());
  }

  @Test
  void packetOfASilentMaster_returnsToTheSwitch_forLonger() {
    becomeSlave();
    receive(packetIn(TCP));
    election.sw.masterSilent();
    pass(TimeUnit.NANOSECONDS.toMillis(RecentPackets.AGE_NANOS) + 1);
    receive(packetIn(TCP));
    becomeMaster(77);
    assertEquals(2, returned());
  }

  @Test
  void packetOfASilentMaster_isForgottenAfterASecond() {
    becomeSlave();
    election.sw.masterSilent();
    pass(0);
    receive(packetIn(TCP));
    pass(TimeUnit.NANOSECONDS.toMillis(RecentPackets.SILENCE_AGE_NANOS) + 1);
    becomeMaster(77);
    assertEquals(0, returned());
  }

  @Test
  void masterThatIsHeardAgain_isTakenForAlive() {
    becomeSlave();
    election.sw.masterSilent();
    pass(0);
    pass(TimeUnit.NANOSECONDS.toMillis(RecentPackets.SILENCE_NANOS));
    receive(packetIn(TCP));
    pass(TimeUnit.NANOSECONDS.toMillis(RecentPackets.AGE_NANOS) + 1);
    becomeMaster(77);
    assertEquals(0, returned());
  }

  @Test
  void packetThatTheFormerMasterMayStillHaveHadInItsQueue_returnsToTheSwitch() {
    becomeSlave();
    receive(packetIn(TCP));
    election.sw.takeHandedOn(bytesOf(packetIn(TCP)));
    pass(TimeUnit.NANOSECONDS.toMillis(RecentPackets.HAND_OVER_AGE_NANOS) + 1);
    receive(packetIn(TCP));
    events.clear(); // without the samples
    becomeMaster(77);
    pass(0);
    assertEquals(1, packetIns(), "the one that was handed on");
    assertEquals(1, returned());
  }

  @Test
  void nonsenseThatIsHandedOn_isDropped() {
    becomeSlave();
    election.sw.takeHandedOn(new byte[] {4, 10, 0, 9, 1});
    election.sw.takeHandedOn(bytesOf(FACTORY.barrierReply()));
    becomeMaster(77);
    pass(0);
    assertEquals(0, packetIns());
  }

  @Test
  void connectionThatEnds_isTold() {
    becomeSlave();
    var unused = channel.close();
    assertEquals(List.of("disconnected"), election.calls);
    assertTrue(events.contains("disconnected"));
  }
}
