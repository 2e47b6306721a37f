package io.malob.openflow.label;

import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.estimate.ActiveCount;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.LinkLoads;
import io.malob.algorithm.graph.Path;
import io.malob.testing.Together;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The connections of a label and of its links, while it is led over other paths. */
class PathCountsTest {
  private static final int THREADS = 8;
  private static final int ROUNDS = 20_000;

  private final LinkLoads loads = new LinkLoads();
  private final List<Path> paths = List.of(path(1, 2, 4), path(1, 3, 4), path(1, 3, 2, 4));

  /** Counts live as long as they are referred to. */
  private final List<ImmutableList<ActiveCount>> counts = paths.stream().map(loads::along).toList();

  private final LabelledPath labelled =
      new LabelledPath(new Label(1), paths.get(0), loads::along, path -> 0, 0);

  private void assertCounted(Path on, int connections) {
    assertEquals(connections, labelled.active());
    for (int i = 0; i < paths.size(); i++) {
      for (int hop = 0; hop < paths.get(i).hops(); hop++) {
        DirectedLink link = paths.get(i).links().get(hop);
        int expected = on.links().contains(link) ? connections : 0;
        assertEquals(expected, counts.get(i).get(hop).now(), () -> "on " + link);
      }
    }
  }

  @Test
  void moveTo_anotherPath_takesTheConnectionsAlong() {
    labelled.countActive(1);
    labelled.countActive(1);
    assertCounted(paths.get(0), 2);
    labelled.moveTo(paths.get(2));
    assertCounted(paths.get(2), 2);
    labelled.settle(true);
    labelled.countActive(-1);
    assertCounted(paths.get(2), 1);
    labelled.moveTo(paths.get(2));
    assertCounted(paths.get(2), 1);
  }

  @Test
  void countActive_bySevenThreadsWhileOneMovesThePath_losesNone() throws Exception {
    Together.run(
        THREADS,
        thread -> {
          Random random = new Random(thread);
          for (int i = 0; i < ROUNDS; i++) {
            if (thread == 0) {
              labelled.moveTo(paths.get(random.nextInt(paths.size())));
            } else {
              labelled.countActive(1);
              if (i % 4 != 0) {
                labelled.countActive(-1);
              }
            }
          }
        });
    assertCounted(labelled.path(), (THREADS - 1) * ROUNDS / 4);
  }
}
