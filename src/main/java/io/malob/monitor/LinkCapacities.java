package io.malob.monitor;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.state.network.ConfiguredCapacities;
import io.malob.state.network.LinkCapacity;
import io.malob.state.network.PortId;
import java.util.Optional;
import java.util.OptionalDouble;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFPortDesc;

/**
 * The capacities of links: the configured one of the sending port, or else the speed of this port.
 * Safe for use by several threads.
 */
record LinkCapacities(ConfiguredCapacities configured, IOFSwitchService switches) {

  /** The capacity of a link in this direction; empty if it is unknown. */
  Optional<LinkCapacity> of(DirectedLink link) {
    @Nullable Double set = configured.all().get(new PortId(link.src(), link.srcPort()));
    if (set != null) {
      return Optional.of(new LinkCapacity(set, LinkCapacity.Source.CONFIGURED));
    }
    @Nullable IOFSwitch sw = switches.getActiveSwitch(link.src());
    @Nullable OFPortDesc port = sw == null ? null : sw.getPort(link.srcPort());
    OptionalDouble speed = port == null ? OptionalDouble.empty() : PortSpeeds.bitsPerSecond(port);
    return speed.isPresent()
        ? Optional.of(new LinkCapacity(speed.getAsDouble(), LinkCapacity.Source.PORT))
        : Optional.empty();
  }
}
