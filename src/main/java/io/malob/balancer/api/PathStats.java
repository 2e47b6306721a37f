package io.malob.balancer.api;

import io.malob.algorithm.graph.Path;
import org.projectfloodlight.openflow.types.MacAddress;

/**
 * A path whose rules are installed or being installed.
 *
 * @param label the destination MAC address of the packets on it
 * @param path its switches and links
 * @param connections the number of connections whose rules use it, in this direction
 * @param active the number of these connections that have not ended
 */
public record PathStats(MacAddress label, Path path, int connections, int active) {}
