package io.malob.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.simulation.fluid.EventQueue;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class FluidNetworkTest {
  private static final DatapathId CLIENT = DatapathId.of(1);
  private static final DatapathId NEAR = DatapathId.of(2);

  private final EventQueue events = new EventQueue();
  private final LabNetwork lab = Labs.twoServers();
  private final FluidNetwork network = new FluidNetwork(events, lab);
  private final List<Double> ends = new ArrayList<>();

  private DirectedLink link(DatapathId src, DatapathId dst) {
    return lab.topology().linksBetween(src, dst).get(0);
  }

  private void transfer(DatapathId src, DatapathId dst, double bits) {
    transfer(new Path(src, ImmutableList.of(link(src, dst))), bits);
  }

  private void transfer(Path path, double bits) {
    network.transfer(path, bits, () -> ends.add(events.nowNanos() / EventQueue.SECOND));
  }

  /** 40 Mbit/s: 20 each for two seconds, then the longer one has all of it. */
  @Test
  void transfers_shareTheirLink() {
    transfer(NEAR, CLIENT, 40e6);
    transfer(NEAR, CLIENT, 120e6);
    events.runUntil(() -> false);
    assertEquals(List.of(2.0, 4.0), ends);
  }

  @Test
  void directions_ofALink_areApart() {
    transfer(NEAR, CLIENT, 40e6);
    transfer(CLIENT, NEAR, 20e6);
    events.runUntil(() -> false);
    assertEquals(List.of(1.0, 1.0), ends);
  }

  @Test
  void transfer_withinASwitch_takesNoTime() {
    transfer(Path.within(CLIENT), 1e9);
    events.runUntil(() -> false);
    assertEquals(List.of(0.0), ends);
  }

  @Test
  void carriedBits_areUpToDate() {
    transfer(NEAR, CLIENT, 400e6);
    events.after(3, () -> ends.add(network.carriedBits().get(link(NEAR, CLIENT))));
    events.after(3, () -> ends.add(network.carriedBits().get(link(CLIENT, NEAR))));
    events.runUntil(() -> ends.size() == 2);
    assertEquals(List.of(120e6, 0.0), ends);
  }

  /** 40 Mbit/s for a second, then 10. */
  @Test
  void crossTraffic_takesItsPartFirst() {
    transfer(NEAR, CLIENT, 60e6);
    events.after(1, () -> network.setCrossTraffic(link(NEAR, CLIENT), 0.75));
    events.after(2, () -> ends.add(network.carriedBits().get(link(NEAR, CLIENT))));
    events.runUntil(() -> false);
    assertEquals(List.of(80e6, 3.0), ends);
  }
}
