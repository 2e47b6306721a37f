package io.malob.algorithm.move;

import io.malob.algorithm.graph.Path;

/**
 * A flow that is to be led over another path between the same two switches.
 *
 * @param flow its place in the list of all flows
 * @param to the new path
 * @param beforeBps its fair share of the path that it is on
 * @param afterBps its fair share of the new path
 */
public record Move(int flow, Path to, double beforeBps, double afterBps) {}
