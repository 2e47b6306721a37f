package io.malob.cluster.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import io.malob.module.IClusterService;
import io.malob.module.IPeerService;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.openflow.RuleSender.SwitchConnection;
import io.malob.testing.PeerFuzz;
import io.malob.testing.Stub;
import io.malob.testing.Wire;
import io.malob.testing.WireBytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IListener.Command;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.U64;

/** Controller {@code a} sends rules to a switch of controller {@code b}. */
@SuppressWarnings("FutureReturnValueIgnored") // the barriers of the stubs
class RelayModuleTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final DatapathId SWITCH = DatapathId.of(7);

  private final AtomicLong nanoTime = new AtomicLong();
  private final List<Controller> controllers = new ArrayList<>();
  private String master = "b";
  private final Controller a = new Controller("a");
  private final Controller b = new Controller("b");

  /** A controller with a connection to the switch. */
  private final class Controller implements IPeerService {
    final String name;
    final RelayModule relay = new RelayModule(nanoTime::get);
    final List<OFMessage> written = new ArrayList<>();
    final List<SettableFuture<OFMessage>> barriers = new ArrayList<>();
    final List<OFMessage> errors = new ArrayList<>();
    final List<byte[]> sent = new ArrayList<>();
    final Map<String, IOFMessageListener> errorListeners = new HashMap<>();
    final List<Runnable> repeated = new ArrayList<>();
    OFFactory factory = FACTORY;
    boolean isConnected = true;
    boolean isReached = true;
    boolean reads = true;
    final IOFSwitch sw =
        Stub.of(IOFSwitch.class)
            .on("getId", with -> SWITCH)
            .on("getOFFactory", with -> factory)
            .on("write", with -> write((Iterable<?>) with[0]))
            .on("writeRequest", with -> barrier())
            .make();

    Controller(String name) {
      this.name = name;
      controllers.add(this);
      FloodlightModuleContext context = new FloodlightModuleContext();
      IOFMessageListener own =
          Stub.of(IOFMessageListener.class)
              .on(
                  "receive",
                  with -> {
                    errors.add((OFMessage) with[1]);
                    return Command.CONTINUE;
                  })
              .make();
      IFloodlightProviderService provider =
          Stub.of(IFloodlightProviderService.class)
              .on(
                  "addOFMessageListener",
                  with -> errorListeners.put("relay", (IOFMessageListener) with[1]))
              .on("getListeners", with -> Map.of(OFType.ERROR, List.of(own)))
              .make();
      context.addService(IFloodlightProviderService.class, provider);
      IOFSwitchService switches =
          Stub.of(IOFSwitchService.class)
              .on("getSwitch", with -> isConnected ? sw : null)
              .on("getActiveSwitch", with -> master.equals(name) ? sw : null)
              .make();
      context.addService(IOFSwitchService.class, switches);
      ScheduledExecutorService timer =
          Stub.of(ScheduledExecutorService.class)
              .on(
                  "scheduleWithFixedDelay",
                  with -> {
                    repeated.add((Runnable) with[0]);
                    return null;
                  })
              .make();
      IThreadPoolService pool = () -> timer;
      context.addService(IThreadPoolService.class, pool);
      IClusterService cluster =
          Stub.of(IClusterService.class)
              .on("name", with -> name)
              .on("masterOf", with -> Optional.of(master).filter(any -> !any.isEmpty()))
              .make();
      context.addService(IClusterService.class, cluster);
      context.addService(IPeerService.class, this);
      try {
        relay.init(context);
      } catch (net.floodlightcontroller.core.module.FloodlightModuleException e) {
        throw new IllegalArgumentException(e);
      }
      relay.startUp(context);
    }

    private List<OFMessage> write(Iterable<?> messages) {
      List<OFMessage> all = new ArrayList<>();
      messages.forEach(message -> all.add((OFMessage) message));
      if (!reads) {
        return all;
      }
      written.addAll(all);
      return List.of();
    }

    private Object barrier() {
      SettableFuture<OFMessage> barrier = SettableFuture.create();
      barriers.add(barrier);
      return barrier;
    }

    SwitchConnection found() {
      return relay.find(SWITCH).orElseThrow();
    }

    Command tell(OFMessage error) {
      return errorListeners.get("relay").receive(sw, error, new FloodlightContext());
    }

    void pass(long millis) {
      nanoTime.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
      repeated.forEach(Runnable::run);
    }

    @Override
    public void listen(PeerTopic topic, PeerListener listener) {
      assertEquals(PeerTopic.RULES, topic);
    }

    @Override
    public boolean send(String peer, PeerTopic topic, byte[] message) {
      if (!isReached) {
        return false;
      }
      sent.add(message);
      Controller receiver =
          controllers.stream().filter(each -> each.name.equals(peer)).findAny().orElseThrow();
      receiver.relay.received(name, ByteBuffer.wrap(message));
      return true;
    }

    @Override
    public ImmutableSet<String> reached() {
      return isReached ? ImmutableSet.of("a", "b") : ImmutableSet.of();
    }
  }

  private static OFFlowAdd rule(int priority) {
    return FACTORY.buildFlowAdd().setPriority(priority).setCookie(U64.of(priority)).build();
  }

  private static OFMessage errorAbout(OFMessage message) {
    return FACTORY
        .errorMsgs()
        .buildBadRequestErrorMsg()
        .setXid(message.getXid())
        .setCode(OFBadRequestCode.EPERM)
        .setData(OFErrorCauseData.NONE)
        .build();
  }

  private static boolean isDone(ListenableFuture<?> barrier) {
    try {
      return barrier.isDone() && barrier.get() != null;
    } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
      return false;
    }
  }

  private static void assertFailed(ListenableFuture<?> barrier) {
    assertTrue(barrier.isDone());
    assertFalse(isDone(barrier));
  }

  @Test
  void messagesOfOneWrite_areOneMessage_andAreWrittenInOrderWithOwnTransactionIds() {
    List<OFMessage> rules = List.of(rule(1), rule(2), rule(3));
    assertTrue(a.found().write(rules));
    assertEquals(1, a.sent.size());
    assertEquals(3, b.written.size());
    for (int i = 0; i < 3; i++) {
      OFMessage arrived = Wire.readBack(b.written.get(i));
      assertTrue(arrived.equalsIgnoreXid(rules.get(i)), arrived::toString);
      assertNotEquals(rules.get(i).getXid(), arrived.getXid());
    }
    assertEquals(1, a.relay.counts().sent());
    assertEquals(1, b.relay.counts().written());
  }

  @Test
  void longWrites_areSplitBetweenMessages() {
    List<OFMessage> rules = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      rules.add(rule(i));
    }
    assertTrue(a.found().write(rules));
    assertTrue(a.sent.size() > 1);
    assertTrue(a.sent.stream().allMatch(each -> each.length <= IPeerService.MAX_MESSAGE));
    assertEquals(20_000, b.written.size());
  }

  @Test
  void switch_isNotFound_withoutAConnectionOrAStreamOrAnotherMaster() {
    a.isConnected = false;
    assertTrue(a.relay.find(SWITCH).isEmpty());
    a.isConnected = true;
    a.isReached = false;
    assertTrue(a.relay.find(SWITCH).isEmpty());
    a.isReached = true;
    for (String other : List.of("", "a")) {
      master = other;
      assertTrue(a.relay.find(SWITCH).isEmpty());
    }
  }

  @Test
  void error_goesToTheControllerThatSentTheMessage_withItsTransactionId() {
    OFMessage rule = rule(1);
    a.found().write(List.of(rule));
    assertEquals(Command.STOP, b.tell(errorAbout(b.written.get(0))));
    assertEquals(1, a.errors.size());
    assertEquals(rule.getXid(), a.errors.get(0).getXid());
    assertEquals(List.of(), b.errors);
    assertEquals(Command.CONTINUE, b.tell(errorAbout(rule(2))), "its own");
  }

  @Test
  void barrier_isAnsweredByTheSwitch() {
    ListenableFuture<?> barrier = a.found().barrier();
    assertFalse(barrier.isDone());
    b.barriers.get(0).set(FACTORY.barrierReply());
    assertTrue(isDone(barrier));
    ListenableFuture<?> failing = a.found().barrier();
    b.barriers.get(1).setException(new IllegalStateException("disconnected"));
    assertFailed(failing);
  }

  @Test
  void barrier_fails_ifTheMasterChanges_isLost_orDoesNotAnswerFor5Seconds() {
    ListenableFuture<?> silent = a.found().barrier();
    a.pass(4_900);
    assertFalse(silent.isDone());
    a.pass(200);
    assertFailed(silent);

    ListenableFuture<?> lost = a.found().barrier();
    a.relay.lost("b");
    assertFailed(lost);

    ListenableFuture<?> handedOver = a.found().barrier();
    ListenableFuture<?> demoted = a.found().barrier();
    master = "c";
    b.barriers.get(3).set(FACTORY.barrierReply());
    assertFailed(demoted);
    a.pass(250);
    assertFailed(handedOver);
  }

  @Test
  void messagesForASwitchOfAnotherMaster_areRefused_andBarriersAfterThemFail() {
    SwitchConnection before = a.found();
    ListenableFuture<?> barrier = before.barrier();
    master = "c";
    assertTrue(before.write(List.of(rule(1))));
    assertEquals(List.of(), b.written);
    assertEquals(1, b.relay.counts().refused());
    assertFailed(barrier);
    assertFailed(before.barrier());
  }

  @Test
  void switchThatDoesNotRead_refuses() {
    b.reads = false;
    a.found().write(List.of(rule(1)));
    assertEquals(1, b.relay.counts().refused());
  }

  @Test
  void otherVersionsAndOtherMessages_areRefused() {
    b.factory = OFFactories.getFactory(OFVersion.OF_14);
    a.found().write(List.of(rule(1)));
    b.factory = FACTORY;
    a.found()
        .write(
            List.of(
                rule(1),
                FACTORY
                    .buildRoleRequest()
                    .setRole(org.projectfloodlight.openflow.protocol.OFControllerRole.ROLE_SLAVE)
                    .setGenerationId(U64.ZERO)
                    .build()));
    assertEquals(2, b.relay.counts().refused());
    assertEquals(List.of(), b.written);
  }

  @Test
  void damagedMessages_areRejectedRefusedOrTaken() {
    List<OFMessage> rules = List.of(rule(1), FACTORY.buildPacketOut().setData(new byte[9]).build());
    PeerFuzz.check(
        tasks -> b.relay,
        RelayFormat.write(SWITCH, rules).get(0),
        RelayFormat.barrier(SWITCH, 1),
        RelayFormat.answer(1, true),
        RelayFormat.refused(SWITCH),
        RelayFormat.error(SWITCH, errorAbout(rule(1)), 7));
    assertTrue(b.errors.stream().allMatch(OFErrorMsg.class::isInstance), "errors only");
  }

  @Test
  void damagedMessages_areRefusedAsAWhole() {
    ByteBuf rules = Unpooled.buffer();
    rule(1).writeTo(rules);
    int one = rules.readableBytes();
    rule(2).writeTo(rules);
    for (int length = 0; length < rules.readableBytes(); length++) {
      byte[] part = new byte[9 + length];
      ByteBuffer.wrap(part).put((byte) RelayFormat.WRITE).putLong(SWITCH.getLong());
      rules.getBytes(0, part, 9, length);
      b.written.clear();
      b.relay.received("a", ByteBuffer.wrap(part));
      assertEquals(length == one ? 1 : 0, b.written.size());
    }
  }

  @Test
  void bytes_areThoseOfTheLastRelease() {
    assertTrue(a.found().write(List.of(rule(1).createBuilder().setXid(7).build())));
    WireBytes.check("relay-write", a.sent.get(0));
    ListenableFuture<?> barrier = a.found().barrier();
    WireBytes.check("relay-barrier", a.sent.get(1));
    b.barriers.get(0).set(FACTORY.barrierReply());
    assertTrue(isDone(barrier));
    WireBytes.check("relay-answer", b.sent.get(0));
    b.tell(errorAbout(b.written.get(0)));
    WireBytes.check("relay-error", b.sent.get(1));
    b.reads = false;
    assertTrue(a.found().write(List.of(rule(1))));
    WireBytes.check("relay-refused", b.sent.get(2));
  }
}
