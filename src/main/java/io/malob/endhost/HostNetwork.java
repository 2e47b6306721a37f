package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The host's network as it is configured over REST. Immutable; a change of an address is a new one.
 *
 * @param switchId the switch on the host
 * @param algorithm name of the rule that chooses uplinks
 * @param defaultUplink name of the uplink for what is no flow of TCP or UDP; empty: the first that
 *     is alive
 */
record HostNetwork(
    DatapathId switchId,
    Inside inside,
    String algorithm,
    Optional<String> defaultUplink,
    ImmutableList<Uplink> uplinks) {
  /** That of a configuration that names none, unless there is one before it. */
  static final String DEFAULT_ALGORITHM = "WRR";

  HostNetwork withAlgorithm(String other) {
    return new HostNetwork(switchId, inside, other, defaultUplink, uplinks);
  }
}
