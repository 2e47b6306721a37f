package io.malob.simulation.scale;

import java.util.List;

/**
 * A network with its load and its controllers.
 *
 * @param switches S, of which the topology makes some edges
 * @param vips V, each with an equal part of the members
 * @param members M, 40 at a switch
 * @param nextHops H, next hops of clients: each host, and each router, however many are behind it
 * @param open O, connections between their first and last packet
 * @param perSecond R, new connections
 * @param controllers K
 * @param isSpread whether each controller is master of an equal part of the switches; otherwise one
 *     is master of all
 * @param cores processors of a controller
 * @param heapMegabytes its heap
 */
public record Deployment(
    String name,
    Topology topology,
    int switches,
    int vips,
    int members,
    int nextHops,
    double open,
    double perSecond,
    int controllers,
    boolean isSpread,
    int cores,
    double heapMegabytes) {

  /** The sizes of docs/explanation/scale.md. */
  public static final List<Deployment> SIZES =
      List.of(
          new Deployment("small", Topology.CAMPUS, 20, 2, 100, 200, 2e4, 2e3, 2, false, 2, 600),
          new Deployment(
              "campus", Topology.CAMPUS, 500, 20, 2_000, 20_000, 2e5, 1e4, 3, false, 8, 8_000),
          new Deployment(
              "full",
              Topology.FAT_TREE,
              10_000,
              100,
              100_000,
              2_000,
              1e7,
              1e6,
              15,
              true,
              32,
              64_000));

  private static final int MEMBERS_PER_EDGE = 40;

  /** How switches are connected. */
  public enum Topology {
    /** Edges, aggregation and core as 2 : 2 : 1 (Al-Fares, SIGCOMM 2008). */
    FAT_TREE(0.4, 0.2, 5),
    /** A building's switches below a tenth of core switches. */
    CAMPUS(0.9, 0.1, 3);

    final double edgePart;
    final double corePart;

    /** Switches of a path between two edges, the longest. */
    final int pathSwitches;

    Topology(double edgePart, double corePart, int pathSwitches) {
      this.edgePart = edgePart;
      this.corePart = corePart;
      this.pathSwitches = pathSwitches;
    }
  }

  double edges() {
    return Math.max(2, topology.edgePart * switches);
  }

  /** Edge switches with members; the others have clients. */
  double memberEdges() {
    return Math.min(edges() / 2, Math.ceil((double) members / MEMBERS_PER_EDGE));
  }

  double clientEdges() {
    return edges() - memberEdges();
  }

  double coreSwitches() {
    return Math.max(1, topology.corePart * switches);
  }

  /** The part of the switches that the busiest controller is master of. */
  double share() {
    return isSpread ? 1.0 / controllers : 1;
  }
}
