package io.malob.simulation.subflow;

import com.google.common.collect.ImmutableList;
import io.malob.simulation.model.LabNetwork.Host;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * A connection over which one host sends as much as it can to another.
 *
 * @param sources of each of its sub-flows: the address that it comes from; one for TCP
 */
public record Session(Host from, Host to, ImmutableList<IPv4Address> sources) {}
