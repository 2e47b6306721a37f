package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The host's network as configured over REST. Immutable; a changed address makes a new one.
 *
 * @param switchId the switch on the host
 * @param algorithm name of the rule that chooses uplinks
 * @param defaultUplink name of the uplink for traffic other than TCP and UDP; empty: the first that
 *     is alive
 * @param racePorts destination ports of TCP connections whose SYN leaves over two uplinks
 */
record HostNetwork(
    DatapathId switchId,
    Inside inside,
    String algorithm,
    Optional<String> defaultUplink,
    ImmutableSet<Integer> racePorts,
    ImmutableList<Uplink> uplinks) {
  /** The default of a first configuration. */
  static final String DEFAULT_ALGORITHM = "WRR";

  HostNetwork withAlgorithm(String other) {
    return new HostNetwork(switchId, inside, other, defaultUplink, racePorts, uplinks);
  }
}
