package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.controller.module.ModuleSettings;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.SwitchRecorder;
import java.util.List;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.IOFSwitch.SwitchStatus;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFControllerRoleReason;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFRoleRequestFailedCode;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.U64;

/** The controller's role at its switches, over real TCP. */
class RolesTest {
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

  @Test
  void switchThatAgrees_hasThisControllerAsItsMaster() throws Exception {
    try (ScriptedSwitch sw = new ScriptedSwitch(1, 1).connect(controller.openFlowPort())) {
      recorder.await("activated " + sw.id());
      assertRole(sw, OFControllerRole.ROLE_MASTER, SwitchStatus.MASTER, true);
      OFRoleRequest request = sw.received(OFRoleRequest.class).get(0);
      assertTrue(request.getGenerationId().getValue() > 1_000_000_000_000L);
    }
  }

  @Test
  void switchThatSaysNothingAboutRoles_countsAsEqual() throws Exception {
    try (ScriptedSwitch sw =
        new ScriptedSwitch(1, 1)
            .answer(message -> message instanceof OFRoleRequest ? List.of() : null)
            .connect(controller.openFlowPort())) {
      recorder.await("activated " + sw.id());
      assertRole(sw, OFControllerRole.ROLE_EQUAL, SwitchStatus.MASTER, true);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = OFRoleRequestFailedCode.class,
      names = {"STALE", "UNSUP"})
  void switchThatRefuses_countsAsEqual(OFRoleRequestFailedCode code) throws Exception {
    ScriptedSwitch sw = new ScriptedSwitch(1, 1);
    sw.answer(
        message ->
            message instanceof OFRoleRequest
                ? List.of(
                    sw.factory()
                        .errorMsgs()
                        .buildRoleRequestFailedErrorMsg()
                        .setXid(message.getXid())
                        .setCode(code)
                        .setData(OFErrorCauseData.NONE)
                        .build())
                : null);
    try (sw) {
      sw.connect(controller.openFlowPort());
      recorder.await("activated " + sw.id());
      assertRole(sw, OFControllerRole.ROLE_EQUAL, SwitchStatus.MASTER, true);
    }
  }

  @Test
  void switchWithAnotherMaster_isThereButNotActiveUntilThatOneGoes() throws Exception {
    ScriptedSwitch sw = new ScriptedSwitch(1, 1).version(OFVersion.OF_14);
    sw.answer(message -> asSlave(sw, message));
    try (sw) {
      sw.connect(controller.openFlowPort());
      recorder.await("added " + sw.id());
      assertRole(sw, OFControllerRole.ROLE_SLAVE, SwitchStatus.SLAVE, false);

      sw.answer(any -> null);
      sw.forget();
      sw.send(roleStatus(sw, OFControllerRole.ROLE_MASTER));
      recorder.await("activated " + sw.id());
      assertRole(sw, OFControllerRole.ROLE_MASTER, SwitchStatus.MASTER, true);
      sw.awaitCount(4, OFFlowAdd.class, rule -> rule.getPriority() == 0);
      assertEquals(
          List.of("added " + sw.id(), "activated " + sw.id()),
          recorder.events(),
          "a slave is not activated");
    }
  }

  @Test
  void roleStatus_anotherMaster_deactivates() throws Exception {
    try (ScriptedSwitch sw =
        new ScriptedSwitch(1, 1).version(OFVersion.OF_15).connect(controller.openFlowPort())) {
      recorder.await("activated " + sw.id());
      sw.send(roleStatus(sw, OFControllerRole.ROLE_SLAVE));
      recorder.await("deactivated " + sw.id());
      assertRole(sw, OFControllerRole.ROLE_SLAVE, SwitchStatus.SLAVE, false);
    }
  }

  @Test
  void errorIsSlave_deactivates() throws Exception {
    try (ScriptedSwitch sw = new ScriptedSwitch(1, 1).connect(controller.openFlowPort())) {
      recorder.await("activated " + sw.id());
      sw.send(isSlave(sw, 0));
      recorder.await("deactivated " + sw.id());
      assertRole(sw, OFControllerRole.ROLE_SLAVE, SwitchStatus.SLAVE, false);
    }
  }

  private void assertRole(
      ScriptedSwitch sw, OFControllerRole role, SwitchStatus status, boolean active) {
    IOFSwitch connected = switches.getSwitch(sw.id());
    assertNotNull(connected);
    assertEquals(role, connected.getControllerRole());
    assertEquals(status, connected.getStatus());
    assertEquals(active, connected.isActive());
    if (active) {
      assertEquals(connected, switches.getActiveSwitch(sw.id()));
    } else {
      assertNull(switches.getActiveSwitch(sw.id()));
      assertFalse(connected.getStatus().isControllable());
    }
  }

  private static List<OFMessage> asSlave(ScriptedSwitch sw, OFMessage message) {
    if (message instanceof OFRoleRequest request) {
      return List.of(
          sw.factory()
              .buildRoleReply()
              .setXid(message.getXid())
              .setRole(OFControllerRole.ROLE_SLAVE)
              .setGenerationId(request.getGenerationId())
              .build());
    }
    return message instanceof OFFlowAdd ? List.of(isSlave(sw, message.getXid())) : null;
  }

  private static OFMessage isSlave(ScriptedSwitch sw, long xid) {
    return sw.factory()
        .errorMsgs()
        .buildBadRequestErrorMsg()
        .setXid(xid)
        .setCode(OFBadRequestCode.IS_SLAVE)
        .setData(OFErrorCauseData.NONE)
        .build();
  }

  private static OFMessage roleStatus(ScriptedSwitch sw, OFControllerRole role) {
    return sw.factory()
        .buildRoleStatus()
        .setRole(role)
        .setReason(OFControllerRoleReason.MASTER_REQUEST)
        .setGenerationId(U64.ZERO)
        .setProperties(List.of())
        .build();
  }
}
