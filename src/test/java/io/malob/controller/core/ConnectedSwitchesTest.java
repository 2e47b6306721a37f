package io.malob.controller.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.Uninterruptibles;
import io.malob.controller.EmbeddedController;
import io.malob.controller.module.ModuleSettings;
import io.malob.module.DuplicateSwitch;
import io.malob.module.IDuplicateSwitchService;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.Stub;
import io.malob.testing.SwitchRecorder;
import io.malob.testing.Together;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.IOFSwitchListener;
import net.floodlightcontroller.core.SwitchDisconnectedException;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFBarrierReply;
import org.projectfloodlight.openflow.protocol.OFBarrierRequest;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFBufferId;

/** Switches over real TCP connections. */
class ConnectedSwitchesTest {
  private static final String ONE = "00:00:00:00:00:00:00:01";

  private EmbeddedController controller;
  private IOFSwitchService switches;
  private SwitchRecorder recorder;

  @BeforeEach
  void start() throws Exception {
    ModuleSettings settings =
        ModuleSettings.parse("")
            .overlaidWith(
                Map.of(
                    "io.malob.controller.core.CoreModule.openFlowPort", "0",
                    "io.malob.controller.rest.RestModule.httpPort", "0"));
    controller = EmbeddedController.start(settings);
    switches = controller.context().getServiceImpl(IOFSwitchService.class);
    recorder = new SwitchRecorder();
    switches.addOFSwitchListener(recorder);
  }

  @AfterEach
  void stop() {
    controller.close();
  }

  @Test
  void connection_comesChangesAndGoes_isToldInOrder() throws Exception {
    try (ScriptedSwitch sw = connect(1)) {
      assertEquals(Set.of(sw.id()), switches.getAllSwitchDpids());
      assertTrue(switches.getActiveSwitch(sw.id()).portEnabled("s1-eth2"));
      sw.setPortUp(2, false);
      sw.setPortUp(4, true);
      sw.removePort(1);
      recorder.await("port " + ONE + "/1 DELETE");
    }
    recorder.await("removed " + ONE);
    assertEquals(
        List.of(
            "added " + ONE,
            "activated " + ONE,
            "port " + ONE + "/2 DOWN",
            "port " + ONE + "/4 ADD",
            "port " + ONE + "/1 DELETE",
            "removed " + ONE),
        recorder.events());
    assertEquals(Map.of(), switches.getAllSwitchMap());
  }

