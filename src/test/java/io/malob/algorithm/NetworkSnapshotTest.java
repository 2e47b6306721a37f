package io.malob.algorithm;

import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import com.google.common.collect.Maps;
import io.malob.algorithm.estimate.ActiveCount;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.LinkValue;
import io.malob.algorithm.graph.LinkValues;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.testing.Together;
import io.malob.testing.Topologies;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class NetworkSnapshotTest {
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S3 = DatapathId.of(3);

  /* 1 --- 2 --- 3     4 */
  private final NetworkSnapshot line =
      new NetworkSnapshot(Topologies.of(4, new int[] {1, 2}, new int[] {2, 3}));

  @Test
  void fewestHops_askedTwice_givesTheSameObject() {
    Path first = line.fewestHops(S1, S3).orElseThrow();
    assertEquals(path(1, 2, 3), first);
    assertSame(first, line.fewestHops(S1, S3).orElseThrow());
    assertEquals(path(3, 2, 1), line.fewestHops(S3, S1).orElseThrow());
  }

  @Test
  void fewestHops_withoutWayOrSwitch_isEmpty() {
    assertEquals(Optional.empty(), line.fewestHops(S1, DatapathId.of(4)));
    assertEquals(Optional.empty(), line.fewestHops(S1, DatapathId.of(99)));
    assertEquals(Optional.empty(), line.fewestHops(DatapathId.of(99), S1));
    assertEquals(Optional.empty(), NetworkSnapshot.EMPTY.fewestHops(S1, S3));
  }

  @Test
  void fewestHops_byEightThreads_isTheSameForAll() throws Exception {
    Together.run(
        8,
        thread -> {
          for (int i = 0; i < 1_000; i++) {
            DatapathId src = DatapathId.of(1 + (i + thread) % 3);
            assertEquals(src, line.fewestHops(src, S3).orElseThrow().src());
          }
        });
  }

  /** The widest path from 1 to 3 when a connection on the direct link has ended. */
  private Path widestAfterAnEnd(double directBps) {
    // 1 --- 3; 1 --- 2 --- 3 with 50 Mbit/s
    Topology topology = Topologies.of(3, new int[] {1, 3}, new int[] {1, 2}, new int[] {2, 3});
    DirectedLink direct = Topologies.link(1, 3);
    Map<DirectedLink, LinkValue> values =
        Maps.toMap(
            topology.links(),
            link -> {
              OptionalDouble bps = OptionalDouble.of(link.equals(direct) ? directBps : 50e6);
              return new LinkValue(OptionalLong.of(5_000_000), bps, bps);
            });
    LinkLoads loads = new LinkLoads();
    ActiveCount onDirect = loads.of(direct);
    onDirect.add(1);
    NetworkSnapshot network =
        new NetworkSnapshot(LinkValues.of(topology, values, loads, Counting.PLACED_SINCE));
    assertEquals(path(1, 2, 3), network.widest(S1, S3).orElseThrow());
    onDirect.add(-1);
    return network.widest(S1, S3).orElseThrow();
  }

  @Test
  void widest_afterAConnectionHasEnded_mayBeThePathThatItHad() {
    assertEquals(path(1, 3), widestAfterAnEnd(80e6));
  }

  @Test
  void widest_whenAnotherIsWiderByNoise_stays() {
    assertEquals(path(1, 2, 3), widestAfterAnEnd(54e6));
  }
}
