package io.malob.latency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class OutstandingProbesTest {
  private final Target target = new MeasuredSwitch(DatapathId.of(1), ControlMethod.PACKET, 10);
  private final OutstandingProbes probes = new OutstandingProbes(4);

  @Test
  void probe_thatWasAdded_isFoundUntilItIsTakenOutOnce() {
    Probe probe = add(0);
    assertSame(probe, probes.find(probe.number));
    assertTrue(probes.remove(probe));
    assertFalse(probes.remove(probe));
    assertNull(probes.find(probe.number));
  }

  @Test
  void numbers_ofOtherProbesInTheSamePlace_areNotFound() {
    Probe probe = add(0);
    assertNull(probes.find(probe.number + 4));
    assertNull(probes.find(probe.number - 4));
    assertNull(probes.find(-1));
  }

  @Test
  void probes_moreThanTheLimit_areRefusedUntilThereIsRoom() {
    List<Probe> all = List.of(add(0), add(0), add(0), add(0));
    assertNull(probes.add(target, ControlMethod.PACKET, 0));
    probes.remove(all.get(0));
    assertNotNull(probes.add(target, ControlMethod.PACKET, 0));
  }

  @Test
  void probes_tooOld_areTakenOutOldestFirst() {
    Probe first = add(1);
    Probe second = add(2);
    Probe answered = add(3);
    Probe late = add(4);
    probes.remove(answered);
    assertEquals(List.of(), before(1));
    assertEquals(List.of(first, second), before(4));
    assertEquals(List.of(late), before(5));
    assertEquals(List.of(), before(5));
  }

  @Test
  void limit_thatIsNoPowerOfTwo_isRefused() {
    assertThrows(IllegalArgumentException.class, () -> new OutstandingProbes(3));
  }

  private Probe add(long now) {
    Probe probe = probes.add(target, ControlMethod.PACKET, now);
    assertNotNull(probe);
    return probe;
  }

  private List<Probe> before(long nanos) {
    List<Probe> lost = new ArrayList<>();
    probes.removeBefore(nanos, lost::add);
    return lost;
  }
}
