package io.malob.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Server;
import io.malob.algorithm.ServerLoad;
import io.malob.algorithm.graph.Path;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class HerdingTest {
  private static final DatapathId CLIENT = DatapathId.of(1);

  private final LabNetwork lab = Labs.twoServers();
  private final Herding herding = new Herding();

  /** Places connections on a server at that switch, over the link to it. */
  private void place(int times, int server, long at) {
    DatapathId serverSwitch = DatapathId.of(at);
    Placement placement =
        new Placement(
            new Server(
                server,
                server,
                0,
                1,
                new Attachment(serverSwitch, OFPort.of(9), MacAddress.of(server)),
                new ServerLoad()),
            path(CLIENT, serverSwitch),
            path(serverSwitch, CLIENT));
    for (int i = 0; i < times; i++) {
      herding.placed(placement);
    }
  }

  private Path path(DatapathId src, DatapathId dst) {
    return new Path(src, ImmutableList.copyOf(lab.topology().linksBetween(src, dst)));
  }

  @Test
  void shares_areThoseOfTheBusiestServerAndLink() {
    place(2, 1, 2);
    place(3, 2, 3);
    place(3, 3, 3);
    herding.measured();
    assertEquals(OptionalDouble.of(3 / 8.0), herding.serverShare());
    assertEquals(OptionalDouble.of(6 / 8.0), herding.linkShare());
  }

  @Test
  void shares_areAveragedOverIntervals() {
    place(4, 1, 2);
    herding.measured();
    place(2, 1, 2);
    place(2, 2, 3);
    herding.measured();
    assertEquals(OptionalDouble.of(0.75), herding.serverShare());
  }

  @Test
  void intervalsWithFewPlacements_doNotCount() {
    place(3, 1, 2);
    herding.measured();
    assertEquals(OptionalDouble.empty(), herding.serverShare());
    assertEquals(OptionalDouble.empty(), herding.linkShare());
  }

  @Test
  void placementsSinceTheLastMeasurement_doNotCountYet() {
    place(9, 1, 2);
    assertEquals(OptionalDouble.empty(), herding.serverShare());
  }
}
