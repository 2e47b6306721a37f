package io.malob.controller.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.controller.core.PortChanges.Change;
import io.malob.controller.core.PortChanges.Outcome;
import java.util.List;
import net.floodlightcontroller.core.PortChangeType;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFPort;

/** Which changes of ports wait, and what is told of them. */
class PortChangesTest {
  private final String sw = "one";
  private final String other = "other";
  private final PortChanges<String> changes = new PortChanges<>(2);

  private Outcome add(String at, int port, PortChangeType type) {
    return changes.add(
        at,
        new Change(
            OFFactories.getFactory(OFVersion.OF_13)
                .buildPortDesc()
                .setPortNo(OFPort.of(port))
                .build(),
            type));
  }

  private List<PortChangeType> told(int port) {
    return changes.take(sw, OFPort.of(port)).stream().map(Change::type).toList();
  }

  @Test
  void portThatWasDownMeanwhile_isToldSo_andThenItsLatestState() {
    assertEquals(Outcome.NEW, add(sw, 1, PortChangeType.UP));
    assertEquals(Outcome.MERGED, add(sw, 1, PortChangeType.DOWN));
    assertEquals(Outcome.MERGED, add(sw, 1, PortChangeType.UP));
    assertEquals(List.of(PortChangeType.DOWN, PortChangeType.UP), told(1));
    assertEquals(List.of(), told(1));
  }

  @Test
  void portThatIsDownInTheEnd_isToldThatAlone() {
    add(sw, 1, PortChangeType.DOWN);
    add(sw, 1, PortChangeType.UP);
    add(sw, 1, PortChangeType.DELETE);
    assertEquals(List.of(PortChangeType.DELETE), told(1));
  }

  @Test
  void detailThatChanges_doesNotHideWhatTheChangeWas() {
    add(sw, 1, PortChangeType.ADD);
    add(sw, 1, PortChangeType.OTHER_UPDATE);
    assertEquals(List.of(PortChangeType.ADD), told(1));
    add(sw, 1, PortChangeType.DOWN);
    add(sw, 1, PortChangeType.OTHER_UPDATE);
    assertEquals(List.of(PortChangeType.DOWN), told(1));
  }

  @Test
  void portsBeyondTheLimit_areNotTaken_ofThatSwitchAlone_untilSomeAreTold() {
    add(sw, 1, PortChangeType.UP);
    add(sw, 2, PortChangeType.UP);
    assertEquals(Outcome.FULL, add(sw, 3, PortChangeType.UP));
    assertEquals(Outcome.MERGED, add(sw, 2, PortChangeType.DOWN));
    assertEquals(Outcome.NEW, add(other, 3, PortChangeType.UP));
    told(1);
    assertEquals(Outcome.NEW, add(sw, 3, PortChangeType.UP));
  }
}
