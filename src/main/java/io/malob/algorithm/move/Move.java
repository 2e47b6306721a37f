package io.malob.algorithm.move;

import io.malob.algorithm.graph.Path;

/**
 * The rerouting of a flow over another path between the same two switches.
 *
 * @param flow its place in the list of all flows
 * @param to the new path
 * @param beforeBps its fair share of its current path
 * @param afterBps its fair share of the new path
 */
public record Move(int flow, Path to, double beforeBps, double afterBps) {}
