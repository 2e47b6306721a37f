package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The host's network as it is at the moment: what is configured and what is measured. Immutable.
 *
 * @param insidePort empty while the switch does not have it
 * @param uplinks in the order of their numbers
 */
record HostView(
    HostNetwork network, Optional<OFPort> insidePort, ImmutableList<UplinkView> uplinks) {}
