package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.controller.module.ModuleSettings;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.SwitchRecorder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFBarrierReply;
import org.projectfloodlight.openflow.protocol.OFEchoReply;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/** Switches of each OpenFlow version over real TCP. */
class OpenFlowVersionsTest {
  private EmbeddedController controller;
  private IOFSwitchService switches;
  private SwitchRecorder recorder;

  @BeforeEach
  void start() throws Exception {
    controller =
        EmbeddedController.start(
            ModuleSettings.parse("").overlaidWith(EmbeddedControllerTest.FREE_PORTS));
    recorder = new SwitchRecorder();
    switches = controller.context().getServiceImpl(IOFSwitchService.class);
    switches.addOFSwitchListener(recorder);
  }

  @AfterEach
  void stop() {
    controller.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void switchOfOneVersion_isServedInThatVersionOnly(OFVersion version) throws Exception {
    try (ScriptedSwitch sw =
        new ScriptedSwitch(0xab, 2).version(version).connect(controller.openFlowPort())) {
      recorder.await("activated " + sw.id());
      IOFSwitch active = switches.getActiveSwitch(sw.id());
      assertEquals(version, active.getOFFactory().getVersion());
      assertEquals(
          List.of(OFPort.of(1), OFPort.of(2)), List.copyOf(active.getEnabledPortNumbers()));
      assertEquals(
          List.of(0, 1, 2, 3),
          sw.awaitCount(4, OFFlowAdd.class, any -> true).stream()
              .map(OFFlowAdd::getTableId)
              .map(TableId::getValue)
              .map(Short::intValue)
              .toList());

      sw.setPortUp(2, false);
      recorder.await("port " + sw.id() + "/2 DOWN");
      assertFalse(active.portEnabled(OFPort.of(2)));
      sw.setPortUp(3, true);
      recorder.await("port " + sw.id() + "/3 ADD");
      assertTrue(active.portEnabled(OFPort.of(3)));

      OFBarrierReply reply =
          active.writeRequest(active.getOFFactory().barrierRequest()).get(10, TimeUnit.SECONDS);
      assertEquals(version, reply.getVersion());
      sw.send(sw.factory().echoRequest(new byte[] {7}));
      sw.await(OFEchoReply.class, echo -> echo.getData().length == 1);
      assertEquals(
          List.of(),
          sw.received().stream().map(OFMessage::getVersion).filter(v -> v != version).toList());
    }
  }
}
