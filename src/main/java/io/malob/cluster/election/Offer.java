package io.malob.cluster.election;

import com.google.common.collect.ImmutableSet;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * What changes of a live controller's key.
 *
 * @param switches the switches that it can be master of: connected, and not refused by them
 * @param masters the controllers among which it divides limits: {@link LimitShares}
 */
record Offer(ImmutableSet<DatapathId> switches, ImmutableSet<String> masters) {
  static final Offer NONE = new Offer(ImmutableSet.of(), ImmutableSet.of());
}