  @Test
  void portThatFlapsWhileListenersAreBusy_isToldOnceAsItIs_andThatItWasDown() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    try (ScriptedSwitch sw = connect(1)) {
      switches.addOFSwitchListener(
          Stub.of(IOFSwitchListener.class)
              .on(
                  "switchPortChanged",
                  with -> {
                    Uninterruptibles.awaitUninterruptibly(busy);
                    return null;
                  })
              .make());
      sw.setPortUp(1, false);
      recorder.await("port " + ONE + "/1 DOWN");
      for (int i = 0; i < 1_000; i++) {
        sw.setPortUp(2, false);
        sw.setPortUp(2, true);
      }
      IOFSwitch seen = switches.getSwitch(sw.id());
      seen.writeRequest(seen.getOFFactory().barrierRequest()).get(10, TimeUnit.SECONDS);
      busy.countDown();
      sw.removePort(1);
      recorder.await("port " + ONE + "/1 DELETE");
    }
    assertEquals(
        List.of(
            "port " + ONE + "/1 DOWN",
            "port " + ONE + "/2 DOWN",
            "port " + ONE + "/2 UP",
            "port " + ONE + "/1 DELETE"),
        recorder.events().stream().filter(event -> event.startsWith("port")).toList());
  }

  @Test
  void sameDatapathTwice_newerReplacesOlderThatIsSilent() throws Exception {
    try (ScriptedSwitch older = connect(1)) {
      IOFSwitch first = switches.getSwitch(older.id());
      older.answer(request -> List.of());
      try (ScriptedSwitch newer = connect(1)) {
        older.awaitClosed();
        IOFSwitch second = switches.getActiveSwitch(newer.id());
        assertTrue(second != first && second.isConnected());
        second.writeRequest(second.getOFFactory().barrierRequest()).get(10, TimeUnit.SECONDS);
        assertEquals(
            List.of(
                "added " + ONE,
                "activated " + ONE,
                "removed " + ONE,
                "added " + ONE,
                "activated " + ONE),
            recorder.events());
        assertEquals(List.of(), duplicates());
      }
    }
  }

  @Test
  void sameDatapathTwice_olderThatAnswersIsServed_andTheNewerIsClosedEachTime() throws Exception {
    try (ScriptedSwitch older = connect(1)) {
      IOFSwitch first = switches.getSwitch(older.id());
      for (int i = 0; i < 3; i++) {
        try (ScriptedSwitch newer = new ScriptedSwitch(1, 2).connect(controller.openFlowPort())) {
          newer.awaitClosed();
          assertEquals(List.of(), newer.received(OFFlowMod.class));
        }
      }
      assertSame(first, switches.getActiveSwitch(older.id()));
      first.writeRequest(first.getOFFactory().barrierRequest()).get(10, TimeUnit.SECONDS);
      assertEquals(List.of("added " + ONE, "activated " + ONE), recorder.events());
      DuplicateSwitch duplicate = duplicates().get(0);
      assertEquals(older.id(), duplicate.id());
      assertEquals(first.getInetAddress().toString(), duplicate.served());
      assertNotEquals(duplicate.served(), duplicate.refused());
    }
    recorder.await("removed " + ONE);
    assertEquals(List.of(), duplicates());
    connect(1).close();
  }

  @Test
  void auxiliaryConnection_isNoSecondSwitch() throws Exception {
    try (ScriptedSwitch main = connect(1);
        ScriptedSwitch auxiliary =
            new ScriptedSwitch(1, 2).auxiliary(1).connect(controller.openFlowPort())) {
      auxiliary.awaitClosed();
      assertTrue(switches.getActiveSwitch(main.id()).isConnected());
      assertEquals(List.of("added " + ONE, "activated " + ONE), recorder.events());
      assertEquals(List.of(), duplicates());
    }
  }

  private List<DuplicateSwitch> duplicates() {
    return controller.context().getServiceImpl(IDuplicateSwitchService.class).duplicates();
  }

  @Test
  void switchWithoutTables_isClosedAndNeverSeen() {
    try (ScriptedSwitch sw = new ScriptedSwitch(1, 1).tables(0)) {
      sw.connect(controller.openFlowPort()).awaitClosed();
    }
    assertEquals(List.of(), recorder.events());
    assertNull(switches.getSwitch(DatapathId.of(1)));
  }

  @Test
  void disconnection_failsRequestsThatWait() throws Exception {
    ListenableFuture<OFBarrierReply> future;
    try (ScriptedSwitch sw = connect(1)) {
      sw.answer(request -> List.of());
      IOFSwitch connected = switches.getSwitch(sw.id());
      future = connected.writeRequest(connected.getOFFactory().barrierRequest());
      sw.await(OFBarrierRequest.class, any -> true);
    }
    ExecutionException failure =
        assertThrows(ExecutionException.class, () -> future.get(10, TimeUnit.SECONDS));
    assertInstanceOf(SwitchDisconnectedException.class, failure.getCause());
  }

  @Test
  void packetIns_manyAtOnce_areAllAnsweredInOrder() throws Exception {
    controller
        .context()
        .getServiceImpl(IFloodlightProviderService.class)
        .addOFMessageListener(OFType.PACKET_IN, new Echoing());
    try (ScriptedSwitch sw = connect(1)) {
      int count = 1_000;
      for (int i = 0; i < count; i++) {
        sw.packetIn(1, new byte[] {(byte) (i >> 8), (byte) i});
      }
      List<OFPacketOut> outs = sw.awaitCount(count, OFPacketOut.class, any -> true);
      for (int i = 0; i < count; i++) {
        byte[] data = outs.get(i).getData();
        assertEquals(i, ByteBuffer.wrap(data).getShort());
      }
      assertEquals(count, sw.received(OFFlowMod.class).size());
    }
  }

  /** Answers every packet with a rule and the packet itself. */
  private static final class Echoing implements IOFMessageListener {
    @Override
    public String getName() {
      return "echoing";
    }

    @Override
    public boolean isCallbackOrderingPrereq(OFType type, String name) {
      return false;
    }

    @Override
    public boolean isCallbackOrderingPostreq(OFType type, String name) {
      return false;
    }

    @Override
    public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
      OFMessage rule = sw.getOFFactory().buildFlowAdd().build();
      OFMessage packet =
          sw.getOFFactory()
              .buildPacketOut()
              .setBufferId(OFBufferId.NO_BUFFER)
              .setActions(List.of())
              .setData(((OFPacketIn) message).getData())
              .build();
      assertTrue(sw.write(List.of(rule, packet)).isEmpty());
      return Command.STOP;
    }
  }

  private ScriptedSwitch connect(long id) throws InterruptedException {
    ScriptedSwitch sw = new ScriptedSwitch(id, 2).connect(controller.openFlowPort());
    sw.awaitHandshake();
    recorder.await("activated " + sw.id());
    return sw;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void connections_ofSomeIdsComeAndGoAtOnce_eventsAlternateAndNothingIsLeft(int seed)
      throws Exception {
    int threads = 6;
    int ids = 3;
    Together.run(
        threads,
        thread -> {
          Random random = new Random(31L * seed + thread);
          for (int i = 0; i < 15; i++) {
            long id = 1L + random.nextInt(ids);
            try (ScriptedSwitch sw = new ScriptedSwitch(id, 2)) {
              sw.connect(controller.openFlowPort());
              if (random.nextInt(4) > 0) {
                Thread.sleep(random.nextInt(20));
              }
            }
          }
        });
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!switches.getAllSwitchDpids().isEmpty() && System.nanoTime() < deadline) {
      Thread.sleep(10);
    }
    assertEquals(Set.of(), switches.getAllSwitchDpids());
    try (ScriptedSwitch last = connect(99)) {
      // all that was to be told before has been told
      assertEquals(Set.of(last.id()), switches.getAllSwitchDpids());
    }
    for (long id = 1; id <= ids; id++) {
      String name = DatapathId.of(id).toString();
      List<String> told = recorder.events().stream().filter(e -> e.endsWith(name)).toList();
      for (int i = 0; i < told.size(); i++) {
        String expected = List.of("added ", "activated ", "removed ").get(i % 3);
        assertEquals(expected + name, told.get(i), "event " + i + " of " + told);
      }
      assertEquals(0, told.size() % 3, told::toString);
    }
  }
}
