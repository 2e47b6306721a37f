package io.malob.algorithm.graph;

import static io.malob.testing.Topologies.link;
import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.malob.algorithm.Counting;
import io.malob.algorithm.estimate.ActiveCount;
import io.malob.testing.Topologies;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The counts of connections on links, and what they leave to a new one. */
class LinkLoadsTest {
  private static final DirectedLink LINK = link(1, 2);
  private static final Path WAY = path(1, 2);

  private final Topology topology = Topologies.of(2, new int[] {1, 2});
  private final LinkLoads loads = new LinkLoads();

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
  void retain_keepsWhatIsThereOrInUse() {
    ActiveCount there = loads.of(LINK);
    ActiveCount unused = loads.of(link(7, 8));
    ActiveCount used = loads.of(link(8, 7));
    used.add(1);
    loads.retain(topology);
    assertSame(there, loads.of(LINK));
    assertSame(used, loads.of(link(8, 7)));
    assertNotSame(unused, loads.of(link(7, 8)));
  }
}
