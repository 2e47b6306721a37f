package io.malob.algorithm.graph;

import static io.malob.testing.Topologies.link;
import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.estimate.ActiveCount;
import io.malob.testing.Topologies;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The counts of connections on links, and what they leave to a new one. */
class LinkLoadsTest {
  private static final DirectedLink LINK = link(1, 2);
  private static final Path WAY = path(1, 2);

  private final Topology topology = Topologies.of(2, new int[] {1, 2});
  private final LinkLoads loads = new LinkLoads();

  /** A label over the link: as long as it is there, so is the count. */
  private final ImmutableList<ActiveCount> label = loads.along(WAY);

  private LinkValues values(double left, double capacity, Counting counting) {
    LinkValue value =
        new LinkValue(
            OptionalLong.of(1),
            OptionalDouble.of(left),
            capacity == 0 ? OptionalDouble.empty() : OptionalDouble.of(capacity));
    return LinkValues.of(topology, Map.of(LINK, value), loads, counting);
  }

  @Test
  void share_isSharedWithWhatWasPlacedSince() {
    LinkValues values = values(100, 0, Counting.PLACED_SINCE);
    assertEquals(100, values.shareBps(WAY));
    loads.of(LINK).add(1);
    assertEquals(50, values.shareBps(WAY));
    loads.of(LINK).add(2);
    assertEquals(25, values.shareBps(WAY));
    loads.of(LINK).measured();
    loads.of(LINK).measured();
    assertEquals(100, values.shareBps(WAY));
  }

  @Test
  void share_ofAFullLink_isAPartOfTheWhole() {
    loads.of(LINK).add(3);
    loads.of(LINK).measured();
    loads.of(LINK).measured();
    assertEquals(25, values(0, 100, Counting.PLACED_SINCE).shareBps(WAY));
    assertEquals(70, values(70, 100, Counting.PLACED_SINCE).shareBps(WAY));
  }

  @Test
  void share_byMeasurementsAlone_isWhatIsLeft() {
    loads.of(LINK).add(3);
    assertEquals(70, values(70, 100, Counting.MEASURED_ONLY).shareBps(WAY));
  }

  @Test
  void countOfALink_isTheSameWhileAnythingRefersToIt() {
    for (int i = 0; i < 10; i++) {
      System.gc();
    }
    assertSame(label.get(0), loads.of(LINK));
  }

  @Test
  void countThatNothingRefersTo_isForgotten() throws InterruptedException {
    DirectedLink gone = link(7, 8);
    loads.of(gone).add(1);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (loads.of(gone).now() != 0 && System.nanoTime() - deadline < 0) {
      System.gc();
      Thread.sleep(1);
    }
    assertEquals(0, loads.of(gone).now());
  }
}
