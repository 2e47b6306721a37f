package io.malob.balancer.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.Stub;
import java.util.HashSet;
import java.util.Set;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class StandbyTest {
  private final Set<DatapathId> connected = new HashSet<>();
  private final Set<DatapathId> active = new HashSet<>();
  private boolean inCluster;
  private int examinations;
  private long nanos;

  private final Standby standby =
      new Standby(
          Stub.of(IOFSwitchService.class)
              .on(
                  "getAllSwitchDpids",
                  with -> {
                    examinations++;
                    return connected;
                  })
              .on(
                  "getActiveSwitch",
                  with -> active.contains(with[0]) ? Stub.of(IOFSwitch.class).make() : null)
              .make(),
          () -> inCluster,
          () -> nanos);

  private boolean standsBy() {
    nanos += Standby.VALID_NANOS;
    return standby.getAsBoolean();
  }

  @Test
  void controller_standsBy_ifItIsMasterOfNoConnectedSwitch() {
    assertFalse(standsBy(), "no switch is connected");
    connected.add(DatapathId.of(1));
    connected.add(DatapathId.of(2));
    assertTrue(standsBy());
    active.add(DatapathId.of(2));
    assertFalse(standsBy());
  }

  @Test
  void controllerOfACluster_standsByWithoutSwitches() {
    inCluster = true;
    assertTrue(standsBy());
  }

  @Test
  void switches_areNotExaminedAtEachCall() {
    connected.add(DatapathId.of(1));
    for (int i = 0; i < 1_000; i++) {
      assertTrue(standby.getAsBoolean());
    }
    assertEquals(1, examinations);
  }
}
