package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.malob.controller.guard.Refusal;
import io.malob.controller.guard.RefusalCounts;
import io.malob.controller.module.ModuleSettings;
import io.malob.testing.Frames;
import io.malob.testing.FuzzCorpus;
import io.malob.testing.Mutator;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.SwitchRecorder;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;
import org.projectfloodlight.openflow.protocol.OFStatsRequest;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.slf4j.LoggerFactory;

/**
 * All modules, and a switch that lies. Whatever it sends, no exception gets out of a message, no
 * thread ends, and the switch beside it is served as before.
 */
class HostileSwitchTest {
  private static final int CONNECTIONS = 100;
  private static final int MESSAGES = 50;
  private static final long ASKED = 4_711;
  private static final int LENGTH_AT = 2;
  private static final int HEADER_BYTES = 8;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final MacAddress MAC = MacAddress.of("02:00:00:00:00:01");
  private static final IPv4Address ADDRESS = IPv4Address.of("10.0.0.1");

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Set<Thread> others = Thread.getAllStackTraces().keySet();
  private final SwitchRecorder recorder = new SwitchRecorder();
  private EmbeddedController controller;
  private ScriptedSwitch honest;

  @BeforeEach
  void start() throws Exception {
    log.start();
    root().addAppender(log);
    try (Reader settings =
        new InputStreamReader(
            HostileSwitchTest.class.getResourceAsStream("/floodlightdefault.properties"),
            StandardCharsets.UTF_8)) {
      controller =
          EmbeddedController.start(
              ModuleSettings.read(settings).overlaidWith(EmbeddedControllerTest.FREE_PORTS));
    }
    controller.context().getServiceImpl(IOFSwitchService.class).addOFSwitchListener(recorder);
    honest = new ScriptedSwitch(1, 3).connect(controller.openFlowPort());
    recorder.await("activated " + honest.id());
  }

  @AfterEach
  void stop() {
    honest.close();
    controller.close();
    root().detachAppender(log);
  }

  private static Logger root() {
    return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }

  private ScriptedSwitch liar() {
    ScriptedSwitch liar =
        new ScriptedSwitch(666, 3).connect(controller.openFlowPort()).awaitHandshake();
    await("it to be known", () -> known(liar) != null);
    return liar;
  }

  private long refused(Refusal refusal) {
    return controller.context().getServiceImpl(RefusalCounts.class).of(refusal);
  }

  private IOFSwitch known(ScriptedSwitch sw) {
    return controller.context().getServiceImpl(IOFSwitchService.class).getSwitch(sw.id());
  }

  /** The switch beside it is served: a host that speaks there becomes known. */
  private void assertServed() {
    int before = honest.packetOuts().size();
    await(
        "the honest switch to be served",
        () -> {
          honest.packetIn(1, Frames.arpRequest(MAC, ADDRESS, IPv4Address.of("10.0.0.77")));
          return honest.packetOuts().size() > before + 5;
        });
  }

  private void assertNothingThrown() {
    List<ILoggingEvent> logged;
    synchronized (log) { // as whoever appends to it
      logged = List.copyOf(log.list);
    }
    List<String> thrown =
        logged.stream()
            .filter(event -> event.getThrowableProxy() != null || event.getLevel() == Level.ERROR)
            .map(event -> event.getFormattedMessage() + " " + event.getThrowableProxy())
            .collect(Collectors.toList());
    assertEquals(List.of(), thrown);
  }

