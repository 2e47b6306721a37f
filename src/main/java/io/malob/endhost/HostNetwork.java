package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The host's network as configured over REST. Immutable; a changed address makes a new one.
 *
 * @param switchId the switch on the host
 * @param algorithm name of the rule that chooses uplinks
 * @param defaultUplink name of the uplink for traffic other than TCP and UDP; empty: the first that
 *     is alive
 */
record HostNetwork(
    DatapathId switchId,
    Inside inside,
    String algorithm,
    Optional<String> defaultUplink,
    ImmutableList<Uplink> uplinks) {
  /** The default of a first configuration. */
  static final String DEFAULT_ALGORITHM = "WRR";

  HostNetwork withAlgorithm(String other) {
    return new HostNetwork(switchId, inside, other, defaultUplink, uplinks);
  }
}
