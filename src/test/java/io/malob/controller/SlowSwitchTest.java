package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.controller.channel.OpenFlowException;
import io.malob.controller.module.ModuleSettings;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.SwitchRecorder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFEchoRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;

/** A switch that does not read, over real TCP, beside one that does, on one Netty thread. */
class SlowSwitchTest {
  private static final int MESSAGE_BYTES = 60_000;

  /** What the sockets of both ends and the controller's own buffer can hold at most, and more. */
  private static final int MOST_MESSAGES = 64 * 1024 * 1024 / MESSAGE_BYTES;

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
                .overlaidWith(Map.of("io.malob.controller.core.CoreModule.workerThreads", "1")));
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
    assertTrue(accepted < MOST_MESSAGES, "there must be an end to what is accepted");

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
    while (refused < 10 && accepted < MOST_MESSAGES) {
      if (sw.write(message(accepted))) {
        accepted++;
        refused = 0;
        if (accepted % 16 == 0) {
          // what waits for the channel's thread counts little: let it catch up
          answersABarrier(good);
        }
      } else {
        // meanwhile the channel's thread moves what it can into the socket
        refused++;
        answersABarrier(good);
      }
    }
    return accepted;
  }

  private static OFMessage message(int number) {
    return ScriptedSwitch.FACTORY
        .buildEchoRequest()
        .setXid(number)
        .setData(new byte[MESSAGE_BYTES])
        .build();
  }
}
