package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * A host with its addresses, each of which sends over a core link of its switch.
 *
 * @param addresses its own one first, then its aliases
 * @param homes the link of each address
 * @param merged core links for which it has no address
 */
record Member(
    Host host,
    ImmutableList<IPAddress<?>> addresses,
    ImmutableList<DirectedLink> homes,
    ImmutableList<DirectedLink> merged) {}
