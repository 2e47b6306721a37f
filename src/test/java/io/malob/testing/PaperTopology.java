package io.malob.testing;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;

/**
 * Topology 1 of "SDN-Based Load Balancing for Multi-Path TCP", as its tables give it. Ports are
 * those of {@link Topologies}.
 *
 * <pre>
 *   S4 ---- S1 ---- S2
 *    \      |      / |
 *     \     S3 ---'  |
 *      \    |        |
 *       '-- S5 ------'
 * </pre>
 */
public final class PaperTopology {
  /** Where hosts of VLAN 100 are (H1, H3, H5, H6) and of VLAN 105 (H2, H4, H7, H8). */
  public static final ImmutableList<ImmutableList<Long>> INGRESSES =
      ImmutableList.of(ImmutableList.of(1L, 2L, 5L, 4L), ImmutableList.of(1L, 2L, 3L, 4L));

  public static final ImmutableList<Integer> VLANS = ImmutableList.of(100, 105);

  private PaperTopology() {}

  public static Topology topology() {
    return Topologies.of(5, new int[][] {{1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 5}, {3, 5}, {4, 5}});
  }

  /** The 22 paths of Table I, host by host. */
  public static ImmutableList<Path> tableOne() {
    return ImmutableList.of(
        // H1
        Topologies.path(1, 3, 2, 5, 4),
        Topologies.path(1, 2, 3, 5, 4),
        Topologies.path(1, 4, 5, 2, 3),
        // H2
        Topologies.path(1, 3, 2, 5, 4),
        Topologies.path(1, 2, 3, 5, 4),
        Topologies.path(1, 4, 5, 3, 2),
        // H3
        Topologies.path(2, 1, 4, 5, 3),
        Topologies.path(2, 3, 5, 4, 1),
        Topologies.path(2, 5, 3, 1, 4),
        // H4
        Topologies.path(2, 1, 3, 5, 4),
        Topologies.path(2, 3, 1, 4, 5),
        Topologies.path(2, 5, 3, 1, 4),
        // H5
        Topologies.path(5, 2, 3, 1, 4),
        Topologies.path(5, 4, 1, 2, 3),
        Topologies.path(5, 3, 2, 1, 4),
        // H6
        Topologies.path(4, 1, 3, 5, 2),
        Topologies.path(4, 5, 3, 1, 2),
        // H7
        Topologies.path(3, 1, 4, 5, 2),
        Topologies.path(3, 2, 1, 4, 5),
        Topologies.path(3, 5, 2, 1, 4),
        // H8
        Topologies.path(4, 1, 3, 5, 2),
        Topologies.path(4, 5, 3, 1, 2));
  }
}
