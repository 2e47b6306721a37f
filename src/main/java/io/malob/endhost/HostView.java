package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The current state of the host's network: configuration and measurements. Immutable.
 *
 * @param insidePort empty while the switch does not have it
 * @param uplinks in the order of their numbers
 */
record HostView(
    HostNetwork network, Optional<OFPort> insidePort, ImmutableList<UplinkView> uplinks) {}
