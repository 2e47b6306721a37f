package io.malob.algorithm;

import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.malob.algorithm.graph.Path;
import io.malob.testing.Together;
import io.malob.testing.Topologies;
import java.util.Optional;
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
}
