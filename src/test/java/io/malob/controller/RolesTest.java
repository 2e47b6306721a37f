package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.malob.controller.module.ModuleSettings;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.SwitchRecorder;
import io.malob.testing.SwitchRoles;
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
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFRoleReply;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFRoleRequestFailedCode;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.TableId;
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
    }
  }

  @Test
  void switchThatGoesToFloodlightAndBack_obeysWhoeverItCameToLast() throws Exception {
    SwitchRoles roles = new SwitchRoles();
    Object floodlight = new Object();
    try (ScriptedSwitch sw =
        new ScriptedSwitch(1, 1).roles(roles).connect(controller.openFlowPort())) {
      recorder.await("activated " + sw.id());
      assertEquals(OFControllerRole.ROLE_MASTER, roles.of(sw));

      assertInstanceOf(OFRoleReply.class, claim(roles, floodlight, 0));
      switches.getSwitch(sw.id()).write(List.of(anyRule()));
      recorder.await("deactivated " + sw.id());
      assertRole(sw, OFControllerRole.ROLE_SLAVE, SwitchStatus.SLAVE, false);
      assertEquals(OFControllerRole.ROLE_MASTER, roles.of(floodlight));
    }
    recorder.await("removed " + DatapathId.of(1));
    try (ScriptedSwitch again =
        new ScriptedSwitch(1, 1).roles(roles).connect(controller.openFlowPort())) {
      awaitClaim(again);
      assertEquals(OFControllerRole.ROLE_MASTER, roles.of(again));
      assertEquals(OFControllerRole.ROLE_SLAVE, roles.of(floodlight));
      assertEquals(0, roles.generation());
      assertInstanceOf(OFRoleReply.class, claim(roles, floodlight, 0), "and so on");
    }
  }

  @Test
  void switchOfACluster_keepsTheGenerationIdThatItHas() throws Exception {
    SwitchRoles roles = new SwitchRoles();
    Object leader = new Object();
    claim(roles, leader, 7_000);
    try (ScriptedSwitch sw =
        new ScriptedSwitch(1, 1).roles(roles).connect(controller.openFlowPort())) {
      recorder.await("activated " + sw.id());
      assertRole(sw, OFControllerRole.ROLE_MASTER, SwitchStatus.MASTER, true);
      assertEquals(7_000, roles.generation());
      assertInstanceOf(OFErrorMsg.class, claim(roles, new Object(), 6_999));
      assertInstanceOf(OFRoleReply.class, claim(roles, leader, 7_000));
    }
  }

  @Test
  void twoControllers_theOneThatASwitchCameToLastIsItsMaster() throws Exception {
    SwitchRoles roles = new SwitchRoles();
    try (EmbeddedController later =
            EmbeddedController.start(
                ModuleSettings.parse("").overlaidWith(EmbeddedControllerTest.FREE_PORTS));
        ScriptedSwitch first =
            new ScriptedSwitch(1, 1).roles(roles).connect(controller.openFlowPort())) {
      recorder.await("activated " + first.id());
      try (ScriptedSwitch second =
          new ScriptedSwitch(1, 1).roles(roles).connect(later.openFlowPort())) {
        awaitClaim(second);
        assertEquals(OFControllerRole.ROLE_MASTER, roles.of(second));
        assertEquals(OFControllerRole.ROLE_SLAVE, roles.of(first));
        switches.getSwitch(first.id()).write(List.of(anyRule()));
        recorder.await("deactivated " + first.id());
      }
      // the first one connects anew while the later one is away: it is not locked out
      switches.getSwitch(first.id()).disconnect();
      recorder.await("removed " + first.id());
      try (ScriptedSwitch again =
          new ScriptedSwitch(1, 1).roles(roles).connect(controller.openFlowPort())) {
        awaitClaim(again);
        assertEquals(OFControllerRole.ROLE_MASTER, roles.of(again));
      }
    }
  }

  private static void awaitClaim(ScriptedSwitch sw) {
    sw.await(OFRoleRequest.class, request -> request.getRole() == OFControllerRole.ROLE_MASTER);
  }

  static OFMessage claim(SwitchRoles roles, Object other, long generation) {
    return roles.answer(
        other,
        ScriptedSwitch.FACTORY,
        ScriptedSwitch.FACTORY
            .buildRoleRequest()
            .setRole(OFControllerRole.ROLE_MASTER)
            .setGenerationId(U64.of(generation))
            .build());
  }

  private static OFMessage anyRule() {
    return ScriptedSwitch.FACTORY.buildFlowAdd().setTableId(TableId.of(0)).build();
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
