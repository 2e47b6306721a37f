package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.SwitchDisconnectedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFBarrierReply;
import org.projectfloodlight.openflow.protocol.OFBarrierRequest;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFEchoReply;
import org.projectfloodlight.openflow.protocol.OFEchoRequest;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortReason;
import org.projectfloodlight.openflow.protocol.OFPortState;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/** A connection after its handshake, without a network and on a clock that stands. */
class ActiveSwitchTest extends EmbeddedSwitch {

  @BeforeEach
  void finishHandshake() {
    activate();
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  @Test
  void echoRequest_isAnsweredWithItsData() {
    receive(FACTORY.buildEchoRequest().setXid(9).setData(new byte[] {1, 2}).build());
    OFEchoReply reply = assertInstanceOf(OFEchoReply.class, next());
    assertEquals(9, reply.getXid());
    assertArrayEquals(new byte[] {1, 2}, reply.getData());
  }

  @Test
  void echo_switchDoesNotRead_isNeitherAnsweredNorAsked() {
    setWritable(channel, false);
    receive(FACTORY.buildEchoRequest().setXid(9).setData(new byte[] {1, 2}).build());
    pass(1_000);
    assertNull(next());
    setWritable(channel, true);
    receive(FACTORY.buildEchoRequest().setXid(10).setData(new byte[] {1, 2}).build());
    assertEquals(10, next().getXid());
  }

  @Test
  void keepAlive_silentPeer_isAskedAndClosedAfterThreeIntervals() {
    pass(1_000); // the handshake was in this interval
    assertInstanceOf(OFEchoRequest.class, next());
    pass(1_000);
    assertInstanceOf(OFEchoRequest.class, next());
    pass(1_000);
    assertInstanceOf(OFEchoRequest.class, next());
    assertTrue(channel.isOpen());
    pass(1_000);
    assertFalse(channel.isOpen());
    assertEquals(List.of("disconnected"), events);
  }

  @Test
  void keepAlive_controllerStoodStill_countsThatAsOneInterval() {
    pass(60_000);
    assertInstanceOf(OFEchoRequest.class, next());
    assertNull(next());
    assertTrue(channel.isOpen());
  }

  @Test
  void keepAlive_answeringPeer_staysAndItsLatencyIsMeasured() {
    for (int interval = 0; interval < 10; interval++) {
      pass(1_000);
      OFMessage request = assertInstanceOf(OFEchoRequest.class, next());
      nanos += TimeUnit.MILLISECONDS.toNanos(8);
      receive(FACTORY.buildEchoReply().setXid(request.getXid()).build());
    }
    assertTrue(channel.isOpen());
    assertEquals(U64.of(4), sw.getLatency());
    assertEquals(List.of(), events, "echo replies of the keep-alive are nobody else's business");
  }

  @Test
  void keepAlive_peerSendsButAnswersNoEcho_isClosedAfterTheUnreadTimeout() {
    for (int interval = 0; interval < 6; interval++) {
      receive(FACTORY.barrierReply());
      pass(1_000);
      assertTrue(channel.isOpen(), "after interval " + interval);
    }
    receive(FACTORY.barrierReply());
    pass(1_000);
    assertFalse(channel.isOpen());
    assertEquals("disconnected", events.get(events.size() - 1));
  }

  @Test
  void keepAlive_echoesOutstanding_areToldApartByTransaction() {
    pass(1_000);
    OFMessage first = next();
    pass(1_000);
    OFMessage second = next();
    nanos += 6_000_000;
    receive(FACTORY.buildEchoReply().setXid(second.getXid()).build());
    assertEquals(U64.of(3), sw.getLatency());
    nanos += 4_000_000;
    receive(FACTORY.buildEchoReply().setXid(first.getXid()).build());
    assertEquals(U64.of(505), sw.getLatency());
    assertEquals(List.of(), events);
  }

  @Test
  void echo_ofAModule_isAnsweredBesidesThoseOfTheKeepAlive() throws Exception {
    pass(1_000);
    OFMessage keepAlive = next();
    var first = sw.writeRequest(FACTORY.echoRequest(new byte[0]));
    var second = sw.writeRequest(FACTORY.echoRequest(new byte[] {1}));
    long firstXid = next().getXid();
    long secondXid = next().getXid();
    receive(FACTORY.buildEchoReply().setXid(secondXid).setData(new byte[] {1}).build());
    nanos += TimeUnit.MILLISECONDS.toNanos(8);
    receive(FACTORY.buildEchoReply().setXid(keepAlive.getXid()).build());
    assertFalse(first.isDone());
    assertArrayEquals(new byte[] {1}, second.get().getData());
    receive(FACTORY.buildEchoReply().setXid(firstXid).build());
    assertEquals(firstXid, first.get().getXid());
    assertEquals(U64.of(4), sw.getLatency());
    assertEquals(List.of(), events);
  }

  @Test
  void role_whileSlave_isAskedForOncePerIntervalAndNotDemanded() {
    receive(roleReply(OFControllerRole.ROLE_SLAVE));
    assertFalse(sw.isActive());
    for (int interval = 0; interval < 3; interval++) {
      pass(1_000);
      List<OFRoleRequest> asked = roleRequests();
      assertEquals(1, asked.size());
      assertEquals(OFControllerRole.ROLE_NOCHANGE, asked.get(0).getRole());
      receive(roleReply(OFControllerRole.ROLE_SLAVE));
    }
    receive(roleReply(OFControllerRole.ROLE_EQUAL));
    assertTrue(sw.isActive());
    roleRequests();
    pass(1_000);
    assertEquals(List.of(), roleRequests(), "it is known, and will not be asked again");
  }

  private static OFMessage roleReply(OFControllerRole role) {
    return FACTORY.buildRoleReply().setRole(role).setGenerationId(U64.ZERO).build();
  }

  private List<OFRoleRequest> roleRequests() {
    List<OFRoleRequest> requests = new ArrayList<>();
    for (OFMessage message = next(); message != null; message = next()) {
      if (message instanceof OFRoleRequest request) {
        requests.add(request);
      }
    }
    return requests;
  }

  @Test
  void request_answered_givesTheReply() throws Exception {
    OFBarrierRequest request = FACTORY.barrierRequest();
    ListenableFuture<OFBarrierReply> future = sw.writeRequest(request);
    assertEquals(request, next());
    assertFalse(future.isDone());
    receive(FACTORY.buildBarrierReply().setXid(request.getXid() + 1).build());
    assertFalse(future.isDone());
    receive(FACTORY.buildBarrierReply().setXid(request.getXid()).build());
    assertEquals(request.getXid(), future.get().getXid());
  }

  @Test
  void request_answeredWithAnotherType_isStillWaiting() {
    OFBarrierRequest request = FACTORY.barrierRequest();
    ListenableFuture<OFBarrierReply> future = sw.writeRequest(request);
    receive(
        FACTORY
            .buildRoleReply()
            .setXid(request.getXid())
            .setGenerationId(U64.ZERO)
            .setRole(sw.getControllerRole())
            .build());
    assertFalse(future.isDone());
    assertEquals(List.of("received ROLE_REPLY"), events);
  }

  @Test
  void request_answeredWithError_failsWithIt() {
    OFBarrierRequest request = FACTORY.barrierRequest();
    ListenableFuture<OFBarrierReply> future = sw.writeRequest(request);
    OFErrorMsg error = badRequest(request.getXid());
    receive(error);
    OpenFlowErrorException failure = failure(future, OpenFlowErrorException.class);
    assertEquals(
        "The switch answered BARRIER_REQUEST with BAD_REQUEST/EPERM", failure.getMessage());
    assertEquals(request.getXid(), failure.error().getXid());
    assertEquals(List.of(), events);
  }

  @Test
  void error_ofNoRequest_isGivenToListeners() {
    receive(badRequest(1234));
    receive(badRequest(1235));
    assertEquals(List.of("received ERROR", "received ERROR"), events);
  }

  @Test
  void statsRequest_severalParts_givesAllInOrder() throws Exception {
    OFFlowStatsRequest request = flowStatsRequest();
    ListenableFuture<List<OFFlowStatsReply>> future = sw.writeStatsRequest(request);
    for (int part = 0; part < 3; part++) {
      assertFalse(future.isDone());
      Set<OFStatsReplyFlags> flags = part < 2 ? Set.of(OFStatsReplyFlags.REPLY_MORE) : Set.of();
      receive(
          FACTORY
              .buildFlowStatsReply()
              .setXid(request.getXid())
              .setFlags(flags)
              .setEntries(
                  List.of(
                      FACTORY
                          .buildFlowStatsEntry()
                          .setTableId(TableId.of(part))
                          .setMatch(FACTORY.matchWildcardAll())
                          .build()))
              .build());
    }
    assertEquals(
        List.of(0, 1, 2),
        future.get().stream()
            .map(reply -> (int) reply.getEntries().get(0).getTableId().getValue())
            .toList());
  }

  @Test
  void requests_moreThanTheLimit_failAtOnce() {
    for (int i = 0; i < SETTINGS.maxPendingRequests(); i++) {
      assertFalse(sw.writeRequest(FACTORY.barrierRequest()).isDone());
    }
    OFBarrierRequest tooMany = FACTORY.barrierRequest();
    assertEquals(
        "More than 3 requests are waiting for the switch",
        failure(sw.writeRequest(tooMany), OpenFlowException.class).getMessage());
    OFMessage first = next();
    receive(FACTORY.buildBarrierReply().setXid(first.getXid()).build());
    assertFalse(sw.writeRequest(tooMany).isDone(), "there is room again");
  }

  @Test
  void request_sameTransactionTwice_failsTheSecond() {
    OFBarrierRequest request = FACTORY.barrierRequest();
    ListenableFuture<OFBarrierReply> first = sw.writeRequest(request);
    failure(sw.writeRequest(request), OpenFlowException.class);
    assertFalse(first.isDone());
  }

  @Test
  void request_notAnsweredInTime_fails() {
    ListenableFuture<OFBarrierReply> future = sw.writeRequest(FACTORY.barrierRequest());
    pass(SETTINGS.requestTimeoutMillis() - 1);
    assertFalse(future.isDone());
    pass(1);
    failure(future, OpenFlowException.class);
  }

  @Test
  void requests_switchDisconnects_allFailAndSoDoLaterOnes() {
    ListenableFuture<OFBarrierReply> one = sw.writeRequest(FACTORY.barrierRequest());
    ListenableFuture<List<OFFlowStatsReply>> two = sw.writeStatsRequest(flowStatsRequest());
    sw.disconnect();
    channel.runPendingTasks();
    assertEquals(sw.getId(), failure(one, SwitchDisconnectedException.class).getId());
    failure(two, SwitchDisconnectedException.class);
    failure(sw.writeRequest(FACTORY.barrierRequest()), SwitchDisconnectedException.class);
    assertFalse(sw.write(FACTORY.barrierRequest()));
  }

  @Test
  void write_severalMessages_leaveInOrderInOneBuffer() {
    List<OFMessage> messages = List.of(FACTORY.barrierRequest(), FACTORY.echoRequest(new byte[3]));
    assertEquals(List.of(), List.copyOf(sw.write(messages)));
    channel.runPendingTasks();
    assertEquals(1, channel.outboundMessages().size());
    assertEquals(messages.get(0), next());
    assertEquals(messages.get(1), next());
    assertNull(next());
  }

  @Test
  void write_switchDoesNotRead_givesMessagesBack() {
    setWritable(channel, false);
    List<OFMessage> messages = List.of(FACTORY.barrierRequest(), FACTORY.barrierRequest());
    assertEquals(messages, List.copyOf(sw.write(messages)));
    assertFalse(sw.write(messages.get(0)));
    failure(sw.writeRequest(FACTORY.barrierRequest()), OpenFlowException.class);
    assertNull(next());
    setWritable(channel, true);
    assertTrue(sw.write(messages.get(0)));
  }

  @Test
  void message_thatCannotBeEncoded_isLeftOut() {
    OFMessage bad =
        FACTORY.buildPacketOut().setActions(List.of()).setData(new byte[70_000]).build();
    OFMessage good = FACTORY.barrierRequest();
    sw.write(List.of(bad, good));
    assertEquals(good, next());
    assertNull(next());
    assertTrue(channel.isOpen());
  }

  @Test
  void portStatus_changesPortsAndTellsWhat() {
    receive(portStatus(OFPortReason.ADD, true));
    assertTrue(sw.portEnabled(OFPort.of(3)));
    receive(portStatus(OFPortReason.MODIFY, true));
    receive(portStatus(OFPortReason.MODIFY, false));
    assertFalse(sw.portEnabled("ETH3"));
    assertEquals(OFPort.of(3), sw.getPort("Eth3").getPortNo());
    receive(portStatus(OFPortReason.MODIFY, true));
    receive(portStatus(OFPortReason.DELETE, true));
    assertNull(sw.getPort(OFPort.of(3)));
    assertEquals(
        List.of("3 ADD", "3 OTHER_UPDATE", "3 DOWN", "3 UP", "3 DELETE"),
        events.stream().filter(event -> event.startsWith("3")).toList());
  }

  @Test
  void listener_throws_connectionStaysAndNextMessageIsDelivered() {
    listenerFails = true;
    receive(FACTORY.barrierReply());
    receive(FACTORY.barrierReply());
    assertEquals(List.of("received BARRIER_REPLY", "received BARRIER_REPLY"), events);
    assertTrue(channel.isOpen());
  }

  @Test
  void message_thatCannotBeParsed_isSkipped() {
    receiveBytes(4, 10, 0, 9, 0, 0, 0, 1, 77, /* the next one: */ 4, 21, 0, 8, 0, 0, 0, 2);
    assertEquals(List.of("refused MESSAGE_UNREADABLE", "received BARRIER_REPLY"), events);
    assertTrue(channel.isOpen());
  }

  @Test
  void message_inSingleBytes_isPutTogether() {
    for (int each : new int[] {4, 21, 0, 8, 0, 0, 0, 2}) {
      receiveBytes(each);
    }
    assertEquals(List.of("received BARRIER_REPLY"), events);
  }

  @Test
  void message_shorterThanItsHeader_closesTheConnection() {
    receiveBytes(4, 21, 0, 7, 0, 0, 0, 2, 1, 2, 3, 4);
    assertFalse(channel.isOpen());
    assertEquals(List.of("refused STREAM_CORRUPT", "disconnected"), events);
  }

  private static void setWritable(Channel channel, boolean writable) {
    ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
    buffer.setUserDefinedWritability(1, writable);
  }

  private static <T extends Exception> T failure(ListenableFuture<?> future, Class<T> type) {
    assertTrue(future.isDone());
    return assertInstanceOf(type, assertThrows(ExecutionException.class, future::get).getCause());
  }

  private static OFFlowStatsRequest flowStatsRequest() {
    return FACTORY
        .buildFlowStatsRequest()
        .setMatch(FACTORY.matchWildcardAll())
        .setTableId(TableId.ALL)
        .setOutPort(OFPort.ANY)
        .build();
  }

  private static OFErrorMsg badRequest(long xid) {
    return FACTORY
        .errorMsgs()
        .buildBadRequestErrorMsg()
        .setXid(xid)
        .setCode(OFBadRequestCode.EPERM)
        .setData(OFErrorCauseData.NONE)
        .build();
  }

  private static OFMessage portStatus(OFPortReason reason, boolean up) {
    OFPortDesc port =
        FACTORY
            .buildPortDesc()
            .setPortNo(OFPort.of(3))
            .setName("eth3")
            .setState(up ? Set.of() : Set.of(OFPortState.LINK_DOWN))
            .build();
    return FACTORY.buildPortStatus().setReason(reason).setDesc(port).build();
  }
}
