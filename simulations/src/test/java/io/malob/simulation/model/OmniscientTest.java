package io.malob.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Placement;
import io.malob.simulation.fluid.EventQueue;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * To the client 40 Mbit/s and 10 ms there and back from "near", 50 Mbit/s and 20 ms from "wide".
 */
class OmniscientTest {
  private static final int NEAR = 1;
  private static final int WIDE = 2;
  private static final DatapathId CLIENT = DatapathId.of(1);

  private final EventQueue events = new EventQueue();
  private final LabNetwork lab = Labs.twoServers();
  private final Setting setting = Labs.setting(lab, "RR+SPH", Counting.PLACED_SINCE, 0);
  private final FluidNetwork network = new FluidNetwork(events, lab);
  private final Omniscient omniscient = new Omniscient(events, setting, network);

  private Placement place(double bits) {
    return omniscient.place(CLIENT, new Service("file", 1, bits, 0)).placement();
  }

  @Test
  void idleNetwork_largeFile_comesOverTheWiderLink() {
    assertEquals(WIDE, place(800e6).server().number());
  }

  /** 10 ms and 1 Mbit at 40 Mbit/s, against 20 ms and 1 Mbit at 50 Mbit/s: 35 and 40 ms. */
  @Test
  void idleNetwork_smallFile_comesFromTheNearerServer() {
    assertEquals(NEAR, place(1e6).server().number());
  }

  /** Sharing 50 Mbit/s costs both 32 s in the end; apart, they take 16 and 20 s. */
  @Test
  void secondFile_whoseRequestIsOnItsWay_counts() {
    place(800e6);
    assertEquals(NEAR, place(800e6).server().number());
  }

  /**
   * A link whose transfer is nearly done is as good as free: 17 s for the new file and 1 s more for
   * the other. By counting connections, it would have half of it.
   */
  @Test
  void transferThatIsNearlyDone_hardlyCounts() {
    network.transfer(place(800e6).replyPath(), 800e6, () -> {});
    boolean[] placed = new boolean[1];
    events.after(
        15,
        () -> {
          assertEquals(WIDE, place(800e6).server().number());
          placed[0] = true;
        });
    events.runUntil(() -> placed[0]);
    assertTrue(placed[0]);
  }

  /** Each client of the thesis's network has a link to a server to itself. */
  @Test
  void thesisNetwork_givesEachTransferItsBestPathAlone() throws IOException {
    LabNetwork geni = LabNetwork.named("geni-wan").orElseThrow();
    Workload workload = new Workload(Workload.closedLoops(geni, 4, Service.ftp(100e6), 5, 1));
    Outcome outcome =
        Simulation.omniscient(
            Labs.setting(geni, "RR+SPH", Counting.PLACED_SINCE, 0), workload, /* seed= */ 1);
    ImmutableList<Double> mbps = ImmutableList.of(58.1, 83.0, 90.4, 91.1);
    ImmutableList<Double> millis = ImmutableList.of(30.0, 20.0, 14.0, 4.0);
    double sum = 0;
    for (int client = 0; client < 4; client++) {
      sum += 800 / mbps.get(client) + millis.get(client) / 1e3;
    }
    assertEquals(sum / 4, outcome.all().mean(), 1e-8);
  }
}