  /** The controller's, but for that of Netty that ends whenever it has nothing to do. */
  private Set<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .filter(thread -> !others.contains(thread))
        .map(Thread::getName)
        .filter(name -> !name.startsWith("scripted-switch"))
        .filter(name -> !name.startsWith("globalEventExecutor"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("expected " + what);
      }
      try {
        TimeUnit.MILLISECONDS.sleep(20);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Test
  void mutatedMessages_throwNothingAndEndNoThread() {
    Mutator mutator =
        new Mutator(new Random(1_303), List.copyOf(FuzzCorpus.read("openflow.txt").values()));
    assertServed();
    Set<String> before = threads();
    assertTrue(before.size() > 3, before.toString());
    for (int connection = 0; connection < CONNECTIONS; connection++) {
      ScriptedSwitch liar = liar();
      try {
        for (int i = 0; i < MESSAGES; i++) {
          liar.sendBytes(spoiled(mutator.next(), i));
        }
      } catch (UncheckedIOException closed) {
        // as it should be, if something could not be a message at all
      }
      liar.close();
    }
    assertServed();
    assertTrue(refused(Refusal.MESSAGE_UNREADABLE) > 0);
    assertNothingThrown();
    Set<String> gone = before;
    gone.removeAll(threads());
    assertEquals(Set.of(), gone, "threads that have ended");
  }

  /** Mostly with a right length, so that more than the first message is read. */
  private static byte[] spoiled(byte[] message, int i) {
    if (message.length >= HEADER_BYTES && i % 10 != 0) {
      ByteBuffer.wrap(message).putShort(LENGTH_AT, (short) message.length);
    }
    return message;
  }

  @Test
  void lengthThatCannotBe_closesTheConnection_andIsCounted() {
    ScriptedSwitch liar = liar();
    liar.sendBytes(new byte[] {4, 10, 0, 7, 0, 0, 0, 0});
    liar.awaitClosed();
    assertEquals(1, refused(Refusal.STREAM_CORRUPT));
  }

  @Test
  void unknownType_isCounted_andTheConnectionLives() {
    ScriptedSwitch liar = liar();
    liar.sendBytes(new byte[] {4, 99, 0, 8, 0, 0, 0, 0});
    await("it to be counted", () -> refused(Refusal.MESSAGE_UNREADABLE) == 1);
    assertTrue(known(liar).isConnected());
    liar.close();
  }

  @Test
  void packetIn_withoutPort_isUnreadable() {
    ScriptedSwitch liar = liar();
    liar.send(packetIn(liar, 0, OFPort.ANY));
    await("it to be counted", () -> refused(Refusal.MESSAGE_UNREADABLE) == 1);
    assertServed();
    assertNothingThrown();
    liar.close();
  }

  @Test
  void packetIn_thatClaimsMoreThanItHas_orComesFromNowhere_isHarmless() {
    ScriptedSwitch liar = liar();
    for (int port : new int[] {3, 4_711, 0xfffffffd, 0xfffffffe}) {
      for (int total : new int[] {0, 0xffff}) {
        liar.send(packetIn(liar, total, OFPort.of(port)));
      }
    }
    assertServed();
    assertNothingThrown();
    liar.close();
  }

  private static OFMessage packetIn(ScriptedSwitch sw, int totalLength, OFPort port) {
    OFPacketIn.Builder message =
        sw.factory()
            .buildPacketIn()
            .setBufferId(OFBufferId.NO_BUFFER)
            .setTotalLen(totalLength)
            .setReason(OFPacketInReason.NO_MATCH)
            .setTableId(TableId.ZERO)
            .setData(Frames.arpRequest(MAC, ADDRESS, ADDRESS));
    return port.equals(OFPort.ANY)
        ? message.setMatch(sw.factory().matchWildcardAll()).build()
        : message
            .setMatch(sw.factory().buildMatch().setExact(MatchField.IN_PORT, port).build())
            .build();
  }

  @Test
  void repliesThatNobodyAskedFor_areIgnored() {
    ScriptedSwitch liar = liar();
    FuzzCorpus.read("openflow.txt")
        .forEach((name, message) -> sendUnlessHello(liar, name, message));
    assertServed();
    assertTrue(known(liar).isConnected());
    assertNothingThrown();
    liar.close();
  }

  private static void sendUnlessHello(ScriptedSwitch liar, String name, byte[] message) {
    if (name.startsWith("v4_") && !name.endsWith("hello")) {
      liar.sendBytes(message);
    }
  }

  @Test
  void anotherDatapathId_afterTheHandshake_changesNothing() {
    ScriptedSwitch liar = liar();
    liar.send(
        liar.factory()
            .buildFeaturesReply()
            .setDatapathId(honest.id())
            .setNTables((short) 254)
            .build());
    assertServed();
    assertEquals(DatapathId.of(666), known(liar).getId());
    liar.close();
  }

  @Test
  void portsWithoutEnd_areNotAllRemembered() {
    ScriptedSwitch liar = liar();
    for (int port = 1; port <= 5_000; port++) {
      liar.setPortUp(port, false);
    }
    await("it to be counted", () -> refused(Refusal.PORTS_TOO_MANY) == 5_000 - 4_096);
    assertEquals(4_096, known(liar).getPorts().size());
    liar.close();
  }

  @Test
  void multipartWithoutEnd_failsAtItsLimit_andTheSwitchGoesOn() throws Exception {
    ScriptedSwitch liar = liar();
    liar.answer(
        request ->
            request instanceof OFStatsRequest<?> && request.getXid() == ASKED
                ? Collections.nCopies(
                    10_001,
                    liar.factory()
                        .buildPortStatsReply()
                        .setXid(request.getXid())
                        .setFlags(Set.of(OFStatsReplyFlags.REPLY_MORE))
                        .setEntries(List.of())
                        .build())
                : null);
    var answer =
        known(liar)
            .writeStatsRequest(
                liar.factory().buildPortStatsRequest().setXid(ASKED).setPortNo(OFPort.ANY).build());
    await("the request to fail", answer::isDone);
    assertEquals(
        "The answer has more than 10000 parts or 33554432 bytes",
        assertThrows(ExecutionException.class, answer::get).getCause().getMessage());
    assertTrue(known(liar).isConnected());
    assertServed();
    liar.close();
  }
}
