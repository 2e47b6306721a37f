package io.malob.state.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Topology;
import io.malob.state.network.Measurement.Source;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class MeasuredLinksTest {
  private static final DatapathId A = DatapathId.of(1);
  private static final DatapathId B = DatapathId.of(2);
  private static final DirectedLink THERE = new DirectedLink(A, OFPort.of(1), B, OFPort.of(2));
  private static final DirectedLink BACK = new DirectedLink(B, OFPort.of(2), A, OFPort.of(1));

  private final MeasuredLinks tracker = new MeasuredLinks(new TimesToLive(100, 1_000, 10, 1));

  MeasuredLinksTest() {
    tracker.setTopology(Topology.of(ImmutableList.of(A, B), ImmutableList.of(THERE, BACK)));
  }

  @Test
  void link_withoutMeasurement_isThereAndUnknown() {
    assertEquals(LinkMeasurements.UNKNOWN, at(0, THERE));
    assertNull(at(0, THERE).throughputBps());
  }

  @Test
  void measurement_isOfOneDirectionOnly() {
    tracker.latency(THERE, 7, 1);
    assertEquals(new Measurement(7, 1, Source.PROBE), at(2, THERE).latencyNanos());
    assertNull(at(2, BACK).latencyNanos());
  }

  @Test
  void measurement_olderThanOneBefore_isLeftOut() {
    tracker.latency(THERE, 7, 5);
    tracker.latency(THERE, 9, 4);
    assertEquals(new Measurement(7, 5, Source.PROBE), at(6, THERE).latencyNanos());
  }

  @Test
  void measurement_olderThanItsTimeToLive_isUnknown() {
    tracker.latency(THERE, 7, 0);
    assertNotNull(at(100, THERE).latencyNanos());
    assertNull(at(101, THERE).latencyNanos());
  }

  @Test
  void throughput_ofAgent_winsUntilItIsTooOld() {
    tracker.agentThroughput(THERE, 80e6, 0);
    tracker.use(THERE, 10e6, 100e6, 995);
    assertEquals(new Measurement(80e6, 0, Source.AGENT), at(1_000, THERE).throughputBps());
    assertEquals(
        new Measurement(90e6, 995, Source.PORT_STATISTICS), at(1_001, THERE).throughputBps());
  }

  @Test
  void use_aboveCapacity_leavesNothing() {
    tracker.use(THERE, 11, 10, 0);
    assertEquals(new Measurement(0, 0, Source.PORT_STATISTICS), at(0, THERE).throughputBps());
    assertEquals(new Measurement(11, 0, Source.PORT_STATISTICS), at(0, THERE).useBps());
  }

  @Test
  void use_withoutCapacity_leavesThroughputUnknown() {
    tracker.use(THERE, 11, 0);
    assertNull(at(0, THERE).throughputBps());
  }

  @Test
  void link_thatHasGoneAndComeBack_isUnknownAgain() {
    tracker.latency(THERE, 7, 0);
    tracker.setTopology(Topology.of(ImmutableList.of(A, B), ImmutableList.of(BACK)));
    tracker.latency(THERE, 7, 1);
    assertEquals(ImmutableList.of(BACK), tracker.snapshot(1).keySet().asList());
    tracker.setTopology(Topology.of(ImmutableList.of(A, B), ImmutableList.of(THERE, BACK)));
    assertEquals(LinkMeasurements.UNKNOWN, at(1, THERE));
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY})
  void measurement_thatCannotBe_isRefused(double value) {
    assertThrows(IllegalArgumentException.class, () -> tracker.agentThroughput(THERE, value, 0));
  }

  private LinkMeasurements at(long nowNanos, DirectedLink link) {
    LinkMeasurements found = tracker.snapshot(nowNanos).get(link);
    assertNotNull(found);
    return found;
  }
}
