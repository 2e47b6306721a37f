package io.malob.balancer.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.monitor.IMonitorService;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.MeasuredLinks;
import io.malob.state.network.Measurement;
import io.malob.state.network.Measurement.Source;
import io.malob.state.network.TimesToLive;
import io.malob.testing.Stub;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class NetworkValuesTest {
  private static final DirectedLink FIRST = link(1);
  private static final DirectedLink SECOND = link(2);
  private static final Topology TOPOLOGY =
      Topology.of(List.of(FIRST.src(), FIRST.dst()), List.of(FIRST, SECOND));

  private final MeasuredLinks links =
      new MeasuredLinks(new TimesToLive(1_000_000, 1_000_000, 1_000_000, 1_000_000));
  private final IMonitorService monitor =
      Stub.of(IMonitorService.class)
          .on("links", none -> links)
          .on("nanoTime", none -> 0L)
          .on("capacity", one -> Optional.empty())
          .make();
  private final NetworkValues values =
      new NetworkValues(monitor, new LinkLoads(), Counting.PLACED_SINCE);

  private static DirectedLink link(int port) {
    return new DirectedLink(DatapathId.of(1), OFPort.of(port), DatapathId.of(2), OFPort.of(port));
  }

  private static long latency(LinkValues values, DirectedLink link) {
    return values.latencyNanos(new Path(link.src(), ImmutableList.of(link)));
  }

  /** Two parallel links: noise below the resolution must not make one of them the better one. */
  @Test
  void latenciesBelowTheResolution_areEqual() {
    links.setTopology(TOPOLOGY);
    links.latency(FIRST, 0, 0);
    links.latency(SECOND, 99_999, 0);
    LinkValues now = values.of(TOPOLOGY);

    assertEquals(latency(now, FIRST), latency(now, SECOND));
  }

  /** Its path leads over a switch that has another master, which has measured the link. */
  @Test
  void latencyToldByAnotherController_counts() {
    links.learn(
        SECOND, new LinkMeasurements(new Measurement(150_000, 0, Source.PROBE), null, null, null));

    assertEquals(150_000, latency(values.of(TOPOLOGY), SECOND));
  }

  @Test
  void latenciesAboveTheResolution_areToldApart() {
    links.setTopology(TOPOLOGY);
    links.latency(FIRST, 20_000, 0);
    links.latency(SECOND, 150_000, 0);
    LinkValues now = values.of(TOPOLOGY);

    assertTrue(latency(now, FIRST) < latency(now, SECOND));
    assertEquals(150_000, latency(now, SECOND));
  }
}
