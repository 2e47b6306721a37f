package io.malob.balancer.api;

import io.malob.algorithm.graph.Path;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A path that is installed in the network, or is about to be.
 *
 * @param label the destination MAC address of the packets on it
 * @param path its switches and links
 * @param connections how many connections have rules that lead over it, in this direction
 * @param active how many of them have not ended yet
 */
public record PathStats(MacAddress label, Path path, int connections, int active) {}
