package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import io.malob.controller.channel.OpenFlowException;
import io.malob.controller.module.ModuleSettings;
import io.malob.testing.Frames;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.SwitchRecorder;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFEchoRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;

/** A switch that does not read, over real TCP, beside one that does, on one Netty thread. */
@Tag("real-time")
class SlowSwitchTest {
  private static final String CORE = "io.malob.controller.core.CoreModule.";
  private static final int MESSAGE_BYTES = 60_000;

  /** What the sockets of both ends and the controller's own buffer can hold at most, and more. */
  private static final int MAX_MESSAGES = 64 * 1024 * 1024 / MESSAGE_BYTES;

  /** What is kept for one switch beyond its socket's buffers. */
  private static final int MAX_KEPT_BYTES = 4 * 1024 * 1024;

  private EmbeddedController controller;
  private IOFSwitchService switches;
  private SwitchRecorder recorder;
  private ScriptedSwitch slow;
  private ScriptedSwitch good;

  @BeforeEach
  void start() throws Exception {
    controller =
        EmbeddedController.start(
            ModuleSettings.parse("")
                .overlaidWith(EmbeddedControllerTest.FREE_PORTS)
                .overlaidWith(
                    Map.of(
                        CORE + "workerThreads", "1",
                        CORE + "echoIntervalMillis", "200",
                        CORE + "unreadTimeoutMillis", "5000")));
    recorder = new SwitchRecorder();
    switches = controller.context().getServiceImpl(IOFSwitchService.class);
    switches.addOFSwitchListener(recorder);
    slow = new ScriptedSwitch(1, 1).connect(controller.openFlowPort());
    recorder.await("activated " + slow.id());
    good = new ScriptedSwitch(2, 1).connect(controller.openFlowPort());
    recorder.await("activated " + good.id());
  }

  @AfterEach
  void stop() {
    slow.close();
    good.close();
    controller.close();
  }

  @Test
  void switchStopsReading_isBoundedAndOthersAreServed_thenGetsWhatWasAccepted() throws Exception {
    IOFSwitch slowSwitch = switches.getSwitch(slow.id());
    slow.forget();
    slow.reading(false);
    int accepted = fill(slowSwitch);
    assertTrue(accepted < MAX_MESSAGES, "there must be an end to what is accepted");

    assertFalse(slowSwitch.write(message(0)));
    List<OFMessage> two = List.of(message(1), message(2));
    assertEquals(two, List.copyOf(slowSwitch.write(two)));
    ExecutionException failure =
        assertThrows(
            ExecutionException.class,
            () -> slowSwitch.writeRequest(ScriptedSwitch.FACTORY.barrierRequest()).get());
    assertInstanceOf(OpenFlowException.class, failure.getCause());
    for (int i = 0; i < 100; i++) {
      answersABarrier(good);
    }

    slow.reading(true);
    List<OFEchoRequest> arrived =
        slow.awaitCount(
            accepted, OFEchoRequest.class, echo -> echo.getData().length == MESSAGE_BYTES);
    assertEquals(accepted, arrived.size());
    for (int i = 0; i < accepted; i++) {
      assertEquals(i, arrived.get(i).getXid());
    }
    answersABarrier(slow);
  }

  @Test
  void messages_waitForTheChannelsThread_countWithTheirSizes() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    controller
        .context()
        .getServiceImpl(IFloodlightProviderService.class)
        .addOFMessageListener(OFType.PACKET_IN, new BlockingListener(entered, release));
    try {
      good.packetIn(1, Frames.arpRequest(MacAddress.of(1), IPv4Address.of(1), IPv4Address.of(2)));
      assertTrue(entered.await(10, TimeUnit.SECONDS));
      IOFSwitch slowSwitch = switches.getSwitch(slow.id());
      int accepted = 0;
      while (accepted < MAX_MESSAGES && slowSwitch.write(message(accepted))) {
        accepted++;
      }
      int max = MAX_KEPT_BYTES / MESSAGE_BYTES + 1;
      assertTrue(accepted > max / 2 && accepted <= max, "accepted " + accepted);
    } finally {
      release.countDown();
    }
  }

  @Test
  void switchSendsButDoesNotRead_isDisconnected_andOthersAreServedAllTheTime() throws Exception {
    slow.reading(false);
    fill(switches.getSwitch(slow.id()));
    byte[] frame = Frames.arpRequest(MacAddress.of(1), IPv4Address.of(1), IPv4Address.of(2));
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    int barriers = 0;
    while (switches.getSwitch(slow.id()) != null && System.nanoTime() < deadline) {
      try {
        slow.packetIn(1, frame);
      } catch (UncheckedIOException e) {
        break; // the controller has closed the connection
      }
      answersABarrier(good);
      barriers++;
    }
    recorder.await("removed " + slow.id());
    assertTrue(barriers > 100, "only " + barriers + " barriers were answered meanwhile");
    answersABarrier(good);
  }

  @Test
  void controllerStops_switchDoesNotRead_doesNotWaitForIt() throws Exception {
    slow.reading(false);
    fill(switches.getSwitch(slow.id()));
    assertTimeoutPreemptively(Duration.ofSeconds(10), controller::close);
  }

  private void answersABarrier(ScriptedSwitch sw) throws Exception {
    switches
        .getSwitch(sw.id())
        .writeRequest(ScriptedSwitch.FACTORY.barrierRequest())
        .get(10, TimeUnit.SECONDS);
  }

  /** Writes until nothing more is accepted, and stays so; how many messages were. */
  private int fill(IOFSwitch sw) throws Exception {
    int accepted = 0;
    int refused = 0;
    while (refused < 10 && accepted < MAX_MESSAGES) {
      if (sw.write(message(accepted))) {
        accepted++;
        refused = 0;
      } else {
        // meanwhile the channel's thread moves what it can into the socket
        refused++;
        answersABarrier(good);
      }
    }
    return accepted;
  }

  /** Holds the thread of its switch at the first packet until it is released. */
  private record BlockingListener(CountDownLatch entered, CountDownLatch release)
      implements IOFMessageListener {
    @Override
    public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
      entered.countDown();
      Uninterruptibles.awaitUninterruptibly(release);
      return Command.CONTINUE;
    }

    @Override
    public String getName() {
      return "blocking";
    }

    @Override
    public boolean isCallbackOrderingPrereq(OFType type, String name) {
      return false;
    }

    @Override
    public boolean isCallbackOrderingPostreq(OFType type, String name) {
      return false;
    }
  }

  private static OFMessage message(int number) {
    return ScriptedSwitch.FACTORY
        .buildEchoRequest()
        .setXid(number)
        .setData(new byte[MESSAGE_BYTES])
        .build();
  }
}
