package io.malob.algorithm.subflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.Topology;
import io.malob.testing.Topologies;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class CounterTest {
  /** S1 - S2, from there to S3 - S4 and to S5. */
  private static final Topology TREE =
      Topologies.of(5, new int[][] {{1, 2}, {2, 3}, {3, 4}, {2, 5}});

  private static final Network NETWORK = new Network(TREE);
  private static final FlowIdentity IDENTITY = new FlowIdentity(Topologies.link(1, 2), 0);
  private static final Route ROUTE =
      new Route(
          IDENTITY,
          Route.Kind.TREE,
          ImmutableList.of(Topologies.path(1, 2, 3, 4), Topologies.path(1, 2, 5)),
          "");

  /** A half goes to S4, a quarter to S2, an eighth to S5, an eighth stays. */
  private static double share(FlowIdentity identity, DatapathId egress) {
    return switch ((int) egress.getLong()) {
      case 4 -> 0.5;
      case 2 -> 0.25;
      case 5, 1 -> 0.125;
      default -> 0;
    };
  }

  private static double on(Footprint footprint, long a, long b) {
    return footprint.on(NETWORK.edge(NETWORK.number(Topologies.link(a, b))));
  }

  private static int[] way() {
    return new int[] {
      NETWORK.number(Topologies.link(1, 2)),
      NETWORK.number(Topologies.link(2, 3)),
      NETWORK.number(Topologies.link(3, 4)),
      NETWORK.number(Topologies.link(2, 5))
    };
  }

  @Test
  void count_ofWholeRoutes_isOnceForEachLink() {
    Counter counter = new Counter(NETWORK, new Demand(IDENTITY, 3), Optional.empty());
    for (Footprint footprint : ImmutableList.of(counter.count(way()), counter.count(ROUTE))) {
      assertEquals(3, on(footprint, 1, 2));
      assertEquals(3, on(footprint, 2, 3));
      assertEquals(3, on(footprint, 3, 4));
      assertEquals(3, on(footprint, 2, 5));
    }
  }

  @Test
  void count_ofWhatIsTravelled_endsWhereSubflowsLeave() {
    Counter counter =
        new Counter(NETWORK, new Demand(IDENTITY, 2), Optional.of(CounterTest::share));
    for (Footprint footprint : ImmutableList.of(counter.count(way()), counter.count(ROUTE))) {
      assertEquals(1.75, on(footprint, 1, 2));
      assertEquals(1, on(footprint, 2, 3));
      assertEquals(1, on(footprint, 3, 4));
      assertEquals(0.25, on(footprint, 2, 5));
    }
  }

  @Test
  void count_withShareOutOfRange_isRefused() {
    IllegalArgumentException thrown =
        assertThrows(
            IllegalArgumentException.class,
            () -> new Counter(NETWORK, new Demand(IDENTITY, 1), Optional.of((any, egress) -> 1.5)));
    assertEquals(
        "the share of " + IDENTITY + " that goes to 00:00:00:00:00:00:00:01 is 1.5",
        thrown.getMessage());
  }
}
